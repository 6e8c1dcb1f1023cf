// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/round_encoder.h"

#include <algorithm>
#include <cmath>

namespace dualdict {
namespace {

// Returns whether the rounded numbers are finite.
bool round_values(DType dtype, double* values, std::size_t n) {
  bool finite = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (dtype == DType::kFloat32) values[i] = static_cast<double>(static_cast<float>(values[i]));
    finite = finite && std::isfinite(values[i]);
  }
  return finite;
}

bool round_row(DType dtype, Matrix<double>& matrix, std::size_t row) {
  return matrix.empty() || round_values(dtype, matrix.row(row), matrix.cols());
}
bool round_row(DType dtype, std::vector<double>& values, std::size_t row) {
  return values.empty() || round_values(dtype, &values[row], 1);
}

void clear_row(Matrix<double>& matrix, std::size_t row) {
  if (!matrix.empty()) std::fill_n(matrix.row(row), matrix.cols(), 0.0);
}
void clear_row(std::vector<double>& values, std::size_t row) {
  if (!values.empty()) values[row] = 0;
}

}  // namespace

void round_to(DType dtype, FittedEncoder& encoder) {
  for (std::size_t j = 0; j < encoder.weights.rows(); ++j) {
    bool finite = true;
    for_each_tensor(encoder, [&](std::string_view, TensorColumns, auto& tensor) {
      finite = round_row(dtype, tensor, j) && finite;
    });
    if (!finite) for_each_tensor(encoder, [&](std::string_view, TensorColumns, auto& tensor) { clear_row(tensor, j); });
    if (!round_row(dtype, encoder.decoder, j)) clear_row(encoder.decoder, j);
  }
}

}  // namespace dualdict
