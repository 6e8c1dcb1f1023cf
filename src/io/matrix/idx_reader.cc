// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/idx_reader.h"

#include <array>
#include <optional>

#include "io/bytes/endian.h"
#include "io/bytes/inflater.h"
#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

constexpr std::size_t kMagicSize = 4;

std::optional<Scalar> scalar_of(std::byte code) {
  switch (std::to_integer<unsigned>(code)) {
    case 0x08:
      return Scalar::kUint8;
    case 0x09:
      return Scalar::kInt8;
    case 0x0B:
      return Scalar::kInt16;
    case 0x0C:
      return Scalar::kInt32;
    case 0x0D:
      return Scalar::kFloat32;
    case 0x0E:
      return Scalar::kFloat64;
    default:
      return std::nullopt;
  }
}

std::size_t dims_size(std::byte n_dims) {
  return 4 * std::to_integer<std::size_t>(n_dims);
}

struct IdxHeader {
  MatrixInfo info;
  ElementFormat format;
  std::uint64_t data_offset = 0;
  std::uint64_t data_size = 0;
};

// `header` holds the magic number and all dimensions.
IdxHeader parse_header(const std::string& name, std::span<const std::byte> header) {
  std::vector<std::uint64_t> dims;
  for (std::size_t at = kMagicSize; at < header.size(); at += 4)
    dims.push_back(load_be<std::uint32_t>(header.data() + at));
  IdxHeader result;
  result.format = {*scalar_of(header[2]), true};
  if (dims.size() == 1)
    fail_input(name, "an IDX file of one dimension holds labels, not samples; give the file of images instead");
  result.info = matrix_info(name, dims, result.format.scalar);
  result.data_offset = header.size();
  result.data_size = total_bytes(dims, result.format.scalar);
  return result;
}

}  // namespace

bool is_idx(std::span<const std::byte> start) {
  return start.size() >= kMagicSize && start[0] == std::byte{0} && start[1] == std::byte{0} && scalar_of(start[2]) &&
         start[3] != std::byte{0};
}

std::unique_ptr<MatrixFile> read_idx(std::shared_ptr<const ByteSource> bytes) {
  std::vector<std::byte> start(kMagicSize);
  bytes->read(0, start);
  if (!is_idx(start)) fail_input(bytes->name(), "is not an IDX file");
  start.resize(kMagicSize + dims_size(start[3]));
  require_bytes(*bytes, 0, start.size(), "bytes of an IDX header");
  bytes->read(0, start);
  const IdxHeader header = parse_header(bytes->name(), start);
  const std::uint64_t present = bytes->size() - header.data_offset;
  if (present != header.data_size)
    fail_input(bytes->name(), "the IDX header declares " + std::to_string(header.data_size) +
                                  " bytes of data, the file has " + std::to_string(present) +
                                  (present < header.data_size ? ": it is truncated" : ""));
  return std::make_unique<DenseMatrixFile>(std::move(bytes), header.data_offset, header.format, header.info);
}

std::unique_ptr<MatrixFile> read_idx_gz(std::shared_ptr<const ByteSource> bytes) {
  Inflater inflater(*bytes, 0, bytes->size(), Inflater::Wrapping::kGzip);
  std::vector<std::byte> content(kMagicSize);
  if (inflater.read(content) < kMagicSize || !is_idx(content))
    fail_input(bytes->name(), "holds compressed data that are not IDX; decompress it first (gunzip)");
  const std::size_t more = dims_size(content[3]);
  content.resize(kMagicSize + more);
  if (inflater.read(std::span(content).subspan(kMagicSize)) < more)
    fail_input(bytes->name(), "the compressed IDX header is truncated");
  const IdxHeader header = parse_header(bytes->name(), content);
  if (header.data_size / kMaxDeflateRatio > bytes->size())
    fail_input(bytes->name(), "the IDX header declares " + std::to_string(header.data_size) +
                                  " bytes of data, more than " + std::to_string(bytes->size()) +
                                  " compressed bytes can hold");
  inflater.read_rest(header.data_size, content);
  return std::make_unique<DenseMatrixFile>(make_memory_bytes(bytes->name(), std::move(content)), header.data_offset,
                                           header.format, header.info);
}

}  // namespace dualdict
