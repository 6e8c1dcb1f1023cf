// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/price_search.h"

#include <algorithm>
#include <cmath>

namespace dualdict {

FoundPrice search_price(const std::function<double(double)>& count_at, double guess, double nonzeros) {
  constexpr double kNear = 0.002;  // of the wanted count
  constexpr double kStride = 4;
  constexpr int kMaxStrides = 40, kMaxHalvings = 30;
  FoundPrice found{guess, 0};
  if (!(found.price > 0)) return {0, count_at(0)};
  found.nonzeros = count_at(found.price);
  FoundPrice low = found, high = found;  // prices: low has at least the wanted count, high no more
  for (int step = 0; step < kMaxStrides && low.nonzeros < nonzeros; ++step) {
    high = low;
    low.price /= kStride;
    low.nonzeros = count_at(low.price);
    if (low.nonzeros <= high.nonzeros && step > 4) return low;  // no more to be had
  }
  for (int step = 0; step < kMaxStrides && high.nonzeros > nonzeros; ++step) {
    low = high;
    high.price *= kStride;
    high.nonzeros = count_at(high.price);
  }
  for (int step = 0; step < kMaxHalvings; ++step) {
    const FoundPrice& nearer = std::abs(low.nonzeros - nonzeros) < std::abs(high.nonzeros - nonzeros) ? low : high;
    found = nearer;
    if (std::abs(found.nonzeros - nonzeros) <= kNear * nonzeros) break;
    // In turn where a straight line through both ends has the count, and half way, in the logarithm.
    double share = 0.5;
    if (step % 2 == 0 && low.nonzeros > high.nonzeros)
      share = std::clamp((low.nonzeros - nonzeros) / (low.nonzeros - high.nonzeros), 0.1, 0.9);
    const double price = low.price * std::pow(high.price / low.price, share);
    const FoundPrice middle{price, count_at(price)};
    (middle.nonzeros >= nonzeros ? low : high) = middle;
  }
  return found;
}

}  // namespace dualdict
