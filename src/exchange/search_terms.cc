// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dualdict/error.h"
#include "dualdict/exchange.h"
#include "io/bytes/durable_file.h"

namespace dualdict {
namespace {

constexpr std::size_t kTermRows = 256;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void add_terms(const double* code, std::size_t n_atoms, bool is_float, std::string& line) {
  char number[32];
  bool first = true;
  for (std::size_t j = 0; j < n_atoms; ++j) {
    if (code[j] == 0) continue;
    const double weight = std::abs(code[j]);
    const auto end = is_float ? std::to_chars(number, number + sizeof number, static_cast<float>(weight)).ptr
                              : std::to_chars(number, number + sizeof number, weight).ptr;
    line += (first ? "\"a" : ", \"a") + std::to_string(j) + (code[j] < 0 ? "_neg\": " : "\": ");
    line.append(number, end);
    first = false;
  }
}

}  // namespace

void write_search_terms(const DataSource& codes, const std::string& path, std::span<const std::string> names) {
  const std::size_t n = codes.n_samples(), n_atoms = codes.n_features();
  if (!names.empty() && names.size() != n)
    throw Error(ErrorKind::kInput, "names: " + std::to_string(names.size()) + " of them, but " + codes.name() +
                                       " has " + std::to_string(n) + " rows; give one for each row");
  DurableFile out(path);
  Matrix<double> block(std::min(kTermRows, n), n_atoms);
  for (std::size_t first = 0; first < n; first += kTermRows) {
    const MatrixView<double> rows = block.view().row_range(0, std::min(kTermRows, n - first));
    codes.read(first, rows);
    std::string text;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      if (!std::all_of(rows.row(i), rows.row(i) + n_atoms, [](double u) { return std::isfinite(u); }))
        throw Error(ErrorKind::kInput,
                    codes.name() + ": row " + std::to_string(first + i) + " (counted from 0) has NaN or Inf");
      text += "{\"id\": " + quoted(names.empty() ? std::to_string(first + i) : names[first + i]) + ", \"terms\": {";
      add_terms(rows.row(i), n_atoms, codes.element_type() != ElementType::kFloat64, text);
      text += "}}\n";
    }
    append_text(out, text);
  }
  out.commit();
}

}  // namespace dualdict
