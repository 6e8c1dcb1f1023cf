// SPDX-License-Identifier: BSD-3-Clause
#include "data/patch_source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/random.h"
#include "dualdict/error.h"
#include "io/image/image_reader.h"

namespace dualdict {
namespace {

namespace fs = std::filesystem;

// Streams of random numbers from here on belong to patches, one per sample; the first ones are left to other uses.
constexpr std::uint64_t kFirstPatchStream = std::uint64_t{1} << 40;

bool has_image_ending(const fs::path& path) {
  constexpr std::array<std::string_view, 6> kEndings{".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".pnm"};
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

std::vector<std::string> images_of_folder(const std::string& folder) {
  std::vector<std::string> found;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
      if (has_image_ending(entry.path()) && entry.is_regular_file()) found.push_back(entry.path().string());
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::kInput, folder + ": the folder cannot be read: " + error.code().message() + " (" +
                                       error.path1().string() + ")");
  }
  if (found.empty())
    throw Error(ErrorKind::kInput,
                folder + ": no image in this folder; looked for files ending in .png, .jpg, .jpeg, .pgm, .ppm, .pnm");
  // The order in which a file system lists its files is its own affair.
  std::sort(found.begin(), found.end());
  return found;
}

template <class T>
void cut(const Matrix<float>& image, const PatchPosition& at, const PatchOptions& options, T* out) {
  for (std::size_t y = 0; y < options.height; ++y) {
    const float* row = image.row(at.y + y) + at.x;
    out = std::copy(row, row + options.width, out);
  }
}

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

std::vector<std::string> find_images(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
      throw Error(ErrorKind::kInput, path + ": no such file or folder" +
                                         (status.type() == fs::file_type::none ? ": " + error.message() : ""));
    if (!fs::is_directory(status)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> found = images_of_folder(path);
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.empty()) throw Error(ErrorKind::kInput, "no image file or folder was given to cut patches from");
  return files;
}

PatchSource::PatchSource(std::vector<Matrix<float>> images, const PatchOptions& options, std::string name)
    : images_(std::move(images)), options_(options), name_(std::move(name)) {
  check_patches(options_);
  const std::size_t n_given = images_.size();
  std::erase_if(images_, [this](const Matrix<float>& image) {
    return image.rows() < options_.height || image.cols() < options_.width;
  });
  if (images_.empty())
    throw Error(ErrorKind::kInput, name_ + ": none of " + std::to_string(n_given) +
                                       (n_given == 1 ? " image is" : " images is") +
                                       " at least as large as --patches " + std::to_string(options_.height) + "x" +
                                       std::to_string(options_.width));
}

PatchPosition PatchSource::position(std::size_t sample) const {
  Random random(options_.seed, kFirstPatchStream + sample);
  PatchPosition at;
  at.image = random.index(images_.size());
  at.y = random.index(images_[at.image].rows() - options_.height + 1);
  at.x = random.index(images_[at.image].cols() - options_.width + 1);
  return at;
}

void PatchSource::read(std::size_t first, MatrixView<float> out) const {
  for (std::size_t i = 0; i < out.rows; ++i) {
    const PatchPosition at = position(first + i);
    cut(images_[at.image], at, options_, out.row(i));
  }
}

void PatchSource::read(std::size_t first, MatrixView<double> out) const {
  for (std::size_t i = 0; i < out.rows; ++i) {
    const PatchPosition at = position(first + i);
    cut(images_[at.image], at, options_, out.row(i));
  }
}

std::unique_ptr<DataSource> open_patches(const std::vector<std::string>& paths, const PatchOptions& options) {
  check_patches(options);
  const std::vector<std::string> files = find_images(paths);
  std::vector<Matrix<float>> images;
  std::size_t n_pixels = 0;
  for (const std::string& file : files) {
    Matrix<float> image = read_grey_image(file);
    if (image.rows() < options.height || image.cols() < options.width) image = Matrix<float>();
    n_pixels += image.size();
    if (n_pixels > kMaxImagePixels)
      throw Error(ErrorKind::kInput, file + ": with this image there are " + std::to_string(n_pixels) +
                                         " pixels in all, at most " + std::to_string(kMaxImagePixels) +
                                         " are held; give fewer images");
    images.push_back(std::move(image));
  }
  std::string name = paths.front();
  if (paths.size() > 1) name += " and " + std::to_string(paths.size() - 1) + " more";
  return std::make_unique<PatchSource>(std::move(images), options, std::move(name));
}

}  // namespace dualdict
