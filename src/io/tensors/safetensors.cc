// SPDX-License-Identifier: BSD-3-Clause
#include "io/tensors/safetensors.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "dualdict/error.h"
#include "io/bytes/durable_file.h"
#include "io/bytes/endian.h"
#include "io/bytes/file_reader.h"
#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxHeaderLength = 100'000'000;
constexpr std::size_t kLengthSize = 8;
constexpr const char* kMetadataKey = "__metadata__";

// JSON keeps one of two equal keys and nests without limit; a header may do neither.
json parse_header(const std::string& name, const std::string& text) {
  constexpr int kMaxDepth = 3;
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) fail_input(name, "safetensors header: nested too deeply");
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      fail_input(name, "safetensors header: key " + in_quotes(parsed.get<std::string>()) + " appears twice");
    return true;
  };
  if (!text.starts_with('{')) fail_input(name, "safetensors header: does not start with '{'");
  // The JSON parser takes a zero byte for the end of the text and would not look at what follows.
  if (text.find('\0') != std::string::npos) fail_input(name, "safetensors header: holds a zero byte");
  try {
    return json::parse(text, check);
  } catch (const json::parse_error& error) {
    fail_input(name, "safetensors header: is not JSON at character " + std::to_string(error.byte));
  } catch (const json::exception&) {
    fail_input(name, "safetensors header: holds a number out of range");
  }
}

// A tensor of the header with the place of its bytes.
struct Entry {
  Tensor tensor;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class HeaderReader {
 public:
  HeaderReader(const std::string& name, const json& header) : name_(name), header_(header) {}

  std::map<std::string, std::string> metadata() const {
    std::map<std::string, std::string> result;
    const auto found = header_.find(kMetadataKey);
    if (found == header_.end()) return result;
    if (!found->is_object()) fail_input(name_, "safetensors metadata: is not an object");
    for (const auto& [key, value] : found->items()) {
      if (!value.is_string()) fail_input(name_, "safetensors metadata: " + in_quotes(key) + " is not a string");
      result[key] = value.get<std::string>();
    }
    return result;
  }

  // In the order of their bytes.
  std::vector<Entry> entries() const {
    std::vector<Entry> result;
    for (const auto& [key, value] : header_.items())
      if (key != kMetadataKey) result.push_back(entry(key, value));
    std::sort(result.begin(), result.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.begin, a.end, a.tensor.name) < std::tie(b.begin, b.end, b.tensor.name);
    });
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
    fail_input(name_, "tensor " + in_quotes(tensor) + ": " + what);
  }

  std::vector<std::uint64_t> sizes(const std::string& tensor, const json& value, const std::string& field) const {
    const auto found = value.find(field);
    if (found == value.end() || !found->is_array()) fail(tensor, "has no list '" + field + "'");
    std::vector<std::uint64_t> result;
    for (const json& size : *found) {
      if (!size.is_number_unsigned()) fail(tensor, "an element of '" + field + "' is not an integer from 0 to 2^64-1");
      result.push_back(size.get<std::uint64_t>());
    }
    return result;
  }

  DType dtype(const std::string& tensor, const json& value) const {
    const auto found = value.find("dtype");
    if (found == value.end() || !found->is_string()) fail(tensor, "has no string 'dtype'");
    const auto text = found->get<std::string>();
    if (text != "F32" && text != "F64") fail(tensor, "dtype " + in_quotes(text) + " is not read; F32 and F64 are");
    return text == "F32" ? DType::kFloat32 : DType::kFloat64;
  }

  Entry entry(const std::string& key, const json& value) const {
    if (!value.is_object() || value.size() != 3) fail(key, "must have exactly 'dtype', 'shape' and 'data_offsets'");
    Entry result;
    result.tensor.name = key;
    result.tensor.dtype = dtype(key, value);
    std::vector<std::uint64_t> factors = sizes(key, value, "shape");
    const std::string shape = shape_text(factors);
    result.tensor.shape.assign(factors.begin(), factors.end());
    const auto offsets = sizes(key, value, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1]) fail(key, "'data_offsets' are not a begin and an end");
    result.begin = offsets[0];
    result.end = offsets[1];
    factors.push_back(size_of(result.tensor.dtype));
    const auto needed = checked_product(factors);
    if (!needed || *needed != result.end - result.begin)
      fail(key, "shape " + shape + " does not fit the " + std::to_string(result.end - result.begin) +
                    " bytes between its offsets");
    return result;
  }

  const std::string& name_;
  const json& header_;
};

// Every byte of the data belongs to exactly one tensor.
void check_cover(const std::string& name, const std::vector<Entry>& entries, std::uint64_t data_size) {
  std::uint64_t expected = 0;
  for (const Entry& entry : entries) {
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

}  // namespace

TensorFile read_safetensors(const std::string& path) {
  return read_safetensors(*open_bytes(path));
}

TensorFile read_safetensors(const ByteSource& bytes) {
  require_bytes(bytes, 0, kLengthSize, "bytes of the safetensors header length");
  std::array<std::byte, kLengthSize> length_bytes{};
  bytes.read(0, length_bytes);
  const auto length = load_le<std::uint64_t>(length_bytes.data());
  if (length > kMaxHeaderLength)
    fail_input(bytes.name(), "is not a safetensors file: header length " + std::to_string(length) +
                                 " is above the limit of " + std::to_string(kMaxHeaderLength));
  require_bytes(bytes, kLengthSize, length, "bytes of the safetensors header");
  std::string text(static_cast<std::size_t>(length), '\0');
  bytes.read(kLengthSize, std::as_writable_bytes(std::span<char>(text)));

  const json header = parse_header(bytes.name(), text);
  const HeaderReader reader(bytes.name(), header);
  TensorFile file;
  file.metadata = reader.metadata();
  std::vector<Entry> entries = reader.entries();
  const std::uint64_t start = kLengthSize + length;
  check_cover(bytes.name(), entries, bytes.size() - start);
  for (Entry& entry : entries) {
    entry.tensor.bytes.resize(static_cast<std::size_t>(entry.end - entry.begin));
    bytes.read(start + entry.begin, entry.tensor.bytes);
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
