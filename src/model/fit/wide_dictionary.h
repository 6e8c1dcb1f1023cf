// SPDX-License-Identifier: BSD-3-Clause
// A dictionary of many atoms for greedy codes, from blocks of samples in standard coordinates: code the block by one
// round on a long list, move every atom by its own curvature, let the price follow the count. Nothing is K x K. Where
// it stands is the atoms and a state of plain values, so that it can be kept between any two blocks and taken up.
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

// All that goes from block to block beside the atoms.
struct WideDictionaryState {
  DiagonalState atoms;
  double price = 0;         // of a nonzero, in standard coordinates
  std::size_t n_steps = 0;  // blocks
  std::size_t n_replaced = 0;
};

// How many samples a block has, and the order that they come in where all are at hand, after so many blocks.
std::size_t wide_block(std::size_t n_rows, std::size_t n_atoms);
RowOrder wide_order(std::size_t n_rows, std::size_t n_atoms, std::uint64_t seed, std::size_t n_steps);

class WideDictionary {
 public:
  // Keeps the state and the pool by reference. Atoms are K x d: of a state that has made steps those that it left,
  // of a new one any.
  WideDictionary(const Matrix<double>& atoms, WideDictionaryState& state, const WideDictionaryOptions& options,
                 ThreadPool& pool);

  // One block; what its codes say. Atoms that hardly anybody uses become its worst coded samples, where that is asked
  // for. The same bits for any number of threads.
  GreedyCodeReport step(const Matrix<float>& x, bool replace_unused);

  Matrix<double> dictionary() const { return convert<double>(problem_.atoms); }  // unit rows

 private:
  void code_block(const Matrix<float>& x);
  void move_atoms();
  void replace_unused_atoms();

  struct Block {                            // of samples, and what their codes leave
    Matrix<float> rest;                     // x - D u
    std::vector<double> errors;             // of each sample, relative
    std::vector<GreedyCodeReport> reports;  // of each part
    std::vector<SampleLists> lists;
    AtomLists by_atom;
    void resize(std::size_t n, std::size_t n_features);
  };

  WideDictionaryState& state_;
  WideDictionaryOptions options_;
  ThreadPool& pool_;
  RoundsProblem<float> problem_;
  DiagonalStep atom_step_;
  Block block_;
  std::vector<RoundsWorkspace<float>> workspaces_;
  std::vector<std::vector<float>> directions_;  // scratch of each worker
};

}  // namespace dualdict
