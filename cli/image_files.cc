// SPDX-License-Identifier: BSD-3-Clause
#include "image_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "dualdict/data.h"
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "output.h"

namespace dualdict::cli {
namespace {

namespace fs = std::filesystem;

bool is_array(const std::string& path) {
  return fs::path(path).extension() == ".npy";
}

void check_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (!is_array(path)) require_ending("-o", path, "png", "name it .png, or .npy for an array");
  require_writable(path);
  require_no_input("-o", path, inputs);
}

}  // namespace

std::vector<ImageFile> pair_files(const std::vector<std::string>& inputs, const std::string& output) {
  std::error_code error;
  const bool into_folder = inputs.size() > 1 || fs::is_directory(inputs.front(), error);
  std::vector<std::string> arrays, pictures;
  for (const std::string& input : inputs) (is_array(input) ? arrays : pictures).push_back(input);
  if (!pictures.empty()) pictures = find_images(pictures);
  std::vector<std::string> all = arrays;
  all.insert(all.end(), pictures.begin(), pictures.end());
  if (!into_folder) {
    check_output(output, inputs);
    return {{all.front(), output, true}};
  }
  fs::create_directories(output, error);
  if (!fs::is_directory(output)) throw Error(ErrorKind::kWrite, output + ": is no folder and cannot be made one");
  std::vector<ImageFile> files;
  std::set<std::string> taken;
  for (const std::string& input : all) {
    const std::string target = (fs::path(output) / fs::path(input).stem()).string() + ".png";
    if (!taken.insert(target).second)
      throw Error(ErrorKind::kUsage, input + ": another image is called " + target + " too; rename one of them");
    check_output(target, all);
    files.push_back({input, target, std::find(inputs.begin(), inputs.end(), input) != inputs.end()});
  }
  return files;
}

Image read_picture(const std::string& path, ImageColor color) {
  if (!is_array(path)) return read_image(path, color);
  const auto array = open_data({path});
  const SampleShape shape = array->sample_shape();
  const bool colored = shape.width == 3 && shape.channels == 1;  // (height, width, 3) as rows of (width, 3)
  if (shape.height > 0 && !colored)
    throw Error(ErrorKind::kInput, path +
                                       ": is an array of pictures; give one of shape (height, width) or "
                                       "(height, width, 3)");
  Image image{.pixels = Matrix<float>(array->n_samples(), array->n_features()), .channels = colored ? 3U : 1U};
  array->read(0, image.pixels.view());
  if (color != ImageColor::kGrey || !colored) return image;
  Image grey{.pixels = Matrix<float>(image.height(), image.width())};
  for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
    const float* rgb = image.pixels.data() + 3 * i;
    grey.pixels.data()[i] = (299.0F * rgb[0] + 587.0F * rgb[1] + 114.0F * rgb[2]) / 1000.0F;
  }
  return grey;
}

void write_picture(const std::string& path, const Image& image) {
  if (!is_array(path)) return write_png(path, image);
  if (image.channels != 1)
    throw Error(ErrorKind::kUsage, "-o: " + path + " is not allowed: arrays of colours are not written; name it .png");
  MatrixWriter writer(path, MatrixFormat::kNpy, DType::kFloat32, image.height(), image.width());
  writer.append(MatrixView<const float>(image.pixels.view()));
  writer.finish();
}

}  // namespace dualdict::cli
