// SPDX-License-Identifier: BSD-3-Clause
// The page of web/ as the build made it: one HTML text with two marks where data go.
#pragma once

#include <string_view>

namespace dualdict {

// Empty when the build had no npm.
std::string_view page_template();

// Replaced by the data that the page needs to draw itself, and by those that it needs only once somebody tries it.
inline constexpr std::string_view kFirstMark = "<!--dualdict:first-->";
inline constexpr std::string_view kLaterMark = "<!--dualdict:later-->";

}  // namespace dualdict
