// SPDX-License-Identifier: BSD-3-Clause
#include "learn/samples/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <vector>

#include "core/finite.h"
#include "core/hash.h"
#include "core/sample_order.h"
#include "dualdict/error.h"
#include "linalg/block_sums.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"
#include "preprocess/vanished.h"
#include "solvers/dual_step.h"

namespace dualdict {
namespace {

// In double: the small eigenvalues of the sum matter to the dual, and float products would drown them.
template <class T>
Matrix<double> second_moments_here(const Samples<T>& samples, ThreadPool& pool, const Interrupt& interrupt) {
  const std::size_t d = samples.n_features();
  // Blocks between two looks at the interrupt: fewer when each is much work.
  const std::size_t wave = std::clamp<std::size_t>(16 * 1024 * 1024 / (d * d), 1, 16);
  Matrix<double> xx(d, d);
  BlockSums<double> sums(pool.size(), d);
  std::vector<Matrix<double>> blocks(wave);
  std::vector<PackedRight<double>> packed(wave);
  std::vector<BlockProduct<double>> products(wave);
  for (std::size_t first = 0; first < samples.n_blocks(); first += wave) {
    interrupt.throw_if_due();
    const std::size_t count = std::min(wave, samples.n_blocks() - first);
    pool.run(count, [&](std::size_t i, std::size_t) {
      blocks[i] = convert<double>(samples.block(first + i));
      packed[i].pack(blocks[i].view());
      products[i] = {blocks[i].view(), &packed[i], nullptr};
    });
    sums.add(pool, {{std::span(products).first(count), true, &xx}});
  }
  mirror_upper(xx);
  return xx;
}

// Where each sample of the source goes: to its place in the order of all or, with several ranks, to its rank among the
// places of the samples here.
template <class T>
std::vector<std::size_t> target_rows(std::size_t n, Random& random, Samples<T>& samples) {
  if (samples.alone()) return places_of(n, random, 0, n);
  samples.places = places_of(samples.shard.total, random, samples.shard.first, n);
  const std::vector<std::size_t> unsorted = samples.places;
  std::sort(samples.places.begin(), samples.places.end());
  std::vector<std::size_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = samples.n_first(unsorted[i]);
  return rows;
}

// Reads the source; sample i becomes row rows[i].
template <class T>
void read_into(const DataSource& data, const Transform& transform, const Interrupt& interrupt,
               const std::vector<std::size_t>& rows, Samples<T>& samples) {
  constexpr std::size_t kReadSamples = 4096;
  const std::size_t n = rows.size();
  samples.x = Matrix<T>(n, data.n_features());
  Hasher hasher;
  std::uint64_t sum_of_rows = 0;
  NonFinite bad;
  for (std::size_t first = 0; first < n; first += kReadSamples) {
    interrupt.throw_if_due();
    Matrix<T> block(std::min(kReadSamples, n - first), data.n_features());
    data.read(first, block.view());
    bad.add(find_non_finite(block.view()), first);
    transform.apply(block.view());
    hasher.add(block.data(), block.size() * sizeof(T));
    for (std::size_t i = 0; i < block.rows(); ++i) {
      std::copy_n(block.row(i), block.cols(), samples.x.row(rows[first + i]));
      const std::uint64_t row_hash = hash64(block.row(i), block.cols() * sizeof(T));
      sum_of_rows += mix64(row_hash ^ mix64(samples.shard.first + first + i));
    }
  }
  require_finite(bad, data.name());
  samples.fingerprint = hasher.digest();
  samples.row_fingerprint = hex64(sum_of_rows);
}

template <class T>
void sum_over_ranks(Samples<T>& samples) {
  if (samples.alone()) return;
  Ranks& ranks = *samples.ranks;
  std::array<double, 2> sums{samples.squared, samples.mean_norm};
  ranks.sum(sums);
  samples.squared = sums[0];
  samples.mean_norm = sums[1];
  samples.row_fingerprint = hex64(ranks.sum_bits(std::stoull(samples.row_fingerprint, nullptr, 16)));
  samples.fingerprint = "rows-xxh3-64:" + samples.row_fingerprint;
}

}  // namespace

std::vector<std::size_t> places_of(std::size_t total, Random& random, std::size_t first, std::size_t count) {
  if (count == total && total <= SampleOrder::kListed) return random.permutation(total);
  const SampleOrder order(total, random);
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = order.at(first + i);
  return places;
}

template <class T>
void require_range(double mean_norm, const std::string& name) {
  constexpr double kLimit = std::is_same_v<T, float> ? 1e15 : 1e100;
  if (mean_norm == 0 || (mean_norm <= kLimit && mean_norm >= 1 / kLimit)) return;
  std::ostringstream message;
  message << name << ": the mean norm of the samples is " << mean_norm << "; it must be 0 or between " << 1 / kLimit
          << " and " << kLimit << " for this precision: divide the data by a constant (--scale)";
  throw Error(ErrorKind::kInput, message.str());
}

template <class T>
Matrix<T> read_samples(const DataSource& data, const Transform& transform, std::size_t first, std::size_t count) {
  Matrix<T> x(count, data.n_features());
  data.read(first, x.view());
  require_finite<T>(x.view(), data.name(), first);
  transform.apply(x.view());
  return x;
}

template <class T>
Samples<T> load_samples(const DataSource& data, const Transform& transform, Random random, const Interrupt& interrupt,
                        Ranks* ranks) {
  Samples<T> samples;
  samples.ranks = ranks;
  if (!samples.alone()) samples.shard = ranks->shard(data.n_samples());
  const auto load = [&] {
    const std::vector<std::size_t> rows = target_rows(data.n_samples(), random, samples);
    read_into(data, transform, interrupt, rows, samples);
    for (std::size_t i = 0; i < samples.n_samples(); ++i) {
      const double squared = squared_norm(samples.x.row(i), samples.n_features());
      samples.squared += squared;
      samples.mean_norm += std::sqrt(squared);
    }
    if (samples.mean_norm == 0) require_zero(data, transform);
  };
  if (ranks == nullptr)
    load();
  else
    ranks->attempt(load);
  sum_over_ranks(samples);
  samples.mean_norm /= static_cast<double>(samples.n_all());
  require_range<T>(samples.mean_norm, data.name());
  return samples;
}

template <class T>
Matrix<double> second_moments(const Samples<T>& samples, ThreadPool& pool, const Interrupt& interrupt) {
  if (samples.alone()) return second_moments_here(samples, pool, interrupt);
  Matrix<double> xx(samples.n_features(), samples.n_features());
  samples.ranks->attempt([&] { xx = second_moments_here(samples, pool, interrupt); });
  samples.ranks->sum(std::span(xx.data(), xx.size()));
  return xx;
}

template <class T>
Matrix<T> samples_at(const Samples<T>& samples, std::span<const std::size_t> places) {
  Matrix<T> rows(places.size(), samples.n_features());
  if (samples.alone()) {
    for (std::size_t i = 0; i < places.size(); ++i) std::copy_n(samples.x.row(places[i]), rows.cols(), rows.row(i));
    return rows;
  }
  Matrix<double> parts(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < places.size(); ++i)
    if (const std::size_t row = samples.row_of(places[i]); row < samples.n_samples())
      std::copy_n(samples.x.row(row), parts.cols(), parts.row(i));
  samples.ranks->sum(std::span(parts.data(), parts.size()));
  return convert<T>(parts);
}

template <class T>
void sum_second_moments(const Samples<T>& samples, ThreadPool& pool, const Interrupt& interrupt, Moments& moments) {
  if (!is_wide(samples.n_all(), samples.n_features())) {
    moments.xx = second_moments(samples, pool, interrupt);
    return;
  }
  if (samples.alone()) {
    moments.root = convert<double>(samples.x);
  } else {
    std::vector<std::size_t> places(samples.n_all());
    std::iota(places.begin(), places.end(), std::size_t{0});
    moments.root = convert<double>(samples_at<T>(samples, places));
  }
  if (moments.root.rows() <= kWholeSpectrum) moments.root = orthogonal_rows(moments.root, pool);
}

template <class T>
Matrix<T> samples_in(const Samples<T>& samples, SampleRange range) {
  constexpr std::size_t kAtOnce = 8192;
  Matrix<T> rows(range.count, samples.n_features());
  for (std::size_t done = 0; done < range.count; done += kAtOnce) {
    std::vector<std::size_t> places(std::min(kAtOnce, range.count - done));
    std::iota(places.begin(), places.end(), range.first + done);
    const Matrix<T> some = samples_at<T>(samples, places);
    std::copy_n(some.data(), some.size(), rows.row(done));
  }
  return rows;
}

template <class T>
void move_origin(Samples<T>& samples, const std::vector<double>& origin) {
  if (samples.origin == origin) return;
  const std::size_t d = samples.n_features();
  std::vector<double> less = origin;
  for (std::size_t f = 0; f < samples.origin.size(); ++f) less[f] -= samples.origin[f];
  samples.squared = 0;
  for (std::size_t i = 0; i < samples.n_samples(); ++i) {
    T* const x = samples.x.row(i);
    for (std::size_t f = 0; f < d; ++f) x[f] = static_cast<T>(static_cast<double>(x[f]) - less[f]);
    samples.squared += squared_norm(x, d);
  }
  samples.origin = origin;
  if (!samples.alone()) samples.ranks->sum(std::span(&samples.squared, 1));
}

template Matrix<float> samples_in<float>(const Samples<float>&, SampleRange);
template Matrix<double> samples_in<double>(const Samples<double>&, SampleRange);
template void move_origin<float>(Samples<float>&, const std::vector<double>&);
template void move_origin<double>(Samples<double>&, const std::vector<double>&);
template void require_range<float>(double, const std::string&);
template void require_range<double>(double, const std::string&);
template Matrix<float> read_samples<float>(const DataSource&, const Transform&, std::size_t, std::size_t);
template Matrix<double> read_samples<double>(const DataSource&, const Transform&, std::size_t, std::size_t);
template Samples<float> load_samples<float>(const DataSource&, const Transform&, Random, const Interrupt&, Ranks*);
template Samples<double> load_samples<double>(const DataSource&, const Transform&, Random, const Interrupt&, Ranks*);
template Matrix<double> second_moments<float>(const Samples<float>&, ThreadPool&, const Interrupt&);
template Matrix<double> second_moments<double>(const Samples<double>&, ThreadPool&, const Interrupt&);
template Matrix<float> samples_at<float>(const Samples<float>&, std::span<const std::size_t>);
template Matrix<double> samples_at<double>(const Samples<double>&, std::span<const std::size_t>);

template void sum_second_moments<float>(const Samples<float>&, ThreadPool&, const Interrupt&, Moments&);
template void sum_second_moments<double>(const Samples<double>&, ThreadPool&, const Interrupt&, Moments&);

}  // namespace dualdict
