// SPDX-License-Identifier: BSD-3-Clause
// The hard encoder and its decoder while they are learned, in standard coordinates (hard_rows.h):
// z = W x + b, u_k = z_k where |z_k| > t, x ~ V u + offset.
#pragma once

#include <cstddef>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/product.h"

namespace dualdict {

struct HardState {
  Matrix<float> weights;  // W, K x d
  AlignedVector<float> bias;
  Matrix<float> decoder;  // V, K x d, unit rows
  AlignedVector<float> offset;
  float threshold = 0;
  bool positive = false;

  HardState() = default;
  HardState(std::size_t n_atoms, std::size_t n_features)
      : weights(n_atoms, n_features), bias(n_atoms), decoder(n_atoms, n_features), offset(n_features) {}
  std::size_t n_atoms() const { return weights.rows(); }
  std::size_t n_features() const { return weights.cols(); }
};

// Samples that nothing is learned from, and how many nonzeros are wanted on average.
class HardJudge {
 public:
  HardJudge(Matrix<float> samples, double nonzeros);
  // Sets the state's threshold to the one of the wanted count on these samples; |x - xhat|^2 / |x|^2 there.
  double measure(HardState& state, ThreadPool& pool);
  const Matrix<float>& samples() const { return samples_; }
  double nonzeros() const { return nonzeros_; }

 private:
  Matrix<float> samples_;
  double nonzeros_;
  double squared_samples_ = 0;
  PackedRight<float> packed_;
  Matrix<float> responses_;
  Matrix<float> sorted_;
  std::vector<double> errors_;
};

// W x + b, row by row.
void hard_responses(const HardState& state, const PackedRight<float>& weights, MatrixView<const float> samples,
                    MatrixView<float> responses);

}  // namespace dualdict
