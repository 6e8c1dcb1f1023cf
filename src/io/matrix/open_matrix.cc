// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/open_matrix.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "io/bytes/file_reader.h"
#include "io/bytes/input_error.h"
#include "io/matrix/csv_reader.h"
#include "io/matrix/idx_reader.h"
#include "io/matrix/npy_reader.h"
#include "io/matrix/npz_reader.h"

namespace dualdict {
namespace {

bool is_image(std::string_view start) {
  const bool is_pnm = start.size() >= 3 && start[0] == 'P' && start[1] >= '1' && start[1] <= '6' &&
                      std::string_view(" \t\r\n#").find(start[2]) != std::string_view::npos;
  return is_pnm || start.starts_with("\x89PNG\r\n\x1a\n") || start.starts_with("\xff\xd8\xff");
}

// Text has no control characters but those that move the pen, and does not start inside a UTF-8 character.
bool is_text(std::string_view start) {
  if ((static_cast<unsigned char>(start.front()) & 0xc0U) == 0x80U) return false;
  return std::all_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : byte >= '\t' && byte <= '\r';
  });
}

using Reader = std::unique_ptr<MatrixFile> (*)(std::shared_ptr<const ByteSource>);

// By the first bytes.
Reader reader_of(const std::string& name, std::span<const std::byte> bytes) {
  if (bytes.empty()) fail_input(name, "is empty");
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (start.starts_with("\x93NUMPY")) return read_npy;
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) return read_npz;
  if (start.starts_with("\x1f\x8b")) return read_idx_gz;
  if (is_idx(bytes)) return read_idx;
  if (is_image(start)) fail_input(name, "is an image; to cut samples out of it add --patches HxW");
  if (is_text(start)) return read_csv;
  fail_input(name, "is of an unknown format (its first bytes are " + in_quotes(start.substr(0, 8)) +
                       "); npy, npz, csv, IDX and IDX.gz are read");
}

}  // namespace

std::unique_ptr<MatrixFile> open_matrix(const std::string& path) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored))
    fail_input(path, "is a folder; to cut samples out of the images in it add --patches HxW");
  return open_matrix(open_bytes(path, reader_of));
}

std::unique_ptr<MatrixFile> open_matrix(std::shared_ptr<const ByteSource> bytes) {
  std::vector<std::byte> start(static_cast<std::size_t>(std::min<std::uint64_t>(kStartBytes, bytes->size())));
  bytes->read(0, start);
  return reader_of(bytes->name(), start)(std::move(bytes));
}

}  // namespace dualdict
