// SPDX-License-Identifier: BSD-3-Clause
// The gain and threshold that bring S_t(v) nearest to given numbers, exactly: no iteration, no grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dualdict {

// The model u = gain (1 + growth n) S_threshold(v / (1 + growth n)), n >= 0 the relative norm of the sample.
struct ThresholdFit {
  double gain = 0;
  double threshold = 0;
  double growth = 0;
  double reduction = 0;  // how far the fit takes sum u^2 down
};

struct ThresholdWorkspace {
  struct Item {
    double magnitude;  // |v| / (1 + growth n)
    std::uint32_t sample;
  };
  std::vector<double> magnitudes;
  std::vector<Item> items;
  std::vector<std::uint32_t> begin;
};

// The least-squares gain >= 0 and threshold >= 0 for one growth. Spans of one length: v, the wanted u, and n.
// `positive`: only v > 0 passes the threshold.
ThresholdFit fit_threshold(std::span<const double> v, std::span<const double> u, std::span<const double> n,
                           double growth, bool positive, ThresholdWorkspace& work);

// The best of the growths 0, 1/2, 1, 2, 4; the smallest of equals.
ThresholdFit fit_threshold(std::span<const double> v, std::span<const double> u, std::span<const double> n,
                           bool positive, ThresholdWorkspace& work);

}  // namespace dualdict
