// SPDX-License-Identifier: BSD-3-Clause
// dualdict encode
#include "dualdict/encode.h"

#include <memory>

#include "command.h"
#include "data_flags.h"
#include "dualdict/error.h"
#include "dualdict/options.h"
#include "dualdict/pipeline.h"
#include "output.h"
#include "signals.h"
#include "stream_flags.h"
#include "table_flags.h"

namespace dualdict::cli {
namespace {

constexpr const char* kEncodeExamples =
    "Examples:\n"
    "  dualdict encode digits.safetensors digits.npy -o codes.npy\n"
    "  dualdict encode digits.safetensors digits.npy -o codes.npz --mode exact --nonzeros 10 --sparse\n"
    "  dualdict encode patches.safetensors photo.png -o map.npy --patches 8x8 --stride 1\n"
    "  cat digits.npy | dualdict encode digits.safetensors - -o - --mode linear > codes.npy\n"
    "  producer | dualdict encode digits.safetensors - -o - --raw float32 | consumer\n";

struct EncodeArguments {
  std::string model;
  std::string input;
  std::string output;
  std::string mode;
  LearnOptions table;  // only the fields that have a flag here
  bool eta_given = false;
  DataFlags data;
  StreamFlags stream;
  std::optional<bool> debias;
  double max_error = 0;
  bool sparse = false;
  bool half = false;
};

EncodeOptions encode_options(const EncodeArguments& arguments) {
  EncodeOptions options;
  options.mode = arguments.mode;
  options.tau = arguments.table.tau;
  options.nonzeros = arguments.table.nonzeros;
  if (arguments.eta_given) options.eta = arguments.table.eta;
  options.debias = arguments.debias;
  if (arguments.max_error > 0) options.max_error = arguments.max_error;
  options.n_threads = arguments.table.n_threads;
  if (options.tau && options.nonzeros)
    throw Error(ErrorKind::kUsage, "--tau and --nonzeros exclude each other: give one of them");
  if (arguments.sparse && arguments.output == "-")
    throw Error(ErrorKind::kUsage,
                "--sparse: is not allowed with -o -: a compressed file is written as a whole; name one");
  return options;
}

MatrixFormat matrix_format(const EncodeArguments& arguments) {
  if (arguments.sparse) return arguments.half ? MatrixFormat::kCsrHalf : MatrixFormat::kCsr;
  return arguments.half ? MatrixFormat::kNpyHalf : MatrixFormat::kNpy;
}

// Codes of samples as they come, as records without a header: nobody knows how many there will be.
template <class T>
void encode_stream(const Encoder& encoder, SampleStream& stream) {
  const RowsSink<T> write = [](MatrixView<const T> codes, std::size_t) {
    write_stdout(std::string(reinterpret_cast<const char*>(codes.data), codes.size() * sizeof(T)));
  };
  encode(encoder, stream, write, &interrupt_flag());
}

int run_encode_stream(const EncodeArguments& arguments, const EncodeOptions& options) {
  if (arguments.output != "-" || arguments.sparse)
    throw Error(ErrorKind::kUsage, "-o: " + arguments.output +
                                       " is not allowed with --stream or --raw: the codes of a stream go to "
                                       "standard output as records without a header; give -o - (and > FILE)");
  if (arguments.half)
    throw Error(ErrorKind::kUsage,
                "--half: is not allowed with --stream or --raw, whose records are in the model's precision");
  catch_signals();
  const Model model = Model::load(arguments.model);
  const auto stream = open_input_stream({arguments.input}, arguments.stream, arguments.data, arguments.table.seed,
                                        model.n_features(), arguments.model);
  const Encoder encoder(model, options);
  if (model.dtype() == DType::kFloat32)
    encode_stream<float>(encoder, *stream);
  else
    encode_stream<double>(encoder, *stream);
  return interrupt_exit_code();
}

int run_encode(const EncodeArguments& arguments) {
  const EncodeOptions options = encode_options(arguments);
  if (arguments.stream.is_on()) return run_encode_stream(arguments, options);
  require_writable(arguments.output);
  require_no_input("-o", arguments.output, {arguments.model, arguments.input});
  if (arguments.sparse)
    require_ending("-o", arguments.output, "npz", "name it .npz, or leave --sparse out");
  else
    require_ending("-o", arguments.output, "npy", "name it .npy, or give --sparse for npz");
  const OutputLock lock(arguments.output);
  catch_signals();
  const Model model = Model::load(arguments.model);
  const Input input({arguments.input}, data_options(arguments.data, arguments.table.seed, model.n_features()));
  if (input->n_features() != model.n_features())
    throw Error(ErrorKind::kInput, input->name() + ": samples of " + std::to_string(input->n_features()) +
                                       " features are not allowed: " + arguments.model +
                                       " was learned from samples of " + std::to_string(model.n_features()));
  const Encoder encoder(model, options, &*input);
  MatrixWriter writer(arguments.output, matrix_format(arguments), model.dtype(), input->n_samples(), model.n_atoms());
  if (!encode(encoder, *input, writer, &interrupt_flag())) throw_if_interrupted();
  return 0;
}

}  // namespace

Command add_encode(CLI::App& root) {
  CLI::App* app = root.add_subcommand("encode", "Turn samples into codes");
  const auto arguments = std::make_shared<EncodeArguments>();
  app->footer(kEncodeExamples);
  app->add_option("MODEL", arguments->model, "a model file")->required()->type_name("");
  app->add_option("INPUT", arguments->input, "samples: a matrix file, - for standard input, or images with --patches")
      ->required()
      ->type_name("");
  app->add_option("-o,--output", arguments->output, "codes to write, one row per sample; - for standard output")
      ->required()
      ->type_name("FILE");
  add_mode_option(*app, arguments->mode, "how to encode");
  const auto flag = [&](const char* name, const char* help) {
    return add_table_flag(*app, arguments->table, *find_learn_option(name), help)->group("Options");
  };
  flag("tau", "weight of sparsity; default the model's");
  flag("nonzeros", "instead of --tau: nonzeros per code on average");
  add_number(*app, "--max-error", arguments->max_error,
             "the sparsest code with |x - D u| no larger, after preprocessing: mode omp:k, k at most; default d",
             1e-300, 1e300);
  CLI::Option* eta = flag("eta", "weight of coding, in modes that take it; default the model's");
  add_debias_flag(*app, arguments->debias);
  app->add_flag("--sparse", arguments->sparse, "write compressed rows (npz) that scipy.sparse.load_npz reads");
  app->add_flag("--half", arguments->half, "write numbers in half precision (float16)");
  flag("threads", "number of threads; 0 for all");
  add_data_flags(*app, arguments->data);
  add_stream_flags(*app, arguments->stream,
                   "encode samples as they come; codes go out as records without a header, in the model's precision");
  flag("seed", "of the patches; default 0")->group("Samples");
  return {app, [arguments, eta] {
            arguments->eta_given = eta->count() > 0;
            return run_encode(*arguments);
          }};
}

}  // namespace dualdict::cli
