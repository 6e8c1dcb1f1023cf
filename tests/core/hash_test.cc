// SPDX-License-Identifier: BSD-3-Clause
#include "core/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace dualdict {
namespace {

std::string digest_of(const std::string& text) {
  Hasher hasher;
  hasher.add(text.data(), text.size());
  return hasher.digest();
}

TEST(Hasher, GivesThePublishedDigestOfNothing) {
  EXPECT_EQ(digest_of(""), "xxh3-128:99aa06d3014798d86001c324468d497f");
}

TEST(Hasher, DoesNotDependOnHowTheBytesAreCut) {
  std::string text(5000, 'a');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i * i % 23);
  for (const std::size_t cut : {1u, 63u, 64u, 240u, 241u, 1024u, 4999u}) {
    Hasher hasher;
    hasher.add(text.data(), cut);
    hasher.add(text.data() + cut, text.size() - cut);
    EXPECT_EQ(hasher.digest(), digest_of(text)) << cut;
  }
}

TEST(Hasher, SeesEveryBit) {
  std::string text(300, '\0');
  const std::string original = digest_of(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      text[i] = static_cast<char>(1 << bit);
      ASSERT_NE(digest_of(text), original) << "byte " << i << ", bit " << bit;
    }
    text[i] = '\0';
  }
}

TEST(Hasher, FieldsDoNotRunIntoEachOther) {
  Hasher a;
  a.add_field("ab");
  a.add_field("c");
  Hasher b;
  b.add_field("a");
  b.add_field("bc");
  EXPECT_NE(a.digest(), b.digest());
}

TEST(Hasher, DigestDoesNotEndTheStream) {
  Hasher hasher;
  hasher.add("ab", 2);
  EXPECT_EQ(hasher.digest(), digest_of("ab"));
  hasher.add("c", 1);
  EXPECT_EQ(hasher.digest(), digest_of("abc"));
}

}  // namespace
}  // namespace dualdict
