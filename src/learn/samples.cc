// SPDX-License-Identifier: BSD-3-Clause
#include "learn/samples.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <type_traits>
#include <vector>

#include "core/finite.h"
#include "core/hash.h"
#include "dualdict/error.h"
#include "learn/block_sums.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// sum of x x' in double: its small eigenvalues matter to the dual, and float products would drown them.
template <class T>
Matrix<double> second_moments(const Samples<T>& samples, ThreadPool& pool, const Interrupt& interrupt) {
  constexpr std::size_t kWave = 16;
  const std::size_t d = samples.n_features();
  Matrix<double> xx(d, d);
  BlockSums<double> sums(pool.size(), d);
  std::vector<Matrix<double>> blocks(kWave);
  std::vector<PackedRight<double>> packed(kWave);
  std::vector<BlockProduct<double>> products(kWave);
  for (std::size_t first = 0; first < samples.n_blocks(); first += kWave) {
    interrupt.throw_if_due();
    const std::size_t count = std::min(kWave, samples.n_blocks() - first);
    pool.run(count, [&](std::size_t i, std::size_t) {
      blocks[i] = convert<double>(samples.block(first + i));
      packed[i].pack(blocks[i].view());
      products[i] = {blocks[i].view(), &packed[i]};
    });
    sums.add(pool, std::span(products).first(count), true, xx);
  }
  BlockSums<double>::mirror(xx);
  return xx;
}

// Codes are about as large as samples and get squared: their squares must neither overflow nor vanish in T.
template <class T>
void require_range(double mean_norm, const std::string& name) {
  constexpr double kLimit = std::is_same_v<T, float> ? 1e15 : 1e100;
  if (mean_norm == 0 || (mean_norm <= kLimit && mean_norm >= 1 / kLimit)) return;
  std::ostringstream message;
  message << name << ": the mean norm of the samples is " << mean_norm << "; it must be 0 or between " << 1 / kLimit
          << " and " << kLimit << " for this precision: divide the data by a constant (--scale)";
  throw Error(ErrorKind::kInput, message.str());
}

}  // namespace

template <class T>
Matrix<T> read_samples(const DataSource& data, const Transform& transform, std::size_t first, std::size_t count) {
  Matrix<T> x(count, data.n_features());
  data.read(first, x.view());
  require_finite<T>(x.view(), data.name(), first);
  transform.apply(x.view());
  return x;
}

template <class T>
Samples<T> load_samples(const DataSource& data, const Transform& transform, Random random, ThreadPool& pool,
                        const Interrupt& interrupt) {
  constexpr std::size_t kReadSamples = 4096;
  const std::size_t n = data.n_samples();
  const std::vector<std::size_t> place = random.permutation(n);
  Samples<T> samples;
  samples.x = Matrix<T>(n, data.n_features());
  Hasher hasher;
  NonFinite bad;
  for (std::size_t first = 0; first < n; first += kReadSamples) {
    interrupt.throw_if_due();
    Matrix<T> rows(std::min(kReadSamples, n - first), data.n_features());
    data.read(first, rows.view());
    bad.add(find_non_finite(rows.view()), first);
    transform.apply(rows.view());
    hasher.add(rows.data(), rows.size() * sizeof(T));
    for (std::size_t i = 0; i < rows.rows(); ++i)
      std::copy_n(rows.row(i), rows.cols(), samples.x.row(place[first + i]));
  }
  require_finite(bad, data.name());
  samples.fingerprint = hasher.digest();
  for (std::size_t i = 0; i < n; ++i) {
    const double squared = squared_norm(samples.x.row(i), samples.n_features());
    samples.squared += squared;
    samples.mean_norm += std::sqrt(squared);
  }
  samples.mean_norm /= static_cast<double>(n);
  require_range<T>(samples.mean_norm, data.name());
  samples.xx = second_moments(samples, pool, interrupt);
  return samples;
}

template Matrix<float> read_samples<float>(const DataSource&, const Transform&, std::size_t, std::size_t);
template Matrix<double> read_samples<double>(const DataSource&, const Transform&, std::size_t, std::size_t);
template Samples<float> load_samples<float>(const DataSource&, const Transform&, Random, ThreadPool&, const Interrupt&);
template Samples<double> load_samples<double>(const DataSource&, const Transform&, Random, ThreadPool&,
                                              const Interrupt&);

}  // namespace dualdict
