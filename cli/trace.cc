// SPDX-License-Identifier: BSD-3-Clause
#include "trace.h"

#include <cerrno>
#include <cstring>

#include "dualdict/error.h"
#include "json.h"

namespace dualdict::cli {

void Trace::fail() const {
  throw Error(ErrorKind::kWrite, path_ + ": the trace cannot be written: " + std::strerror(errno));
}

void Trace::add(const IterationRecord& record) {
  if (path_.empty()) return;
  if (!file_) file_.reset(std::fopen(path_.c_str(), "w"));
  if (!file_) fail();
  if (std::fputs(dump(iteration_json(record)).c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) fail();
}

void Trace::finish() {
  if (file_ && std::fclose(file_.release()) != 0) fail();
}

}  // namespace dualdict::cli
