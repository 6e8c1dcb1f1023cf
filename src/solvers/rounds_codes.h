// SPDX-License-Identifier: BSD-3-Clause
// Greedy codes of many atoms, for a block of samples: low values of
//
//   |x - b - D u|^2 + price |u|_0
//
// without a Gram matrix. A round lists the atoms that resemble most what is left of a sample, by a rough product in
// bytes, and chooses among them one after another with least squares on all that are chosen, until an atom that is not
// listed could be better. Every atom that is chosen lowers the cost; the code of a sample depends on that sample alone.
//
// One round on a longer list is the code of learning: each atom is judged by what least squares with it would gain
// (orthogonal least squares). Memory is that of the atoms and a quarter of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/screen.h"
#include "solvers/greedy_codes.h"
#include "solvers/orthogonal_code.h"

namespace dualdict {

// What the codes need of D and b. Inside, atoms have unit norm: codes are scaled back.
template <class T>
struct RoundsProblem {
  bool positive = false;
  Matrix<T> atoms;         // V, K x d; an atom of norm zero is never used
  ScreenAtoms bytes;       // V
  std::vector<T> inverse;  // of the norms of the atoms of D, or 0
  std::vector<double> bias;

  std::size_t n_atoms() const { return atoms.rows(); }
  std::size_t n_features() const { return atoms.cols(); }
  void assign(const Matrix<double>& dictionary, std::span<const double> bias, bool positive,
              ThreadPool& pool = calling_thread());
  // After a change of V.
  void pack(ThreadPool& pool) { bytes.pack(MatrixView<const T>(atoms.view()), pool); }
};

struct RoundsOptions {
  double price = 0;
  std::size_t shortlist = 32;
  std::size_t rounds = 6;
  std::size_t max_nonzeros = 1024;  // of a sample; never more than features
};

// The code of learning with that many nonzeros.
RoundsOptions learning_rounds(double price, double nonzeros);

// What is listed of one sample.
template <class T>
struct Candidates {
  std::vector<std::uint32_t> atoms;   // those that may still be chosen
  std::vector<std::uint32_t> places;  // of each, its column of products
  std::vector<T> pull;                // v'(what is left)
  std::vector<T> outside;             // share of it outside of those chosen from this list
  Matrix<T> products;                 // of the directions of those chosen from this list
  std::vector<T> now;                 // of the last direction
  std::vector<T> known;               // of the directions with one atom
  void remove(std::size_t i);
};

// The codes of a block, sample after sample.
template <class T>
struct RoundsWorkspace {
  std::vector<std::size_t> begin;  // of each sample, and the end of the last
  std::vector<std::uint32_t> atoms;
  std::vector<T> values;
  std::vector<double> error;  // |x - b - D u|^2
  Matrix<T> rest;             // x - b - D u

  ScreenRows screen;
  Shortlist shortlist;
  Candidates<T> candidates;
  std::vector<OrthogonalCode<T>> codes;
  std::vector<T> solved;
};

// x: n x d with n <= kBlockSamples. The codes are in the workspace.
template <class T>
GreedyCodeReport find_rounds_codes(const RoundsProblem<T>& problem, MatrixView<const T> x, const RoundsOptions& options,
                                   RoundsWorkspace<T>& work);
// The same with the codes in u, n x K.
template <class T>
GreedyCodeReport rounds_codes(const RoundsProblem<T>& problem, MatrixView<const T> x, const RoundsOptions& options,
                              RoundsWorkspace<T>& work, MatrixView<T> u);

// As for greedy codes; `guess` is a price to begin with.
template <class T>
FoundPrice price_for_nonzeros(const RoundsProblem<T>& problem, MatrixView<const T> x, double nonzeros,
                              const RoundsOptions& options, ThreadPool& pool, std::size_t most);

}  // namespace dualdict
