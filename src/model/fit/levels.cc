// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/levels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "linalg/parallel_product.h"
#include "solvers/greedy_coder.h"

namespace dualdict {
namespace {

constexpr std::size_t kLevelSamples = 4000;
// For the wanted number of nonzeros and for others, where a code takes a hundred microseconds.
constexpr std::array<std::size_t, 2> kRoundsSamples = {2000, 300};

Matrix<double> table_of(const std::vector<std::array<double, 2>>& rows) {
  Matrix<double> table(rows.size(), 2);
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(rows[i].data(), 2, table.row(i));
  return table;
}

// Rows that do not rise in nonzeros and fall in level say nothing new.
void add_rising(std::vector<std::array<double, 2>>& rows, double nonzeros, double level) {
  if (rows.size() == 1 || (nonzeros > rows.back()[0] && level < rows.back()[1])) rows.push_back({nonzeros, level});
}

}  // namespace

Matrix<double> hard_levels(const ModelParts& parts, const std::vector<double>& bias, MatrixView<const double> samples,
                           double wanted, ThreadPool& pool) {
  constexpr double kFewest = 1.0 / 64, kGrowth = 1.1;
  constexpr std::size_t kMostResponses = std::size_t{1} << 24, kFewestSamples = 256;
  const std::size_t n_some = std::clamp(kMostResponses / parts.dual.rows(), kFewestSamples, kLevelSamples);
  const MatrixView<const double> some = samples.row_range(0, std::min(samples.rows, n_some));
  Matrix<double> responses = parallel_multiply_transposed(some, parts.dual.view(), pool);
  for (std::size_t i = 0; i < responses.rows(); ++i)
    for (std::size_t k = 0; k < responses.cols(); ++k) {
      const double z = responses(i, k) + bias[k];
      responses(i, k) = parts.positive_codes ? std::max(z, 0.0) : std::abs(z);
    }
  const std::span sizes(responses.data(), responses.size());
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  const auto n = static_cast<double>(some.rows);
  // Halfway between the smallest that stays and the largest that goes: no last bit of a response decides.
  const auto at = [&](double nonzeros) {
    const auto place = std::min(static_cast<std::size_t>(std::llround(nonzeros * n)), sizes.size() - 1);
    return place == 0 ? sizes[0] : (sizes[place - 1] + sizes[place]) / 2;
  };
  std::vector<std::array<double, 2>> rows{{wanted, at(wanted)}};
  const auto most = static_cast<double>(responses.cols());
  for (double count = kFewest; count < most; count *= kGrowth) add_rising(rows, count, at(count));
  add_rising(rows, most, 0);
  return table_of(rows);
}

namespace {

// Prices of greedy codes on some samples; rounds, which take longer, in the precision that is enough for them.
template <class T>
class Prices {
 public:
  Prices(const ModelParts& parts, MatrixView<const double> samples, ThreadPool& pool)
      : samples_(convert<T>(samples)), pool_(pool) {
    coder_.assign(parts.dictionary, {}, parts.positive_codes, pool);
  }
  FoundPrice at(double nonzeros, std::size_t most) const { return coder_.price_for(samples_, nonzeros, pool_, most); }

 private:
  Matrix<T> samples_;
  ThreadPool& pool_;
  GreedyCoder<T> coder_;
};

bool takes_rounds(const ModelParts& parts) {
  return codes_by_rounds(parts.dictionary.rows(), parts.dictionary.cols(), parts.positive_codes);
}

template <class T>
Matrix<double> levels_from(const Prices<T>& prices, double wanted, double most, std::span<const double> factors,
                           std::array<std::size_t, 2> n_samples) {
  const FoundPrice own = prices.at(wanted, n_samples[0]);
  std::vector<std::array<double, 2>> rows{{own.nonzeros, own.price}};
  if (!(own.nonzeros > 0)) return table_of(rows);
  for (const double factor : factors) {
    if (factor > 1 && factor * wanted > most) break;
    const FoundPrice found = factor == 1 ? own : prices.at(factor * wanted, n_samples[1]);
    if (found.price > 0) add_rising(rows, found.nonzeros, found.price);
  }
  return table_of(rows);
}

}  // namespace

double greedy_price(const ModelParts& parts, MatrixView<const double> samples, double wanted, ThreadPool& pool) {
  if (takes_rounds(parts)) return Prices<float>(parts, samples, pool).at(wanted, kRoundsSamples[0]).price;
  return Prices<double>(parts, samples, pool).at(wanted, kLevelSamples).price;
}

Matrix<double> greedy_levels(const ModelParts& parts, MatrixView<const double> samples, double wanted,
                             ThreadPool& pool) {
  constexpr std::array kFactors = {0.125, 0.25, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0, 4.0, 8.0};
  constexpr std::array kRoundsFactors = {0.25, 0.5, 1.0, 2.0, 4.0};
  constexpr double kMostOfFeatures = 0.5;  // with more, prices say little
  const double most = kMostOfFeatures * static_cast<double>(std::min(parts.dictionary.rows(), parts.dictionary.cols()));
  if (takes_rounds(parts))
    return levels_from(Prices<float>(parts, samples, pool), wanted, most, kRoundsFactors, kRoundsSamples);
  return levels_from(Prices<double>(parts, samples, pool), wanted, most, kFactors, {kLevelSamples, kPriceSamples});
}

bool has_level(const Matrix<double>& levels, double nonzeros) {
  return levels.rows() > 1 && nonzeros >= levels(1, 0) && nonzeros <= levels(levels.rows() - 1, 0);
}

double level_at(const Matrix<double>& levels, double nonzeros) {
  std::size_t next = 2;
  while (next + 1 < levels.rows() && levels(next, 0) < nonzeros) ++next;
  if (next >= levels.rows()) return levels(levels.rows() - 1, 1);
  const double* low = levels.row(next - 1);
  const double* high = levels.row(next);
  const double share = std::clamp(std::log(nonzeros / low[0]) / std::log(high[0] / low[0]), 0.0, 1.0);
  if (!(high[1] > 0)) return low[1] * (1 - share);
  return low[1] * std::pow(high[1] / low[1], share);
}

}  // namespace dualdict
