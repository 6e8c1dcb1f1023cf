// SPDX-License-Identifier: BSD-3-Clause
#include "stream_flags.h"

#include "dualdict/error.h"
#include "signals.h"

namespace dualdict::cli {
void add_stream_flags(CLI::App& app, StreamFlags& flags, const std::string& help) {
  app.add_flag("--stream", flags.stream, help)->group("Samples");
  app.add_option("--raw", flags.raw,
                 "the input is a stream of records without a header: uint8, float32 or float64 numbers, so many a "
                 "sample")
      ->type_name("TYPE[:FEATURES]")
      ->group("Samples");
}

std::unique_ptr<SampleStream> open_input_stream(const std::vector<std::string>& paths, const StreamFlags& flags,
                                                const DataFlags& data, std::size_t seed, std::size_t n_features,
                                                const std::string& model) {
  StreamOptions options;
  options.patches = data_options(data, seed, n_features).patches;
  if (!flags.raw.empty()) options.raw = parse_raw(flags.raw, n_features);
  if (options.raw && options.patches)
    throw Error(ErrorKind::kUsage, "--raw and --patches exclude each other: images have headers");
  options.interrupt = &interrupt_flag();
  auto stream = open_stream(paths, options);
  throw_if_interrupted();
  if (n_features > 0 && stream->n_features() != n_features)
    throw Error(ErrorKind::kInput, stream->name() + ": samples of " + std::to_string(stream->n_features()) +
                                       " features are not allowed: " + model + " was learned from samples of " +
                                       std::to_string(n_features));
  return stream;
}

}  // namespace dualdict::cli
