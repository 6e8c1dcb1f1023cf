// SPDX-License-Identifier: BSD-3-Clause
// The samples of files, or patches of images, as Python holds them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "convert.h"

namespace dualdict::python {

class SourceHandle {
 public:
  // patches: None, or (height, width, number, seed, stride, channels or 0).
  SourceHandle(const std::vector<std::string>& paths, const nb::object& patches);
  const std::shared_ptr<const DataSource>& source() const { return source_; }
  // Evenly spread rows, for whoever wants to look at some.
  nb::object spread(std::size_t n) const;

 private:
  std::shared_ptr<const DataSource> source_;
};

void define_source(nb::module_& module);

}  // namespace dualdict::python
