// SPDX-License-Identifier: BSD-3-Clause
#include "core/finite.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "dualdict/error.h"

namespace dualdict {
namespace {

template <class T>
class Finite : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Finite, Scalars);

TYPED_TEST(Finite, AcceptsEveryFiniteNumber) {
  using Limits = std::numeric_limits<TypeParam>;
  Matrix<TypeParam> m(3, 4);
  m(0, 0) = Limits::max();
  m(0, 1) = Limits::max();
  m(1, 0) = Limits::lowest();
  m(2, 3) = Limits::denorm_min();
  EXPECT_EQ(find_non_finite(m.view()).count, 0u);
  EXPECT_NO_THROW(require_finite<TypeParam>(m.view(), "m"));
}

TYPED_TEST(Finite, FindsEveryKindAtEveryPosition) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    Matrix<TypeParam> m(5, 19);
    for (std::size_t i = 0; i < m.rows(); ++i) {
      for (std::size_t j = 0; j < m.cols(); ++j) {
        m(i, j) = bad;
        const NonFinite found = find_non_finite(m.view());
        ASSERT_EQ(found.count, 1u);
        ASSERT_EQ(found.row, i);
        ASSERT_EQ(found.column, j);
        m(i, j) = 1;
      }
    }
  }
}

TYPED_TEST(Finite, LooksOnlyInsideTheView) {
  Matrix<TypeParam> m(2, 4);
  m(0, 3) = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(find_non_finite(MatrixView<const TypeParam>(m.data(), 2, 3, 4)).count, 0u);
}

TYPED_TEST(Finite, NamesSourceCountAndFirstPosition) {
  Matrix<TypeParam> m(4, 3);
  m(1, 2) = std::numeric_limits<TypeParam>::quiet_NaN();
  m(3, 0) = std::numeric_limits<TypeParam>::infinity();
  try {
    require_finite<TypeParam>(m.view(), "x.npy", 100);
    FAIL() << "accepted NaN";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_NE(message.find("x.npy"), std::string::npos) << message;
    EXPECT_NE(message.find("2 values"), std::string::npos) << message;
    EXPECT_NE(message.find("row 101, column 2"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace dualdict
