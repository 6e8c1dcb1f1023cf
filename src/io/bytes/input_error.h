// SPDX-License-Identifier: BSD-3-Clause
// What every reader needs to refuse bytes: one way to throw, safe quoting, products that cannot wrap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dualdict {

// Throws Error(kInput) "NAME: WHAT".
[[noreturn]] void fail_input(const std::string& name, const std::string& what);

// Text from a file for a message: in quotes, unprintable bytes as \xNN, cut after 60 characters.
std::string in_quotes(std::string_view text);

// The product, or nothing when it does not fit in 64 bits. No factors: 1.
std::optional<std::uint64_t> checked_product(std::span<const std::uint64_t> factors);

// "(3, 4)", "(5,)", as Python writes a shape.
std::string shape_text(std::span<const std::uint64_t> dims);

}  // namespace dualdict
