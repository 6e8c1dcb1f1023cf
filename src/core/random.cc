// SPDX-License-Identifier: BSD-3-Clause
#include "core/random.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace dualdict {
namespace {

std::uint64_t splitmix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t x = seed;
  x = splitmix(x) ^ (stream * 0xd1342543de82ef95ULL);
  for (auto& word : state_) word = splitmix(x);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::size_t Random::index(std::size_t n) {
  // Values above the largest multiple of n are drawn again; fewer than two draws on average.
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % n + 1) % n;
  std::uint64_t value = next();
  while (value > limit) value = next();
  return static_cast<std::size_t>(value % n);
}

double Random::normal() {
  // Box-Muller, one of the pair: 1 - uniform() is in (0, 1].
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::vector<std::size_t> Random::permutation(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[index(i)]);
  return order;
}

}  // namespace dualdict
