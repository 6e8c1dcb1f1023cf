// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include "dualdict/files.h"
#include "io/matrix/open_matrix.h"
#include "io/test_files.h"
#include "io/zip/zip_reader.h"

namespace dualdict {
namespace {

struct Member {
  std::string name;
  std::string content;
  bool deflated = false;
};

std::string deflate_raw(const std::string& content) {
  return deflated(content, -15);
}

template <class T>
std::string le(T value) {
  return stored<T>({value});
}

// A plain zip archive, without zip64, as other programs write it.
std::string zip(const std::vector<Member>& members, const std::string& comment = "") {
  std::string file;
  std::string directory;
  for (const Member& member : members) {
    const std::string data = member.deflated ? deflate_raw(member.content) : member.content;
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(member.content.data()), static_cast<uInt>(member.content.size())));
    const std::string common = le<std::uint16_t>(0) + le<std::uint16_t>(member.deflated ? 8 : 0) +
                               le<std::uint32_t>(0) + le<std::uint32_t>(crc) +
                               le(static_cast<std::uint32_t>(data.size())) +
                               le(static_cast<std::uint32_t>(member.content.size())) +
                               le(static_cast<std::uint16_t>(member.name.size())) + le<std::uint16_t>(0);
    directory += "PK\1\2" + le<std::uint16_t>(20) + le<std::uint16_t>(20) + common + std::string(10, '\0') +
                 le(static_cast<std::uint32_t>(file.size())) + member.name;
    file += "PK\3\4" + le<std::uint16_t>(20) + common;
    file += member.name;
    file += data;
  }
  const auto count = static_cast<std::uint16_t>(members.size());
  const std::string end =
      "PK\5\6" + le<std::uint32_t>(0) + le(count) + le(count) + le(static_cast<std::uint32_t>(directory.size())) +
      le(static_cast<std::uint32_t>(file.size())) + le(static_cast<std::uint16_t>(comment.size())) + comment;
  return file + directory + end;
}

const std::string kArray = npy("<f4", "(2, 3)", stored<float>({1, 2, 3, 4, 5, 6}));
const std::string kOther = npy("<f4", "(1, 1)", stored<float>({9}));
const Matrix<double> kValues = matrix_of<double>(2, 3, {1, 2, 3, 4, 5, 6});

TEST(Npz, ReadsTheOnlyArray) {
  for (const bool deflated : {false, true})
    EXPECT_EQ(all_of(*open_matrix(bytes_of(zip({{"weights.npy", kArray, deflated}, {"notes.txt", "hello"}})))),
              kValues);
  EXPECT_EQ(all_of(*open_matrix(bytes_of(zip({{"a.npy", kArray}}, "a comment")))), kValues);
}

TEST(Npz, PrefersKnownNames) {
  EXPECT_EQ(all_of(*open_matrix(bytes_of(zip({{"y.npy", kOther}, {"X.npy", kArray}})))), kValues);
  EXPECT_EQ(all_of(*open_matrix(bytes_of(zip({{"arr_0.npy", kOther}, {"data.npy", kArray}})))), kValues);
  EXPECT_EQ(all_of(*open_matrix(bytes_of(zip({{"arr_0.npy", kArray}, {"arr_1.npy", kOther}})))), kValues);
}

TEST(Npz, UnknownNamesAreListed) {
  expect_contains(refusal(zip({{"left.npy", kArray}, {"right.npy", kOther}})), "'left', 'right'");
  expect_contains(refusal(zip({{"notes.txt", "hello"}})), "without npy");
  expect_contains(refusal(zip({})), "without npy");
}

TEST(Npz, TruncationAtEveryByteIsRefused) {
  const std::string file = zip({{"X.npy", kArray, true}});
  for (std::size_t size = 0; size < file.size(); ++size) refusal(file.substr(0, size));
}

TEST(Npz, EveryChangedByteGivesTheArrayOrAnError) {
  const std::string good = zip({{"X.npy", kArray, true}});
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string file = good;
      file[at] = static_cast<char>(file[at] ^ (1 << bit));
      try {
        EXPECT_EQ(all_of(*open_matrix(bytes_of(file))), kValues) << "byte " << at << " bit " << bit;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kInput);
      }
    }
}

