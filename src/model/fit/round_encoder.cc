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

void clear_row(Matrix<double>& matrix, std::size_t row) {
  if (!matrix.empty()) std::fill_n(matrix.row(row), matrix.cols(), 0.0);
}

}  // namespace

void round_to(DType dtype, FittedEncoder& encoder) {
  for (std::size_t j = 0; j < encoder.gain.size(); ++j) {
    bool finite = true;
    for (Matrix<double>* matrix : {&encoder.weights, &encoder.feedback, &encoder.quantiles})
      finite = round_row(dtype, *matrix, j) && finite;
    for (auto* vector : {&encoder.gain, &encoder.threshold, &encoder.growth, &encoder.tau_slope})
      finite = round_values(dtype, vector->data() + j, 1) && finite;
    if (!finite) {
      for (Matrix<double>* matrix : {&encoder.weights, &encoder.feedback, &encoder.quantiles}) clear_row(*matrix, j);
      for (auto* vector : {&encoder.gain, &encoder.threshold, &encoder.growth, &encoder.tau_slope}) (*vector)[j] = 0;
    }
    if (!round_row(dtype, encoder.decoder, j)) clear_row(encoder.decoder, j);
  }
}

}  // namespace dualdict
