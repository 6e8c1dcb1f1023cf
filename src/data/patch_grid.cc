// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "data/patch_source.h"
#include "dualdict/error.h"
#include "dualdict/images.h"

namespace dualdict {
namespace {

// Places 0, stride, 2 stride, ... up to the last.
std::size_t n_places(std::size_t last, std::size_t stride) {
  return (last + stride - 1) / stride + 1;
}

template <class T>
double mean_of(const T* values, std::size_t n) {
  return std::accumulate(values, values + n, 0.0) / static_cast<double>(n);
}

}  // namespace

PatchPlaces::PatchPlaces(std::size_t image_height, std::size_t image_width, const PatchSize& size)
    : stride_(size.stride) {
  if (size.height == 0 || size.width == 0 || size.stride == 0 || image_height < size.height || image_width < size.width)
    throw Error(ErrorKind::kUsage, "patches of " + std::to_string(size.height) + " x " + std::to_string(size.width) +
                                       " pixels, " + std::to_string(size.stride) + " apart, of an image of " +
                                       std::to_string(image_height) + " x " + std::to_string(image_width) +
                                       ": all must be at least 1, and the image as large as a patch");
  last_y_ = image_height - size.height;
  last_x_ = image_width - size.width;
  rows_ = n_places(last_y_, stride_);
  columns_ = n_places(last_x_, stride_);
}

PatchPosition PatchPlaces::operator[](std::size_t patch) const {
  return {0, std::min(patch / columns_ * stride_, last_y_), std::min(patch % columns_ * stride_, last_x_)};
}

PatchGrid::PatchGrid(std::vector<Image> images, const PatchSize& size, bool remove_means, std::string name)
    : images_(std::move(images)), size_(size), remove_means_(remove_means), name_(std::move(name)) {
  check_images(images_, size.height, size.width, name_);
  channels_ = images_.front().channels;
  first_.push_back(0);
  for (const Image& image : images_) {
    places_.emplace_back(image.height(), image.width(), size);
    first_.push_back(first_.back() + places_.back().count());
  }
}

PatchPosition PatchGrid::position(std::size_t sample) const {
  const auto next = std::upper_bound(first_.begin(), first_.end(), sample);
  const auto image = static_cast<std::size_t>(next - first_.begin()) - 1;
  PatchPosition at = places_[image][sample - first_[image]];
  at.image = image;
  return at;
}

double PatchGrid::mean(std::size_t sample) const {
  const PatchPosition at = position(sample);
  std::vector<double> values(n_features());
  cut_patch(images_[at.image], at.y, at.x, sample_shape(), values.data());
  return mean_of(values.data(), values.size());
}

template <class T>
void PatchGrid::read_rows(std::size_t first, MatrixView<T> out) const {
  for (std::size_t i = 0; i < out.rows; ++i) {
    const PatchPosition at = position(first + i);
    T* const row = out.row(i);
    cut_patch(images_[at.image], at.y, at.x, sample_shape(), row);
    if (!remove_means_) continue;
    const auto mean = static_cast<T>(mean_of(row, out.cols));
    for (std::size_t j = 0; j < out.cols; ++j) row[j] -= mean;
  }
}

void PatchGrid::read(std::size_t first, MatrixView<float> out) const {
  read_rows(first, out);
}
void PatchGrid::read(std::size_t first, MatrixView<double> out) const {
  read_rows(first, out);
}

PatchSum::PatchSum(std::size_t height, std::size_t width, std::size_t channels)
    : channels_(channels), sums_(height, width * channels), weights_(height, width) {}

void PatchSum::add(const float* values, const PatchPosition& at, const PatchSize& size, float weight) {
  for (std::size_t y = 0; y < size.height; ++y) {
    float* const sums = sums_.row(at.y + y) + at.x * channels_;
    float* const weights = weights_.row(at.y + y) + at.x;
    for (std::size_t j = 0; j < size.width * channels_; ++j) sums[j] += weight * *values++;
    for (std::size_t x = 0; x < size.width; ++x) weights[x] += weight;
  }
}

void PatchSum::add(const PatchSum& other, std::size_t first_row) {
  const auto join = [first_row](const Matrix<float>& from, Matrix<float>& to) {
    for (std::size_t y = 0; y < from.rows(); ++y)
      for (std::size_t j = 0; j < from.cols(); ++j) to(first_row + y, j) += from(y, j);
  };
  join(other.sums_, sums_);
  join(other.weights_, weights_);
}

Image PatchSum::average(const Image& rest) const {
  Image image = rest;
  for (std::size_t y = 0; y < sums_.rows(); ++y)
    for (std::size_t x = 0; x < weights_.cols(); ++x)
      if (weights_(y, x) > 0)
        for (std::size_t c = 0; c < channels_; ++c)
          image.pixels(y, x * channels_ + c) = sums_(y, x * channels_ + c) / weights_(y, x);
  return image;
}

}  // namespace dualdict
