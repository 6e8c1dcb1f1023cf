// SPDX-License-Identifier: BSD-3-Clause
// Files of others: sparse autoencoders of SAELens, sparsify and sentence-transformers, and plain dictionaries.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/model.h"

namespace dualdict {

// A format that is read and written.
struct ForeignFormat {
  std::string_view name;  // "saelens"
  std::string_view help;  // what it is, for people
};
DUALDICT_API std::span<const ForeignFormat> foreign_formats();

// A model file, or what another program wrote, known by its content: a folder of one of the formats, or a plain
// dictionary (npy with an atom a row, safetensors with one matrix). The model's codes and what they decode to are those
// of the other program, up to rounding; its own mode of encoding is the default one. Throws Error(kInput) that names
// the file, the part and the rule where a file is damaged, or computes what no mode does; the message says what it
// would cost to leave that out.
DUALDICT_API Model load_any(const std::string& path);

struct ExportOptions {
  std::string mode = {};  // of encoding, that the file is to hold: hard, topk:k or sparse; default: the model's
  // Two atoms of each, one for either sign: exact, where a format has codes >= 0 only.
  bool split_signs = false;
};
// Writes the mode's encoder and its decoder in a format of the table, or "dictionary": the atoms alone, as npy or
// safetensors by the ending of the path. Preprocessing is folded into them. Throws Error(kUsage) that says what does
// not fit the format and what it would cost, Error(kWrite) when writing fails.
DUALDICT_API void export_model(const Model& model, const std::string& path, std::string_view format,
                               const ExportOptions& options = {});

// Codes as a search engine wants them, a line of JSON for each row: {"id": "0", "terms": {"a12": 0.5, "a7_neg": 0.25}}.
// Weights are > 0, as Elasticsearch's sparse vectors must be: a negative code is a term of its own, with "_neg".
// `names` are the ids; empty: the numbers of the rows.
DUALDICT_API void write_search_terms(const DataSource& codes, const std::string& path,
                                     std::span<const std::string> names = {});

}  // namespace dualdict
