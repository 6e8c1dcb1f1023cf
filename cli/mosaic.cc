// SPDX-License-Identifier: BSD-3-Clause
// dualdict mosaic
#include "dualdict/mosaic.h"

#include <memory>

#include "command.h"
#include "dualdict/files.h"
#include "output.h"
#include "table_flags.h"

namespace dualdict::cli {
namespace {

constexpr const char* kMosaicExamples =
    "Examples:\n"
    "  dualdict mosaic digits.safetensors -o atoms.png\n"
    "  dualdict mosaic digits.safetensors -o atoms.png --zoom 4 --columns 20\n";

}  // namespace

Command add_mosaic(CLI::App& root) {
  struct MosaicArguments {
    std::string model;
    std::string output;
    MosaicOptions options;
  };
  CLI::App* app = root.add_subcommand("mosaic", "Draw the atoms and the dual side by side, most used first, as a PNG");
  const auto arguments = std::make_shared<MosaicArguments>();
  app->footer(kMosaicExamples);
  app->add_option("MODEL", arguments->model, "a model file")->required()->type_name("");
  app->add_option("-o,--output", arguments->output, "the PNG file to write; - for standard output")
      ->required()
      ->type_name("FILE");
  add_count(*app, "--zoom", arguments->options.zoom, "pixels per value; default: a picture about 1000 pixels high", 1,
            64);
  add_count(*app, "--columns", arguments->options.columns, "tiles per row; default: nearly square", 1, 10000);
  return {app, [arguments] {
            require_ending("-o", arguments->output, "png");
            require_writable(arguments->output);
            require_no_input("-o", arguments->output, {arguments->model});
            const OutputLock lock(arguments->output);
            const Model model = Model::load(arguments->model);
            write_grey_png(arguments->output, draw_mosaic(model, arguments->options));
            return 0;
          }};
}

}  // namespace dualdict::cli
