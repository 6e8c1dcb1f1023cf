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
constexpr double kFirstSeconds = 1.8, kSeconds = 5, kLiveSeconds = 1;  // of silence
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
  return terminal || progress ? ProgressStyle::kLines : ProgressStyle::kSeldom;
}

Progress::Progress(ProgressStyle style, const LearnOptions& options, const LearnProgress& phase)
    : style_(style), options_(options), phase_(phase), color_(style == ProgressStyle::kLive && !is_set("NO_COLOR")) {
  if (style_ != ProgressStyle::kNone) watcher_ = std::thread([this] { watch(); });
}

Progress::~Progress() {
  finish();
}

bool Progress::is_silent_for(double seconds) const {
  return Clock::now() - last_said_ >= std::chrono::duration<double>(seconds);
}

void Progress::watch() {
  constexpr std::chrono::milliseconds kLook(200);
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kLook, [this] { return has_ended_; })) {
    const double patience = style_ == ProgressStyle::kLive ? kLiveSeconds : kSeconds;
    if (is_silent_for(last_said_ == start_ ? kFirstSeconds : patience)) say_phase();
  }
}

void Progress::say_phase() {
  std::string text = phase_.text();
  if (text.empty()) return;
  if (style_ == ProgressStyle::kSeldom && !last_.empty())
    text += ", E " + short_number(last_.back().energy.total()) + " after iteration " +
            std::to_string(last_.back().iteration);
  text += ", " + duration(std::chrono::duration<double>(Clock::now() - start_).count());
  text = one_line(text);
  if (style_ == ProgressStyle::kLive)
    rewrite(text, false);
  else
    std::fprintf(stderr, "%s\n", text.c_str());
  last_said_ = Clock::now();
}

std::string Progress::line(const IterationRecord& record) const {
  // Short enough for a terminal of 80 columns.
  const bool above = !(record.relative_change < options_.rtol);
  std::string text = std::to_string(record.iteration) + "  E " + short_number(record.energy.total());
  if (record.tau_moved)  // so that E going up does not look like a fault
    text += "  tau moved to " + short_number(record.tau);
  else
    text += "  change " + short_number(record.relative_change) + (above ? " > " : " < ") + short_number(options_.rtol);
  text += "  " + short_number(record.nonzeros_per_code) + " nonzeros";
  if (record.dead_atoms > 0) text += "  " + std::to_string(record.dead_atoms) + " dead";
  if (record.replaced_atoms > 0) text += "  " + std::to_string(record.replaced_atoms) + " replaced";
  text += "  " + duration(record.seconds);
  if (const auto left = expected_seconds_left(last_, options_)) text += ", ~" + duration(*left) + " left";
  return text;
}

void Progress::record(const IterationRecord& record) {
  if (style_ == ProgressStyle::kNone) return;
  const std::lock_guard lock(mutex_);
  if (last_.size() == kRemembered) last_.erase(last_.begin());
  last_.push_back(record);
  if (style_ == ProgressStyle::kSeldom && !is_silent_for(kSeconds)) return;
  last_said_ = Clock::now();
  if (style_ == ProgressStyle::kLive)
    rewrite(line(record), record.relative_change >= 0 && record.relative_change < options_.rtol);
  else
    std::fprintf(stderr, "%s\n", line(record).c_str());
}

void Progress::rewrite(std::string text, bool green) {
  // A line that wraps could not be rewritten.
  text = text.substr(0, terminal_columns() - 1);
  if (color_ && green) text = kGreen + text + kPlain;
  std::fprintf(stderr, "\r%s%s", text.c_str(), kEraseToEnd);
  std::fflush(stderr);
  line_open_ = true;
}

void Progress::message(const std::string& text) {
  if (style_ != ProgressStyle::kSeldom) note(text);
}

void Progress::note(const std::string& text) {
  if (style_ == ProgressStyle::kNone) return;
  const std::lock_guard lock(mutex_);
  if (line_open_) std::fprintf(stderr, "\r%s", kEraseToEnd);
  line_open_ = false;
  last_said_ = Clock::now();
  say(one_line(text) + "\n");
}

void Progress::finish() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    if (line_open_) std::fprintf(stderr, "\n");
    line_open_ = false;
  }
  ended_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

}  // namespace dualdict::cli
