// SPDX-License-Identifier: BSD-3-Clause
// dualdict denoise
#include "dualdict/denoise.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "command.h"
#include "data_flags.h"
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "dualdict/options.h"
#include "image_files.h"
#include "output.h"
#include "printable.h"
#include "progress.h"
#include "signals.h"
#include "table_flags.h"
#include "text.h"

namespace dualdict::cli {
namespace {

constexpr const char* kDenoiseExamples =
    "Examples:\n"
    "  dualdict denoise night.jpg -o clean.png\n"
    "  dualdict denoise photos/ -o clean/ --sigma 12 --fast\n"
    "  dualdict denoise scan.npy -o clean.npy --model patches.safetensors\n";

struct DenoiseArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::string sigma = "auto";
  std::string model;
  DataFlags data;
  bool fast = false;
  bool quiet = false;
  LearnOptions table;  // only the fields that have a flag here
};

std::optional<double> parse_sigma(const std::string& text) {
  if (text == "auto") return {};
  double sigma = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sigma);
  if (error != std::errc() || end != text.data() + text.size() || !(sigma >= 0) || !std::isfinite(sigma))
    throw Error(ErrorKind::kUsage,
                "--sigma: " + text + " is not allowed: a number >= 0 on the scale 0 to 255, or auto");
  return sigma;
}

// The rewritten line that says how far it is.
class ShareLine {
 public:
  ShareLine(std::string name, bool shown) : name_(std::move(name)), shown_(shown) {}
  ~ShareLine() {
    if (last_ >= 0) std::fputs("\r\x1b[K", stderr);
  }
  ShareLine(const ShareLine&) = delete;
  ShareLine& operator=(const ShareLine&) = delete;
  void show(double share) {
    const int percent = static_cast<int>(100 * share);
    if (!shown_ || percent == last_) return;
    last_ = percent;
    std::fprintf(stderr, "\r%s: %d %%\x1b[K", name_.c_str(), percent);
  }

 private:
  std::string name_;
  bool shown_;
  int last_ = -1;
};

void denoise_file(const DenoiseArguments& arguments, const ImageFile& file, DenoiseOptions options) {
  const OutputLock lock(file.output);
  const auto start = std::chrono::steady_clock::now();
  const Image noisy = read_picture(file.input, arguments.data.grey ? ImageColor::kGrey : ImageColor::kAsStored);
  Denoised result;
  {
    const bool live = progress_style(arguments.quiet, false) == ProgressStyle::kLive;
    ShareLine line(one_line(file.input), live);
    options.on_progress = [&](double share) { line.show(share); };
    try {
      result = denoise(noisy, options);
    } catch (const Error& error) {
      throw_if_interrupted();
      throw Error(error.kind(), file.input + ": " + error.what());
    }
  }
  throw_if_interrupted();
  write_picture(file.output, result.image);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  if (!arguments.quiet)
    std::fprintf(stderr, "%s: sigma %s%s, %s\n", one_line(file.output).c_str(), short_number(result.sigma).c_str(),
                 options.sigma ? "" : " estimated", duration(passed.count()).c_str());
}

int run_denoise(const DenoiseArguments& arguments) {
  DenoiseOptions options;
  options.sigma = parse_sigma(arguments.sigma);
  options.fast = arguments.fast;
  options.stride = arguments.data.stride;
  options.seed = arguments.table.seed;
  options.n_threads = arguments.table.n_threads;
  options.interrupt = &interrupt_flag();
  if (!arguments.data.patches.empty()) {
    const PatchOptions patches = parse_patches(arguments.data, 0);
    options.height = patches.height;
    options.width = patches.width;
  }
  const std::vector<ImageFile> files = pair_files(arguments.inputs, arguments.output);
  catch_signals();
  std::unique_ptr<Model> model;
  if (!arguments.model.empty()) model = std::make_unique<Model>(Model::load(arguments.model));
  options.model = model.get();
  std::vector<std::string> skipped;
  for (const ImageFile& file : files) {
    try {
      denoise_file(arguments, file, options);
    } catch (const Error& error) {
      if (file.named || error.kind() != ErrorKind::kInput) throw;
      skipped.emplace_back(error.what());
    }
  }
  for (const std::string& why : skipped) std::fprintf(stderr, "skipped: %s\n", one_line(why).c_str());
  if (skipped.size() == files.size())
    throw Error(ErrorKind::kInput, arguments.inputs.front() + ": no image was usable");
  return 0;
}

}  // namespace

Command add_denoise(CLI::App& root) {
  CLI::App* app = root.add_subcommand("denoise", "Take the noise out of images");
  const auto arguments = std::make_shared<DenoiseArguments>();
  app->footer(kDenoiseExamples);
  app->add_option("INPUT", arguments->inputs, "images (PNG, JPEG, PGM, npy) or folders of images")
      ->required()
      ->type_name("");
  app->add_option("-o,--output", arguments->output,
                  "the image to write, PNG or npy; a folder for several, made when missing")
      ->required()
      ->type_name("FILE");
  app->add_option("--sigma", arguments->sigma,
                  "standard deviation of the noise, on the scale 0 to 255; default auto: estimated")
      ->type_name("x|auto");
  app->add_option("--model", arguments->model, "a model of patches; default: what the noisy image itself teaches")
      ->type_name("MODEL");
  app->add_option("--patches", arguments->data.patches, "size of the patches; default 8x8, of colour images 6x6")
      ->type_name("HEIGHTxWIDTH");
  add_count(*app, "--stride", arguments->data.stride, "pixels from one patch to the next; default 1, with --fast 2", 1,
            4096);
  app->add_flag("--grey", arguments->data.grey, "images are read as grey ones");
  app->add_flag("--fast", arguments->fast, "fewer patches, bases and passes: a tenth of the time, a little more noise");
  app->add_flag("-q,--quiet", arguments->quiet, "nothing on standard error but errors");
  add_table_flag(*app, arguments->table, *find_learn_option("seed"), "of the patches to learn from; default 0")
      ->group("Options");
  add_table_flag(*app, arguments->table, *find_learn_option("threads"), "number of threads; 0 for all")
      ->group("Options");
  return {app, [arguments] { return run_denoise(*arguments); }};
}

}  // namespace dualdict::cli
