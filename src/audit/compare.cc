// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <string>

#include "audit/assignment.h"
#include "audit/cosines.h"
#include "dualdict/audit.h"
#include "dualdict/error.h"

namespace dualdict {
namespace {

Matched match(const Matrix<double>& first, const Matrix<double>& second, ThreadPool& pool) {
  constexpr double kAlike = 0.9;
  const bool swapped = first.rows() > second.rows();
  const Matrix<float> cosines = swapped ? absolute_cosines(second, first, pool) : absolute_cosines(first, second, pool);
  const std::vector<std::size_t> partners = best_assignment(cosines);
  Matched result;
  result.pairs.assign(first.rows(), second.rows());
  double above = 0;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const double cosine = static_cast<double>(cosines(i, partners[i]));
    result.cosines.push_back(cosine);
    above += cosine > kAlike ? 1 : 0;
    result.pairs[swapped ? partners[i] : i] = swapped ? i : partners[i];
    result.mean_largest += static_cast<double>(*std::max_element(cosines.row(i), cosines.row(i) + cosines.cols()));
  }
  const auto n = static_cast<double>(partners.size());
  result.mean = mean_of(result.cosines);
  result.mean_largest /= n;
  result.share_above_9 = above / n;
  std::sort(result.cosines.begin(), result.cosines.end(), std::greater<>());
  return result;
}

double mean_on_pairs(const Matrix<double>& first, const Matrix<double>& second, const std::vector<std::size_t>& pairs) {
  std::vector<double> cosines;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i] >= second.rows()) continue;
    Matrix<double> a(1, first.cols()), b(1, first.cols());
    std::copy_n(first.row(i), first.cols(), a.row(0));
    std::copy_n(second.row(pairs[i]), first.cols(), b.row(0));
    cosines.push_back(static_cast<double>(absolute_cosines(a, b, calling_thread())(0, 0)));
  }
  return mean_of(cosines);
}

}  // namespace

Comparison compare(const Model& first, const Model& second, std::size_t n_threads) {
  constexpr double kMostBytes = 4.0 * (1 << 30);
  if (first.n_features() != second.n_features())
    throw Error(ErrorKind::kInput, "models of " + std::to_string(first.n_features()) + " and " +
                                       std::to_string(second.n_features()) +
                                       " features cannot be compared: both must be of the same data");
  const double bytes = 4.0 * static_cast<double>(first.n_atoms()) * static_cast<double>(second.n_atoms());
  if (bytes > kMostBytes)
    throw Error(ErrorKind::kInput, std::to_string(first.n_atoms()) + " x " + std::to_string(second.n_atoms()) +
                                       " cosines need more than 4 GiB, which a comparison may take");
  ThreadPool pool(n_threads == 0 ? available_threads() : n_threads);
  Comparison result;
  result.dictionary = match(first.dictionary(), second.dictionary(), pool);
  result.dual = match(first.dual(), second.dual(), pool);
  result.dual_on_pairs = mean_on_pairs(first.dual(), second.dual(), result.dictionary.pairs);
  result.within_first = mean_of(largest_within(first.dictionary(), pool));
  result.within_second = mean_of(largest_within(second.dictionary(), pool));
  return result;
}

}  // namespace dualdict
