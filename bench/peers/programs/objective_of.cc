// SPDX-License-Identifier: BSD-3-Clause
// The lasso objective of a dictionary, whoever made it, on all samples: mean of 1/2|x - Du|^2 + lambda|u|_1 at the
// exact codes, lambda = tau d/K. Usage: bench_objective_of SAMPLES DICTIONARY TAU THREADS
#include <algorithm>
#include <cmath>

#include "timing.h"

namespace dualdict::bench {
namespace {

constexpr std::size_t kBlockRows = 4096;
constexpr double kGap = 1e-5;

struct Sums {
  double objective = 0;
  double nonzeros = 0;
};

// In double, from the codes alone: it shares nothing with the solver that made them.
Sums measure(const Matrix<double>& dictionary, double lambda, MatrixView<const float> samples,
             MatrixView<const float> codes) {
  Sums sums;
  std::vector<double> residual(samples.cols);
  for (std::size_t i = 0; i < samples.rows; ++i) {
    std::copy_n(samples.row(i), samples.cols, residual.begin());
    for (std::size_t j = 0; j < codes.cols; ++j) {
      const auto code = static_cast<double>(codes(i, j));
      if (code == 0) continue;
      for (std::size_t f = 0; f < samples.cols; ++f) residual[f] -= code * dictionary(j, f);
      sums.objective += lambda * std::abs(code);
      sums.nonzeros += 1;
    }
    for (const double value : residual) sums.objective += 0.5 * value * value;
  }
  return sums;
}

void print_objective(const std::string& samples_path, const std::string& dictionary_path, double tau,
                     std::size_t n_threads) {
  const Model model = lasso_model(dictionary_path, tau);
  EncodeOptions options;
  options.mode = "exact";
  options.gap = kGap;
  options.n_threads = n_threads;
  const Encoder encoder(model, options);
  const auto source = open_data({samples_path});
  const double lambda = tau * static_cast<double>(model.n_features()) / static_cast<double>(model.n_atoms());
  const std::size_t block_rows = std::min(kBlockRows, source->n_samples());
  Matrix<float> samples(block_rows, model.n_features());
  Matrix<float> codes(block_rows, model.n_atoms());
  Sums total;
  for (std::size_t first = 0; first < source->n_samples(); first += block_rows) {
    const std::size_t n = std::min(block_rows, source->n_samples() - first);
    source->read(first, samples.view().row_range(0, n));
    encoder.encode(samples.view().row_range(0, n), codes.view().row_range(0, n));
    const Sums sums = measure(model.dictionary(), lambda, samples.view().row_range(0, n), codes.view().row_range(0, n));
    total.objective += sums.objective;
    total.nonzeros += sums.nonzeros;
  }
  const auto n_samples = static_cast<double>(source->n_samples());
  std::printf("{\"objective\": %.9g, \"nonzeros\": %.6g}\n", total.objective / n_samples, total.nonzeros / n_samples);
}

}  // namespace
}  // namespace dualdict::bench

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench_objective_of SAMPLES DICTIONARY TAU THREADS\n");
    return 2;
  }
  return dualdict::bench::run_program(
      [&] { dualdict::bench::print_objective(argv[1], argv[2], std::stod(argv[3]), std::stoul(argv[4])); });
}
