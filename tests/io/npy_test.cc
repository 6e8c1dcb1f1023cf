// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "io/matrix/npy_reader.h"
#include "io/matrix/open_matrix.h"
#include "io/test_files.h"

namespace dualdict {
namespace {

const Matrix<double> kSix = matrix_of<double>(2, 3, {1, 2, 3, 4, 5, 6});

TEST(Npy, ReadsAllVersions) {
  const std::string data = stored<float>({1, 2, 3, 4, 5, 6});
  for (const int version : {1, 2, 3}) EXPECT_EQ(read_values(npy("<f4", "(2, 3)", data, "False", version)), kSix);
}

template <class T>
void expect_both_orders(const std::string& code, const std::vector<T>& values) {
  const std::vector<double> expected(values.begin(), values.end());
  const auto matrix = matrix_of<double>(2, 2, expected);
  EXPECT_EQ(read_values(npy("<" + code, "(2, 2)", stored(values))), matrix) << code;
  EXPECT_EQ(read_values(npy(">" + code, "(2, 2)", stored(values, true))), matrix) << code;
}

TEST(Npy, ReadsEveryTypeInBothByteOrders) {
  expect_both_orders<float>("f4", {1.5F, -2.25F, 3e-30F, 1e30F});
  expect_both_orders<double>("f8", {1.5, -2.25, 3e-300, 1e300});
  expect_both_orders<std::int8_t>("i1", {0, -128, 127, 5});
  expect_both_orders<std::uint8_t>("u1", {0, 1, 128, 255});
  expect_both_orders<std::int16_t>("i2", {-32768, 32767, 258, -1});
  expect_both_orders<std::uint16_t>("u2", {0, 65535, 258, 1});
  expect_both_orders<std::int32_t>("i4", {-2147483647, 2147483647, 16909060, -1});
  expect_both_orders<std::uint32_t>("u4", {0, 4294967295U, 16909060U, 1});
  expect_both_orders<std::int64_t>("i8", {-4503599627370495, 4503599627370495, 72623859790382LL, -1});
  expect_both_orders<std::uint64_t>("u8", {0, 9007199254740991ULL, 258, 1});
}

TEST(Npy, ReadsHalfPrecisionAndBool) {
  // 1, -2, the smallest subnormal, the largest finite number
  const std::vector<std::uint16_t> halves{0x3c00, 0xc000, 0x0001, 0x7bff};
  const auto expected = matrix_of<double>(2, 2, {1, -2, 5.9604644775390625e-08, 65504});
  EXPECT_EQ(read_values(npy("<f2", "(2, 2)", stored(halves))), expected);
  EXPECT_EQ(read_values(npy(">f2", "(2, 2)", stored(halves, true))), expected);
  EXPECT_EQ(read_values(npy("|b1", "(2, 2)", std::string("\0\1\1\0", 4))), matrix_of<double>(2, 2, {0, 1, 1, 0}));
}

TEST(Npy, ReadsFortranOrder) {
  EXPECT_EQ(read_values(npy("<f4", "(2, 3)", stored<float>({1, 4, 2, 5, 3, 6}), "True")), kSix);
}

TEST(Npy, ReadsFortranOrderOfPictures) {
  constexpr std::size_t kN = 130;
  constexpr std::size_t kH = 3;
  constexpr std::size_t kW = 5;
  std::vector<double> c_order(kN * kH * kW);
  std::vector<double> f_order(kN * kH * kW);
  for (std::size_t n = 0; n < kN; ++n)
    for (std::size_t i = 0; i < kH; ++i)
      for (std::size_t j = 0; j < kW; ++j) {
        const auto value = static_cast<double>(n * 100 + i * 10 + j);
        c_order[(n * kH + i) * kW + j] = value;
        f_order[n + kN * (i + kH * j)] = value;
      }
  const auto file = open_matrix(bytes_of(npy(">f8", "(130, 3, 5)", stored(f_order, true), "True")));
  EXPECT_EQ(all_of(*file), matrix_of<double>(kN, kH * kW, c_order));
  EXPECT_EQ(file->info().shape, (SampleShape{kH, kW}));
}

TEST(Npy, ShapesOfSeveralDimensions) {
  const auto pictures = open_matrix(bytes_of(npy("|u1", "(2, 3, 4)", std::string(24, 'a'))));
  EXPECT_EQ(pictures->info().cols, 12U);
  EXPECT_EQ(pictures->info().shape, (SampleShape{3, 4}));
  EXPECT_EQ(pictures->info().type, ElementType::kUint8);
  const auto colours = open_matrix(bytes_of(npy("|u1", "(2, 2, 2, 3)", std::string(24, 'a'))));
  EXPECT_EQ(colours->info().cols, 12U);
  EXPECT_EQ(colours->info().shape, (SampleShape{2, 2, 3}));
  const auto others = open_matrix(bytes_of(npy("|u1", "(2, 2, 3, 2)", std::string(24, 'a'))));
  EXPECT_EQ(others->info().shape, SampleShape{}) << "two channels are no colours";
}

TEST(Npy, ReadsBlocksOfAFileIntoAnyView) {
  const TemporaryFolder folder;
  std::vector<double> values(5000 * 20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + 0.5;
  const std::string native = folder.write("native.npy", npy("<f8", "(5000, 20)", stored(values)));
  const std::string swapped = folder.write("swapped.npy", npy(">f8", "(5000, 20)", stored(values, true)));
  const auto expected = matrix_of<double>(5000, 20, values);
  for (const std::string& path : {native, swapped}) {
    const auto file = open_matrix(path);
    EXPECT_EQ(all_of<double>(*file), expected);
    EXPECT_EQ(all_of<float>(*file), convert<float>(expected));
    Matrix<double> wide(7, 32);
    file->read(4000, MatrixView<double>(wide.data(), 7, 20, 32));
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 32; ++j) EXPECT_EQ(wide(i, j), j < 20 ? expected(4000 + i, j) : 0.0);
  }
}

TEST(Npy, ReadingBeyondTheEndIsRefused) {
  const auto file = open_matrix(bytes_of(npy("|u1", "(2, 3)", "abcdef")));
  Matrix<double> two(2, 3);
  Matrix<double> narrow(1, 2);
  error_of(ErrorKind::kUsage, [&] { file->read(1, two.view()); });
  error_of(ErrorKind::kUsage, [&] { file->read(std::numeric_limits<std::size_t>::max(), two.view()); });
  error_of(ErrorKind::kUsage, [&] { file->read(0, narrow.view()); });
}

TEST(Npy, FileThatBecomesShorterIsAnInputError) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x.npy", npy("<f4", "(100, 10)", std::string(4000, 'a')));
  const auto file = open_matrix(path);
  std::filesystem::resize_file(path, 2000);
  expect_contains(error_of(ErrorKind::kInput, [&] { all_of(*file); }), path);
}

TEST(Npy, ObjectsAreRefusedWithTheFix) {
  const std::string message = refusal(npy("|O", "(2, 3)", std::string(48, 'a')));
  expect_contains(message, "'|O'");
  expect_contains(message, "astype");
}

TEST(Npy, OtherTypesAreRefusedByName) {
  for (const std::string descr : {"<c8", "<U3", "|S3", "<M8[ns]", "<f16", "<f3", "", "f", "<", "|V8"})
    expect_contains(refusal(npy(descr, "(2, 3)", std::string(48, 'a'))), "dtype '" + descr + "'");
  expect_contains(refusal(npy_with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", "")),
                  "structured");
}

TEST(Npy, VectorsAndScalarsAreRefusedWithTheFix) {
  expect_contains(refusal(npy("<f4", "(6,)", std::string(24, 'a'))), "shape (6,)");
  expect_contains(refusal(npy("<f4", "(6,)", std::string(24, 'a'))), "reshape");
  expect_contains(refusal(npy("<f4", "()", std::string(4, 'a'))), "shape ()");
}

TEST(Npy, EmptyMatricesAreRefused) {
  for (const std::string shape : {"(0, 3)", "(3, 0)", "(0, 18446744073709551615)", "(2, 0, 5)"})
    expect_contains(refusal(npy("<f4", shape, "")), "empty");
}

TEST(Npy, SizesThatWrapOrLieAreRefused) {
  // 2^32 * 2^32 = 0 and 2^62 * 4 + 6 * ... wrap to small numbers; the others are larger than the file.
  for (const std::string shape :
       {"(4294967296, 4294967296)", "(4611686018427387904, 4)", "(18446744073709551615, 18446744073709551615)",
        "(9223372036854775807, 2)", "(9223372036854775808, 2)", "(2147483648, 3)", "(2, 4)", "(3, 3)", "(2, 2)",
        "(1, 1)", "(4611686018427387905, 4, 1)"})
    refusal(npy("<f4", shape, stored<float>({1, 2, 3, 4, 5, 6})));
  // 2^63 bytes do not wrap, but no offset of a file reaches them.
  expect_contains(refusal(npy("<f4", "(2305843009213693952, 1)", "")), "more elements than any file can hold");
}

TEST(Npy, DamagedHeadersAreRefused) {
  const std::string data = stored<float>({1, 2, 3, 4, 5, 6});
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}";
  EXPECT_EQ(read_values(npy_with_header(good, data)), kSix);
  EXPECT_EQ(read_values(npy_with_header("{\"shape\":(2L,3L),\"descr\":\"<f4\",\"fortran_order\":False}", data)), kSix);
  for (const std::string header :
       {"", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'shape': (2, 3)}", "{'descr': '<f4', 'fortran_order': False}",
        "{'fortran_order': False, 'shape': (2, 3)}", "{'descr': 4, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}", "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3.0)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 18446744073709551616)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3)}",
        "{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x", "{'descr: <f4}", "[1, 2]"})
    refusal(npy_with_header(header, data));
  refusal(npy_with_header(good + std::string(1, '\0'), data));
}

