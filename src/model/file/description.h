// SPDX-License-Identifier: BSD-3-Clause
// A model's description: all of it that is no tensor, as one JSON document and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dualdict/model.h"

namespace dualdict {

// Number of the document's and the file's layout. A reader understands every file whose number is not larger than its
// own; what may be left out or is not known to it does not change the number.
inline constexpr std::size_t kModelSchema = 1;

// What a description says. `parts` lacks the tensors and the transform, which needs one.
struct Description {
  std::size_t n_atoms = 0;
  std::size_t n_features = 0;
  PreprocessOptions preprocess;
  ModelParts parts;
};

// The key in the document's outcome of a field of LearnSummary; "" for those that stand elsewhere or nowhere.
constexpr std::string_view outcome_key(std::string_view field) {
  if (field == "reading_seconds" || field == "n_samples" || field == "n_features") return "";
  return field == "outcome" ? "name" : field;
}

// The document, on one line. Numbers read back to the same bits; NaN and infinity become null. Text that is not UTF-8
// has its bad bytes replaced.
std::string description_text(const ModelParts& parts);

// The inverse; null numbers become NaN where a measurement may be absent. Throws Error(kInput) that names the file, the
// field and the rule.
Description parse_description(const std::string& text, const std::string& file);

}  // namespace dualdict
