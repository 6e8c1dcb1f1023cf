// SPDX-License-Identifier: BSD-3-Clause
// dualdict generate: images to learn from when there are none.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "command.h"
#include "dualdict/data.h"
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "dualdict/options.h"
#include "signals.h"
#include "table_flags.h"

namespace dualdict::cli {
namespace {

constexpr const char* kGenerateExamples =
    "Examples:\n"
    "  dualdict generate -o leaves\n"
    "  dualdict generate -o leaves --images 50 --size 512 --seed 7\n"
    "  dualdict learn leaves -o leaves.safetensors --atoms 200 --patches 12x12 --center-samples --scale 125\n";

struct GenerateArguments {
  std::string folder;
  std::size_t n_images = 20;
  std::size_t size = 256;
  LearnOptions table;  // only the seed
};

int run_generate(const GenerateArguments& arguments) {
  std::error_code error;
  std::filesystem::create_directories(arguments.folder, error);
  if (error) throw Error(ErrorKind::kWrite, arguments.folder + ": the folder cannot be made: " + error.message());
  catch_signals();
  const auto images = generate_dead_leaves(arguments.n_images, arguments.size, arguments.table.seed);
  for (std::size_t i = 0; i < images.size(); ++i) {
    throw_if_interrupted();
    char name[32];
    std::snprintf(name, sizeof name, "leaves-%05zu.png", i);
    write_grey_png((std::filesystem::path(arguments.folder) / name).string(), images[i]);
  }
  return 0;
}

}  // namespace

Command add_generate(CLI::App& root) {
  CLI::App* app =
      root.add_subcommand("generate", "Make images of overlapping discs whose patches are like natural ones");
  const auto arguments = std::make_shared<GenerateArguments>();
  app->footer(kGenerateExamples);
  app->add_option("-o,--output", arguments->folder, "folder for the PNG files; made when missing")
      ->required()
      ->type_name("FOLDER");
  add_count(*app, "--images", arguments->n_images, "number of images; default 20", 1, 99999);
  add_count(*app, "--size", arguments->size, "height and width in pixels; default 256", 1, 8192);
  add_table_flag(*app, arguments->table, *find_learn_option("seed"), "of the random discs; default 0")
      ->group("Options");
  return {app, [arguments] { return run_generate(*arguments); }};
}

}  // namespace dualdict::cli
