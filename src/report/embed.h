// SPDX-License-Identifier: BSD-3-Clause
// Putting data into a page so that it stays data.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace dualdict {

// JSON for the inside of a <script> element: ASCII only, and none of <, >, & as such, so that no text of the document
// can end the element, start a comment or be read as markup. Text that is not UTF-8 is mended.
std::string script_json(const nlohmann::ordered_json& json);

// Base64 with padding, no line breaks.
std::string base64(std::span<const std::byte> bytes);

// <script type="TYPE" id="ID">CONTENT</script>, which no browser runs. Type and id are ours and need no escaping; the
// content is the result of one of the functions above.
std::string data_block(std::string_view type, std::string_view id, std::string_view content);

}  // namespace dualdict
