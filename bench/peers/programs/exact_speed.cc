// SPDX-License-Identifier: BSD-3-Clause
// How long exact coding takes from nothing but samples and a dictionary, the Gram matrix included.
// Usage: bench_exact_speed SAMPLES DICTIONARY TAU GAP THREADS CODES
#include "timing.h"

namespace dualdict::bench {
namespace {

struct Job {
  std::string samples;
  std::string dictionary;
  double tau = 0;
  double gap = 0;
  std::size_t n_threads = 1;
  std::string codes;
};

void print_time(const Job& job) {
  const Matrix<float> samples = read_matrix(job.samples);
  const Model model = lasso_model(job.dictionary, job.tau);
  EncodeOptions options;
  options.mode = "exact";
  options.gap = job.gap;
  options.n_threads = job.n_threads;
  Matrix<float> codes(samples.rows(), model.n_atoms());
  const double seconds = seconds_of([&] { Encoder(model, options).encode(samples, codes); });
  MatrixWriter writer(job.codes, MatrixFormat::kNpy, DType::kFloat32, codes.rows(), codes.cols());
  writer.append(std::as_const(codes).view());
  writer.finish();
  std::printf("{\"seconds\": %.9g}\n", seconds);
}

}  // namespace
}  // namespace dualdict::bench

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: bench_exact_speed SAMPLES DICTIONARY TAU GAP THREADS CODES\n");
    return 2;
  }
  return dualdict::bench::run_program([&] {
    dualdict::bench::print_time(
        {argv[1], argv[2], std::stod(argv[3]), std::stod(argv[4]), std::stoul(argv[5]), argv[6]});
  });
}