TEST(Npz, LyingSizesAreRefused) {
  const std::string good = zip({{"X.npy", kArray, true}});
  const std::size_t entry = good.find("PK\1\2");
  for (const std::size_t field : {20U, 24U, 42U})
    for (const std::uint32_t value : {0U, 1U, 0x7fffffffU, 0x80000000U, 0xfffffffeU, 0xffffffffU}) {
      std::string file = good;
      file.replace(entry + field, 4, le(value));
      if (file != good) refusal(file);
    }
  // A stored member has one size: the other is not believed before memory is taken.
  std::string stored_member = zip({{"X.npy", kArray}});
  stored_member.replace(stored_member.find("PK\1\2") + 24, 4, le(0x7fffffffU));
  expect_contains(refusal(stored_member), "two different sizes");
}

TEST(Npz, EncryptedMembersAreRefusedByName) {
  std::string file = zip({{"X.npy", kArray}});
  file[file.find("PK\1\2") + 8] = 1;
  expect_contains(refusal(file), "is encrypted");
}

TEST(Csr, WhatWeWriteIsReadBack) {
  const TemporaryFolder folder;
  const std::string path = folder.path("codes.npz");
  const auto values = matrix_of<double>(3, 4, {0, 1.5, 0, -2, 0, 0, 0, 0, 7, 0, 0, 0.25});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    MatrixWriter writer(path, MatrixFormat::kCsr, dtype, 3, 4);
    writer.append(values.view().row_range(0, 1));
    writer.append(values.view().row_range(1, 2));
    writer.finish();
    const auto file = open_matrix(path);
    EXPECT_EQ(all_of(*file), values);
    EXPECT_EQ(file->info().type, dtype == DType::kFloat32 ? ElementType::kFloat32 : ElementType::kFloat64);
    Matrix<float> last(1, 4);
    file->read(2, last.view());
    EXPECT_EQ(last, matrix_of<float>(1, 4, {7, 0, 0, 0.25F}));
  }
}

std::string csr(const std::vector<std::int32_t>& indptr, const std::vector<std::int32_t>& indices,
                const std::vector<std::int64_t>& shape, const std::string& format = "csr") {
  const auto vector = [](const std::string& descr, std::size_t n, const std::string& data) {
    return npy(descr, "(" + std::to_string(n) + ",)", data);
  };
  return zip({{"indptr.npy", vector("<i4", indptr.size(), stored(indptr))},
              {"indices.npy", vector("<i4", indices.size(), stored(indices))},
              {"shape.npy", vector("<i8", shape.size(), stored(shape))},
              {"format.npy", npy("|S3", "()", format)},
              {"data.npy", vector("<f4", 3, stored<float>({1, 2, 3}))}});
}

TEST(Csr, DamagedIndicesAreRefused) {
  EXPECT_EQ(all_of(*open_matrix(bytes_of(csr({0, 2, 3}, {0, 2, 1}, {2, 3})))),
            matrix_of<double>(2, 3, {1, 0, 2, 0, 3, 0}));
  refusal(csr({0, 2, 3}, {0, 3, 1}, {2, 3}));
  expect_contains(refusal(csr({0, 2, 3}, {0, -1, 1}, {2, 3})), "element 1 is negative");
  refusal(csr({0, 4, 3}, {0, 2, 1}, {2, 3}));
  refusal(csr({0, 2, 4}, {0, 2, 1}, {2, 3}));
  refusal(csr({1, 2, 3}, {0, 2, 1}, {2, 3}));
  expect_contains(refusal(csr({0, 3}, {0, 2, 1}, {2, 3})), "indptr has 2 elements, 2 rows");
  refusal(csr({0, 2, 3}, {0, 2}, {2, 3}));
  refusal(csr({0, 2, 3}, {0, 2, 1}, {2, 3, 1}));
  refusal(csr({0, 2, 3}, {0, 2, 1}, {-2, 3}));
  refusal(csr({0, 2, 3}, {0, 2, 1}, {2, std::int64_t{1} << 40}));
  expect_contains(refusal(csr({0, 2, 3}, {0, 2, 1}, {2, 3}, "csc")), "tocsr");
}

}  // namespace
}  // namespace dualdict
