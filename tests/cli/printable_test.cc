// SPDX-License-Identifier: BSD-3-Clause
#include "printable.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dualdict::cli {
namespace {

TEST(Printable, LeavesTextAloneInEveryScript) {
  for (const std::string text : {"", "plain", "\u00e9\u4e2d\U0001f600 \u05d0", "\xef\xbf\xbd"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(one_line(text), text);
    EXPECT_EQ(printable_json(text), text);
  }
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(one_line("a\x1b[2J\tb\x7f"), R"(a\x1b[2J\x09b\x7f)");
  EXPECT_EQ(one_line("\u009b\u202e\u2066\u200f\u061c\u2028"),
            R"(\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8)");
  EXPECT_EQ(one_line(std::string("\0", 1)), R"(\x00)");
}

TEST(Printable, BytesThatAreNoUtf8AreShown) {
  // Alone, cut short, longer than need be, half of a pair, beyond the last character.
  for (const std::string bytes :
       {"\x9b", "\xff", "\xc3", "\xe4\xb8", "\xc0\x9b", "\xe0\x82\x9b", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const std::string shown = one_line(bytes);
    EXPECT_EQ(shown.size(), 4 * bytes.size()) << shown;
    EXPECT_TRUE(std::all_of(shown.begin(), shown.end(), [](char c) { return c > 0x1f && c < 0x7f; })) << shown;
  }
  EXPECT_EQ(one_line("\xc3(\xe4\xb8\xad"), "\\xc3(\u4e2d");
}

TEST(Printable, LinesStayLinesOnlyWhereTheyAreOurs) {
  EXPECT_EQ(printable("a\nb\r\n"), "a\nb\\x0d\n");
  EXPECT_EQ(one_line("a\nb"), "a\\x0ab");
}

TEST(Printable, JsonMeansTheSame) {
  const nlohmann::json json = {{"a\u009b", "x\x7f\u202e\x1b\n\u2028"}};
  for (const int indent : {-1, 2}) {
    const std::string text = printable_json(json.dump(indent));
    EXPECT_EQ(one_line(text).find("\\x7f"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(text), json);
  }
}

}  // namespace
}  // namespace dualdict::cli
