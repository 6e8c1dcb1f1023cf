// SPDX-License-Identifier: BSD-3-Clause
#include "data/patch_source.h"

#include <utility>

#include "core/random.h"
#include "dualdict/error.h"
#include "io/image/image_reader.h"

namespace dualdict {
namespace {

// Streams of random numbers from here on belong to patches, one per sample; the first ones are left to other uses.
constexpr std::uint64_t kFirstPatchStream = std::uint64_t{1} << 40;

}  // namespace

void check_patches(const PatchOptions& options) {
  if (options.height == 0 || options.width == 0)
    throw Error(ErrorKind::kUsage, "--patches is " + std::to_string(options.height) + "x" +
                                       std::to_string(options.width) + "; both sides must be at least 1");
  if (options.height > kMaxImagePixels / options.width)
    throw Error(ErrorKind::kUsage, "--patches is " + std::to_string(options.height) + "x" +
                                       std::to_string(options.width) + "; a patch may have at most " +
                                       std::to_string(kMaxImagePixels) + " pixels");
  if (options.n_samples == 0) throw Error(ErrorKind::kUsage, "--samples is 0; at least one patch must be drawn");
}

void check_images(const std::vector<Image>& images, std::size_t height, std::size_t width, const std::string& name) {
  if (images.empty()) throw Error(ErrorKind::kInput, name + ": there is no image to cut patches from");
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Image& image = images[i];
    const std::string which = name + ": image " + std::to_string(i);
    if (image.channels != images.front().channels)
      throw Error(ErrorKind::kInput, which + " has " + std::to_string(image.channels) + " channels, the first has " +
                                         std::to_string(images.front().channels) + ": turn all into one kind");
    if (image.height() < height || image.width() < width)
      throw Error(ErrorKind::kInput, which + " has " + std::to_string(image.height()) + " x " +
                                         std::to_string(image.width()) + " pixels, smaller than --patches " +
                                         std::to_string(height) + "x" + std::to_string(width));
  }
}

PatchSource::PatchSource(ImageSet images, const PatchOptions& options, std::string name)
    : set_(std::move(images)), options_(options), name_(std::move(name)) {
  check_patches(options_);
  check_images(set_.images, options_.height, options_.width, name_);
  shape_ = {options_.height, options_.width, set_.images.front().channels};
}

PatchPosition PatchSource::position(std::size_t sample) const {
  Random random(options_.seed, kFirstPatchStream + sample);
  PatchPosition at;
  at.image = random.index(set_.images.size());
  at.y = random.index(set_.images[at.image].height() - options_.height + 1);
  at.x = random.index(set_.images[at.image].width() - options_.width + 1);
  return at;
}

template <class T>
void PatchSource::read_rows(std::size_t first, MatrixView<T> out) const {
  for (std::size_t i = 0; i < out.rows; ++i) {
    const PatchPosition at = position(first + i);
    cut_patch(set_.images[at.image], at.y, at.x, shape_, out.row(i));
  }
}

void PatchSource::read(std::size_t first, MatrixView<float> out) const {
  read_rows(first, out);
}
void PatchSource::read(std::size_t first, MatrixView<double> out) const {
  read_rows(first, out);
}

std::unique_ptr<DataSource> open_patches(const std::vector<std::string>& paths, const PatchOptions& options) {
  check_patches(options);
  ImageSet set = load_images(paths, options);
  std::string name = paths.front();
  if (paths.size() > 1) name += " and " + std::to_string(paths.size() - 1) + " more";
  if (options.stride == 0) return std::make_unique<PatchSource>(std::move(set), options, std::move(name));
  auto grid = std::make_unique<PatchGrid>(std::move(set.images),
                                          PatchSize{options.height, options.width, options.stride}, false, name);
  grid->set_notes(std::move(set.notes));
  return grid;
}

}  // namespace dualdict
