// SPDX-License-Identifier: BSD-3-Clause
// Numbers and tables for people.
#pragma once

#include <string>
#include <vector>

#include "dualdict/model.h"

namespace dualdict::cli {

// Four significant digits; "-" for NaN.
std::string short_number(double value);
// "8.3 s", "2 min 05 s", "1 h 02 min".
std::string duration(double seconds);
// Rows of cells, printable, in columns two spaces apart; columns after the first n_left are flush right. No blanks at
// line ends.
std::string align(std::vector<std::vector<std::string>> rows, std::size_t n_left, const std::string& indent);
// What each encoding mode costs and buys, with a heading that says on which samples.
std::string encoding_text(const EncodingTable& table);

}  // namespace dualdict::cli
