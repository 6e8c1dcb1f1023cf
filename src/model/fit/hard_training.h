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

class HardTraining {
 public:
  // The wanted nonzeros of a sample. Keeps the rows and the pool by reference.
  HardTraining(const HardRows& rows, HardState start, double nonzeros, Random random, ThreadPool& pool);

  // One step of Adam on the next block. The same bits for any number of threads.
  void step(double rate);

  HardState& state() { return state_; }
  std::size_t n_steps() const { return n_steps_; }
  std::size_t block_size() const { return x_.rows(); }

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
  struct Moments {  // Adam's
    Matrix<float> first, second;
    Moments(std::size_t rows, std::size_t cols) : first(rows, cols), second(rows, cols) {}
  };

  void set_first_threshold();
  void look(std::size_t part);
  void look_at(std::size_t sample, const float* responses, Part& part);
  float pull_near(float response, float pull, Part& part) const;
  void move_atom(std::size_t atom, float* direction);
  void adam(const float* direction, Moments& moments, std::size_t row, float* w) const;
  void move_biases();
  void follow_count();

  const HardRows& rows_;
  HardState state_;
  double nonzeros_;
  RowOrder order_;
  ThreadPool& pool_;
  Matrix<float> x_;
  Matrix<float> rest_;  // r
  std::vector<std::size_t> drawn_;
  PackedRight<float> packed_;
  std::vector<SampleLists> lists_;
  std::vector<Part> parts_;
  AtomLists codes_;
  AtomLists pulls_;
  std::vector<std::vector<float>> directions_;  // scratch of each worker
  Matrix<float> bias_direction_;
  Matrix<float> offset_direction_;
  Moments weights_moments_, decoder_moments_, bias_moments_, offset_moments_;
  double mean_gain_ = 0;  // of keeping what is near the threshold
  bool has_mean_gain_ = false;
  float rate_ = 0;  // of this step, with Adam's correction
  float floor_ = 0;
  std::size_t n_steps_ = 0;
};

}  // namespace dualdict
