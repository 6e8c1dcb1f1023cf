// SPDX-License-Identifier: BSD-3-Clause
#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "expected_time.h"
#include "printable.h"
#include "text.h"

namespace dualdict::cli {
namespace {

constexpr std::size_t kRemembered = 10;
constexpr const char* kEraseToEnd = "\x1b[K";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kPlain = "\x1b[0m";

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool terminal_is_dumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
}

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) return size.ws_col;
  return 80;
}

}  // namespace

ProgressStyle progress_style(bool quiet, bool progress) {
  if (quiet) return ProgressStyle::kNone;
  const bool terminal = isatty(STDERR_FILENO) == 1;
  if (terminal && !terminal_is_dumb()) return ProgressStyle::kLive;
  return terminal || progress ? ProgressStyle::kLines : ProgressStyle::kNone;
}

Progress::Progress(ProgressStyle style, const LearnOptions& options)
    : style_(style), options_(options), color_(style == ProgressStyle::kLive && !is_set("NO_COLOR")) {}

Progress::~Progress() {
  finish();
}

std::string Progress::line(const IterationRecord& record) const {
  // Short enough for a terminal of 80 columns.
  const bool above = !(record.relative_change < options_.rtol);
  std::string text = std::to_string(record.iteration) + "  E " + short_number(record.energy.total()) + "  change " +
                     short_number(record.relative_change) + (above ? " > " : " < ") + short_number(options_.rtol) +
                     "  " + short_number(record.nonzeros_per_code) + " nonzeros";
  if (record.dead_atoms > 0) text += "  " + std::to_string(record.dead_atoms) + " dead";
  if (record.replaced_atoms > 0) text += "  " + std::to_string(record.replaced_atoms) + " replaced";
  text += "  " + duration(record.seconds);
  if (const auto left = expected_seconds_left(last_, options_)) text += ", ~" + duration(*left) + " left";
  return text;
}

void Progress::record(const IterationRecord& record) {
  if (style_ == ProgressStyle::kNone) return;
  if (last_.size() == kRemembered) last_.erase(last_.begin());
  last_.push_back(record);
  std::string text = line(record);
  if (style_ == ProgressStyle::kLines) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  // A line that wraps could not be rewritten.
  text = text.substr(0, terminal_columns() - 1);
  const bool below = record.relative_change >= 0 && record.relative_change < options_.rtol;
  if (color_ && below) text = kGreen + text + kPlain;
  std::fprintf(stderr, "\r%s%s", text.c_str(), kEraseToEnd);
  std::fflush(stderr);
  line_open_ = true;
}

void Progress::message(const std::string& text) {
  if (style_ == ProgressStyle::kNone) return;
  if (line_open_) std::fprintf(stderr, "\r%s", kEraseToEnd);
  line_open_ = false;
  say(one_line(text) + "\n");
}

void Progress::finish() {
  if (line_open_) std::fprintf(stderr, "\n");
  line_open_ = false;
}

}  // namespace dualdict::cli
