// SPDX-License-Identifier: BSD-3-Clause
// Fitting a hard encoder: z = W x + b, u_k = z_k where |z_k| > t, x ~ V u + offset, for a wanted mean count of
// nonzeros. C of a model with penalty l0 is its W.
//
// What a mode of encoding keeps: weights and bias (K x d, K), threshold, decoder and offset (K x d, d), all in the
// coordinates of the samples given here; positive or not. hard_codes() makes the codes.
//
// The fit is a value that is moved on step by step, so that it can be kept between any two and taken up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "model/fit/hard_rows.h"
#include "model/fit/hard_state.h"
#include "model/fit/hard_training.h"
#include "model/fit/start_orthonormal.h"

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
  // One for greedy codes, K x d, where there is one: without it there is no start G, and no race.
  const Matrix<double>* dictionary = nullptr;
  // Of many atoms: from the dictionary alone, without start A and races, and no further than samples say something of
  // so many numbers.
  bool from_dictionary = false;
};

enum class HardPhase {
  kPrincipal,
  kRotate,           // start A
  kRegress,          // start G
  kRaceOrthonormal,  // a few steps of training from A
  kRaceGreedy,       // the same from G
  kTrain,            // from the better one, at a constant rate
  kFall,             // the rate falls to zero
  kDone,
};

struct HardFitState {
  HardPhase phase = HardPhase::kPrincipal;
  std::size_t step = 0;  // of training, within the phase
  HardState orthonormal, greedy;
  RotationState rotation;
  HardTrainingState training;
  double race_error = 0;       // after the race from A
  std::vector<double> errors;  // held out, while training at a constant rate
  bool from_greedy = false;    // what the race decided
  bool stalled = false;        // the error on samples held out fell no more when the rate began to fall
  HardState best;              // with the smallest error on samples held out so far; empty before there is one
  double best_error = 0;
  double principal_error = 0;  // |x - xhat|^2 / |x - mean|^2 on samples held out, of hard-thresholded PCA
  double start_error = 0;      // of the better start
};

template <class T>
class HardFit {
 public:
  // Learns from `samples` and judges on `held_out`; where that is empty, a part of them is held out. Samples and
  // options outlive it; so does the pool, whose interrupt is heard: Interrupted is thrown then, and the state is good
  // for its best encoder alone.
  HardFit(MatrixView<const T> samples, MatrixView<const T> held_out, const HardFitOptions& options, ThreadPool& pool);

  // A small piece of the work.
  void advance(HardFitState& state);
  // The best one so far.
  HardEncoder encoder(const HardFitState& state) const;

 private:
  void offer(HardFitState& state, HardState encoder, double& error);
  void find_principal(HardFitState& state);
  void rotate(HardFitState& state);
  void regress(HardFitState& state);
  void begin_training(HardFitState& state, HardPhase phase, const HardState& start);
  void train_some(HardFitState& state);
  // After a step of the phase.
  void race(HardFitState& state);
  void train(HardFitState& state);
  void fall(HardFitState& state);

  // How far training goes, and how fast.
  struct Course {
    double rate;
    std::size_t most_steps;  // before the rate falls
    bool moves_offset;
  };
  Course course() const;

  HardFitOptions options_;
  ThreadPool& pool_;
  Standard standard_;
  HardRows rows_;
  std::optional<HardJudge> judge_;
  std::optional<Rotation> rotation_;
  std::optional<HardTraining> training_;
};

// All of it.
template <class T>
HardEncoder fit_hard(MatrixView<const T> samples, MatrixView<const T> held_out, const HardFitOptions& options,
                     ThreadPool& pool, HardFitState& state);

// The baseline: principal components with one hard threshold, learned from the rows of `samples` and with the threshold
// of the wanted count there.
template <class T>
HardEncoder fit_principal(MatrixView<const T> samples, const HardFitOptions& options, ThreadPool& pool);

}  // namespace dualdict
