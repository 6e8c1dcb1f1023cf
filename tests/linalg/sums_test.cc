// SPDX-License-Identifier: BSD-3-Clause
// The sums of sparse codes against naive products.
#include <gtest/gtest.h>

#include "linalg/block_sums.h"
#include "linalg/sparse_sums.h"
#include "linalg/symmetric.h"
#include "problems/random_matrix.h"
#include "reference/naive_products.h"
#include "reference/tolerance.h"

namespace dualdict {
namespace {

constexpr std::size_t kBlocks = 3;
constexpr std::size_t kRows = 50;
constexpr std::size_t kAtoms = 75;
constexpr std::size_t kFeatures = 19;

template <class T>
struct Codes {
  Matrix<T> samples = random_matrix<T>(kBlocks * kRows, kFeatures, 1);
  Matrix<T> codes = random_matrix<T>(kBlocks * kRows, kAtoms, 2);
  std::vector<SparseRows<T>> sparse = std::vector<SparseRows<T>>(kBlocks);
  std::vector<SparseBlock<T>> blocks;

  Codes() {
    Random random(3);
    for (std::size_t i = 0; i < codes.size(); ++i)
      if (random.uniform() > 0.1) codes.data()[i] = T{0};
    for (std::size_t b = 0; b < kBlocks; ++b) {
      sparse[b].assign(std::as_const(codes).view().row_range(b * kRows, kRows));
      blocks.push_back({std::as_const(samples).view().row_range(b * kRows, kRows), &sparse[b]});
    }
  }
};

template <class T>
class SparseSumsTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseSumsTest, Scalars);

TYPED_TEST(SparseSumsTest, AreTheNaiveProducts) {
  const Codes<TypeParam> one;
  ThreadPool pool(2);
  Matrix<double> uu(kAtoms, kAtoms), ux(kAtoms, kFeatures);
  SparseSums<TypeParam>(pool.size(), kFeatures).add(pool, one.blocks, uu, ux);
  mirror_upper(uu);
  const Matrix<double> transposed = naive_transpose(convert<double>(one.codes));
  const Matrix<double> expected_uu = naive_product(transposed, convert<double>(one.codes));
  const Matrix<double> expected_ux = naive_product(transposed, convert<double>(one.samples));
  const double tolerance = 100 * Tolerance<TypeParam>::kEpsilon;
  for (std::size_t i = 0; i < uu.size(); ++i) EXPECT_NEAR(uu.data()[i], expected_uu.data()[i], tolerance);
  for (std::size_t i = 0; i < ux.size(); ++i) EXPECT_NEAR(ux.data()[i], expected_ux.data()[i], tolerance);
}

// Which of the two a wave of codes takes must not show.
TYPED_TEST(SparseSumsTest, OfMarkedBlocksHaveTheBitsOfDenseOnes) {
  using T = TypeParam;
  const Codes<T> one;
  ThreadPool pool(2);
  std::vector<PackedRight<T>> packed(kBlocks);
  std::vector<std::vector<std::uint64_t>> marks(kBlocks);
  std::vector<BlockProduct<T>> dense(kBlocks), marked(kBlocks);
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const MatrixView<const T> codes = one.codes.view().row_range(b * kRows, kRows);
    packed[b].pack(codes);
    mark_columns(one.sparse[b], kAtoms, marks[b]);
    dense[b] = {codes, &packed[b], nullptr};
    marked[b] = {codes, &packed[b], marks[b].data()};
  }
  BlockSums<T> sums(pool.size(), kAtoms);
  for (const bool symmetric : {false, true}) {
    Matrix<double> expected(kAtoms, kAtoms), result(kAtoms, kAtoms);
    sums.add(pool, {{dense, symmetric, &expected}});
    sums.add(pool, {{marked, symmetric, &result}});
    mirror_upper(expected);
    mirror_upper(result);
    EXPECT_EQ(result, expected) << symmetric;
    EXPECT_GT(result(0, 0), 0.0);
  }
}

TYPED_TEST(SparseSumsTest, HaveTheSameBitsForAnyNumberOfThreads) {
  const Codes<TypeParam> one;
  Matrix<double> first_uu, first_ux;
  for (const std::size_t n_threads : {1U, 2U, 5U}) {
    ThreadPool pool(n_threads);
    Matrix<double> uu(kAtoms, kAtoms), ux(kAtoms, kFeatures);
    SparseSums<TypeParam>(pool.size(), kFeatures).add(pool, one.blocks, uu, ux);
    if (n_threads == 1) {
      first_uu = uu;
      first_ux = ux;
    }
    EXPECT_EQ(uu, first_uu) << n_threads;
    EXPECT_EQ(ux, first_ux) << n_threads;
  }
}

}  // namespace
}  // namespace dualdict
