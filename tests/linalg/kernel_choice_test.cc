// SPDX-License-Identifier: BSD-3-Clause
// The choice is made once per process: a program of its own.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "dualdict/error.h"
#include "linalg/kernels/kernels.h"

namespace dualdict {
namespace {

TEST(KernelChoice, AnUnknownNameIsAnErrorAndAKnownOneIsObeyed) {
  ASSERT_EQ(setenv("DUALDICT_KERNELS", "abacus", 1), 0);
  try {
    kernels<float>();
    FAIL() << "accepted a kernel that does not exist";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(message.find("DUALDICT_KERNELS"), std::string::npos) << message;
    EXPECT_NE(message.find("abacus"), std::string::npos) << message;
    EXPECT_NE(message.find("scalar"), std::string::npos) << message;
  }
  EXPECT_THROW(kernels<double>(), Error);
  ASSERT_EQ(setenv("DUALDICT_KERNELS", "scalar", 1), 0);
  EXPECT_STREQ(kernels<float>().name, "scalar");
  EXPECT_STREQ(kernels<double>().name, "scalar");
}

TEST(KernelChoice, TheReferenceComesFirstAndNamesDiffer) {
  const auto all = all_kernels<float>();
  ASSERT_FALSE(all.empty());
  EXPECT_STREQ(all[0].name, "scalar");
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_STRNE(all[i].name, all[j].name);
}

}  // namespace
}  // namespace dualdict
