// SPDX-License-Identifier: BSD-3-Clause
// The encoder's modes on many samples, and the time that one sample takes.
#include <benchmark/benchmark.h>

#include "dualdict/encode.h"
#include "dualdict/learn.h"
#include "problems/planted.h"

namespace dualdict {
namespace {

constexpr std::size_t kFeatures = 144;
constexpr std::size_t kAtoms = 200;

const Matrix<float>& samples() {
  static const Matrix<float> all = convert<float>(make_planted(20000, kFeatures, kAtoms, 10, 0.05, 1).samples);
  return all;
}

// Learned briefly: what is timed depends on the shapes and, for `exact`, on the sparsity, not on how good D is.
const Model& model() {
  static const Model learned = [] {
    LearnOptions options;
    options.n_atoms = kAtoms;
    options.nonzeros = 20;
    options.max_iterations = 3;
    const auto source = make_source(samples().view().row_range(0, 4000));
    return learn(*source, options).model;
  }();
  return learned;
}

void encode(benchmark::State& state, const char* mode, std::size_t n) {
  EncodeOptions options;
  options.mode = mode;
  options.n_threads = 1;
  const Encoder encoder(model(), options);
  Matrix<float> codes(n, kAtoms);
  for (auto _ : state) {
    encoder.encode(samples().view().row_range(0, n), codes.view());
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(encode, linear, "linear", 20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, sparse, "sparse", 20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, corrected, "corrected", 20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, exact, "exact", 2000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, linear_single_sample, "linear", 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(encode, sparse_single_sample, "sparse", 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(encode, corrected_single_sample, "corrected", 1)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dualdict
