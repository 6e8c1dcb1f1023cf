// SPDX-License-Identifier: BSD-3-Clause
// The numbers of the zip format that both reading and writing need.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dualdict {

inline constexpr std::uint32_t kLocalSignature = 0x04034b50;
inline constexpr std::uint32_t kEntrySignature = 0x02014b50;
inline constexpr std::uint32_t kEndSignature = 0x06054b50;
inline constexpr std::uint32_t kEnd64Signature = 0x06064b50;
inline constexpr std::uint32_t kLocator64Signature = 0x07064b50;
inline constexpr std::size_t kLocalSize = 30;
inline constexpr std::size_t kEntrySize = 46;
inline constexpr std::size_t kEndSize = 22;
inline constexpr std::size_t kEnd64Size = 56;
inline constexpr std::size_t kLocator64Size = 20;
inline constexpr std::uint16_t kZip64Extra = 1;
inline constexpr std::uint32_t kInZip64 = 0xffffffff;

}  // namespace dualdict
