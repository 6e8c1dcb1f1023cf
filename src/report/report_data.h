// SPDX-License-Identifier: BSD-3-Clause
// All that the page knows: one JSON document and the tensors that it names.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dualdict/model.h"
#include "dualdict/report.h"

namespace dualdict {

// Little-endian elements, row by row.
struct PageTensor {
  std::string name;
  std::string type;  // "float32" or "uint8"
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<std::byte> bytes;
};

struct ReportData {
  nlohmann::ordered_json document;
  std::vector<PageTensor> first;  // drawn at once
  std::vector<PageTensor> later;  // the encoders, needed when somebody tries them
};

// A pure function of what it is given. Throws as report_html() does.
ReportData make_report_data(const Model& model, const ReportOptions& options);

}  // namespace dualdict
