// SPDX-License-Identifier: BSD-3-Clause
#include "report/embed.h"

namespace dualdict {

std::string script_json(const nlohmann::ordered_json& json) {
  // Everything beyond ASCII is written as \uXXXX by the library, U+2028 and U+2029 with it. The three characters left
  // can stand only inside strings, where the same form is allowed.
  const std::string plain = json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8U | (j < n ? std::to_integer<unsigned>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= n ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

std::string data_block(std::string_view type, std::string_view id, std::string_view content) {
  std::string block;
  block.reserve(content.size() + 80);
  block.append("<script type=\"").append(type).append("\" id=\"").append(id).append("\">");
  block.append(content).append("</script>\n");
  return block;
}

}  // namespace dualdict
