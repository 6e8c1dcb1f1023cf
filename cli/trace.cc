// SPDX-License-Identifier: BSD-3-Clause
#include "trace.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "dualdict/error.h"
#include "dualdict/files.h"
#include "json.h"

namespace dualdict::cli {

namespace fs = std::filesystem;

Trace::Trace(std::string path) : path_(std::move(path)), live_path_(path_) {
  std::error_code error;
  if (!path_.empty() && fs::is_regular_file(path_, error)) live_path_ += ".dualdict-part";
}

Trace::~Trace() {
  std::error_code error;
  if (live_path_ != path_) fs::remove(live_path_, error);
}

void Trace::fail() const {
  throw Error(ErrorKind::kWrite, live_path_ + ": the trace cannot be written: " + std::strerror(errno));
}

void Trace::add(const IterationRecord& record) {
  if (path_.empty()) return;
  if (!file_) file_.reset(std::fopen(live_path_.c_str(), "w"));
  if (!file_) fail();
  if (std::fputs(dump(to_json(record)).c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) fail();
  ++n_lines_;
}

void Trace::complete(const std::vector<IterationRecord>& records) {
  if (path_.empty()) return;
  if (file_ && std::fclose(file_.release()) != 0) fail();
  if (n_lines_ == records.size()) return;
  std::string text;
  for (const IterationRecord& record : records) text += dump(to_json(record));
  write_text_file(live_path_, text);
  n_lines_ = records.size();
}

void Trace::publish() {
  if (live_path_ == path_ || n_lines_ == 0) return;
  std::error_code error;
  fs::rename(live_path_, path_, error);
  if (error) throw Error(ErrorKind::kWrite, path_ + ": the trace cannot be renamed to it: " + error.message());
}

}  // namespace dualdict::cli
