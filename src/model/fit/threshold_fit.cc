// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/threshold_fit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace dualdict {
namespace {

// With m = 1 + growth n, s = sign v and a = |v|/m, sums over the samples with a > t:
//   sum (u - g m s (a - t))^2 = sum u^2 - 2 g (P1 - t P0) + g^2 (Q2 - 2 t Q1 + t^2 Q0).
struct ActiveSums {
  double p1 = 0, p0 = 0, q2 = 0, q1 = 0, q0 = 0;
  double positive_p1 = 0, positive_p0 = 0;  // of the terms that are positive

  void add(double a, double m, double signed_u) {
    p1 += m * signed_u * a;
    p0 += m * signed_u;
    q2 += m * m * a * a;
    q1 += m * m * a;
    q0 += m * m;
    const double positive = m * std::max(signed_u, 0.0);
    positive_p1 += positive * a;
    positive_p0 += positive;
  }
  double length(double t) const { return q2 - 2 * t * q1 + t * t * q0; }
  // Takes over t when the best gain for it is positive and beats what is there.
  void consider(double t, ThresholdFit& best) const {
    // Below this the squared length is what cancellation left, not a number.
    constexpr double kCancellation = 1e-10;
    const double match = p1 - t * p0;
    if (!(match > 0) || !(length(t) > kCancellation * q2)) return;
    const double reduction = match * match / length(t);
    if (!(reduction > best.reduction) || !std::isfinite(reduction)) return;
    best.gain = match / length(t);
    best.threshold = t;
    best.reduction = reduction;
  }
  // Within [lower, upper) the active set is fixed and the reduction has one stationary point.
  void consider_between(double lower, double upper, ThresholdFit& best) const {
    if (!(lower < upper)) return;
    const double stationary = (p0 * q2 - p1 * q1) / (p0 * q1 - p1 * q0);
    if (stationary > lower && stationary < upper) consider(stationary, best);
    consider(lower, best);
  }
};

using Item = ThresholdWorkspace::Item;
constexpr std::size_t kBuckets = 64;

// Quarters of octaves, counted down from that of the largest magnitude; the last takes all that is smaller.
class Buckets {
 public:
  explicit Buckets(double largest) : first_(key(largest)), last_(std::min<std::uint64_t>(kBuckets - 1, first_)) {}

  std::size_t count() const { return last_ + 1; }
  std::size_t of(double magnitude) const { return std::min(first_ - key(magnitude), last_); }
  // No magnitude in the bucket is smaller, all in the buckets after it are.
  double lower(std::size_t bucket) const {
    return bucket >= last_ ? 0.0 : std::bit_cast<double>((first_ - bucket) << kShift);
  }

 private:
  static constexpr int kShift = 50;  // leaves the exponent and two bits
  static std::uint64_t key(double magnitude) { return std::bit_cast<std::uint64_t>(magnitude) >> kShift; }

  std::uint64_t first_;
  std::uint64_t last_;
};

// Fills work.items, bucket by bucket; bucket b begins with work.begin[b].
Buckets fill_buckets(std::span<const double> v, std::span<const double> n, double growth, bool positive,
                     ThresholdWorkspace& work) {
  work.magnitudes.resize(v.size());
  double largest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double passing = positive ? std::max(v[i], 0.0) : std::abs(v[i]);
    work.magnitudes[i] = passing / (1 + growth * n[i]);
    largest = std::max(largest, work.magnitudes[i]);
  }
  const Buckets buckets(largest);
  work.begin.assign(kBuckets + 1, 0);
  for (const double magnitude : work.magnitudes)
    if (magnitude > 0) ++work.begin[buckets.of(magnitude) + 1];
  for (std::size_t b = 0; b < kBuckets; ++b) work.begin[b + 1] += work.begin[b];
  work.items.resize(work.begin[kBuckets]);
  std::array<std::uint32_t, kBuckets> next{};
  std::copy_n(work.begin.begin(), kBuckets, next.begin());
  for (std::size_t i = 0; i < v.size(); ++i)
    if (work.magnitudes[i] > 0)
      work.items[next[buckets.of(work.magnitudes[i])]++] = {work.magnitudes[i], static_cast<std::uint32_t>(i)};
  return buckets;
}

}  // namespace

ThresholdFit fit_threshold(std::span<const double> v, std::span<const double> u, std::span<const double> n,
                           double growth, bool positive, ThresholdWorkspace& work) {
  const Buckets buckets = fill_buckets(v, n, growth, positive, work);
  ThresholdFit best;
  best.growth = growth;
  ActiveSums sums;
  const auto add = [&](const Item& item) {
    sums.add(item.magnitude, 1 + growth * n[item.sample], v[item.sample] > 0 ? u[item.sample] : -u[item.sample]);
  };
  double upper = std::numeric_limits<double>::infinity();  // of the thresholds that are still to be considered
  for (std::size_t b = 0; b < buckets.count(); ++b) {
    const auto begin = work.items.begin() + work.begin[b];
    const auto end = work.items.begin() + work.begin[b + 1];
    const double lower = buckets.lower(b);
    const ActiveSums before = sums;
    std::for_each(begin, end, add);
    // For a threshold in the bucket the match is at most that of the positive terms at its lower end, the length at
    // least that of the samples before it at its upper end. Most samples are in buckets that this rules out unsorted.
    const double most = sums.positive_p1 - lower * sums.positive_p0;
    constexpr double kRounding = 1e-12;  // of a length that cancellation may have left
    const double least = before.length(upper) - kRounding * before.q2;
    if (b > 0 && most * most <= (1 - kRounding) * best.reduction * least) {
      upper = lower;
      continue;
    }
    std::sort(begin, end, [](const Item& x, const Item& y) {
      return x.magnitude > y.magnitude || (x.magnitude == y.magnitude && x.sample < y.sample);
    });
    sums = before;
    for (auto item = begin; item != end; ++item) {
      if (sums.q0 > 0) sums.consider_between(item->magnitude, upper, best);
      add(*item);
      upper = item->magnitude;
    }
    if (sums.q0 > 0) sums.consider_between(lower, upper, best);
    upper = lower;
  }
  return best;
}

ThresholdFit fit_threshold(std::span<const double> v, std::span<const double> u, std::span<const double> n,
                           bool positive, ThresholdWorkspace& work) {
  ThresholdFit best;
  for (const double growth : {0.0, 0.5, 1.0, 2.0, 4.0}) {
    const ThresholdFit fit = fit_threshold(v, u, n, growth, positive, work);
    if (fit.reduction > best.reduction) best = fit;
  }
  return best;
}

}  // namespace dualdict
