// SPDX-License-Identifier: BSD-3-Clause
// The ways of encoding, and the one table of them that the command line, its help and completion, Python, the page and
// the docs walk.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dualdict/export.h"

namespace dualdict {

// One row of the table. A mode that takes a number is written name:k, "refine:3".
struct ModeInfo {
  std::string_view name;
  std::string_view number;  // what k is, in words; empty: the mode takes none
  std::string_view help;
  std::string_view cost;         // for people, in products of a K x d matrix with a sample
  bool sparse = true;            // its codes have zeros
  bool takes_tau = false;        // another tau than the model's
  bool takes_nonzeros = true;    // a wanted number of nonzeros
  bool takes_max_error = false;  // a bound on the error of every sample, k then bounds its nonzeros
  bool debiased = false;         // least squares on the support is the default; its codes are shrunk otherwise
  bool takes_eta = false;        // another eta than the model's
  bool needs_sample = false;     // a wanted number of nonzeros is found on samples, not from what the model stores
  std::string_view no_graph;     // why the encoder cannot be written as a graph of products (ONNX); empty: it can
  std::size_t usual_number = 0;  // a k to begin with, where there is one
};

// The table, cheapest first.
DUALDICT_API std::span<const ModeInfo> mode_table();

// What a text like "sparse" or "refine:3" stands for.
struct ModeChoice {
  const ModeInfo* info = nullptr;
  std::size_t number = 0;  // k; 0 where the mode takes none
};
// Throws Error(kUsage) that names the text and the rule.
DUALDICT_API ModeChoice parse_mode(std::string_view text);
// How a mode is written: "sparse", "refine:k".
DUALDICT_API std::string mode_form(const ModeInfo& info);
// The forms of all modes: "linear, sparse, ... or exact".
DUALDICT_API std::string mode_forms();

}  // namespace dualdict
