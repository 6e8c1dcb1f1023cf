// SPDX-License-Identifier: BSD-3-Clause
// Rough products in bytes: every instruction set against the scalar reference, bit by bit, and against exact products.
#include "linalg/screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/random.h"
#include "linalg/vectors.h"
#include "problems/random_matrix.h"

namespace dualdict {
namespace {

// Bytes at the ends of their ranges among others.
struct ScreenCase {
  std::size_t n, groups, panels;
  std::vector<std::uint8_t> samples;
  std::vector<std::int8_t> atoms;
  std::vector<std::int32_t> zeros;
  std::vector<float> sample_scales, atom_scales;
  ScreenCase(std::size_t n_in, std::size_t groups_in, std::size_t panels_in)
      : n(n_in), groups(groups_in), panels(panels_in) {
    Random random(n + groups + panels);
    for (std::size_t e = 0; e < n * groups * kScreenGroup; ++e)
      samples.push_back(static_cast<std::uint8_t>(e % 3 == 0 ? 255 : 1 + random.index(255)));
    atoms.resize(panels * groups * kScreenPanel * kScreenGroup);
    for (std::size_t e = 0; e < atoms.size(); ++e)
      atoms[e] =
          static_cast<std::int8_t>(e % 5 < 2 ? kScreenAtomMost : static_cast<int>(random.index(127)) - kScreenAtomMost);
    for (std::size_t k = 0; k < panels * kScreenPanel; ++k) {
      std::int32_t sum = 0;
      for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t b = 0; b < kScreenGroup; ++b)
          sum += atoms[((k / kScreenPanel * groups + g) * kScreenPanel + k % kScreenPanel) * kScreenGroup + b];
      zeros.push_back(kScreenSampleZero * sum);
      atom_scales.push_back(static_cast<float>(random.uniform()));
    }
    for (std::size_t i = 0; i < n; ++i) sample_scales.push_back(static_cast<float>(random.uniform()));
  }
  Matrix<float> products(const ScreenKernels& kernels) const {
    Matrix<float> out(n, panels * kScreenPanel);
    kernels.screen({samples.data(), sample_scales.data(), n, groups, atoms.data(), zeros.data(), atom_scales.data(),
                    panels, out.data(), out.cols()});
    return out;
  }
};

TEST(Screen, EveryKernelHasTheBitsOfTheReference) {
  for (const std::size_t n : {1, 5, 6, 13})
    for (const std::size_t groups : {1, 2, 33})
      for (const std::size_t panels : {1, 3, 4, 9}) {
        const ScreenCase given(n, groups, panels);
        const Matrix<float> expected = given.products(scalar_screen_kernels());
        EXPECT_GT(squared_norm(expected), 0);
        for (const ScreenKernels& kernels : all_screen_kernels())
          EXPECT_EQ(given.products(kernels), expected) << kernels.name << " " << n << " " << groups << " " << panels;
      }
}

TEST(Screen, ProductsAreThoseOfTheAtomsToAThousandth) {
  const std::size_t d = 130, n_atoms = 77;
  const Matrix<double> atoms = random_unit_rows(n_atoms, d, 1);
  const Matrix<float> x = random_matrix<float>(20, d, 2);
  ThreadPool two(2);
  ScreenAtoms bytes;
  bytes.pack(atoms.view(), two);
  ScreenRows rows;
  rows.reserve(bytes);
  for (std::size_t i = 0; i < x.rows(); ++i) rows.set(i, x.row(i), d);
  rows.multiply(bytes, x.rows());
  double squared = 0;
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t k = 0; k < bytes.stride(); ++k) {
      const double exact = k < n_atoms ? dot(x.row(i), atoms.row(k), d) : 0.0;
      const double error = (static_cast<double>(rows.row(i)[k]) - exact) / norm(x.row(i), d);
      EXPECT_LT(std::abs(error), 8e-3);
      squared += error * error / static_cast<double>(x.rows() * n_atoms);
    }
  EXPECT_LT(std::sqrt(squared), 1.5e-3);
}

TEST(Screen, ListsPlacesAsTheReference) {
  const Matrix<float> row = random_matrix<float>(1, 203, 3);
  for (const ScreenKernels& kernels : all_screen_kernels())
    for (const std::size_t n : {1, 15, 16, 17, 203})
      for (const float threshold : {0.0F, 0.5F, 2.0F, 9.0F})
        for (const bool positive : {false, true}) {
          std::vector<std::uint32_t> expected(n + kScreenPanel), found(n + kScreenPanel);
          expected.resize(scalar_screen_kernels().list_above(row.data(), n, threshold, positive, expected.data()));
          found.resize(kernels.list_above(row.data(), n, threshold, positive, found.data()));
          EXPECT_EQ(found, expected) << kernels.name;
        }
}

// By sorting all of them.
std::vector<std::uint32_t> naive_shortlist(const Matrix<float>& row, std::size_t most, bool positive) {
  std::vector<std::uint32_t> places(row.cols());
  std::iota(places.begin(), places.end(), 0U);
  const auto size = [&](std::uint32_t k) { return positive ? row(0, k) : std::abs(row(0, k)); };
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) { return size(a) > size(b); });
  while (!places.empty() && (places.size() > most || !(size(places.back()) > 0))) places.pop_back();
  std::sort(places.begin(), places.end());
  return places;
}

TEST(Screen, ShortlistHoldsTheLargest) {
  for (const bool heavy : {false, true})
    for (const std::size_t n : {1, 40, 1000}) {
      Matrix<float> row = random_matrix<float>(1, n, n);
      for (std::size_t k = 0; k < n; ++k) {
        if (heavy) row(0, k) = row(0, k) * row(0, k) * row(0, k) * row(0, k) * row(0, k);
        if (k % 7 == 3) row(0, k) = k % 2 == 0 ? 0.0F : 1.0F;  // nothing, and equal ones
      }
      Shortlist list;
      list.reserve(n);
      for (const bool positive : {false, true})
        for (const std::size_t most : {1, 3, 32, 64, 2000}) {
          list.find(row.data(), n, most, positive);
          EXPECT_EQ(list.places(), naive_shortlist(row, most, positive)) << n << " " << most << " " << positive;
          float smallest = std::numeric_limits<float>::infinity();
          for (const std::uint32_t k : list.places()) smallest = std::min(smallest, std::abs(row(0, k)));
          if (list.bound() != 0) {
            EXPECT_EQ(list.bound(), smallest);
          }
        }
    }
}

}  // namespace
}  // namespace dualdict
