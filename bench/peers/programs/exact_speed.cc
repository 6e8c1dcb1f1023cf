// SPDX-License-Identifier: BSD-3-Clause
// How long coding takes from nothing but samples and a dictionary, the Gram matrix included.
// Usage: bench_exact_speed SAMPLES DICTIONARY TAU GAP THREADS CODES [MODE]
#include <ctime>

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
  std::string mode;
};

void print_time(const Job& job) {
  const Matrix<float> samples = read_matrix(job.samples);
  const Model model = lasso_model(job.dictionary, job.tau);
  EncodeOptions options;
  options.mode = job.mode;
  options.gap = job.gap;
  options.n_threads = job.n_threads;
  Matrix<float> codes(samples.rows(), model.n_atoms());
  const std::clock_t before = std::clock();
  const double seconds = seconds_of([&] { Encoder(model, options).encode(samples, codes); });
  const double core_seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  MatrixWriter writer(job.codes, MatrixFormat::kNpy, DType::kFloat32, codes.rows(), codes.cols());
  writer.append(std::as_const(codes).view());
  writer.finish();
  std::printf("{\"seconds\": %.9g, \"core_seconds\": %.9g}\n", seconds, core_seconds);
}

}  // namespace
}  // namespace dualdict::bench

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8) {
    std::fprintf(stderr, "usage: bench_exact_speed SAMPLES DICTIONARY TAU GAP THREADS CODES [MODE]\n");
    return 2;
  }
  return dualdict::bench::run_program([&] {
    dualdict::bench::print_time({argv[1], argv[2], std::stod(argv[3]), std::stod(argv[4]), std::stoul(argv[5]), argv[6],
                                 argc == 8 ? argv[7] : "exact"});
  });
}
