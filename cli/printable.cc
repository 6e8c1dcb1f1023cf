// SPDX-License-Identifier: BSD-3-Clause
#include "printable.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace dualdict::cli {
namespace {

struct Character {
  std::size_t size = 1;
  std::uint32_t code = 0;
  bool valid = false;
};

// The first character of a text that is not empty. Forms that are longer than they need be, halves of pairs and numbers
// beyond the last are not valid.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {1, byte(0), true};
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return {};
  std::uint32_t code = byte(0) & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool is_shortest = size == 2 || (size == 3 ? code >= 0x800 : code >= 0x10000);
  const bool is_half = code >= 0xd800 && code < 0xe000;
  if (!is_shortest || is_half || code > 0x10ffff) return {};
  return {size, code, true};
}

bool obeyed_by_a_terminal(std::uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool ends_a_line = code == 0x2028 || code == 0x2029;
  const bool turns = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
  return is_control || ends_a_line || turns;
}

std::string hexadecimal(const char* start, std::uint32_t number, int digits) {
  std::string text(start);
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
  return text;
}

// The text with what write(character, its bytes) gives in the place of what is not printable.
template <class Write>
std::string replaced(std::string_view text, std::string_view kept, const Write& write) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_of(text);
    const std::string_view bytes = text.substr(0, next.size);
    const bool harmless = next.valid && !obeyed_by_a_terminal(next.code);
    if (harmless || kept.find(bytes) != std::string_view::npos)
      result += bytes;
    else
      result += write(next, bytes);
    text.remove_prefix(next.size);
  }
  return result;
}

std::string replaced_bytes(std::string_view text, std::string_view kept) {
  return replaced(text, kept, [](const Character&, std::string_view bytes) {
    std::string result;
    for (const char byte : bytes) result += hexadecimal("\\x", static_cast<unsigned char>(byte), 2);
    return result;
  });
}

}  // namespace

std::string printable(std::string_view text) {
  return replaced_bytes(text, "\n");
}

std::string one_line(std::string_view text) {
  return replaced_bytes(text, "");
}

std::string printable_json(std::string_view json) {
  return replaced(json, "\n", [](const Character& one, std::string_view) {
    return hexadecimal("\\u", one.valid ? one.code : 0xfffd, 4);
  });
}

void say(std::string_view text) {
  const std::string harmless = printable(text);
  std::fwrite(harmless.data(), 1, harmless.size(), stderr);
}

}  // namespace dualdict::cli
