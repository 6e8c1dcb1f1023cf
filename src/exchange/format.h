// SPDX-License-Identifier: BSD-3-Clause
// A format of others as one object: its row in the public table, how it is recognised, read and written.
#pragma once

#include <string>

#include "dualdict/exchange.h"
#include "exchange/autoencoder.h"

namespace dualdict {

struct Format {
  ForeignFormat info;
  // Whether what lies at the path looks like one; reads no more than it must.
  bool (*matches)(const std::string& path) = nullptr;
  Autoencoder (*read)(const std::string& path) = nullptr;
  void (*write)(const Autoencoder& autoencoder, const std::string& path) = nullptr;
};

const Format& saelens_format();
const Format& sparsify_format();
const Format& sentence_transformers_format();

// Throws Error(kUsage) for codes that are not the k largest > 0 of each sample.
void require_largest_only(const std::string& format, const Autoencoder& autoencoder);

// A file in a folder.
std::string in_folder(const std::string& folder, const std::string& name);
bool is_file(const std::string& path);
void make_folder(const std::string& path);

}  // namespace dualdict
