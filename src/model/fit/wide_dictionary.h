// SPDX-License-Identifier: BSD-3-Clause
// A dictionary of many atoms for greedy codes, from blocks of samples in standard coordinates: code the block by one
// round on a long list, move every atom by its own curvature, let the price follow the count. Nothing is K x K.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "model/fit/atom_lists.h"
#include "model/fit/hard_rows.h"
#include "solvers/diagonal_step.h"
#include "solvers/rounds_codes.h"

namespace dualdict {

struct WideDictionaryOptions {
  double nonzeros = 1;
  bool positive = false;
};

class WideDictionary {
 public:
  // Keeps the rows and the pool by reference. Atoms are K x d and need not have unit norm.
  WideDictionary(const HardRows& rows, const Matrix<double>& atoms, const WideDictionaryOptions& options,
                 std::uint64_t seed, ThreadPool& pool);

  // One block. Atoms that hardly anybody uses become its worst coded samples, where that is asked for.
  void step(bool replace_unused);

  Matrix<double> dictionary() const { return convert<double>(problem_.atoms); }  // unit rows
  double price() const { return options_now_.price; }
  std::size_t block_size() const { return block_.x.rows(); }
  double last_error() const { return last_error_; }  // |x - D u|^2 / |x|^2 of the last block

 private:
  void code_block();
  void move_atoms();
  void replace_unused_atoms();

  struct Block {  // of samples, and what their codes leave
    Matrix<float> x;
    Matrix<float> rest;                     // x - D u
    std::vector<double> errors;             // of each sample, relative
    std::vector<GreedyCodeReport> reports;  // of each part
    std::vector<SampleLists> lists;
    AtomLists by_atom;
    Block(std::size_t n, std::size_t n_features);
  };

  const HardRows& rows_;
  WideDictionaryOptions options_;
  RowOrder order_;
  ThreadPool& pool_;
  RoundsProblem<float> problem_;
  RoundsOptions options_now_;
  DiagonalStep atom_step_;
  Block block_;
  std::vector<std::size_t> drawn_;
  std::vector<RoundsWorkspace<float>> workspaces_;
  std::vector<std::vector<float>> directions_;  // scratch of each worker
  std::size_t n_steps_ = 0;
  double last_error_ = 0;
};

}  // namespace dualdict
