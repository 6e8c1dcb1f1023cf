// SPDX-License-Identifier: BSD-3-Clause
// One page that shows a model: a self-contained HTML file that loads nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/model.h"
#include "dualdict/summary.h"

namespace dualdict {

// What a page may show beside the model itself. All of it is optional.
struct ReportOptions {
  std::string title;                       // empty: what was learned, in words
  std::vector<IterationRecord> trace;      // the curves
  const DataSource* data = nullptr;        // samples as read; up to 2000, evenly spread, are coded and counted
  std::vector<std::string> feature_names;  // none, or one per feature
  std::vector<std::string> sample_names;   // none, or one per sample of `data`
  std::vector<std::string> sample_labels;  // none, or the class of every sample of `data`
  std::size_t n_threads = 0;
};

// False when the library was built without npm: then report_html() throws.
DUALDICT_API bool report_available();

// The page as text. Every string in it is data: none can add markup or script. Throws Error(kInput) when the samples do
// not fit the model, Error(kUsage) for names that do not fit, or when the page is not in this build.
DUALDICT_API std::string report_html(const Model& model, const ReportOptions& options = {});

// The records of a trace, as `dualdict learn --trace` writes it. Throws Error(kInput) naming file and line; a last line
// that was cut off, as in a run that still goes on, is left out.
DUALDICT_API std::vector<IterationRecord> read_trace(const std::string& path);

// The lines of a text file (UTF-8), for names; an empty line is an empty name, one at the very end is none.
// Of a file that ends in .tsv the last column.
DUALDICT_API std::vector<std::string> read_names(const std::string& path);

}  // namespace dualdict
