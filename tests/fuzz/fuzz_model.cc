// SPDX-License-Identifier: BSD-3-Clause
// fuzz_model CORPUS FIRST COUNT: changes the models of CORPUS/model/ as model_mutations.h says, with the numbers FIRST,
// FIRST + 1, ... as seeds, and does with each what info, encode, decode, score, verify, mosaic and report do. A finding
// is a crash, an exception that is no Error, more than a second of the processor, or more memory than 64 MiB and twice
// the file; it is named by its number. Prints "P1 CASES 0".
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "dualdict/mosaic.h"
#include "dualdict/report.h"
#include "dualdict/verify.h"
#include "fuzz/model_mutations.h"
#include "model/file/model_file.h"

namespace dualdict {
namespace {

volatile unsigned long long current = 0;

extern "C" void name_the_case(int number) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, "case %llu: signal %d\n", current, number);
  static_cast<void>(!write(STDERR_FILENO, text, static_cast<std::size_t>(size)));
  _exit(1);
}

Matrix<double> some_samples(std::size_t n_features, Random& random) {
  Matrix<double> samples(5, n_features);
  for (std::size_t i = 0; i < samples.size(); ++i) samples.data()[i] = random.normal();
  std::fill_n(samples.row(3), n_features, 0.0);
  return samples;
}

template <class T>
void code_with(const Encoder& encoder, const Matrix<T>& samples) {
  Matrix<T> codes(samples.rows(), encoder.n_atoms());
  Matrix<T> again(samples.rows(), samples.cols());
  std::vector<double> errors(samples.rows());
  encoder.encode(samples.view(), codes.view());
  encoder.decode(codes.view(), again.view());
  encoder.score(samples.view(), errors);
}

// Every step may refuse the model, each by itself.
template <class Step>
void attempt(const Step& step) {
  try {
    step();
  } catch (const Error& error) {
    if (error.what()[0] == '\0') std::abort();
  }
}

void use(const Model& model, Random& random) {
  static_cast<void>(describe_json(model));
  if (model.n_features() > 100000) return;
  const Matrix<double> samples = some_samples(model.n_features(), random);
  const auto source = make_source(samples.view());
  for (const ModeInfo& info : mode_table())
    attempt([&] {
      EncodeOptions options;
      options.mode = std::string(info.name) + (info.number.empty() ? "" : ":2");
      options.debias = random.index(4) == 0;
      options.n_threads = 1;
      const Encoder encoder(model, options);
      if (random.index(2) == 0)
        code_with(encoder, samples);
      else
        code_with(encoder, convert<float>(samples));
    });
  attempt([&] { verify(model, *source, 1); });
  attempt([&] {
    MosaicOptions options;
    if (random.index(64) != 0) options.zoom = 1;  // or most of the time goes to pixels that are all drawn alike
    draw_mosaic(model, options);
  });
  if (!report_available() || random.index(16) != 0) return;  // most of its time goes to the page around the model
  attempt([&] {
    ReportOptions options;
    options.data = source.get();
    options.n_threads = 1;
    static_cast<void>(report_html(model, options));
  });
}

// A sanitizer keeps what was given back for a while: the peak then says nothing of a case.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsMeasured = false;
#else
constexpr bool kMemoryIsMeasured = true;
#endif

std::size_t peak_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

// What is wrong with the case; "" for nothing.
std::string run_case(const TensorFile& seed, unsigned long long number, std::size_t base, bool& is_model) {
  current = number;
  Random random(number, 7);
  TensorFile file = seed;
  mutate(file, random);
  StringSink sink;
  attempt([&] { write_safetensors(sink, file); });  // a name twice is refused before it is a file
  const MemoryBytes bytes("case", nullptr, std::as_bytes(std::span<const char>(sink.text)));
  const std::clock_t start = std::clock();  // of the processor: other work on the machine is no finding
  try {
    attempt([&] {
      const Model model = from_tensor_file(read_safetensors(bytes), "case");
      is_model = true;
      use(model, random);
    });
  } catch (const std::exception& error) {
    return std::string("exception: ") + error.what();
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (seconds > 1) return std::to_string(seconds) + " s";
  if (kMemoryIsMeasured && peak_bytes() > base + (std::size_t{64} << 20) + 2 * sink.text.size())
    return std::to_string((peak_bytes() - base) >> 20) + " MiB";
  return "";
}

std::vector<TensorFile> read_seeds(const std::filesystem::path& folder) {
  std::vector<TensorFile> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    seeds.push_back(read_safetensors(entry.path().string()));
  return seeds;
}

int run(const std::string& corpus, unsigned long long first, unsigned long long count) {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(number, name_the_case);
  const std::vector<TensorFile> seeds = read_seeds(std::filesystem::path(corpus) / "model");
  if (seeds.empty()) return 1;
  const std::size_t base = peak_bytes();
  std::size_t n_models = 0, n_findings = 0;
  for (unsigned long long i = first; i < first + count; ++i) {
    bool is_model = false;
    const std::string finding = run_case(seeds[i % seeds.size()], i, base, is_model);
    n_models += is_model ? 1 : 0;
    if (finding.empty()) continue;
    std::fprintf(stderr, "case %llu: %s\n", i, finding.c_str());
    ++n_findings;
  }
  std::fprintf(stderr, "%zu of %llu cases were models and were used\n", n_models, count);
  std::printf("P1 %llu %zu\n", count, n_findings);
  return n_findings == 0 && n_models > count / 20 ? 0 : 1;
}

}  // namespace
}  // namespace dualdict

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: fuzz_model CORPUS FIRST COUNT\n");
    return 2;
  }
  return dualdict::run(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
}
