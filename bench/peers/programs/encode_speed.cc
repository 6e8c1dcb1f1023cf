// SPDX-License-Identifier: BSD-3-Clause
// The encoder's modes beside the bare product of the system's BLAS, turn by turn, and one sample at a time.
// Usage: bench_encode_speed MODEL SAMPLES REPEATS THREADS
#include <map>
#include <vector>

#include "timing.h"

#ifdef DUALDICT_HAS_CBLAS
#include <cblas.h>
#endif

namespace dualdict::bench {
namespace {

constexpr std::size_t kSingleCalls = 2000;

using Times = std::map<std::string, std::vector<double>>;

Encoder make_encoder(const Model& model, const std::string& mode, std::size_t n_threads) {
  EncodeOptions options;
  options.mode = mode;
  options.n_threads = n_threads;
  return Encoder(model, options);
}

#ifdef DUALDICT_HAS_CBLAS
void blas_product(const Matrix<float>& samples, const Matrix<float>& dual, Matrix<float>& codes) {
  const auto n = static_cast<int>(samples.rows());
  const auto k = static_cast<int>(dual.rows());
  const auto d = static_cast<int>(samples.cols());
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, k, d, 1.0F, samples.data(), d, dual.data(), d, 0.0F,
              codes.data(), k);
}
#endif

// Seconds per sample of a call with one sample, the samples taken in turn.
double single_sample(const Encoder& encoder, const Matrix<float>& samples, Matrix<float>& codes) {
  const double seconds = seconds_of([&] {
    for (std::size_t call = 0; call < kSingleCalls; ++call) {
      const std::size_t i = call % samples.rows();
      encoder.encode(samples.view().row_range(i, 1), codes.view().row_range(i, 1));
    }
  });
  return seconds / static_cast<double>(kSingleCalls);
}

Times measure(const Model& model, const Matrix<float>& samples, std::size_t n_repeats, std::size_t n_threads) {
  const std::vector<std::string> modes = {"linear", "sparse", "corrected"};
  std::vector<Encoder> encoders;
  for (const auto& mode : modes) encoders.push_back(make_encoder(model, mode, n_threads));
  const Encoder single = make_encoder(model, "linear", 1);
  const Encoder single_sparse = make_encoder(model, "sparse", 1);
  [[maybe_unused]] const Matrix<float> dual = convert<float>(model.dual());
  Matrix<float> codes(samples.rows(), model.n_atoms());
  Times times;
  // The first turn touches every page and is not counted.
  for (std::size_t repeat = 0; repeat <= n_repeats; ++repeat) {
    Times turn;
    for (std::size_t i = 0; i < modes.size(); ++i)
      turn[modes[i]].push_back(seconds_of([&] { encoders[i].encode(samples, codes); }));
#ifdef DUALDICT_HAS_CBLAS
    turn["blas"].push_back(seconds_of([&] { blas_product(samples, dual, codes); }));
#endif
    turn["single_linear"].push_back(single_sample(single, samples, codes));
    turn["single_sparse"].push_back(single_sample(single_sparse, samples, codes));
    if (repeat == 0) continue;
    for (const auto& [name, seconds] : turn) times[name].push_back(seconds.front());
  }
  return times;
}

void print(const Times& times) {
  const char* separator = "{";
  for (const auto& [name, seconds] : times) {
    std::printf("%s\"%s\": [", separator, name.c_str());
    for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.9g", i == 0 ? "" : ", ", seconds[i]);
    std::printf("]");
    separator = ", ";
  }
  std::printf("}\n");
}

}  // namespace
}  // namespace dualdict::bench

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench_encode_speed MODEL SAMPLES REPEATS THREADS\n");
    return 2;
  }
  return dualdict::bench::run_program([&] {
    const dualdict::Model model = dualdict::Model::load(argv[1]);
    const auto samples = dualdict::bench::read_matrix(argv[2]);
    dualdict::bench::print(dualdict::bench::measure(model, samples, std::stoul(argv[3]), std::stoul(argv[4])));
  });
}
