// SPDX-License-Identifier: BSD-3-Clause
#include "io/bytes/input_error.h"

#include "dualdict/error.h"

namespace dualdict {

void fail_input(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kInput, name + ": " + what);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMaxLength = 60;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result = "'";
  for (char c : text.substr(0, kMaxLength)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  if (text.size() > kMaxLength) result += "...";
  return result + "'";
}

std::optional<std::uint64_t> checked_product(std::span<const std::uint64_t> factors) {
  std::uint64_t product = 1;
  for (std::uint64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  return product;
}

std::string shape_text(std::span<const std::uint64_t> dims) {
  std::string text = "(";
  for (std::size_t i = 0; i < dims.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(dims[i]);
  return text + (dims.size() == 1 ? ",)" : ")");
}

}  // namespace dualdict
