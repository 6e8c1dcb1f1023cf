// SPDX-License-Identifier: BSD-3-Clause
#include "audit/certificate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/vectors.h"

namespace dualdict {
namespace {

double gap_of(const ModelParts& parts, const std::vector<double>& x, const double* code, double penalty) {
  const Matrix<double>& atoms = parts.dictionary;
  std::vector<double> rest = x;
  double sum = 0;
  for (std::size_t j = 0; j < atoms.rows(); ++j) {
    if (code[j] == 0) continue;
    sum += std::abs(code[j]);
    for (std::size_t f = 0; f < rest.size(); ++f) rest[f] -= code[j] * atoms(j, f);
  }
  double largest = 0;
  for (std::size_t j = 0; j < atoms.rows(); ++j) {
    const double product = dot(atoms.row(j), rest.data(), rest.size());
    largest = std::max(largest, parts.positive_codes ? product : std::abs(product));
  }
  const double primal = squared_norm(rest.data(), rest.size()) / 2 + penalty * sum;
  const double scale = largest > penalty ? penalty / largest : 1.0;
  // 1/2 |x|^2 - 1/2 |x - scale r|^2
  const double dual =
      scale * dot(x.data(), rest.data(), x.size()) - scale * scale * squared_norm(rest.data(), rest.size()) / 2;
  return primal > 0 ? (primal - dual) / primal : 0;
}

}  // namespace

double largest_gap(const ModelParts& parts, const Matrix<double>& samples, const Matrix<double>& codes,
                   double penalty) {
  double largest = 0;
  std::vector<double> x(samples.cols());
  for (std::size_t i = 0; i < samples.rows(); ++i) {
    for (std::size_t f = 0; f < x.size(); ++f) x[f] = samples(i, f) - (parts.offset.empty() ? 0 : parts.offset[f]);
    largest = std::max(largest, gap_of(parts, x, codes.row(i), penalty));
  }
  return largest;
}

}  // namespace dualdict
