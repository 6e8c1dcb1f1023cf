// SPDX-License-Identifier: BSD-3-Clause
// A model as tensors and strings, the content of its safetensors file. The same model gives the same content.
#pragma once

#include <string>

#include "dualdict/model.h"
#include "io/tensors/safetensors.h"

namespace dualdict {

// The digest of everything in the file but itself: each tensor's name, precision, shape and bytes, and every other
// string of the metadata, in the order of their names.
std::string model_checksum(const TensorFile& file);

TensorFile to_tensor_file(const ModelParts& parts);

// The inverse, with every check of a model file; `path` is for messages. Throws Error(kInput).
Model from_tensor_file(TensorFile file, const std::string& path);

}  // namespace dualdict
