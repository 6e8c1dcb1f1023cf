// SPDX-License-Identifier: BSD-3-Clause
#include "preprocess/vanished.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "dualdict/error.h"

namespace dualdict {
namespace {

double largest_size(const Matrix<double>& values) {
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) largest = std::max(largest, std::abs(values.data()[i]));
  return largest;
}

}  // namespace

void require_zero(const DataSource& data, const Transform& transform) {
  constexpr std::size_t kBlock = 256;
  const PreprocessOptions& options = transform.options();
  const bool is_centred = options.center_features || options.center_samples;
  double as_read = 0;
  double left = 0;
  for (std::size_t first = 0; first < data.n_samples(); first += kBlock) {
    Matrix<double> block(std::min(kBlock, data.n_samples() - first), data.n_features());
    data.read(first, block.view());
    as_read = std::max(as_read, largest_size(block));
    transform.apply(block.view());
    left = std::max(left, largest_size(block));
  }
  if (left == 0 && (as_read == 0 || is_centred)) return;
  std::ostringstream message;
  message << data.name() << ": every sample vanishes in this precision: the largest value is " << as_read;
  if (options.scale != 1) message << ", divided by --scale " << options.scale;
  message << "; bring the values near 1: divide them by their size (--scale)";
  throw Error(ErrorKind::kInput, message.str());
}

}  // namespace dualdict
