// SPDX-License-Identifier: BSD-3-Clause
// The price at which codes have a wanted number of nonzeros.
#pragma once

#include <functional>

namespace dualdict {

struct FoundPrice {
  double price = 0;
  double nonzeros = 0;  // mean count with that price
};

// `count_at` says the mean count at a price, which falls as prices rise; `guess` is where the search begins. Where no
// price gives so many, one that gives nearly all that can be had.
FoundPrice search_price(const std::function<double(double)>& count_at, double guess, double nonzeros);

}  // namespace dualdict
