// SPDX-License-Identifier: BSD-3-Clause
// Training a hard encoder and its decoder together, in standard coordinates: Adam on W, b, V and the offset with
// gradients that only touch what is above the threshold, or near it.
//
// With r = x - offset - V u and g_k = v_k . r, the gradient of |r|^2 is -2 u_k r for v_k, and for the row of W, as if
// the threshold stood still, -2 g_k x. Which atoms pass it is learned from those near it: keeping k gains B_k = 2 t
// |v_k . (r without k)| - t^2; a response within (1 +- e) t is pulled up by (B_k - mean of B) / (4 e t).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/thread_pool.h"
#include "linalg/product.h"
#include "model/fit/atom_lists.h"
#include "model/fit/hard_rows.h"
#include "model/fit/hard_state.h"

namespace dualdict {

// Adam's means of a direction and of its squares.
struct AdamMoments {
  Matrix<float> first, second;
};

// All that goes from step to step, as plain values.
struct HardTrainingState {
  HardState encoder;
  AdamMoments weights, decoder, bias, offset;
  double mean_gain = 0;  // of keeping what is near the threshold
  bool has_mean_gain = false;
  std::size_t n_steps = 0;  // done

  HardTrainingState() = default;
  explicit HardTrainingState(HardState start);
};

struct HardTrainingOptions {
  double nonzeros = 1;  // wanted of a sample
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  // of random numbers, for the order of the samples
};

inline constexpr std::size_t kTrainingBlock = 1024;  // samples of a step

class HardTraining {
 public:
  // Keeps the rows, the state and the pool by reference.
  HardTraining(const HardRows& rows, HardTrainingState& state, const HardTrainingOptions& options, ThreadPool& pool);

  // One step of Adam on the next block. The same bits for any number of threads.
  void step(double rate, bool moves_offset = true);

 private:
  struct Part {  // of the block's samples
    SampleLists lists;
    Matrix<float> responses;
    std::vector<std::uint32_t> atoms;  // of one sample, above the threshold
    std::vector<float> codes;
    std::vector<double> rest;  // sum of r
    std::size_t nonzeros = 0;
    std::size_t near = 0;  // responses near the threshold
    double gains = 0;      // of keeping them
  };
  struct Directions {
    std::vector<std::vector<float>> scratch;  // of each worker
    Matrix<float> bias, offset;
  };
  struct Pace {  // of this step, with Adam's correction
    float rate = 0;
    float floor = 0;
  };

  HardState& encoder() { return state_.encoder; }
  const HardState& encoder() const { return state_.encoder; }
  void set_first_threshold();
  void look(std::size_t part);
  void look_at(std::size_t sample, const float* responses, Part& part);
  float pull_near(float response, float pull, Part& part) const;
  void move_atom(std::size_t atom, float* direction);
  void adam(const float* direction, AdamMoments& moments, std::size_t row, float* w) const;
  void move_biases(bool moves_offset);
  void follow_count();

  const HardRows& rows_;
  HardTrainingState& state_;
  double nonzeros_;
  ThreadPool& pool_;
  Matrix<float> x_;
  RowOrder order_;
  Matrix<float> rest_;  // r
  std::vector<std::size_t> drawn_;
  PackedRight<float> packed_;
  std::vector<SampleLists> lists_;
  std::vector<Part> parts_;
  AtomLists codes_;
  AtomLists pulls_;
  Directions directions_;
  Pace pace_;
};

}  // namespace dualdict
