// SPDX-License-Identifier: BSD-3-Clause
#include "learn/samples/code_store.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/stored_codes.h"
#include "problems/random_matrix.h"

namespace dualdict {
namespace {

constexpr std::size_t kStoredRows = 2 * kBlockSamples + 100;
constexpr std::size_t kStoredCols = 40;

// A share of random numbers, the rest zeros.
template <class T>
Matrix<T> codes_with(double share, std::uint64_t seed) {
  Matrix<T> codes = random_matrix<T>(kStoredRows, kStoredCols, seed);
  Random random(seed + 100);
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (random.uniform() > share) codes.data()[i] = T{0};
  return codes;
}

template <class T>
class CodeStoreTest : public testing::Test {};
using StoredTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CodeStoreTest, StoredTypes);

TYPED_TEST(CodeStoreTest, BeginsWithZeros) {
  const CodeStore<TypeParam> codes(kStoredRows, kStoredCols);
  EXPECT_EQ(all_rows(codes), Matrix<TypeParam>(kStoredRows, kStoredCols));
  EXPECT_EQ(codes.n_nonzeros(), 0u);
}

TYPED_TEST(CodeStoreTest, WhatIsWrittenComesBackHoweverDense) {
  CodeStore<TypeParam> codes(kStoredRows, kStoredCols);
  SparseRows<TypeParam> nonzeros;
  std::uint64_t seed = 1;
  // The same store, from sparse to dense and back.
  for (const double share : {0.05, 0.4, 0.9, 1.0, 0.6, 0.0, 0.3}) {
    const Matrix<TypeParam> rows = codes_with<TypeParam>(share, seed++);
    std::size_t n = 0;
    for (std::size_t block = 0; block < codes.n_blocks(); ++block) {
      const std::size_t first = codes.block_start(block);
      codes.write(first, rows.view().row_range(first, codes.block_size(block)), nonzeros);
      n += nonzeros.n_elements();
    }
    EXPECT_EQ(all_rows(codes), rows) << share;
    EXPECT_EQ(codes.n_nonzeros(), n) << share;
  }
}

TYPED_TEST(CodeStoreTest, PartsOfABlockLeaveTheOtherRowsAlone) {
  using T = TypeParam;
  for (const double share : {0.1, 1.0}) {
    Matrix<T> expected = codes_with<T>(share, 7);
    CodeStore<T> codes = store_codes(expected);
    const Matrix<T> other = codes_with<T>(0.5, 8);
    SparseRows<T> nonzeros;
    for (const auto& [first, count] :
         {std::pair<std::size_t, std::size_t>{3, 1}, {kBlockSamples + 17, 40}, {2 * kBlockSamples + 99, 1}}) {
      codes.write(first, other.view().row_range(first, count), nonzeros);
      EXPECT_EQ(nonzeros.n_rows(), count);
      for (std::size_t i = first; i < first + count; ++i) std::copy_n(other.row(i), kStoredCols, expected.row(i));
    }
    EXPECT_EQ(all_rows(codes), expected);
    Matrix<T> across(30, kStoredCols);  // the rows of two blocks
    codes.read(kBlockSamples - 10, across.view());
    for (std::size_t i = 0; i < 30; ++i)
      for (std::size_t j = 0; j < kStoredCols; ++j) EXPECT_EQ(across(i, j), expected(kBlockSamples - 10 + i, j));
  }
}

TYPED_TEST(CodeStoreTest, TakesTheSmallerOfTheTwoForms) {
  using T = TypeParam;
  const double dense = static_cast<double>(kStoredRows * kStoredCols * sizeof(T));
  const double starts = 300 + static_cast<double>(kStoredRows * sizeof(std::size_t));
  const double per_nonzero = sizeof(T) + 4;
  for (const double share : {0.02, 0.2, 0.4, 0.7, 1.0}) {
    const Matrix<T> rows = codes_with<T>(share, 11);
    const CodeStore<T> codes = store_codes(rows);
    const double sparse = static_cast<double>(codes.n_nonzeros()) * per_nonzero + starts;
    EXPECT_LE(static_cast<double>(codes.n_bytes()), std::min(dense, sparse) + 1000) << share;
  }
  // And gives back what it no longer needs.
  CodeStore<T> codes = store_codes(codes_with<T>(0.9, 12));
  SparseRows<T> nonzeros;
  const Matrix<T> few = codes_with<T>(0.01, 13);
  for (std::size_t block = 0; block < codes.n_blocks(); ++block)
    codes.write(codes.block_start(block), few.view().row_range(codes.block_start(block), codes.block_size(block)),
                nonzeros);
  EXPECT_LE(codes.n_bytes(), store_codes(few).n_bytes() + 100);
}

TYPED_TEST(CodeStoreTest, ANegativeZeroIsAZeroInBothForms) {
  using T = TypeParam;
  for (const double share : {0.1, 1.0}) {
    Matrix<T> rows = codes_with<T>(share, 21);
    rows(5, 6) = -T{0};
    const Matrix<T> back = all_rows(store_codes(rows));
    EXPECT_FALSE(std::signbit(back(5, 6))) << share;
  }
}

}  // namespace
}  // namespace dualdict
