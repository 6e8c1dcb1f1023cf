// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dualdict/denoise.h"
#include "linalg/product.h"
#include "linalg/symmetric.h"

namespace dualdict {
namespace {

constexpr std::size_t kNoiseSide = 8;
constexpr std::size_t kTile = 64;    // texture is here and there: parts of an image are looked at one by one
constexpr double kQuietShare = 0.2;  // of the tiles, those with the least noise, are believed to have no texture

// The sum of x x' over all patches of a tile in one channel, less the mean of each feature.
Matrix<double> scatter_of_tile(const Image& image, const PatchPosition& tile, const PatchSize& size,
                               std::size_t channel) {
  Image grey{.pixels = Matrix<float>(size.height, size.width)};
  for (std::size_t y = 0; y < size.height; ++y)
    for (std::size_t x = 0; x < size.width; ++x)
      grey.pixels(y, x) = image.pixels(tile.y + y, (tile.x + x) * image.channels + channel);
  const std::size_t side = std::min({kNoiseSide, size.height, size.width});
  const PatchGrid grid({std::move(grey)}, {side, side, 1});
  Matrix<double> rows(grid.n_samples(), grid.n_features());
  grid.read(0, rows.view());
  for (std::size_t f = 0; f < rows.cols(); ++f) {
    double mean = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) mean += rows(i, f) / static_cast<double>(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) rows(i, f) -= mean;
  }
  Matrix<double> scatter = transposed_multiply<double>(rows.view(), rows.view());
  for (std::size_t k = 0; k < scatter.size(); ++k) scatter.data()[k] /= static_cast<double>(rows.rows());
  return scatter;
}

// As long as the mean of the smallest eigenvalues is above their median, the largest of them is not noise.
double noise_of(const Matrix<double>& covariance) {
  std::vector<double> values = symmetric_eigen(covariance).values;
  for (double& value : values) value = std::max(0.0, value);
  for (std::size_t n = values.size(); n > 1; --n) {
    double mean = 0;
    for (std::size_t k = 0; k < n; ++k) mean += values[k] / static_cast<double>(n);
    const double median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    if (mean <= median) return std::sqrt(mean);
  }
  return std::sqrt(values.front());
}

}  // namespace

double estimate_noise(const Image& image) {
  if (image.height() == 0 || image.width() == 0) return 0;
  const std::size_t height = std::min(kTile, image.height()), width = std::min(kTile, image.width());
  const PatchPlaces tiles(image.height(), image.width(), {height, width, kTile});
  std::vector<double> found;
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    Matrix<double> sum;
    for (std::size_t channel = 0; channel < image.channels; ++channel) {
      Matrix<double> one = scatter_of_tile(image, tiles[tile], {height, width, 1}, channel);
      if (sum.empty()) sum = Matrix<double>(one.rows(), one.cols());
      for (std::size_t k = 0; k < one.size(); ++k) sum.data()[k] += one.data()[k] / static_cast<double>(image.channels);
    }
    found.push_back(noise_of(sum));
  }
  std::sort(found.begin(), found.end());
  return found[static_cast<std::size_t>(kQuietShare * static_cast<double>(found.size() - 1) + 0.5)];
}

}  // namespace dualdict
