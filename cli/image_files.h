// SPDX-License-Identifier: BSD-3-Clause
// Images in and images out.
#pragma once

#include <string>
#include <vector>

#include "dualdict/images.h"

namespace dualdict::cli {

struct ImageFile {
  std::string input;
  std::string output;
  bool named = false;  // not found in a folder
};

// Where the result of each image goes: one file into `output`; several, or those of folders, into the folder `output`
// as NAME.png. Checks that they can be written and replace no input.
std::vector<ImageFile> pair_files(const std::vector<std::string>& inputs, const std::string& output);

// An image file, or an npy array of shape (height, width) or (height, width, 3).
Image read_picture(const std::string& path, ImageColor color);
// PNG, or where `path` ends in npy a grey image as (height, width).
void write_picture(const std::string& path, const Image& image);

}  // namespace dualdict::cli
