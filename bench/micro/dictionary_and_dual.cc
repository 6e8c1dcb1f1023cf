// SPDX-License-Identifier: BSD-3-Clause
// The D and C steps, whose cost does not depend on the number of samples.
#include <benchmark/benchmark.h>

#include "linalg/product.h"
#include "linalg/vectors.h"
#include "problems/planted.h"
#include "solvers/dictionary_step.h"
#include "solvers/dual_step.h"

namespace dualdict {
namespace {

struct Case {
  Planted planted;
  Objective objective;
  Moments moments;

  Case(std::size_t d, std::size_t n_atoms)
      : planted(make_planted(4000, d, n_atoms, 10, 0.05, 1)),
        objective{.n_features = d, .n_atoms = n_atoms, .tau = 0.1, .eta = 1} {
    const Matrix<double>&samples = planted.samples, &codes = planted.codes;
    moments.uu = transposed_multiply<double>(codes.view(), codes.view());
    moments.ux = transposed_multiply<double>(codes.view(), samples.view());
    moments.xx = transposed_multiply<double>(samples.view(), samples.view());
    moments.squared_samples = squared_norm(samples);
    moments.sum_abs_codes = sum_abs(codes.data(), codes.size());
  }
};

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({144, 200})
      ->Args({784, 200})
      ->Args({144, 800})
      ->Args({512, 4096})
      ->ArgNames({"d", "K"})
      ->Unit(benchmark::kMillisecond);
}

void dictionary_step(benchmark::State& state) {
  const Case job(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    Matrix<double> dictionary = job.planted.dictionary;
    dictionary_step_fast(job.objective, job.moments, {.gap_tolerance = 0, .max_passes = 5}, dictionary);
    benchmark::DoNotOptimize(dictionary.data());
  }
}
BENCHMARK(dictionary_step)->Apply(sizes);

void dual_step(benchmark::State& state) {
  const Case job(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const DualSolver solver(job.moments.xx, 1e-6);
  for (auto _ : state) {
    Matrix<double> dual = job.planted.dictionary;
    solver.step(job.objective, job.moments, dual);
    benchmark::DoNotOptimize(dual.data());
  }
}
BENCHMARK(dual_step)->Apply(sizes);

}  // namespace
}  // namespace dualdict
