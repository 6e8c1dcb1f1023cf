// SPDX-License-Identifier: BSD-3-Clause
// The code step on one block of samples, from zero and from the codes of a slightly different dictionary.
#include "solvers/code_step.h"

#include <benchmark/benchmark.h>

#include "problems/planted.h"
#include "problems/random_matrix.h"

namespace dualdict {
namespace {

constexpr std::size_t kFeatures = 144;
constexpr std::size_t kAtoms = 200;
constexpr std::size_t kPlantedNonzeros = 20;

struct Case {
  CodeProblem<float> problem;
  CodeProblem<float> moved;  // D with 1 % noise, as one iteration later
  Matrix<float> samples;

  Case(double tau, double eta) {
    const Planted planted = make_planted(kBlockSamples, kFeatures, kAtoms, kPlantedNonzeros, 0.05, 1);
    samples = convert<float>(planted.samples);
    const Objective objective{.n_features = kFeatures, .n_atoms = kAtoms, .tau = tau, .eta = eta};
    problem.assign(objective, planted.dictionary, planted.dictionary);
    Matrix<double> noisy = planted.dictionary;
    const auto noise = random_unit_rows(kAtoms, kFeatures, 2);
    for (std::size_t i = 0; i < noisy.size(); ++i) noisy.data()[i] = 0.99 * noisy.data()[i] + 0.01 * noise.data()[i];
    moved.assign(objective, noisy, noisy);
  }
};

// Arguments: tau in thousandths, eta.
void code_step_speed(benchmark::State& state, bool warm) {
  const Case job(static_cast<double>(state.range(0)) / 1000, static_cast<double>(state.range(1)));
  const CodeOptions options{.tolerance = 1e-2, .max_sweeps = 2000};
  CodeWorkspace<float> work;
  Matrix<float> start(kBlockSamples, kAtoms);
  if (warm) code_step<float>(job.problem, std::as_const(job.samples).view(), options, work, start.view());
  Matrix<float> codes = start;
  CodeReport report;
  for (auto _ : state) {
    std::copy_n(start.data(), start.size(), codes.data());
    report = code_step<float>(warm ? job.moved : job.problem, job.samples.view(), options, work, codes.view());
  }
  state.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(kBlockSamples), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["nonzeros"] = static_cast<double>(report.nonzeros) / static_cast<double>(kBlockSamples);
}

BENCHMARK_CAPTURE(code_step_speed, cold, false)
    ->ArgsProduct({{1000, 100, 20}, {0, 1}})
    ->ArgNames({"tau/1000", "eta"})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(code_step_speed, warm, true)
    ->ArgsProduct({{1000, 100, 20}, {0, 1}})
    ->ArgNames({"tau/1000", "eta"})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dualdict
