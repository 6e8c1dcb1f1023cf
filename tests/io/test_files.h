// SPDX-License-Identifier: BSD-3-Clause
// Files for tests: bytes by hand, and the error that a call must give.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "dualdict/error.h"
#include "dualdict/matrix.h"
#include "io/bytes/byte_source.h"
#include "io/matrix/matrix_file.h"
#include "io/matrix/npy_header.h"
#include "io/matrix/open_matrix.h"
#include "io/temporary_folder.h"

namespace dualdict {

// By zlib; window_bits as for deflateInit2: 31 with the head of gzip, -15 with none.
inline std::string deflated(const std::string& content, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string in = content;
  std::string out(deflateBound(&stream, in.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::shared_ptr<const ByteSource> bytes_of(const std::string& content, const std::string& name = "test") {
  return make_memory_bytes(name, std::vector<char>(content.begin(), content.end()));
}

// The bytes of values in a byte order.
template <class T>
std::string stored(const std::vector<T>& values, bool big_endian = false) {
  std::string result;
  for (const T& value : values) {
    auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (big_endian) std::reverse(bytes.begin(), bytes.end());
    result.append(bytes.data(), bytes.size());
  }
  return result;
}

// An npy file of a version with any header text.
inline std::string npy_with_header(const std::string& header, const std::string& data, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  const auto length = static_cast<std::uint32_t>(header.size());
  file += version == 1 ? stored(std::vector<std::uint16_t>{static_cast<std::uint16_t>(length)})
                       : stored(std::vector<std::uint32_t>{length});
  return file + header + data;
}

inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       const std::string& fortran = "False", int version = 1) {
  return npy_with_header("{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n",
                         data, version);
}

template <class T = double>
Matrix<T> all_of(const MatrixFile& file) {
  Matrix<T> values(file.info().rows, file.info().cols);
  file.read(0, values.view());
  return values;
}

template <class T>
Matrix<T> matrix_of(std::size_t rows, std::size_t cols, const std::vector<T>& values) {
  Matrix<T> result(rows, cols);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

// The message of the Error that the call throws; the test fails when there is none or it is of another kind.
template <class Call>
std::string error_of(ErrorKind kind, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// What a reader makes of the content of a file, and its message when it refuses it.
inline Matrix<double> read_values(const std::string& content) {
  return all_of(*open_matrix(bytes_of(content)));
}
inline std::string refusal(const std::string& content, const std::string& name = "test") {
  return error_of(ErrorKind::kInput, [&] { open_matrix(bytes_of(content, name)); });
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' does not contain '" << part << "'";
}

}  // namespace dualdict
