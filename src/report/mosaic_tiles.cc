// SPDX-License-Identifier: BSD-3-Clause
#include "report/mosaic_tiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "dualdict/error.h"

namespace dualdict {
namespace {

constexpr std::size_t kWantedHeight = 1000;
constexpr std::size_t kMaxPixels = std::size_t{1} << 28;
constexpr std::size_t kMaxStripHeight = 16;
constexpr std::size_t kLine = 1;  // pixels between and around tiles
constexpr float kBackground = 255.0F;
constexpr float kZero = 128.0F;

// How an atom becomes a tile: the picture itself, or lines of the same d values for a strip.
struct Tile {
  std::size_t height = 0;
  std::size_t width = 0;
  bool strip = false;
  std::size_t element(std::size_t y, std::size_t x) const { return strip ? x : y * width + x; }
};

// Everything in pixels, but for the counts of tiles.
struct Layout {
  std::size_t zoom = 1;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t panel_width = 0;
  std::size_t gap = 0;
  std::size_t height = 0;
  std::size_t width = 0;
};

[[noreturn]] void throw_usage(const std::string& message) {
  throw Error(ErrorKind::kUsage, message);
}

Tile choose_tile(std::size_t n_features, SampleShape shape) {
  if (shape != SampleShape{}) {
    if (shape.width == 0 || shape.height != n_features / shape.width || shape.height * shape.width != n_features)
      throw_usage("a mosaic of " + std::to_string(shape.height) + " x " + std::to_string(shape.width) +
                  " pictures was asked for, but the atoms have " + std::to_string(n_features) + " values");
    return {shape.height, shape.width, false};
  }
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(n_features))));
  if (side * side == n_features) return {side, side, false};
  return {std::clamp(n_features / 8, std::size_t{1}, kMaxStripHeight), n_features, true};
}

Layout choose_layout(std::size_t n_tiles, const Tile& tile, const MosaicOptions& options) {
  Layout layout;
  layout.columns = options.columns;
  if (layout.columns == 0) {
    // As many tiles side by side as make a panel about as wide as it is high.
    const double wanted =
        std::sqrt(static_cast<double>(n_tiles) * static_cast<double>(tile.height) / static_cast<double>(tile.width));
    layout.columns = std::clamp(static_cast<std::size_t>(std::lround(wanted)), std::size_t{1}, n_tiles);
  }
  layout.columns = std::min(layout.columns, n_tiles);
  layout.rows = (n_tiles + layout.columns - 1) / layout.columns;
  if (options.columns == 0) layout.columns = (n_tiles + layout.rows - 1) / layout.rows;
  layout.zoom =
      options.zoom > 0
          ? options.zoom
          : std::max(std::size_t{1}, (kWantedHeight + tile.height * layout.rows / 2) / (tile.height * layout.rows));
  if (layout.zoom > kMaxPixels || tile.height > kMaxPixels || tile.width > kMaxPixels || n_tiles > kMaxPixels)
    throw_usage("a mosaic of " + std::to_string(n_tiles) + " tiles with a zoom of " + std::to_string(layout.zoom) +
                " would have more than " + std::to_string(kMaxPixels) + " pixels; take a smaller zoom");
  // In floating point first: the products of sizes that are each allowed may overflow.
  const double zoom = static_cast<double>(layout.zoom);
  const double height = static_cast<double>(layout.rows) * (static_cast<double>(tile.height) * zoom + 1) + 1;
  const double width = 2 * static_cast<double>(layout.columns) * (static_cast<double>(tile.width) * zoom + 1) + 64;
  if (height * width > static_cast<double>(kMaxPixels))
    throw_usage("a mosaic with a zoom of " + std::to_string(layout.zoom) + " and " + std::to_string(layout.columns) +
                " columns would have more than " + std::to_string(kMaxPixels) + " pixels; take a smaller zoom");
  layout.panel_width = layout.columns * (tile.width * layout.zoom + kLine) + kLine;
  layout.gap = std::clamp(layout.panel_width / 20, std::size_t{4}, std::size_t{32});
  layout.height = layout.rows * (tile.height * layout.zoom + kLine) + kLine;
  layout.width = 2 * layout.panel_width + layout.gap;
  return layout;
}

// Most used first; equals stay in the order of the rows.
std::vector<std::size_t> choose_order(std::size_t n_tiles, const std::vector<std::size_t>& usage) {
  std::vector<std::size_t> order(n_tiles);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!usage.empty())
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return usage[a] > usage[b]; });
  return order;
}

void draw_tile(const double* values, std::size_t n_values, const Tile& tile, std::size_t zoom, MatrixView<float> out) {
  double largest = 0;
  for (std::size_t j = 0; j < n_values; ++j) largest = std::max(largest, std::abs(values[j]));
  const double divisor = largest > 0 ? largest : 1.0;
  for (std::size_t y = 0; y < out.rows; ++y)
    for (std::size_t x = 0; x < out.cols; ++x)
      out(y, x) = kZero + static_cast<float>(127.0 * (values[tile.element(y / zoom, x / zoom)] / divisor));
}

// Rows of colour pictures as pictures of their channels side by side.
Matrix<double> channels_apart(const Matrix<double>& rows, SampleShape shape) {
  Matrix<double> result(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      const std::size_t pixel = j / shape.channels;
      const std::size_t column = j % shape.channels * shape.width + pixel % shape.width;
      result(i, pixel / shape.width * shape.channels * shape.width + column) = rows(i, j);
    }
  return result;
}

}  // namespace

Matrix<float> draw_tiles(const Matrix<double>& dictionary, const Matrix<double>& dual,
                         const std::vector<std::size_t>& usage, SampleShape shape, const MosaicOptions& options) {
  if (shape.channels > 1 && shape.height * shape.width * shape.channels == dictionary.cols())
    return draw_tiles(channels_apart(dictionary, shape), channels_apart(dual, shape), usage,
                      {shape.height, shape.width * shape.channels}, options);
  const std::size_t n_tiles = dictionary.rows();
  if (dictionary.empty() || dual.rows() != n_tiles || dual.cols() != dictionary.cols())
    throw_usage("a mosaic needs a dictionary and a dual of the same shape, not " + std::to_string(n_tiles) + " x " +
                std::to_string(dictionary.cols()) + " and " + std::to_string(dual.rows()) + " x " +
                std::to_string(dual.cols()));
  if (!usage.empty() && usage.size() != n_tiles)
    throw_usage("the usage of " + std::to_string(usage.size()) + " atoms was given for " + std::to_string(n_tiles));
  const Tile tile = choose_tile(dictionary.cols(), shape);
  const Layout layout = choose_layout(n_tiles, tile, options);
  const std::vector<std::size_t> order = choose_order(n_tiles, usage);

  Matrix<float> picture(layout.height, layout.width);
  std::fill(picture.data(), picture.data() + picture.size(), kBackground);
  const std::size_t tile_height = tile.height * layout.zoom;
  const std::size_t tile_width = tile.width * layout.zoom;
  for (std::size_t i = 0; i < n_tiles; ++i) {
    const std::size_t y = kLine + (i % layout.rows) * (tile_height + kLine);
    const std::size_t x = kLine + (i / layout.rows) * (tile_width + kLine);
    const auto place = [&](std::size_t left) {
      return MatrixView<float>(picture.row(y) + left + x, tile_height, tile_width, layout.width);
    };
    draw_tile(dictionary.row(order[i]), dictionary.cols(), tile, layout.zoom, place(0));
    draw_tile(dual.row(order[i]), dual.cols(), tile, layout.zoom, place(layout.panel_width + layout.gap));
  }
  return picture;
}

}  // namespace dualdict
