// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "io/bytes/endian.h"
#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

constexpr std::uint64_t kMaxNpyHeaderLength = 65536;

// Reads the Python literal of the header: a dictionary of a string, a boolean and a tuple of integers.
class Literal {
 public:
  Literal(const std::string& name, std::string_view text) : name_(name), text_(text) {}

  [[noreturn]] void fail(const std::string& what) const {
    fail_input(name_, "npy header: " + what + " at character " + std::to_string(position_));
  }

  char peek() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("expected a string");
    const std::size_t start = ++position_;
    const std::size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) fail("string without end");
    position_ = end + 1;
    return text_.substr(start, end - start);
  }

  bool boolean() {
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      peek();
      if (text_.substr(position_, word.size()) != word) continue;
      position_ += word.size();
      return value;
    }
    fail("expected True or False");
  }

  std::uint64_t integer() {
    peek();
    std::uint64_t value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("expected a size from 0 to 2^64-1");
    position_ += static_cast<std::size_t>(end - begin);
    take('L');  // Python 2 wrote 3L
    return value;
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!take(')')) {
      values.push_back(integer());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  void expect_end() {
    if (peek() != '\0' || position_ != text_.size()) fail("unexpected text");
  }

 private:
  const std::string& name_;
  std::string_view text_;
  std::size_t position_ = 0;
};

[[noreturn]] void refuse_dtype(const std::string& name, std::string_view descr) {
  const std::string dtype = "dtype " + in_quotes(descr);
  if (descr.find('O') != std::string_view::npos)
    fail_input(name, dtype +
                         " holds Python objects, which are never unpickled; save numbers instead, for example"
                         " numpy.save(path, X.astype(numpy.float32))");
  fail_input(name, dtype +
                       " is not read; use bool, an integer, float16, float32 or float64, for example"
                       " numpy.save(path, X.astype(numpy.float32))");
}

ElementFormat parse_dtype(const std::string& name, std::string_view descr) {
  struct Known {
    std::string_view code;
    Scalar scalar;
  };
  constexpr std::array<Known, 12> kKnown{{{"b1", Scalar::kBool},
                                          {"i1", Scalar::kInt8},
                                          {"u1", Scalar::kUint8},
                                          {"i2", Scalar::kInt16},
                                          {"u2", Scalar::kUint16},
                                          {"i4", Scalar::kInt32},
                                          {"u4", Scalar::kUint32},
                                          {"i8", Scalar::kInt64},
                                          {"u8", Scalar::kUint64},
                                          {"f2", Scalar::kFloat16},
                                          {"f4", Scalar::kFloat32},
                                          {"f8", Scalar::kFloat64}}};
  std::string_view code = descr;
  const char order = code.empty() ? '\0' : code.front();
  if (order == '<' || order == '>' || order == '=' || order == '|') code.remove_prefix(1);
  const auto known = std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& k) { return k.code == code; });
  if (known == kKnown.end()) refuse_dtype(name, descr);
  return {known->scalar, order == '>'};
}

void parse_dictionary(Literal literal, const std::string& name, NpyHeader& header) {
  std::optional<ElementFormat> format;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> dims;
  literal.expect('{');
  while (!literal.take('}')) {
    const std::string_view key = literal.string();
    literal.expect(':');
    if (key == "descr" && !format) {
      if (literal.peek() == '[') literal.fail("a structured dtype is not read; save one array of numbers");
      format = parse_dtype(name, literal.string());
    } else if (key == "fortran_order" && !fortran_order) {
      fortran_order = literal.boolean();
    } else if (key == "shape" && !dims) {
      dims = literal.tuple();
    } else {
      literal.fail("unknown or repeated key " + in_quotes(key));
    }
    if (!literal.take(',')) {
      literal.expect('}');
      break;
    }
  }
  literal.expect_end();
  if (!format) literal.fail("no key 'descr'");
  if (!fortran_order) literal.fail("no key 'fortran_order'");
  if (!dims) literal.fail("no key 'shape'");
  header.format = *format;
  header.fortran_order = *fortran_order;
  header.dims = std::move(*dims);
}

}  // namespace

NpyHeader read_npy_header(const ByteSource& bytes) {
  std::array<std::byte, 12> start{};
  require_bytes(bytes, 0, start.size(), "bytes of an npy header");
  bytes.read(0, start);
  const auto major = std::to_integer<unsigned>(start[6]);
  const auto minor = std::to_integer<unsigned>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail_input(bytes.name(), "npy version " + std::to_string(major) + "." + std::to_string(minor) +
                                 " is not known; 1.0, 2.0 and 3.0 are");
  const std::uint64_t length =
      major == 1 ? load_le<std::uint16_t>(start.data() + 8) : load_le<std::uint32_t>(start.data() + 8);
  const std::uint64_t offset = major == 1 ? 10 : 12;
  if (length > kMaxNpyHeaderLength)
    fail_input(bytes.name(), "npy header length " + std::to_string(length) + " is above the limit of " +
                                 std::to_string(kMaxNpyHeaderLength) + " bytes");
  require_bytes(bytes, offset, length, "bytes of an npy header");
  std::string text(static_cast<std::size_t>(length), '\0');
  bytes.read(offset, std::as_writable_bytes(std::span<char>(text)));
  NpyHeader header;
  header.data_offset = offset + length;
  parse_dictionary(Literal(bytes.name(), text), bytes.name(), header);
  return header;
}

std::string make_npy_header(std::string_view descr, const std::vector<std::uint64_t>& dims) {
  constexpr std::size_t kPrefix = 10;
  constexpr std::size_t kAlignment = 64;
  std::string text =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': " + shape_text(dims) + ", }";
  text.append(kAlignment - 1 - (kPrefix + text.size()) % kAlignment, ' ');
  text += '\n';
  const char low = static_cast<char>(text.size() & 0xff);
  const char high = static_cast<char>(text.size() >> 8);
  return std::string("\x93NUMPY\x01\x00", 8) + low + high + text;
}

}  // namespace dualdict
