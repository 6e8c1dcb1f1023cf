// SPDX-License-Identifier: BSD-3-Clause
// Samples that are random patches of images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dualdict/data.h"

namespace dualdict {

// Where a sample was cut out.
struct PatchPosition {
  std::size_t image = 0;
  std::size_t y = 0;
  std::size_t x = 0;
  bool operator==(const PatchPosition&) const = default;
};

// The image files behind the paths: a file stands for itself, a folder for the files below it with an ending of an
// image (png, jpg, jpeg, pgm, ppm, pnm), in the order of their names. Throws Error(kInput) when there is none.
std::vector<std::string> find_images(const std::vector<std::string>& paths);

// Throws Error(kUsage) when patches of that size or number cannot be cut.
void check_patches(const PatchOptions& options);

class PatchSource final : public DataSource {
 public:
  // Images smaller than the patch are left out; throws Error(kInput) when none remains. `name` is for messages.
  PatchSource(std::vector<Matrix<float>> images, const PatchOptions& options, std::string name);

  std::size_t n_samples() const override { return options_.n_samples; }
  std::size_t n_features() const override { return options_.height * options_.width; }
  ElementType element_type() const override { return ElementType::kFloat32; }
  SampleShape sample_shape() const override { return {options_.height, options_.width}; }
  std::string name() const override { return name_; }
  void read(std::size_t first, MatrixView<float> out) const override;
  void read(std::size_t first, MatrixView<double> out) const override;

  // Any image that is large enough, then any position in it. Depends on the images, the seed and the sample's number
  // alone: with a larger n_samples the first ones stay, and the new ones serve as unseen samples.
  PatchPosition position(std::size_t sample) const;

 private:
  std::vector<Matrix<float>> images_;
  PatchOptions options_;
  std::string name_;
};

// Reads all images of the paths (find_images) as grey values; at most kMaxImagePixels (io/image_reader.h) together.
std::unique_ptr<DataSource> open_patches(const std::vector<std::string>& paths, const PatchOptions& options);

}  // namespace dualdict
