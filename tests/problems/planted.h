// SPDX-License-Identifier: BSD-3-Clause
// Samples made of a known dictionary and known sparse codes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/random.h"
#include "dualdict/matrix.h"
#include "linalg/vectors.h"

namespace dualdict {

struct Planted {
  Matrix<double> samples;     // n x d: codes * dictionary + noise
  Matrix<double> dictionary;  // K x d, atoms of unit norm
  Matrix<double> codes;       // n x K, `nonzeros` normal numbers in each row
};

inline Planted make_planted(std::size_t n, std::size_t d, std::size_t n_atoms, std::size_t nonzeros, double noise,
                            std::uint64_t seed) {
  Random random(seed);
  Planted planted{Matrix<double>(n, d), Matrix<double>(n_atoms, d), Matrix<double>(n, n_atoms)};
  for (std::size_t j = 0; j < n_atoms; ++j) {
    double* atom = planted.dictionary.row(j);
    for (std::size_t f = 0; f < d; ++f) atom[f] = random.normal();
    const double length = norm(atom, d);
    for (std::size_t f = 0; f < d; ++f) atom[f] /= length;
  }
  for (std::size_t i = 0; i < n; ++i) {
    double* x = planted.samples.row(i);
    for (std::size_t f = 0; f < d; ++f) x[f] = noise * random.normal();
    const auto order = random.permutation(n_atoms);
    for (std::size_t k = 0; k < nonzeros && k < n_atoms; ++k) {
      const double value = random.normal();
      planted.codes(i, order[k]) = value;
      for (std::size_t f = 0; f < d; ++f) x[f] += value * planted.dictionary(order[k], f);
    }
  }
  return planted;
}

}  // namespace dualdict
