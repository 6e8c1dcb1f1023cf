// SPDX-License-Identifier: BSD-3-Clause
// Random patches of more images than memory holds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dualdict/images.h"
#include "dualdict/stream.h"

namespace dualdict {

// All are in the colours that the first one has. They come in random order, a few at a time; out of each of these
// groups patches are cut at random, as many as the number of its images deserves. All of it follows from the seed.
// `name` is for messages.
class ImageStream final : public SampleStream {
 public:
  ImageStream(std::vector<std::string> files, const PatchOptions& options, std::string name);

  std::size_t n_features() const override { return shape_.height * shape_.width * shape_.channels; }
  SampleShape sample_shape() const override { return shape_; }
  std::string name() const override { return name_; }
  std::optional<std::size_t> n_samples() const override { return options_.n_samples; }
  std::size_t read(MatrixView<float> out) override { return read_rows(out); }
  std::size_t read(MatrixView<double> out) override { return read_rows(out); }
  bool rewind() override;

 private:
  template <class T>
  std::size_t read_rows(MatrixView<T> out);
  // Decodes the images of the group; false when none of them is large enough.
  bool load_group();

  std::vector<std::string> files_;  // in the order of reading
  PatchOptions options_;
  std::string name_;
  SampleShape shape_;
  std::vector<Image> images_;  // of the group
  std::size_t next_file_ = 0;  // after the group
  std::size_t next_sample_ = 0;
  std::size_t group_end_ = 0;  // first sample after the group
  std::size_t n_small_ = 0;    // images smaller than a patch
};

}  // namespace dualdict
