// SPDX-License-Identifier: BSD-3-Clause
#include "learn/initialise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "learn/sample_order.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// Makes `row` a unit vector (of absolute values when `positive`); false when it is zero.
bool normalise(double* row, std::size_t n, bool positive) {
  if (positive)
    for (std::size_t j = 0; j < n; ++j) row[j] = std::abs(row[j]);
  double largest = 0;
  for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(row[j]));
  if (!(largest > 0)) return false;
  for (std::size_t j = 0; j < n; ++j) row[j] /= largest;  // so that squares neither overflow nor vanish
  const double length = norm(row, n);
  for (std::size_t j = 0; j < n; ++j) row[j] /= length;
  return true;
}

// A mixture of a few random samples with normal weights, or a random direction when that is zero.
template <class T>
void fill_mixture(const Samples<T>& samples, double* row, bool positive, Random& random) {
  constexpr std::size_t kMixed = 4;
  const std::size_t d = samples.n_features();
  std::array<std::size_t, kMixed> places{};
  std::array<double, kMixed> weights{};
  for (std::size_t i = 0; i < kMixed; ++i) {
    places[i] = random.index(samples.n_all());
    weights[i] = random.normal();
  }
  const Matrix<T> x = samples_at<T>(samples, places);
  for (std::size_t i = 0; i < kMixed; ++i)
    for (std::size_t j = 0; j < d; ++j) row[j] += weights[i] * static_cast<double>(x(i, j));
  while (!normalise(row, d, positive))
    for (std::size_t j = 0; j < d; ++j) row[j] = random.normal();
}

}  // namespace

template <class T>
Matrix<double> initial_dictionary(const Samples<T>& samples, std::size_t n_atoms, bool positive, Random& random) {
  const std::size_t d = samples.n_features();
  Matrix<double> dictionary(n_atoms, d);
  std::set<std::vector<double>> chosen;
  std::size_t n_chosen = 0;
  const SampleOrder order(samples.n_all(), random);
  // As many candidates at a time as there are atoms: ranks exchange them.
  for (std::size_t first = 0; first < samples.n_all() && n_chosen < n_atoms; first += n_atoms) {
    std::vector<std::size_t> places(std::min(n_atoms, samples.n_all() - first));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = order.at(first + i);
    const Matrix<T> candidates = samples_at<T>(samples, places);
    for (std::size_t i = 0; i < places.size() && n_chosen < n_atoms; ++i) {
      std::vector<double> atom(candidates.row(i), candidates.row(i) + d);
      if (!normalise(atom.data(), d, positive) || !chosen.insert(atom).second) continue;
      std::copy(atom.begin(), atom.end(), dictionary.row(n_chosen++));
    }
  }
  for (; n_chosen < n_atoms; ++n_chosen) fill_mixture(samples, dictionary.row(n_chosen), positive, random);
  round_rows_to_ball<T>(dictionary);
  return dictionary;
}

template <class T>
void round_rows_to_ball(Matrix<double>& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    for (std::size_t j = 0; j < rows.cols(); ++j) row[j] = static_cast<double>(static_cast<T>(row[j]));
    // Rounding can push a unit vector out of the ball by less than one unit in the last place of each element.
    for (int attempt = 0; attempt < 4 && norm(row, rows.cols()) > 1; ++attempt) {
      const double shrink = (1 - static_cast<double>(std::numeric_limits<T>::epsilon())) / norm(row, rows.cols());
      for (std::size_t j = 0; j < rows.cols(); ++j) row[j] = static_cast<double>(static_cast<T>(row[j] * shrink));
    }
  }
}

template Matrix<double> initial_dictionary<float>(const Samples<float>&, std::size_t, bool, Random&);
template Matrix<double> initial_dictionary<double>(const Samples<double>&, std::size_t, bool, Random&);
template void round_rows_to_ball<float>(Matrix<double>&);
template void round_rows_to_ball<double>(Matrix<double>&);

}  // namespace dualdict
