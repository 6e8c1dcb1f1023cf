// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/open_matrix.h"
#include "io/test_files.h"

namespace dualdict {
namespace {

std::string idx(int type, const std::vector<std::uint32_t>& dims, const std::string& data) {
  return std::string{'\0', '\0', static_cast<char>(type), static_cast<char>(dims.size())} + stored(dims, true) + data;
}

std::string gzip(const std::string& content) {
  return deflated(content, 15 + 16);
}

const std::string kDigits = idx(8, {2, 2, 3}, "abcdefABCDEF");
const Matrix<double> kDigitValues = matrix_of<double>(2, 6, {97, 98, 99, 100, 101, 102, 65, 66, 67, 68, 69, 70});

TEST(Idx, ReadsBytesAsPictures) {
  const auto file = open_matrix(bytes_of(kDigits));
  EXPECT_EQ(all_of(*file), kDigitValues);
  EXPECT_EQ(file->info().shape, (SampleShape{2, 3}));
  EXPECT_EQ(file->info().type, ElementType::kUint8);
}

TEST(Idx, ReadsOtherTypes) {
  EXPECT_EQ(all_of(*open_matrix(bytes_of(idx(0x0D, {1, 2}, stored<float>({1.5F, -2}, true))))),
            matrix_of<double>(1, 2, {1.5, -2}));
  EXPECT_EQ(all_of(*open_matrix(bytes_of(idx(0x0E, {1, 2}, stored<double>({1e300, -2}, true))))),
            matrix_of<double>(1, 2, {1e300, -2}));
  EXPECT_EQ(all_of(*open_matrix(bytes_of(idx(0x09, {1, 2}, stored<std::int8_t>({-1, 2}))))),
            matrix_of<double>(1, 2, {-1, 2}));
  EXPECT_EQ(all_of(*open_matrix(bytes_of(idx(0x0B, {1, 2}, stored<std::int16_t>({-300, 2}, true))))),
            matrix_of<double>(1, 2, {-300, 2}));
  EXPECT_EQ(all_of(*open_matrix(bytes_of(idx(0x0C, {1, 2}, stored<std::int32_t>({-70000, 2}, true))))),
            matrix_of<double>(1, 2, {-70000, 2}));
}

TEST(Idx, ReadsGzipFromMemoryAndFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("digits", gzip(kDigits));
  EXPECT_EQ(all_of(*open_matrix(path)), kDigitValues);
  const auto file = open_matrix(bytes_of(gzip(kDigits)));
  EXPECT_EQ(all_of(*file), kDigitValues);
  EXPECT_EQ(file->info().shape, (SampleShape{2, 3}));
}

TEST(Idx, ReadsGzipInSeveralPieces) {
  EXPECT_EQ(all_of(*open_matrix(bytes_of(gzip(kDigits.substr(0, 9)) + gzip(kDigits.substr(9))))), kDigitValues);
}

TEST(Idx, LargeGzipGivesEveryByteBack) {
  std::string data(5'000'000, '\0');
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>((i * i) >> 7);
  const auto file = open_matrix(bytes_of(gzip(idx(8, {5000, 1000}, data))));
  const auto values = all_of<float>(*file);
  for (std::size_t i = 0; i < data.size(); ++i)
    ASSERT_EQ(values.data()[i], static_cast<float>(static_cast<unsigned char>(data[i])));
}

TEST(Idx, TruncationAtEveryByteIsRefused) {
  for (std::size_t size = 0; size < kDigits.size(); ++size) refusal(kDigits.substr(0, size));
  refusal(kDigits + "x");
  const std::string compressed = gzip(kDigits);
  for (std::size_t size = 0; size < compressed.size(); ++size) refusal(compressed.substr(0, size));
}

TEST(Idx, GzipMustHoldExactlyWhatIsDeclared) {
  expect_contains(refusal(gzip(kDigits + "x")), "more than declared");
  expect_contains(refusal(gzip(kDigits.substr(0, kDigits.size() - 1))), "less than declared");
  std::string zeros;
  zeros.resize(10'000'000);
  expect_contains(refusal(gzip(idx(8, {1, 3}, zeros))), "more than declared");
  expect_contains(refusal(gzip(idx(8, {0xffffffff, 0x40000000}, "abc"))), "compressed bytes can hold");
  expect_contains(refusal(gzip("1,2\n3,4\n")), "not IDX");
  std::string damaged = gzip(kDigits);
  damaged[damaged.size() - 6] ^= 1;
  expect_contains(refusal(damaged), "damaged");
}

TEST(Idx, LabelsAndEmptyFilesAreRefused) {
  expect_contains(refusal(idx(8, {5}, "abcde")), "labels");
  expect_contains(refusal(idx(8, {0, 5}, "")), "empty");
  refusal(idx(8, {0xffffffff, 0xffffffff, 0xffffffff}, "abc"));
  refusal(idx(8, {0x80000000, 0x80000000, 4}, ""));
  refusal(idx(10, {2, 2}, "abcd"));
  refusal(std::string("\0\0\x08\xff\0\0\0\1", 8));
}

}  // namespace
}  // namespace dualdict
