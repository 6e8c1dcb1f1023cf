// SPDX-License-Identifier: BSD-3-Clause
// The training samples in memory, preprocessed, in random order, with the sums over them that never change. In random
// order the first n of them are a fair draw: learning starts on such a beginning and works its way to all. With several
// ranks each holds its part of them, in the same one order of all: draws do not depend on how many ranks there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/interrupt.h"
#include "core/random.h"
#include "core/thread_pool.h"
#include "dualdict/data.h"
#include "dualdict/matrix.h"
#include "dualdict/preprocess.h"
#include "learn/ranks/ranks.h"
#include "solvers/code_step.h"
#include "solvers/objective.h"

namespace dualdict {

// Samples [first, first + count).
struct SampleRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

template <class T>
struct Samples {
  Matrix<T> x;           // N x d, those of this rank
  double squared = 0;    // sum of |x|^2 over all ranks
  double mean_norm = 0;  // mean of |x| over all ranks
  std::string fingerprint;
  std::string row_fingerprint;      // the same for any number of ranks
  Ranks* ranks = nullptr;           // nullptr: one process
  Shard shard;                      // set with several ranks
  std::vector<double> origin;       // what the rows are less by; empty: nothing
  std::vector<std::size_t> places;  // of the rows in the order of all, rising; empty with one process: row i is there i

  bool alone() const { return ranks == nullptr || ranks->alone(); }
  // On this rank.
  std::size_t n_samples() const { return x.rows(); }
  // On all ranks.
  std::size_t n_all() const { return alone() ? x.rows() : shard.total; }
  // How many of the first n of all are on this rank; they are its first.
  std::size_t n_first(std::size_t n) const {
    if (alone()) return n;
    return static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), n) - places.begin());
  }
  // The row of a place, or n_samples() when it is on another rank.
  std::size_t row_of(std::size_t place) const {
    if (alone()) return place;
    const std::size_t row = n_first(place);
    return row < places.size() && places[row] == place ? row : x.rows();
  }
  std::size_t n_features() const { return x.cols(); }
  std::size_t n_blocks() const { return blocks_for(x.rows()); }
  // Blocks that hold the first n samples.
  static std::size_t blocks_for(std::size_t n) { return (n + kBlockSamples - 1) / kBlockSamples; }
  std::size_t block_size(std::size_t block) const { return std::min(kBlockSamples, x.rows() - block * kBlockSamples); }
  MatrixView<const T> block(std::size_t block) const {
    return x.view().row_range(block * kBlockSamples, block_size(block));
  }
};

// Codes are about as large as samples and get squared: their squares must neither overflow nor vanish in T. Throws
// Error(kInput) that names the source.
template <class T>
void require_range(double mean_norm, const std::string& name);

// Reads all samples, refuses NaN and Inf (Error(kInput), with count and first position), preprocesses, shuffles, sums;
// all but the second moments.
template <class T>
Samples<T> load_samples(const DataSource& data, const Transform& transform, Random random, const Interrupt& interrupt,
                        Ranks* ranks = nullptr);

// The sum of x x' over all ranks, in double whatever T; only the dual step needs it. All ranks call this together.
template <class T>
Matrix<double> second_moments(const Samples<T>& samples, ThreadPool& pool, const Interrupt& interrupt);

// The same as moments.xx or, where samples are few and wide, as moments.root.
template <class T>
void sum_second_moments(const Samples<T>& samples, ThreadPool& pool, const Interrupt& interrupt, Moments& moments);

// Makes the rows those less `origin`, instead of less the one that they have, and |X|^2 theirs. All ranks call this
// together.
template <class T>
void move_origin(Samples<T>& samples, const std::vector<double>& origin);

// The stream of random numbers that the order of the samples is drawn from.
inline constexpr std::uint64_t kOrderStream = 2;

// The places in the order of all `total` samples of the samples first .. first + count - 1.
std::vector<std::size_t> places_of(std::size_t total, Random& random, std::size_t first, std::size_t count);

// The samples at these places of the order, whichever ranks they are on.
template <class T>
Matrix<T> samples_at(const Samples<T>& samples, std::span<const std::size_t> places);

// Those of a range of the order, a bounded number at a time.
template <class T>
Matrix<T> samples_in(const Samples<T>& samples, SampleRange range);

// Reads `count` samples from `first` on and preprocesses them.
template <class T>
Matrix<T> read_samples(const DataSource& data, const Transform& transform, std::size_t first, std::size_t count);

}  // namespace dualdict
