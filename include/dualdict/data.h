// SPDX-License-Identifier: BSD-3-Clause
// Where samples come from: a matrix in memory, a file, patches of images. A source yields blocks of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dualdict/export.h"
#include "dualdict/matrix.h"

namespace dualdict {

// How the elements are stored in the source; reading converts to float or double.
enum class ElementType { kUint8, kFloat32, kFloat64 };

// The picture behind a sample (height x width, row by row; the channels of a pixel beside each other), for drawing
// atoms. 0 x 0: not a picture.
struct SampleShape {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 1;  // or 3: red, green, blue
  bool operator==(const SampleShape&) const = default;
};

// N samples of d features, read in blocks of rows. read() may be called from several threads at once.
class DUALDICT_API DataSource {
 public:
  virtual ~DataSource() = default;
  virtual std::size_t n_samples() const = 0;
  virtual std::size_t n_features() const = 0;
  virtual ElementType element_type() const = 0;
  virtual SampleShape sample_shape() const = 0;
  // For messages: file name(s) or "matrix".
  virtual std::string name() const = 0;
  // What was made of the files that their writer may not have meant, a sentence each.
  virtual std::vector<std::string> notes() const { return {}; }

  // Fills out with the samples first .. first + out.rows - 1, as stored (no preprocessing). Throws Error(kInput) when
  // the file has become shorter or damaged. first + out.rows <= n_samples(), out.cols == n_features().
  virtual void read(std::size_t first, MatrixView<float> out) const = 0;
  virtual void read(std::size_t first, MatrixView<double> out) const = 0;
};

// kAsStored: of several images as the first of them. kGrey: colours by Rec. 601 luma. kRgb: grey values three times.
enum class ImageColor { kAsStored, kGrey, kRgb };

// How to cut samples out of images.
struct PatchOptions {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t n_samples = 100000;  // drawn at random positions of random images
  std::uint64_t seed = 0;
  std::size_t stride = 0;  // > 0: all patches instead, so many pixels apart, in the order of PatchGrid
  ImageColor color = ImageColor::kAsStored;
};

struct DataOptions {
  // Set: every path is an image file or a folder of images (PNG, JPEG, PGM), read as values 0..255, and samples are
  // patches. Files of a folder that cannot be read, and images smaller than a patch, are left out and noted. Not set:
  // every path is a matrix file (npy, npz, csv, IDX, IDX.gz; by content, not by ending), all with the same number of
  // features, their rows one after the other.
  std::optional<PatchOptions> patches;
};

// Opens files or folders. Throws Error(kInput) that names the file, the value and the rule.
DUALDICT_API std::unique_ptr<DataSource> open_data(const std::vector<std::string>& paths,
                                                   const DataOptions& options = {});

// A matrix in memory as a source. The view version does not copy: the caller keeps the elements alive.
DUALDICT_API std::unique_ptr<DataSource> make_source(Matrix<float> samples, SampleShape shape = {});
DUALDICT_API std::unique_ptr<DataSource> make_source(Matrix<double> samples, SampleShape shape = {});
DUALDICT_API std::unique_ptr<DataSource> make_source(MatrixView<const float> samples, SampleShape shape = {});
DUALDICT_API std::unique_ptr<DataSource> make_source(MatrixView<const double> samples, SampleShape shape = {});

// Images of overlapping discs (the dead-leaves model, radii with density r^-3), whose patches have the statistics of
// natural images. Pixels in 0..255, one image per element, size x size.
DUALDICT_API std::vector<Matrix<float>> generate_dead_leaves(std::size_t n_images, std::size_t size,
                                                             std::uint64_t seed);

}  // namespace dualdict
