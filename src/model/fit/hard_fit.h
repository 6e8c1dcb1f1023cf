// SPDX-License-Identifier: BSD-3-Clause
// Fitting a hard encoder: z = W x + b, u_k = z_k where |z_k| > t, x ~ V u + offset, for a wanted mean count of
// nonzeros. C of a model with penalty l0 is its W.
//
// What a mode of encoding keeps: weights and bias (K x d, K), threshold, decoder and offset (K x d, d), all in the
// coordinates of the samples given here; positive or not. hard_codes() makes the codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"

namespace dualdict {

struct HardEncoder {
  Matrix<double> weights;  // W, K x d
  std::vector<double> bias;
  double threshold = 0;
  Matrix<double> decoder;  // V, unit rows
  std::vector<double> offset;
  bool positive = false;
};

struct HardFitOptions {
  std::size_t n_atoms = 0;
  double nonzeros = 1;
  bool positive = false;
  std::uint64_t seed = 0;
  const Matrix<double>* dictionary = nullptr;  // one for greedy codes, K x d, if there is one: start G needs it
};

struct HardFitReport {
  std::string start;           // "orthonormal" or "greedy"
  double principal_error = 0;  // |x - xhat|^2 / |x - mean|^2 on samples held out, of hard-thresholded PCA
  double start_error = 0;      // of the better start
  double error = 0;            // of the result; never above the two
  double nonzeros = 0;         // there
  std::size_t n_steps = 0;
  bool stalled = false;  // the error on samples held out fell no more when the rate began to fall
};

// Learns from the rows of `samples`; with `held_out` empty, a part of them is held out. The pool's interrupt is heard
// between steps: Interrupted is thrown.
template <class T>
HardEncoder fit_hard(MatrixView<const T> samples, MatrixView<const T> held_out, const HardFitOptions& options,
                     ThreadPool& pool, HardFitReport& report);

// The baseline: principal components with one hard threshold, learned from the rows of `samples` and with the threshold
// of the wanted count there.
template <class T>
HardEncoder fit_principal(MatrixView<const T> samples, const HardFitOptions& options, ThreadPool& pool);

}  // namespace dualdict
