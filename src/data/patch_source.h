// SPDX-License-Identifier: BSD-3-Clause
// Samples that are random patches of images.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/image_set.h"
#include "dualdict/data.h"
#include "dualdict/images.h"

namespace dualdict {

// Throws Error(kUsage) when patches of that size or number cannot be cut.
void check_patches(const PatchOptions& options);

// Throws Error(kInput) unless there are images of one number of channels and at least that size.
void check_images(const std::vector<Image>& images, std::size_t height, std::size_t width, const std::string& name);

// Copies the patch whose first pixel is (y, x).
template <class T>
void cut_patch(const Image& image, std::size_t y, std::size_t x, const SampleShape& shape, T* out) {
  for (std::size_t i = 0; i < shape.height; ++i) {
    const float* row = image.pixels.row(y + i) + x * shape.channels;
    for (std::size_t j = 0; j < shape.width * shape.channels; ++j) *out++ = static_cast<T>(row[j]);
  }
}

class PatchSource final : public DataSource {
 public:
  // See check_images. `name` is for messages.
  PatchSource(ImageSet images, const PatchOptions& options, std::string name);

  std::size_t n_samples() const override { return options_.n_samples; }
  std::size_t n_features() const override { return shape_.height * shape_.width * shape_.channels; }
  ElementType element_type() const override { return ElementType::kFloat32; }
  SampleShape sample_shape() const override { return shape_; }
  std::string name() const override { return name_; }
  std::vector<std::string> notes() const override { return set_.notes; }
  void read(std::size_t first, MatrixView<float> out) const override;
  void read(std::size_t first, MatrixView<double> out) const override;

  // Any image, then any position in it. Depends on the images, the seed and the sample's number alone: with a larger
  // n_samples the first ones stay, and the new ones serve as unseen samples.
  PatchPosition position(std::size_t sample) const;

 private:
  template <class T>
  void read_rows(std::size_t first, MatrixView<T> out) const;

  ImageSet set_;
  PatchOptions options_;
  SampleShape shape_;
  std::string name_;
};

// Random patches, or with a stride all of them.
std::unique_ptr<DataSource> open_patches(const std::vector<std::string>& paths, const PatchOptions& options);

}  // namespace dualdict
