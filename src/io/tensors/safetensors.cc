// SPDX-License-Identifier: BSD-3-Clause
#include "io/tensors/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "dualdict/error.h"
#include "io/bytes/durable_file.h"
#include "io/bytes/endian.h"
#include "io/bytes/file_reader.h"
#include "io/bytes/input_error.h"
#include "io/tensors/header.h"

namespace dualdict {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxHeaderLength = 100'000'000;
// To parse a text takes six times its size, a file may take twice its own and 64 MiB.
constexpr std::uint64_t kFreeHeaderLength = std::uint64_t{8} << 20;
constexpr std::uint64_t kHeaderShare = 5;
constexpr std::size_t kLengthSize = 8;
// Every byte of the data belongs to exactly one tensor.
void check_cover(const std::string& name, const std::vector<TensorEntry>& entries, std::uint64_t data_size) {
  std::uint64_t expected = 0;
  for (const TensorEntry& entry : entries) {
    if (entry.begin != expected)
      fail_input(name, "tensor " + in_quotes(entry.tensor.name) + ": begins at " + std::to_string(entry.begin) +
                           (entry.begin < expected ? ", inside the tensor before it" : ", leaving a hole") +
                           "; it must begin at " + std::to_string(expected));
    expected = entry.end;
  }
  if (expected != data_size)
    fail_input(name, "the tensors need " + std::to_string(expected) + " bytes of data, the file has " +
                         std::to_string(data_size) + (data_size < expected ? ": it is truncated" : ""));
}

std::uint64_t checked_length(const std::string& name, std::span<const std::byte> start) {
  const auto length = load_le<std::uint64_t>(start.data());
  if (length > kMaxHeaderLength)
    fail_input(name, "is not a safetensors file: header length " + std::to_string(length) + " is above the limit of " +
                         std::to_string(kMaxHeaderLength));
  return length;
}

template <class T>
std::vector<std::byte> widened(const std::vector<std::byte>& stored, ElementFormat format) {
  const std::size_t n = stored.size() / element_size(format.scalar);
  std::vector<T> values(n);
  convert_elements(format, stored.data(), n, values.data());
  std::vector<std::byte> bytes(n * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The bytes of float32 or float64 numbers, whichever holds the stored ones.
std::vector<std::byte> as_dtype(std::vector<std::byte> stored, Scalar scalar) {
  if (stored.empty() || scalar == Scalar::kFloat32 || scalar == Scalar::kFloat64) return stored;
  const ElementFormat format{.scalar = scalar, .big_endian = false};
  return element_type(scalar) == ElementType::kFloat32 ? widened<float>(stored, format)
                                                       : widened<double>(stored, format);
}

}  // namespace

std::shared_ptr<const ByteSource> open_safetensors(const std::string& path) {
  return open_bytes(path, [](const std::string& name, std::span<const std::byte> start) {
    if (start.size() < kLengthSize) return;
    checked_length(name, start);
    if (start.size() > kLengthSize) require_header_start(name, static_cast<char>(start[kLengthSize]));
  });
}

TensorFile read_safetensors(const std::string& path) {
  return read_safetensors(*open_safetensors(path));
}

TensorFile read_safetensors(const ByteSource& bytes) {
  require_bytes(bytes, 0, kLengthSize, "bytes of the safetensors header length");
  std::array<std::byte, kLengthSize> length_bytes{};
  bytes.read(0, length_bytes);
  const std::uint64_t length = checked_length(bytes.name(), length_bytes);
  require_bytes(bytes, kLengthSize, length, "bytes of the safetensors header");
  if (length > kFreeHeaderLength && length - kFreeHeaderLength > bytes.size() / kHeaderShare)
    fail_input(bytes.name(), "is not read: its header takes " + std::to_string(length) + " of " +
                                 std::to_string(bytes.size()) + " bytes; it may take " +
                                 std::to_string(kFreeHeaderLength) + " and a fifth of the file");
  std::string text(static_cast<std::size_t>(length), '\0');
  bytes.read(kLengthSize, std::as_writable_bytes(std::span<char>(text)));

  TensorHeader header = parse_header(bytes.name(), text);
  text = std::string();  // its room is needed for the tensors
  const std::uint64_t start = kLengthSize + length;
  check_cover(bytes.name(), header.entries, bytes.size() - start);
  TensorFile file;
  file.metadata = std::move(header.metadata);
  for (TensorEntry& entry : header.entries) {
    std::vector<std::byte> stored(static_cast<std::size_t>(entry.end - entry.begin));
    bytes.read(start + entry.begin, stored);
    entry.tensor.bytes = as_dtype(std::move(stored), entry.stored);
    file.tensors.push_back(std::move(entry.tensor));
  }
  return file;
}

namespace {

// A file ready to be written: what comes before the data, and the tensors in their order.
struct Layout {
  std::vector<std::byte> length;
  std::string header;
  std::vector<const Tensor*> order;
};

Layout lay_out(const TensorFile& file) {
  std::vector<const Tensor*> order;
  for (const Tensor& tensor : file.tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) {
    return a->dtype != b->dtype ? a->dtype == DType::kFloat64 : a->name < b->name;
  });
  json header = json::object();
  if (!file.metadata.empty()) header[kMetadataKey] = file.metadata;
  std::uint64_t offset = 0;
  for (const Tensor* tensor : order) {
    std::vector<std::uint64_t> factors(tensor->shape.begin(), tensor->shape.end());
    factors.push_back(size_of(tensor->dtype));
    if (tensor->name == kMetadataKey || header.contains(tensor->name) ||
        checked_product(factors) != tensor->bytes.size())
      throw Error(ErrorKind::kUsage, "tensor " + in_quotes(tensor->name) +
                                         " has a name that is taken or a shape that does not fit its bytes");
    const std::uint64_t end = offset + tensor->bytes.size();
    header[tensor->name] = {{"dtype", tensor->dtype == DType::kFloat32 ? "F32" : "F64"},
                            {"shape", tensor->shape},
                            {"data_offsets", {offset, end}}};
    offset = end;
  }
  // File names in the metadata need not be UTF-8, JSON must be.
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((kLengthSize - text.size() % kLengthSize) % kLengthSize, ' ');
  Layout layout;
  append_le<std::uint64_t>(layout.length, text.size());
  layout.header = std::move(text);
  layout.order = std::move(order);
  return layout;
}

void write_out(ByteSink& out, const Layout& layout) {
  out.append(layout.length);
  append_text(out, layout.header);
  for (const Tensor* tensor : layout.order) out.append(tensor->bytes);
  out.commit();
}

}  // namespace

void write_safetensors(ByteSink& out, const TensorFile& file) {
  write_out(out, lay_out(file));
}

void write_safetensors(const std::string& path, const TensorFile& file) {
  // Laid out before the file is opened: nothing to clean up when memory runs out.
  const Layout layout = lay_out(file);
  DurableFile out(path);
  write_out(out, layout);
}

}  // namespace dualdict
