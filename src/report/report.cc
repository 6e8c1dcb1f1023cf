// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/report.h"

#include "dualdict/error.h"
#include "report/embed.h"
#include "report/page_template.h"
#include "report/report_data.h"

namespace dualdict {
namespace {

std::string tensor_blocks(const std::vector<PageTensor>& tensors) {
  std::string blocks;
  for (const PageTensor& tensor : tensors)
    blocks += data_block("text/plain", "tensor-" + tensor.name, base64(tensor.bytes));
  return blocks;
}

nlohmann::ordered_json shapes(const ReportData& data) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto* tensors : {&data.first, &data.later})
    for (const PageTensor& tensor : *tensors)
      json[tensor.name] = {{"type", tensor.type}, {"rows", tensor.rows}, {"cols", tensor.cols}};
  return json;
}

}  // namespace

bool report_available() {
  return !page_template().empty();
}

std::string report_html(const Model& model, const ReportOptions& options) {
  const std::string_view page = page_template();
  if (page.empty())
    throw Error(ErrorKind::kUsage,
                "report: this build of dualdict has no page, because it was made without npm; install nodejs and npm "
                "(scripts/setup does), then configure and build again");
  ReportData data = make_report_data(model, options);
  data.document["tensors"] = shapes(data);
  const std::size_t first = page.find(kFirstMark);
  const std::size_t later = page.find(kLaterMark, first);
  std::string html(page.substr(0, first));
  html += data_block("application/json", "report", script_json(data.document));
  html += tensor_blocks(data.first);
  html += page.substr(first + kFirstMark.size(), later - first - kFirstMark.size());
  html += tensor_blocks(data.later);
  html += page.substr(later + kLaterMark.size());
  return html;
}

}  // namespace dualdict
