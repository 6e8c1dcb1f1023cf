// SPDX-License-Identifier: BSD-3-Clause
#include "data/image_set.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "dualdict/error.h"
#include "io/image/image_reader.h"

namespace dualdict {
namespace {

namespace fs = std::filesystem;

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

std::string counted(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

// The images of some files, one after the other, and what became of each file.
class ImageLoader {
 public:
  ImageLoader(const std::vector<std::string>& paths, const PatchOptions& options)
      : paths_(paths), options_(options), color_(options.color) {}

  void load(const std::string& file) {
    Image image;
    try {
      image = read_image(file, color_);
    } catch (const Error& error) {
      // What was named must be read; a folder may hold other things.
      const bool named = std::find(paths_.begin(), paths_.end(), file) != paths_.end();
      if (named || error.kind() != ErrorKind::kInput) throw;
      skipped_.emplace_back(error.what());
      return;
    }
    take(std::move(image), file);
  }

  ImageSet result(std::size_t n_files) {
    if (set_.images.empty())
      throw Error(ErrorKind::kInput,
                  paths_.front() + ": none of " + counted(n_files, "image") + " can be used: " + list_of_skipped());
    set_.notes.push_back(counted(set_.images.size(), "image") +
                         (set_.images.front().channels == 3 ? " in colour" : "") + (n_files == 1 ? " is" : " are") +
                         " used");
    if (n_turned_ > 0)
      set_.notes.push_back(
          std::to_string(n_turned_) + " of them were turned into the colours of the first, " +
          (color_ == ImageColor::kGrey ? "which is grey" : "which is coloured; --grey makes all grey"));
    if (!skipped_.empty()) set_.notes.push_back(counted(skipped_.size(), "file") + " skipped: " + list_of_skipped());
    return std::move(set_);
  }

 private:
  void take(Image image, const std::string& file) {
    if (image.height() < options_.height || image.width() < options_.width) {
      skipped_.push_back(file + ": " + std::to_string(image.height()) + " x " + std::to_string(image.width()) +
                         " pixels, smaller than --patches " + std::to_string(options_.height) + "x" +
                         std::to_string(options_.width));
      return;
    }
    n_values_ += image.pixels.size();
    if (n_values_ > kMaxImagePixels)
      throw Error(ErrorKind::kInput, file + ": with this image there are " + std::to_string(n_values_) +
                                         " values in all, at most " + std::to_string(kMaxImagePixels) +
                                         " are held; give fewer images, or --stream");
    // The first one decides.
    if (color_ == ImageColor::kAsStored) color_ = image.channels == 3 ? ImageColor::kRgb : ImageColor::kGrey;
    if (options_.color == ImageColor::kAsStored && image.stored_channels != image.channels) ++n_turned_;
    set_.images.push_back(std::move(image));
  }

  std::string list_of_skipped() const {
    constexpr std::size_t kMost = 5;
    std::string list;
    for (std::size_t i = 0; i < std::min(kMost, skipped_.size()); ++i) list += (i == 0 ? "" : "; ") + skipped_[i];
    if (skipped_.size() > kMost) list += "; and " + std::to_string(skipped_.size() - kMost) + " more";
    return list;
  }

  const std::vector<std::string>& paths_;
  const PatchOptions& options_;
  ImageColor color_;
  ImageSet set_;
  std::vector<std::string> skipped_;
  std::size_t n_values_ = 0;
  std::size_t n_turned_ = 0;
};

}  // namespace

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

ImageSet load_images(const std::vector<std::string>& paths, const PatchOptions& options) {
  const std::vector<std::string> files = find_images(paths);
  ImageLoader loader(paths, options);
  for (const std::string& file : files) loader.load(file);
  return loader.result(files.size());
}

}  // namespace dualdict
