// SPDX-License-Identifier: BSD-3-Clause
#include "data/image_stream.h"

#include <algorithm>
#include <utility>

#include "core/random.h"
#include "data/patch_source.h"
#include "dualdict/error.h"
#include "io/image/image_reader.h"

namespace dualdict {
namespace {

constexpr std::size_t kGroup = 16;  // images in memory at a time
// Streams of random numbers: one for the order of the images, one for each sample (as in patch_source.cc, but others).
constexpr std::uint64_t kOrderStream = 3;
constexpr std::uint64_t kFirstStream = std::uint64_t{1} << 41;

}  // namespace

ImageStream::ImageStream(std::vector<std::string> files, const PatchOptions& options, std::string name)
    : options_(options), name_(std::move(name)) {
  shape_ = {options.height, options.width, read_image(files.front(), options.color).channels};
  options_.color = shape_.channels == 3 ? ImageColor::kRgb : ImageColor::kGrey;
  Random random(options.seed, kOrderStream);
  for (const std::size_t i : random.permutation(files.size())) files_.push_back(std::move(files[i]));
}

bool ImageStream::load_group() {
  images_.clear();
  const std::size_t last = std::min(files_.size(), next_file_ + kGroup);
  for (; next_file_ < last; ++next_file_) {
    Image image = read_image(files_[next_file_], options_.color);
    if (image.height() < options_.height || image.width() < options_.width)
      ++n_small_;
    else
      images_.push_back(std::move(image));
  }
  // Sample i belongs to the image i / n_samples of the way through the files.
  const double share = static_cast<double>(next_file_) / static_cast<double>(files_.size());
  group_end_ = next_file_ == files_.size() ? options_.n_samples
                                           : static_cast<std::size_t>(share * static_cast<double>(options_.n_samples));
  return !images_.empty();
}

template <class T>
std::size_t ImageStream::read_rows(MatrixView<T> out) {
  std::size_t n = 0;
  while (n < out.rows && next_sample_ < options_.n_samples) {
    // The samples of a group of small images fall to the next group.
    while ((images_.empty() || next_sample_ >= group_end_) && next_file_ < files_.size()) load_group();
    if (images_.empty())
      throw Error(ErrorKind::kInput, name_ + ": the last images of " + std::to_string(files_.size()) +
                                         " are smaller than --patches " + std::to_string(options_.height) + "x" +
                                         std::to_string(options_.width) + " (" + std::to_string(n_small_) +
                                         " are): give larger ones");
    Random random(options_.seed, kFirstStream + next_sample_);
    const Image& image = images_[random.index(images_.size())];
    const std::size_t y = random.index(image.height() - options_.height + 1);
    const std::size_t x = random.index(image.width() - options_.width + 1);
    cut_patch(image, y, x, shape_, out.row(n));
    ++next_sample_;
    ++n;
  }
  return n;
}

bool ImageStream::rewind() {
  images_.clear();
  next_file_ = next_sample_ = group_end_ = n_small_ = 0;
  return true;
}

template std::size_t ImageStream::read_rows<float>(MatrixView<float>);
template std::size_t ImageStream::read_rows<double>(MatrixView<double>);

}  // namespace dualdict
