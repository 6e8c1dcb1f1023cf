// SPDX-License-Identifier: BSD-3-Clause
#include "model/threshold_fit.h"

#include <algorithm>
#include <cmath>

namespace dualdict {
namespace {

// With m = 1 + growth n, s = sign v and a = |v|/m, sums over the samples with a > t:
//   sum (u - g m s (a - t))^2 = sum u^2 - 2 g (P1 - t P0) + g^2 (Q2 - 2 t Q1 + t^2 Q0).
struct ActiveSums {
  double p1 = 0, p0 = 0, q2 = 0, q1 = 0, q0 = 0;

  void add(double a, double m, double signed_u) {
    p1 += m * signed_u * a;
    p0 += m * signed_u;
    q2 += m * m * a * a;
    q1 += m * m * a;
    q0 += m * m;
  }
  // Takes over t when the best gain for it is positive and beats what is there.
  void consider(double t, ThresholdFit& best) const {
    // Below this the squared length is what cancellation left, not a number.
    constexpr double kCancellation = 1e-10;
    const double length = q2 - 2 * t * q1 + t * t * q0;
    const double match = p1 - t * p0;
    if (!(match > 0) || !(length > kCancellation * q2)) return;
    const double reduction = match * match / length;
    if (!(reduction > best.reduction) || !std::isfinite(reduction)) return;
    best.gain = match / length;
    best.threshold = t;
    best.reduction = reduction;
  }
};

}  // namespace

ThresholdFit fit_threshold(std::span<const double> v, std::span<const double> u, std::span<const double> n,
                           double growth, bool positive, ThresholdWorkspace& work) {
  auto& items = work.items;
  items.clear();
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i] > 0 || (!positive && v[i] < 0))
      items.push_back({std::abs(v[i]) / (1 + growth * n[i]), static_cast<std::uint32_t>(i)});
  std::sort(items.begin(), items.end(), [](const auto& x, const auto& y) {
    return x.magnitude > y.magnitude || (x.magnitude == y.magnitude && x.sample < y.sample);
  });
  ThresholdFit best;
  best.growth = growth;
  ActiveSums sums;
  for (std::size_t r = 0; r < items.size(); ++r) {
    const std::size_t i = items[r].sample;
    const double upper = items[r].magnitude;
    sums.add(upper, 1 + growth * n[i], v[i] > 0 ? u[i] : -u[i]);
    const double lower = r + 1 < items.size() ? items[r + 1].magnitude : 0.0;
    if (lower == upper) continue;
    // Within [lower, upper) the active set is fixed and the reduction has one stationary point.
    const double stationary = (sums.p0 * sums.q2 - sums.p1 * sums.q1) / (sums.p0 * sums.q1 - sums.p1 * sums.q0);
    if (stationary > lower && stationary < upper) sums.consider(stationary, best);
    sums.consider(lower, best);
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
