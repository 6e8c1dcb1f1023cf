// SPDX-License-Identifier: BSD-3-Clause
// The header of NumPy's npy format, versions 1 to 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.h"
#include "io/bytes/element.h"

namespace dualdict {

struct NpyHeader {
  ElementFormat format;
  bool fortran_order = false;
  std::vector<std::uint64_t> dims;
  std::uint64_t data_offset = 0;
};

// Throws Error(kInput) for anything that is not a header of numbers; nothing is allocated from what it declares.
NpyHeader read_npy_header(const ByteSource& bytes);

// Version 1, C order, padded so that the data start on a 64-byte boundary. descr: "<f4", "|S3", ...
std::string make_npy_header(std::string_view descr, const std::vector<std::uint64_t>& dims);

}  // namespace dualdict
