// SPDX-License-Identifier: BSD-3-Clause
// A dictionary for greedy codes, from blocks of samples in standard coordinates: code the block, let its sums U U' and
// U X' join fading ones, move D over them once, let the price follow the count. The three are apart, so that another
// learner can have its own sums.
#pragma once

#include <cstddef>
#include <vector>

#include "core/random.h"
#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "model/fit/atom_lists.h"
#include "model/fit/hard_rows.h"
#include "model/fit/hard_state.h"
#include "solvers/greedy_codes.h"
#include "solvers/hard_codes.h"
#include "solvers/objective.h"

namespace dualdict {

struct GreedyDictionaryOptions {
  double nonzeros = 1;
  bool positive = false;
  // Codes descend from those of this encoder with kStartShare of the nonzeros, where there is one; from zero otherwise.
  const HardState* start = nullptr;
};

class GreedyDictionary {
 public:
  static constexpr double kStartShare = 0.6;
  // Keeps the rows and the pool by reference.
  GreedyDictionary(const HardRows& rows, Matrix<double> dictionary, const GreedyDictionaryOptions& options,
                   Random random, ThreadPool& pool);

  // One block. Atoms that nobody uses become its worst coded samples, where that is asked for.
  void step(bool replace_unused);

  const Matrix<double>& dictionary() const { return dictionary_; }
  double price() const { return price_; }
  std::size_t block_size() const { return x_.rows(); }
  double last_error() const { return last_error_; }  // |x - D u|^2 / |x|^2 of the last block

 private:
  void code_block();
  void add_sums();
  void move_dictionary();
  void replace_unused_atoms();

  const HardRows& rows_;
  Matrix<double> dictionary_;  // unit rows
  GreedyDictionaryOptions options_;
  RowOrder order_;
  ThreadPool& pool_;
  Matrix<float> x_;
  Matrix<float> codes_;  // rows padded
  std::vector<std::size_t> drawn_;
  HardProblem<float> start_;
  GreedyProblem<float> problem_;
  std::vector<GreedyWorkspace<float>> workspaces_;
  std::vector<GreedyCodeReport> reports_;
  std::vector<double> errors_;  // of each sample, relative
  std::vector<SampleLists> lists_;
  AtomLists by_atom_;
  std::vector<std::vector<float>> sums_;  // scratch of each worker
  Moments moments_;
  double price_ = 0;
  double seen_ = 0;
  double last_error_ = 0;
};

}  // namespace dualdict
