// SPDX-License-Identifier: BSD-3-Clause
#include "io/tensors/header.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxTensors = 10000;
constexpr std::size_t kMaxMetadata = 1000;
constexpr std::size_t kMaxDimensions = 8;
constexpr const char* kFields = "must have exactly 'dtype', 'shape' and 'data_offsets'";

// Takes the header apart while it is parsed. Each function returns true, which lets the parser go on, or throws.
class HeaderHandler final : public nlohmann::json_sax<json> {
 public:
  explicit HeaderHandler(const std::string& file) : file_(file) {}

  TensorHeader take() {
    std::sort(header_.entries.begin(), header_.entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
      return std::tie(a.begin, a.end, a.tensor.name) < std::tie(b.begin, b.end, b.tensor.name);
    });
    return std::move(header_);
  }

  bool start_object(std::size_t) override {
    if (depth_ == 2 && !in_metadata_) fail_header("nested too deeply");
    if (depth_ > 1) refuse_value();
    ++depth_;
    keys_.clear();
    if (depth_ == 2 && !in_metadata_) {
      entry_ = {};
      entry_.tensor.name = name_;
    }
    return true;
  }
  bool end_object() override {
    if (depth_ == 2 && !in_metadata_) finish_tensor();
    if (--depth_ == 1) in_metadata_ = false;
    return true;
  }
  bool key(std::string& text) override {
    const bool is_new = (depth_ == 1 ? names_ : keys_).insert(text).second;
    if (!is_new) fail_header("key " + in_quotes(text) + " appears twice");
    if (depth_ == 1) {
      in_metadata_ = text == kMetadataKey;
      if (names_.size() > kMaxTensors) fail_header("more than " + std::to_string(kMaxTensors) + " tensors");
      name_ = text;
    } else if (in_metadata_) {
      if (keys_.size() > kMaxMetadata) fail_header("more than " + std::to_string(kMaxMetadata) + " metadata");
    } else if (text != "dtype" && text != "shape" && text != "data_offsets") {
      fail(kFields);
    }
    field_ = text;
    return true;
  }
  bool string(std::string& text) override {
    if (depth_ == 2 && in_metadata_) {
      header_.metadata[field_] = std::move(text);
    } else if (depth_ == 2 && field_ == "dtype") {
      set_dtype(text);
    } else {
      refuse_value();
    }
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_metadata_ || field_ == "dtype") refuse_value();
    ++depth_;
    numbers_.clear();
    return true;
  }
  bool number_unsigned(std::uint64_t number) override {
    if (depth_ != 3) refuse_value();
    const bool is_shape = field_ == "shape";
    if (numbers_.size() == (is_shape ? kMaxDimensions : 2))
      fail(is_shape ? "has more than " + std::to_string(kMaxDimensions) + " dimensions" : kNoOffsets);
    numbers_.push_back(number);
    return true;
  }
  bool end_array() override {
    --depth_;
    if (field_ == "shape") {
      shape_ = numbers_;
    } else {
      if (numbers_.size() != 2 || numbers_[0] > numbers_[1]) fail(kNoOffsets);
      entry_.begin = numbers_[0];
      entry_.end = numbers_[1];
    }
    return true;
  }
  bool null() override { refuse_value(); }
  bool boolean(bool) override { refuse_value(); }
  bool number_integer(std::int64_t) override { refuse_value(); }
  bool number_float(double, const std::string&) override { refuse_value(); }
  bool binary(json::binary_t&) override { refuse_value(); }
  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) fail_header("holds a number out of range");
    fail_header("is not JSON at character " + std::to_string(position));
  }

 private:
  static constexpr const char* kNoOffsets = "'data_offsets' are not a begin and an end";

  [[noreturn]] void fail_header(const std::string& what) const { fail_input(file_, "safetensors header: " + what); }
  [[noreturn]] void fail(const std::string& what) const {
    fail_input(file_, "tensor " + in_quotes(name_) + ": " + what);
  }
  // A value that may not stand where it stands.
  [[noreturn]] void refuse_value() const {
    if (in_metadata_ && depth_ == 1) fail_input(file_, "safetensors metadata: is not an object");
    if (in_metadata_) fail_input(file_, "safetensors metadata: " + in_quotes(field_) + " is not a string");
    if (depth_ == 1) fail(kFields);
    if (depth_ == 3) fail("an element of '" + field_ + "' is not an integer from 0 to 2^64-1");
    fail(field_ == "dtype" ? "has no string 'dtype'" : "has no list '" + field_ + "'");
  }

  void set_dtype(const std::string& text) {
    constexpr std::array<std::pair<std::string_view, Scalar>, 5> kTypes = {{{"F32", Scalar::kFloat32},
                                                                            {"F64", Scalar::kFloat64},
                                                                            {"F16", Scalar::kFloat16},
                                                                            {"BF16", Scalar::kBfloat16},
                                                                            {"I64", Scalar::kInt64}}};
    const auto type = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& row) { return row.first == text; });
    if (type == kTypes.end()) fail("dtype " + in_quotes(text) + " is not read; F32, F64, F16, BF16 and I64 are");
    entry_.stored = type->second;
    entry_.tensor.dtype = element_type(entry_.stored) == ElementType::kFloat32 ? DType::kFloat32 : DType::kFloat64;
  }

  void finish_tensor() {
    if (keys_.size() != 3) fail(kFields);
    entry_.tensor.shape.assign(shape_.begin(), shape_.end());
    std::vector<std::uint64_t> factors = shape_;
    factors.push_back(element_size(entry_.stored));
    const auto needed = checked_product(factors);
    if (!needed || *needed != entry_.end - entry_.begin)
      fail("shape " + shape_text(shape_) + " does not fit the " + std::to_string(entry_.end - entry_.begin) +
           " bytes between its offsets");
    header_.entries.push_back(std::move(entry_));
  }

  const std::string& file_;
  TensorHeader header_;
  std::set<std::string> names_;  // of the tensors so far
  std::set<std::string> keys_;   // of the object that is open
  std::size_t depth_ = 0;
  bool in_metadata_ = false;
  std::string name_;
  std::string field_;
  TensorEntry entry_;
  std::vector<std::uint64_t> shape_;
  std::vector<std::uint64_t> numbers_;  // of the list that is open
};

}  // namespace

void require_header_start(const std::string& file, char start) {
  if (start != '{') fail_input(file, "safetensors header: does not start with '{'");
}

TensorHeader parse_header(const std::string& file, const std::string& text) {
  require_header_start(file, text.empty() ? '\0' : text.front());
  // The JSON parser takes a zero byte for the end of the text and would not look at what follows.
  if (text.find('\0') != std::string::npos) fail_input(file, "safetensors header: holds a zero byte");
  HeaderHandler handler(file);
  json::sax_parse(text, &handler);
  return handler.take();
}

}  // namespace dualdict
