// SPDX-License-Identifier: BSD-3-Clause
#include "data_flags.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "dualdict/error.h"
#include "row_range.h"
#include "signals.h"
#include "table_flags.h"

namespace dualdict::cli {
namespace {

constexpr std::size_t kLargestSide = 4096;

bool parse_side(std::string_view text, std::size_t& side) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  return error == std::errc() && end == text.data() + text.size() && side >= 1 && side <= kLargestSide;
}

void set_samples(DataFlags& flags, const std::string& text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), flags.samples);
  if (error != std::errc() || end != text.data() + text.size() || flags.samples < 1 || flags.samples > 10000000000)
    throw Error(ErrorKind::kUsage, "--samples: " + text + " is not allowed: a whole number >= 1 and <= 10000000000");
  flags.samples_given = true;
}

// A source is read at any place, a pipe only once: keep its bytes in a file without a name.
std::FILE* copy_of_standard_input() {
  std::FILE* copy = std::tmpfile();
  if (copy == nullptr)
    throw Error(ErrorKind::kWrite, std::string("standard input: no temporary file for it: ") + std::strerror(errno));
  std::vector<char> buffer(std::size_t{1} << 16);
  std::size_t n = 0;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), stdin)) > 0) {
    throw_if_interrupted();
    if (std::fwrite(buffer.data(), 1, n, copy) != n) break;
  }
  const bool failed = std::ferror(stdin) != 0 || std::ferror(copy) != 0 || std::fflush(copy) != 0;
  if (!failed) return copy;
  const ErrorKind kind = std::ferror(stdin) != 0 ? ErrorKind::kInput : ErrorKind::kWrite;
  const std::string why = std::strerror(errno);
  std::fclose(copy);
  throw Error(kind, "standard input: cannot be copied: " + why);
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

void add_data_flags(CLI::App& app, DataFlags& flags) {
  app.add_option("--patches", flags.patches,
                 "the input is images or folders of images (PNG, JPEG, PGM); the samples are patches of this size, in "
                 "the image's colours")
      ->type_name("HEIGHTxWIDTH")
      ->group("Samples");
  add_count(app, "--stride", flags.stride,
            "all patches instead of random ones, so many pixels apart, row by row; 1 for every one", 1, kLargestSide)
      ->group("Samples");
  app.add_flag("--grey", flags.grey, "images are read as grey ones")->group("Samples");
  app.add_option_function<std::string>(
         "--samples", [&flags](const std::string& text) { set_samples(flags, text); },
         "number of patches to draw; default 100000")
      ->type_name("n")
      ->group("Samples");
}

PatchOptions parse_patches(const DataFlags& flags, std::size_t seed) {
  PatchOptions patches;
  const auto cross = flags.patches.find('x');
  const std::string_view text(flags.patches);
  if (cross == std::string::npos || !parse_side(text.substr(0, cross), patches.height) ||
      !parse_side(text.substr(cross + 1), patches.width))
    throw Error(ErrorKind::kUsage, "--patches: " + flags.patches +
                                       " is not allowed: HEIGHTxWIDTH in pixels, each from 1 to " +
                                       std::to_string(kLargestSide) + ", as 12x12");
  if (flags.stride > 0 && flags.samples_given)
    throw Error(ErrorKind::kUsage, "--stride and --samples exclude each other: all patches, or so many random ones");
  patches.n_samples = flags.samples;
  patches.stride = flags.stride;
  if (flags.grey) patches.color = ImageColor::kGrey;
  patches.seed = seed;
  return patches;
}

DataOptions data_options(const DataFlags& flags, std::size_t seed, std::size_t n_features) {
  DataOptions options;
  const auto needs_patches = [](const std::string& flag) {
    throw Error(ErrorKind::kUsage, flag + " is not allowed: it needs --patches, which says how to cut samples");
  };
  if (flags.patches.empty()) {
    if (flags.samples_given) needs_patches("--samples: " + std::to_string(flags.samples));
    if (flags.stride > 0) needs_patches("--stride: " + std::to_string(flags.stride));
    if (flags.grey) needs_patches("--grey");
    return options;
  }
  PatchOptions patches = parse_patches(flags, seed);
  if (!flags.grey && n_features == patches.height * patches.width) patches.color = ImageColor::kGrey;
  if (!flags.grey && n_features == 3 * patches.height * patches.width) patches.color = ImageColor::kRgb;
  options.patches = patches;
  return options;
}

Input::Input(const std::vector<std::string>& paths, const DataOptions& options) {
  const auto n_standard = std::count(paths.begin(), paths.end(), "-");
  if (n_standard == 0) {
    source_ = open_data(paths, options);
    return;
  }
  if (n_standard > 1) throw Error(ErrorKind::kUsage, "-: is not allowed twice: standard input can be read once");
  if (options.patches) throw Error(ErrorKind::kUsage, "-: is not allowed with --patches: name files or folders");
  copy_.reset(copy_of_standard_input());
  const std::string path = "/dev/fd/" + std::to_string(fileno(copy_.get()));
  std::vector<std::string> opened = paths;
  std::replace(opened.begin(), opened.end(), std::string("-"), path);
  try {
    source_ = open_data(opened, options);
  } catch (const Error& error) {
    throw Error(error.kind(), replace_all(error.what(), path, "standard input"));
  }
  renamed_ = std::make_unique<RowRange>(*source_, 0, source_->n_samples(),
                                        replace_all(source_->name(), path, "standard input"));
}

}  // namespace dualdict::cli
