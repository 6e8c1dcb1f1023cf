// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/open_matrix.h"
#include "io/test_files.h"

namespace dualdict {
namespace {

TEST(Csv, ReadsEverySeparatorWithAndWithoutHeader) {
  const auto expected = matrix_of<double>(2, 3, {1, -2.5, 3e-5, 4, 5, 6});
  for (const std::string text : {
           "1,-2.5,3e-5\n4,5,6\n",
           "1,-2.5,3e-5\r\n4,5,6\r\n",
           "1, -2.5 , 3e-5\n 4,5,6",
           "1;-2.5;3e-5\n4;5;6",
           "1\t-2.5\t3e-5\n4\t5\t6\n",
           "1 -2.5 3e-5\n4 5 6\n",
           "  1  -2.5 3e-5  \n4   5   6\n",
           "a,b,c\n1,-2.5,3e-5\n4,5,6\n",
           "# 2 rows, made by hand\n1 -2.5 3e-5\n # more\n4 5 6\n",
           "some words\n1;-2.5;3e-5\n4;5;6\n",
           "1,-2.5,3e-5\n\n4,+5,6\n\n\n",
       }) {
    EXPECT_EQ(read_values(text), expected) << text;
    EXPECT_EQ(read_values("\xEF\xBB\xBF" + text), expected) << "with a byte order mark: " << text;
  }
}

TEST(Csv, SaysWhatItSkippedAndWhatLooksLikeAnIndex) {
  const auto notes = [](const std::string& text) { return open_matrix(bytes_of(text))->notes(); };
  EXPECT_TRUE(notes("1,2\n3,4\n").empty());
  EXPECT_EQ(notes("# note\na,b\n1,2\n3,4\n"), std::vector<std::string>{"line 2 is a header and was skipped"});
  for (const std::string text : {"0,7\n1,7\n2,7\n", "5;7\n6;8\n7;9\n8;1\n"}) {
    ASSERT_EQ(notes(text).size(), 1U) << text;
    expect_contains(notes(text)[0], "column 1 counts the rows");
  }
  ASSERT_EQ(notes(",b\n9,2\n3,4\n").size(), 2U);
  expect_contains(notes(",b\n9,2\n3,4\n")[1], "column 1 has no name");
  // One column alone, or too few rows to tell, are samples.
  for (const std::string text : {"0\n1\n2\n", "0,7\n1,7\n", "0,7\n1,7\n3,7\n"})
    EXPECT_TRUE(notes(text).empty()) << text;
}

TEST(Csv, OneColumnAndOneRow) {
  EXPECT_EQ(read_values("1\n2\n"), matrix_of<double>(2, 1, {1, 2}));
  EXPECT_EQ(read_values("1,2"), matrix_of<double>(1, 2, {1, 2}));
}

TEST(Csv, NumbersRoundTrip) {
  EXPECT_EQ(read_values("0.1,1e308\n5e-324,-0.30000000000000004\n"),
            matrix_of<double>(2, 2, {0.1, 1e308, 5e-324, 0.1 + 0.2 == 0.30000000000000004 ? -(0.1 + 0.2) : 0}));
}

TEST(Csv, ErrorsNameLineAndColumn) {
  EXPECT_EQ(refusal("1,2\n3,x\n"), "test: line 2, column 2: 'x' is not a number");
  EXPECT_EQ(refusal("a,b\n\n1,2\n3,4 5\n"), "test: line 4, column 2: '4 5' is not a number");
  expect_contains(refusal("1,2\n3,\n"), "line 2, column 2: is empty");
  expect_contains(refusal("1,2\n,3\n"), "line 2, column 1: is empty");
  expect_contains(refusal("1\t2\n\t3\n"), "line 2, column 1: is empty");
  expect_contains(refusal("1,2\n1e999,3\n"), "'1e999' is out of the range");
  expect_contains(refusal("1,x\n3,4\n"), "header line must hold no numbers");
  expect_contains(refusal("1;2\n3,5;4\n"), "'3,5' is not a number");
  expect_contains(refusal("1,2\n+-3,4\n"), "'+-3' is not a number");
}

TEST(Csv, RaggedRowsAreRefused) {
  EXPECT_EQ(refusal("1,2\n3,4,5\n"), "test: line 2 has 3 columns, the rows before it have 2");
  expect_contains(refusal("1 2 3\n4 5\n"), "line 2 has 2 columns");
}

TEST(Csv, TextWithoutNumbersIsRefused) {
  for (const std::string text : {"a,b\n", "\n\n", "hello world", " ", "a,b\n\n\n"})
    expect_contains(refusal(text), "no row of numbers");
}

TEST(Csv, UnprintableTextIsEscapedInMessages) {
  expect_contains(refusal("1,2\n\x1b[31m,3\n" + std::string(600, ' ')), "unknown format");
  expect_contains(refusal("1,2\n" + std::string(600, '\n') + "\x1b[31m,3\n"), "'\\x1b[31m'");
}

TEST(Csv, ReadsBlocksFromAnyRow) {
  constexpr std::size_t kRows = 200;
  std::string text;
  std::vector<double> values;
  for (std::size_t i = 0; i < kRows; ++i) {
    text += std::to_string(i) + "," + std::to_string(i + 1000) + "\n";
    values.insert(values.end(), {static_cast<double>(i), static_cast<double>(i + 1000)});
  }
  const auto all = matrix_of<double>(kRows, 2, values);
  const auto file = open_matrix(bytes_of(text));
  for (std::size_t first = 0; first + 5 <= kRows; ++first) {
    Matrix<double> block(5, 2);
    file->read(first, block.view());
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(block(i, 1), all(first + i, 1)) << first;
  }
}

TEST(Csv, ReadsAFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(all_of(*open_matrix(folder.write("x.npy", "1,2\n3,4\n"))), matrix_of<double>(2, 2, {1, 2, 3, 4}));
}

}  // namespace
}  // namespace dualdict
