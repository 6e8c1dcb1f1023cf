// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <string>

#include "dualdict/encode.h"
#include "dualdict/error.h"

namespace dualdict {

void parse_mode(std::string_view text, EncodeOptions& options) {
  constexpr std::string_view kRefine = "refine:";
  const auto set = [&](EncodeMode mode, std::size_t steps) {
    options.mode = mode;
    options.refine_steps = steps;
  };
  if (text == "linear") return set(EncodeMode::kLinear, 0);
  if (text == "sparse") return set(EncodeMode::kSparse, 0);
  if (text == "corrected") return set(EncodeMode::kCorrected, 0);
  if (text == "exact") return set(EncodeMode::kExact, 0);
  if (text.starts_with(kRefine)) {
    std::size_t steps = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kRefine.size(), end, steps);
    if (error == std::errc() && stop == end && steps >= 1) return set(EncodeMode::kRefine, steps);
    throw Error(ErrorKind::kUsage, "mode " + std::string(text) +
                                       ": after refine: comes the number of steps, an integer >= 1, as in refine:3");
  }
  throw Error(ErrorKind::kUsage,
              "mode " + std::string(text) + ": must be one of linear, sparse, corrected, refine:k, exact");
}

std::string mode_name(const EncodeOptions& options) {
  switch (options.mode) {
    case EncodeMode::kLinear:
      return "linear";
    case EncodeMode::kSparse:
      return "sparse";
    case EncodeMode::kCorrected:
      return "corrected";
    case EncodeMode::kRefine:
      return "refine:" + std::to_string(options.refine_steps);
    case EncodeMode::kExact:
      break;
  }
  return "exact";
}

}  // namespace dualdict
