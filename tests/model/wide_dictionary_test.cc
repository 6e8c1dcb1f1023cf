// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/wide_dictionary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/vectors.h"
#include "problems/planted.h"

namespace dualdict {
namespace {

HardRows rows_of_matrix(const Matrix<float>& x) {
  return {x.rows(), x.cols(), [&x](std::size_t row, float* out) { std::copy_n(x.row(row), x.cols(), out); }};
}

// Blocks of the rows, one after another.
class WideRun {
 public:
  WideRun(const Matrix<float>& x, const Matrix<double>& start, double nonzeros, ThreadPool& pool)
      : rows_(rows_of_matrix(x)), nonzeros_(nonzeros), pool_(pool), atoms_(start) {}
  // Some steps; the error of the last one, as a share of |x|^2.
  double step(std::size_t n_steps, bool replace_unused) {
    WideDictionary dictionary(atoms_, state_, {.nonzeros = nonzeros_}, pool_);
    RowOrder order = wide_order(rows_.n, atoms_.rows(), 1, state_.n_steps);
    Matrix<float> x(wide_block(rows_.n, atoms_.rows()), rows_.n_features);
    GreedyCodeReport report;
    for (std::size_t i = 0; i < n_steps; ++i) {
      read_block(rows_, order, pool_, drawn_, x);
      report = dictionary.step(x, replace_unused);
    }
    atoms_ = dictionary.dictionary();
    return report.squared_error / report.squared_samples;
  }
  const Matrix<double>& atoms() const { return atoms_; }
  const WideDictionaryState& state() const { return state_; }

 private:
  HardRows rows_;
  double nonzeros_;
  ThreadPool& pool_;
  Matrix<double> atoms_;
  WideDictionaryState state_;
  std::vector<std::size_t> drawn_;
};

TEST(WideDictionary, FindsPlantedAtoms) {
  const Planted planted = make_planted(6000, 24, 40, 3, 0.02, 1);
  const Matrix<float> x = convert<float>(planted.samples);
  ThreadPool two(2);
  WideRun run(x, convert<double>(x.view().row_range(0, 40)), 3, two);
  const double first_error = run.step(1, false);
  run.step(50, true);
  EXPECT_LT(run.step(10, false), 0.25 * first_error);
  std::size_t matched = 0;
  for (std::size_t k = 0; k < 40; ++k) {
    EXPECT_NEAR(norm(run.atoms().row(k), 24), 1, 1e-5);
    double nearest = 0;
    for (std::size_t j = 0; j < 40; ++j)
      nearest = std::max(nearest, std::abs(dot(planted.dictionary.row(k), run.atoms().row(j), 24)));
    matched += nearest > 0.95 ? 1 : 0;
  }
  EXPECT_GE(matched, 30u);
}

// Nor does it to stop after any block and go on from the state.
TEST(WideDictionary, ThreadsAndPausesChangeNoBit) {
  const Matrix<float> x = convert<float>(make_planted(3000, 20, 64, 4, 0.1, 2).samples);
  const Matrix<double> start = convert<double>(x.view().row_range(0, 90));
  ThreadPool one(1), three(3);
  WideRun a(x, start, 4, one), b(x, start, 4, three);
  a.step(12, true);
  for (const std::size_t n_steps : {1u, 4u, 7u}) b.step(n_steps, true);
  EXPECT_EQ(a.atoms(), b.atoms());
  EXPECT_EQ(a.state().price, b.state().price);
  EXPECT_EQ(a.state().atoms.curvature, b.state().atoms.curvature);
}

}  // namespace
}  // namespace dualdict
