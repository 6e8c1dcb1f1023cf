// SPDX-License-Identifier: BSD-3-Clause
#include "model/table/advice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dualdict {
namespace {

struct BestMode {
  const EncodingRow* row = nullptr;
  double error = 0;
  double ratio = 0;  // to principal components
};

double error_of(const EncodingRow& row) {
  return std::fmin(row.reconstruction_error, row.debiased_reconstruction_error);
}

// Of the modes whose codes are sparse: baselines have no speed, dense codes all atoms.
BestMode best_of(const EncodingTable& table, std::size_t n_atoms) {
  BestMode best;
  for (const EncodingRow& row : table.rows) {
    if (!(row.samples_per_second > 0) || !(row.pca_error > 0) || !(row.nonzeros > 0)) continue;
    if (row.nonzeros >= static_cast<double>(n_atoms)) continue;
    const double ratio = error_of(row) / row.pca_error;
    if (best.row == nullptr || ratio < best.ratio) best = {&row, error_of(row), ratio};
  }
  return best;
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::string advice_on(const EncodingTable& table, std::size_t n_atoms, std::size_t n_features, double coding_weight) {
  constexpr double kMuchCoding = 0.1;
  const BestMode best = best_of(table, n_atoms);
  if (best.row == nullptr || best.ratio <= 1) return "";
  std::string text = "the best mode (" + best.row->mode + ") leaves " + shown(best.error) +
                     " of the samples' norm with " + shown(best.row->nonzeros) +
                     " nonzeros; principal components with " + "as many, one threshold for all samples, leave " +
                     shown(best.row->pca_error) + ": ";
  if (coding_weight > kMuchCoding)
    return text + "the weight of coding, eta d/K = " + shown(coding_weight) + ", is what costs: try --coding .03, or 0";
  if (n_atoms < n_features) return text + "try more --atoms (components are " + std::to_string(n_features) + ")";
  return text + "try other --nonzeros, or more --atoms";
}

}  // namespace dualdict
