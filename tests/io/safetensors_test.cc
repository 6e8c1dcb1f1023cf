// SPDX-License-Identifier: BSD-3-Clause
#include "io/tensors/safetensors.h"

#include <cstring>

#include "io/test_files.h"

namespace dualdict {
namespace {

std::string file_of(const std::string& header, const std::string& data) {
  return stored<std::uint64_t>({header.size()}) + header + data;
}

class Safetensors : public testing::Test {
 protected:
  TensorFile read(const std::string& content) { return read_safetensors(folder_.write("m", content)); }
  std::string refusal(const std::string& content) {
    return error_of(ErrorKind::kInput, [&] { read(content); });
  }
  std::string refused_header(const std::string& header, std::size_t data_size = 8) {
    return refusal(file_of(header, std::string(data_size, 'x')));
  }
  // One tensor "a" with these fields and 8 bytes of data.
  std::string refused_tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return refused_header(R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
                          "}}");
  }

  TemporaryFolder folder_;
};

TensorFile example() {
  TensorFile file;
  file.metadata = {{"format", "test"}, {"text", "quotes \" and \n lines"}};
  file.tensors.push_back(make_tensor("b", matrix_of<double>(2, 3, {1, 2, 3, 4, 5, 0.1}).view(), DType::kFloat32));
  file.tensors.push_back(make_tensor("c", std::vector<double>{0.1, -1e300}, DType::kFloat64));
  file.tensors.push_back(make_tensor("a", std::vector<double>{7}, DType::kFloat32));
  return file;
}

TEST_F(Safetensors, RoundTrip) {
  write_safetensors(folder_.path("x"), example());
  const TensorFile file = read_safetensors(folder_.path("x"));
  EXPECT_EQ(file.metadata, example().metadata);
  ASSERT_EQ(file.tensors.size(), 3U);
  for (const Tensor& expected : example().tensors) {
    const Tensor* tensor = file.find(expected.name);
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->dtype, expected.dtype);
    EXPECT_EQ(tensor->shape, expected.shape);
    EXPECT_EQ(tensor->bytes, expected.bytes);
  }
  EXPECT_EQ(file.find("d"), nullptr);
  EXPECT_EQ(to_vector(*file.find("c")), (std::vector<double>{0.1, -1e300}));
  EXPECT_EQ(to_matrix(*file.find("b")), matrix_of<double>(2, 3, {1, 2, 3, 4, 5, 0.1F}));
}

TEST_F(Safetensors, SameContentGivesTheSameAlignedBytes) {
  TensorFile file = example();
  write_safetensors(folder_.path("x"), file);
  std::reverse(file.tensors.begin(), file.tensors.end());
  write_safetensors(folder_.path("y"), file);
  const std::string content = content_of(folder_.path("x"));
  EXPECT_EQ(content, content_of(folder_.path("y")));
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(content.substr(8 + length, 8), stored<double>({0.1})) << "float64 comes first, so that it is aligned";
}

TEST_F(Safetensors, EmptyTensorsAndEmptyFiles) {
  TensorFile file;
  write_safetensors(folder_.path("x"), file);
  EXPECT_TRUE(read_safetensors(folder_.path("x")).tensors.empty());
  file.tensors.push_back(make_tensor("none", std::vector<double>{}, DType::kFloat64));
  file.tensors.push_back(make_tensor("one", std::vector<double>{1}, DType::kFloat64));
  write_safetensors(folder_.path("x"), file);
  EXPECT_EQ(to_vector(*read_safetensors(folder_.path("x")).find("none")), std::vector<double>{});
}

TEST_F(Safetensors, TextThatIsNotUtf8IsReplacedNotRefused) {
  TensorFile file;
  file.metadata["data"] = "caf\xe9.npy";
  write_safetensors(folder_.path("x"), file);
  expect_contains(read_safetensors(folder_.path("x")).metadata["data"], "caf");
}

TEST_F(Safetensors, WriterRefusesWhatItCouldNotReadBack) {
  for (const std::string name : {"a", "__metadata__"}) {
    TensorFile file = example();
    file.tensors[0].name = name;
    error_of(ErrorKind::kUsage, [&] { write_safetensors(folder_.path("x"), file); });
  }
  TensorFile file = example();
  file.tensors[0].shape = {2, 4};
  error_of(ErrorKind::kUsage, [&] { write_safetensors(folder_.path("x"), file); });
  EXPECT_EQ(folder_.n_files(), 0U);
}

TEST_F(Safetensors, ConversionsCheckTheNumberOfDimensions) {
  const TensorFile file = example();
  expect_contains(error_of(ErrorKind::kInput, [&] { to_matrix(file.tensors[1]); }), "tensor 'c'");
  expect_contains(error_of(ErrorKind::kInput, [&] { to_vector(file.tensors[0]); }), "tensor 'b'");
}

TEST_F(Safetensors, TruncationAtEveryByteIsRefused) {
  write_safetensors(folder_.path("x"), example());
  const std::string content = content_of(folder_.path("x"));
  for (std::size_t size = 0; size < content.size(); ++size) refusal(content.substr(0, size));
  refusal(content + "x");
}

TEST_F(Safetensors, HeaderLengthsAreChecked) {
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
        std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 7, std::uint64_t{100'000'001}})
    refusal(stored<std::uint64_t>({length}) + "{}");
  expect_contains(refusal(stored<std::uint64_t>({100'000'001}) + "{}"), "above the limit of 100000000");
}

