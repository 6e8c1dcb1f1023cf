// SPDX-License-Identifier: BSD-3-Clause
// The images behind paths, read into memory.
#pragma once

#include <string>
#include <vector>

#include "dualdict/images.h"

namespace dualdict {

struct ImageSet {
  std::vector<Image> images;       // all of as many channels, and as large as a patch
  std::vector<std::string> notes;  // how many there are; what was skipped, and why
};

// Reads all images of the paths; at most kMaxImagePixels (io/image/image_reader.h) values together. Skips files of a
// folder that cannot be read, and images that are smaller than a patch. Throws Error(kInput) when none remains.
ImageSet load_images(const std::vector<std::string>& paths, const PatchOptions& options);

}  // namespace dualdict
