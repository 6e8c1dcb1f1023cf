// SPDX-License-Identifier: BSD-3-Clause
// What every file of a checkpoint says of itself: format, schema, version, checksum.
#pragma once

#include <string>
#include <string_view>

#include "io/tensors/safetensors.h"

namespace dualdict {

// The last thing before the file is written: the checksum covers what is there.
void add_header(TensorFile& file, const std::string& format);
// Throws Error(kInput) when the file is of another format or schema, or damaged.
void check_header(const TensorFile& file, const std::string& path, const std::string& wanted);
// A file with its header as bytes in memory, and back; `name` is for messages.
std::string to_bytes(TensorFile file, const std::string& format);
TensorFile from_bytes(std::string_view bytes, const std::string& name, const std::string& format);
// Throws Error(kInput) when the key is missing.
const std::string& metadata_of(const TensorFile& file, const std::string& path, const std::string& key);

}  // namespace dualdict