TEST_F(Safetensors, OverlapsHolesAndRepeatedKeysAreRefused) {
  const std::string a = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  EXPECT_EQ(
      read(file_of("{" + a + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "12345678")).tensors.size(),
      2U);
  expect_contains(refused_header("{" + a + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4), "inside");
  expect_contains(refused_header("{" + a + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})", 6), "inside");
  expect_contains(refused_header("{" + a + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})", 12), "hole");
  expect_contains(refused_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"), "hole");
  expect_contains(refused_header("{" + a + "}"), "the file has 8");
  expect_contains(refused_header("{" + a + "," + a + "}", 4), "appears twice");
  expect_contains(refused_header(R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4),
                  "appears twice");
  expect_contains(refused_header(R"({"__metadata__":{"k":"1","k":"2"}})", 0), "appears twice");
}

TEST_F(Safetensors, FieldsOfATensorAreChecked) {
  EXPECT_EQ(read(file_of(R"({"a":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})", "12345678")).tensors.size(), 1U);
  expect_contains(refused_tensor(R"("F8_E4M3")", "[8]", "[0,8]"), "'F8_E4M3'");
  expect_contains(refused_tensor(R"("C64")", "[1]", "[0,8]"), "'C64'");
  for (const std::string dtype : {"1", "null", R"("f32")", R"("")"}) refused_tensor(dtype, "[2]", "[0,8]");
  for (const std::string shape :
       {"2", "[3]", "[1]", "[-2]", "[2.0]", "[\"2\"]", "[[2]]", "null", "[18446744073709551616]",
        "[4611686018427387906]", "[9223372036854775809,2]", "[4294967296,4294967296]", "[18446744073709551615]", "[0]"})
    refused_tensor(R"("F32")", shape, "[0,8]");
  for (const std::string offsets : {"[0]", "[8,0]", "[0,8,8]", "[-8,0]", "[0,8.0]", "[0,16]", "[8,16]", "{}", "null",
                                    "[18446744073709551608,18446744073709551615]", "[1,9]"})
    refused_tensor(R"("F32")", "[2]", offsets);
  // Their difference wraps to what the shape needs.
  expect_contains(refused_tensor(R"("F32")", "[4611686018427387902]", "[8,0]"), "not a begin and an end");
  refused_header(R"({"a":{"dtype":"F32","shape":[2]}})");
  refused_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1}})");
  refused_header(R"({"a":[]})");
}

TEST_F(Safetensors, MetadataHoldsStringsOnly) {
  for (const std::string value : {"1", "null", "[]", "{}", "true"})
    expect_contains(refused_header(R"({"__metadata__":{"k":)" + value + "}}", 0), "not a string");
  refused_header(R"({"__metadata__":[]})", 0);
  refused_header(R"({"__metadata__":"text"})", 0);
}

TEST_F(Safetensors, TextThatIsNotAHeaderIsRefused) {
  for (const std::string header : {"", " {}", "[]", "{", "{} x", "{\"a\"}", "{'a':1}", "null", "{\"a\":1e999}", "\xff"})
    refused_header(header, 0);
  refused_header("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}", 0);
  std::string nested = "{\"a\":";
  for (int i = 0; i < 10'000; ++i) nested += "{\"shape\":";
  expect_contains(refused_header(nested, 0), "nested too deeply");
}

TEST_F(Safetensors, NumbersOfTensorsMetadataAndDimensionsHaveLimits) {
  const auto tensors = [](int n) {
    std::string header = "{";
    for (int i = 0; i < n; ++i)
      header += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
    return header + "}";
  };
  EXPECT_EQ(read(file_of(tensors(10000), "")).tensors.size(), 10000U);
  expect_contains(refused_header(tensors(10001), 0), "more than 10000 tensors");
  const auto metadata = [](int n) {
    std::string header = R"({"__metadata__":{)";
    for (int i = 0; i < n; ++i) header += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":"")";
    return header + "}}";
  };
  EXPECT_EQ(read(file_of(metadata(1000), "")).metadata.size(), 1000U);
  expect_contains(refused_header(metadata(1001), 0), "more than 1000 metadata");
  EXPECT_EQ(read(file_of(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", "1234"))
                .tensors[0]
                .shape.size(),
            8U);
  expect_contains(refused_tensor(R"("F32")", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), "more than 8 dimensions");
}

TEST_F(Safetensors, AHeaderMayTakeEightMebibytesAndAFifthOfTheFile) {
  const std::string blanks(std::size_t{8} << 20, ' ');
  EXPECT_EQ(read(file_of("{}" + blanks.substr(2), "")).tensors.size(), 0U);
  // A fifth of a file that is all header is not enough for the rest of it.
  expect_contains(refused_header("{}" + blanks + blanks, 0), "a fifth of the file");
}

TEST_F(Safetensors, FailedWriteLeavesTheOldFile) {
  const std::string path = folder_.path("absent/model");
  expect_contains(error_of(ErrorKind::kWrite, [&] { write_safetensors(path, example()); }), path);
  expect_contains(error_of(ErrorKind::kWrite, [&] { write_safetensors("/dev/full", example()); }), "No space left");
}

}  // namespace
}  // namespace dualdict
