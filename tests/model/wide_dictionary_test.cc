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

TEST(WideDictionary, FindsPlantedAtoms) {
  const Planted planted = make_planted(6000, 24, 40, 3, 0.02, 1);
  const Matrix<float> x = convert<float>(planted.samples);
  const HardRows rows = rows_of_matrix(x);
  ThreadPool two(2);
  const Matrix<double> start = convert<double>(x.view().row_range(0, 40));
  WideDictionary dictionary(rows, start, {.nonzeros = 3}, 1, two);
  dictionary.step(false);
  const double first_error = dictionary.last_error();
  for (std::size_t block = 0; block < 60; ++block) dictionary.step(block < 50);
  EXPECT_LT(dictionary.last_error(), 0.25 * first_error);
  const Matrix<double> found = dictionary.dictionary();
  std::size_t matched = 0;
  for (std::size_t k = 0; k < 40; ++k) {
    EXPECT_NEAR(norm(found.row(k), 24), 1, 1e-5);
    double nearest = 0;
    for (std::size_t j = 0; j < 40; ++j)
      nearest = std::max(nearest, std::abs(dot(planted.dictionary.row(k), found.row(j), 24)));
    matched += nearest > 0.95 ? 1 : 0;
  }
  EXPECT_GE(matched, 30u);
}

TEST(WideDictionary, ThreadsChangeNoBit) {
  const Planted planted = make_planted(3000, 20, 64, 4, 0.1, 2);
  const Matrix<float> x = convert<float>(planted.samples);
  const HardRows rows = rows_of_matrix(x);
  const Matrix<double> start = convert<double>(x.view().row_range(0, 90));
  ThreadPool one(1), three(3);
  WideDictionary a(rows, start, {.nonzeros = 4}, 1, one);
  WideDictionary b(rows, start, {.nonzeros = 4}, 1, three);
  for (std::size_t block = 0; block < 12; ++block) {
    a.step(true);
    b.step(true);
  }
  EXPECT_EQ(a.dictionary(), b.dictionary());
  EXPECT_EQ(a.price(), b.price());
}

}  // namespace
}  // namespace dualdict
