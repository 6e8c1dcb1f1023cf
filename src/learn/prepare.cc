// SPDX-License-Identifier: BSD-3-Clause
#include "learn/prepare.h"

#include "core/hash.h"
#include "learn/saved/checkpoint.h"

namespace dualdict {

void require_widths(const LearnOptions& options, const DataSource* validation, const std::string& name,
                    std::size_t n_features) {
  const auto check = [&](std::size_t width, const std::string& what, ErrorKind kind) {
    if (width == 0 || width == n_features) return;
    throw Error(kind, what + std::to_string(width) + " features, the samples of " + name + " have " +
                          std::to_string(n_features) + "; they must agree");
  };
  check(options.initial_dictionary.cols(), "the initial dictionary has ", ErrorKind::kUsage);
  check(options.initial_dual.cols(), "the initial dual has ", ErrorKind::kUsage);
  if (validation != nullptr) check(validation->n_features(), validation->name() + ": ", ErrorKind::kInput);
}

void require_same_run(Ranks& ranks, std::size_t n_features, const LearnOptions& options,
                      const PreprocessOptions& preprocess) {
  // Of what must be the same on every rank for all to decide alike.
  std::string text = std::to_string(options.max_iterations) + " " + std::to_string(options.time_limit);
  for (const auto& [key, value] : identity_of(n_features, options, preprocess)) text += "\n" + key + "=" + value;
  ranks.require_same(static_cast<std::uint32_t>(hash64(text.data(), text.size())),
                     "the ranks were given different options, or samples of different widths; all must agree");
}

}  // namespace dualdict
