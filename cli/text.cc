// SPDX-License-Identifier: BSD-3-Clause
#include "text.h"

#include "printable.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dualdict::cli {
namespace {

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, pattern, values...);
  return buffer;
}

std::string rate(double samples_per_second) {
  if (!(samples_per_second > 0)) return "-";
  return format("%.0f", samples_per_second);
}

}  // namespace

std::string short_number(double value) {
  return std::isnan(value) ? "-" : format("%.4g", value);
}

std::string duration(double seconds) {
  if (seconds < 60) return format("%.1f s", seconds);
  const auto whole = static_cast<long long>(std::min(seconds, 1e15));
  if (whole < 3600) return format("%lld min %02lld s", whole / 60, whole % 60);
  return format("%lld h %02lld min", whole / 3600, whole % 3600 / 60);
}

std::string align(std::vector<std::vector<std::string>> rows, std::size_t n_left, const std::string& indent) {
  for (auto& row : rows) std::transform(row.begin(), row.end(), row.begin(), one_line);
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < n_left ? row[i] + blanks : blanks + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string encoding_text(const EncodingTable& table) {
  if (table.rows.empty()) return "";
  const std::string kind = table.unseen ? "unseen" : table.held_out ? "held-out" : "training";
  std::string text = "Encoding modes, measured on " + std::to_string(table.n_measured) + " " + kind + " samples:\n";
  std::vector<std::vector<std::string>> rows{{"mode", "nonzeros", "error", "worst", "error with D", "debiased",
                                              "pca hard", "code error", "excess of E", "overlap", "samples/s"}};
  for (const EncodingRow& row : table.rows)
    rows.push_back({row.mode, short_number(row.nonzeros), short_number(row.reconstruction_error),
                    short_number(row.worst_error), short_number(row.dictionary_reconstruction_error),
                    short_number(row.debiased_reconstruction_error), short_number(row.pca_error),
                    short_number(row.code_error), short_number(row.energy_excess), short_number(row.support_overlap),
                    rate(row.samples_per_second)});
  return text + align(rows, 1, "  ") +
         "  error: |x - decoded| / |x| with the mode's own decoder, worst: of a single sample; debiased: least "
         "squares\n"
         "  on the support; pca hard: untrained, as many scores of principal components, one threshold for all "
         "samples\n";
}

}  // namespace dualdict::cli