TEST(Npy, UnknownVersionsAndLongHeadersAreRefused) {
  const std::string good = npy("<f4", "(2, 3)", stored<float>({1, 2, 3, 4, 5, 6}));
  for (const int version : {0, 4, 255}) {
    std::string file = good;
    file[6] = static_cast<char>(version);
    expect_contains(refusal(file), "version");
  }
  std::string minor = good;
  minor[7] = 1;
  expect_contains(refusal(minor), "version");
  for (const std::uint32_t length : {0x10001U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
    const std::string file = std::string("\x93NUMPY\2\0", 8) + stored<std::uint32_t>({length}) + good;
    expect_contains(refusal(file), "limit");
  }
}

TEST(Npy, TruncationAtEveryByteIsRefused) {
  for (const int version : {1, 2}) {
    const std::string file = npy("<f4", "(2, 3)", stored<float>({1, 2, 3, 4, 5, 6}), "False", version);
    for (std::size_t size = 0; size < file.size(); ++size) refusal(file.substr(0, size));
    refusal(file + "x");
  }
}

TEST(Npy, EveryChangedHeaderByteGivesAMatrixOrAnError) {
  const std::string good = npy("<f4", "(2, 3)", stored<float>({1, 2, 3, 4, 5, 6}));
  std::size_t n_read = 0;
  for (std::size_t at = 0; at < good.size() - 24; ++at)
    for (int value = 0; value < 256; ++value) {
      std::string file = good;
      file[at] = static_cast<char>(value);
      try {
        const Matrix<double> values = read_values(file);
        EXPECT_LE(values.size(), file.size());
        ++n_read;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kInput);
      }
    }
  EXPECT_GT(n_read, good.size() - 24);
}

TEST(OpenMatrix, UnknownContentIsRefused) {
  expect_contains(refusal(""), "empty");
  expect_contains(refusal(std::string("\x00\x01\x02\x03garbage", 11)), "unknown format");
  expect_contains(refusal("\x93NUMPX"), "unknown format");
}

TEST(OpenMatrix, ImagesAndFoldersNeedPatches) {
  for (const std::string start : {"\x89PNG\r\n\x1a\n...", "\xff\xd8\xff\xe0..", "P5\n3 3\n255\n123456789"})
    expect_contains(refusal(start), "--patches HxW");
  const TemporaryFolder folder;
  expect_contains(error_of(ErrorKind::kInput, [&] { open_matrix(folder.path()); }), "--patches HxW");
}

}  // namespace
}  // namespace dualdict
