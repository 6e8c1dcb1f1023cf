// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <vector>

#include "dualdict/files.h"
#include "io/bytes/durable_file.h"
#include "io/image/png_encode.h"

namespace dualdict {

void write_grey_png(const std::string& path, MatrixView<const float> pixels) {
  const std::vector<unsigned char> bytes = encode_grey_png(pixels);
  if (path == "-")
    open_standard_output()->append(std::as_bytes(std::span(bytes)));
  else
    write_file(path, std::as_bytes(std::span(bytes)));
}

}  // namespace dualdict
