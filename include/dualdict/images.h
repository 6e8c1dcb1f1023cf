// SPDX-License-Identifier: BSD-3-Clause
// Images, their patches with the places they come from, and the way back.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/matrix.h"

namespace dualdict {

// Values 0..255 whatever the bits of the file, row by row, the channels of a pixel beside each other.
struct Image {
  Matrix<float> pixels = {};        // height x (width * channels)
  std::size_t channels = 1;         // or 3: red, green, blue
  unsigned bits = 8;                // or 16, of a value in the file
  std::size_t stored_channels = 1;  // those of the file, before a conversion
  std::size_t height() const { return pixels.rows(); }
  std::size_t width() const { return pixels.cols() / channels; }
};

// Reads a PNG, JPEG, PGM or PPM file, known by its content and not by its ending: 16-bit values divided down without
// rounding, palettes looked up, alpha ignored, a JPEG turned upright as its EXIF orientation says. Throws Error(kInput)
// that names the file and what is wrong with it.
DUALDICT_API Image read_image(const std::string& path, ImageColor color = ImageColor::kAsStored);

// The image files behind the paths: a file stands for itself, a folder for the files below it with an ending of an
// image (png, jpg, jpeg, pgm, ppm, pnm), in the order of their names. Throws Error(kInput) when there is none.
DUALDICT_API std::vector<std::string> find_images(const std::vector<std::string>& paths);

// Writes a PNG of the image's channels and bits durably, values rounded and clamped; "-" is standard output.
DUALDICT_API void write_png(const std::string& path, const Image& image);

// Where a patch was cut out.
struct PatchPosition {
  std::size_t image = 0;
  std::size_t y = 0;
  std::size_t x = 0;
  bool operator==(const PatchPosition&) const = default;
};

// The size of patches, and how far it is from one to the next, down and to the right.
struct PatchSize {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t stride = 1;
};

// All patches of an image, row by row, and the last ones of each direction at its edge, so that every pixel is in one.
class DUALDICT_API PatchPlaces {
 public:
  // The image must be at least as large as a patch; strides and sides at least 1.
  PatchPlaces(std::size_t image_height, std::size_t image_width, const PatchSize& size);
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t count() const { return rows_ * columns_; }
  PatchPosition operator[](std::size_t patch) const;

 private:
  std::size_t rows_, columns_, last_y_, last_x_, stride_;
};

// All patches of some images as samples: image after image, each in the order of its PatchPlaces. Memory holds the
// images alone. The means of patches are taken away where that is asked for, and can be read.
class DUALDICT_API PatchGrid final : public DataSource {
 public:
  // Images of the same number of channels. Throws Error(kInput) when one is smaller than a patch or there is none.
  PatchGrid(std::vector<Image> images, const PatchSize& size, bool remove_means = false, std::string name = "images");

  std::size_t n_samples() const override { return first_.back(); }
  std::size_t n_features() const override { return size_.height * size_.width * channels_; }
  ElementType element_type() const override { return ElementType::kFloat32; }
  SampleShape sample_shape() const override { return {size_.height, size_.width, channels_}; }
  std::string name() const override { return name_; }
  std::vector<std::string> notes() const override { return notes_; }
  void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }
  void read(std::size_t first, MatrixView<float> out) const override;
  void read(std::size_t first, MatrixView<double> out) const override;

  const std::vector<Image>& images() const { return images_; }
  PatchPosition position(std::size_t sample) const;
  // The mean of the patch's values, all channels together.
  double mean(std::size_t sample) const;

 private:
  template <class T>
  void read_rows(std::size_t first, MatrixView<T> out) const;

  std::vector<Image> images_;
  PatchSize size_;
  bool remove_means_;
  std::string name_;
  std::vector<std::string> notes_;
  std::size_t channels_ = 1;
  std::vector<PatchPlaces> places_;  // of each image
  std::vector<std::size_t> first_;   // sample of each image, and their number
};

// The way back: an image from patches, where they overlap their average by weight.
class DUALDICT_API PatchSum {
 public:
  PatchSum(std::size_t height, std::size_t width, std::size_t channels);
  // values: patch_height rows of patch_width pixels, as PatchGrid cut them.
  void add(const float* values, const PatchPosition& at, const PatchSize& size, float weight = 1);
  // Of another sum of the same size, whose first row is row `first_row` here.
  void add(const PatchSum& other, std::size_t first_row);
  // Pixels of no weight are those of `rest`, which has the same size.
  Image average(const Image& rest) const;

 private:
  std::size_t channels_;
  Matrix<float> sums_;     // height x (width * channels)
  Matrix<float> weights_;  // height x width
};

}  // namespace dualdict
