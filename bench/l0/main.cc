// SPDX-License-Identifier: BSD-3-Clause
// Errors of hard and greedy codes at equal nonzeros, and the core seconds of learning them, on one thread:
//   bench_l0 DATA_FOLDER TASK [SEED [NONZEROS]]
// Errors are for exactly the wanted mean count on the test samples: the common threshold or price is moved until it is
// met, which uses no labels.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "linalg/vectors.h"
#include "model/fit/greedy_dictionary.h"
#include "model/fit/greedy_fit.h"
#include "model/fit/hard_fit.h"
#include "solvers/code_step.h"
#include "solvers/greedy_codes.h"
#include "solvers/hard_codes.h"
#include "tasks.h"

namespace dualdict::bench {
namespace {

double core_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

double error_of(const Task& task, double squared_error) {
  double squared = 0;
  std::vector<double> mean(task.test.cols());
  if (task.centred_error)
    for (std::size_t i = 0; i < task.learn.rows(); ++i)
      for (std::size_t f = 0; f < mean.size(); ++f)
        mean[f] += static_cast<double>(task.learn(i, f)) / static_cast<double>(task.learn.rows());
  for (std::size_t i = 0; i < task.test.rows(); ++i)
    for (std::size_t f = 0; f < mean.size(); ++f)
      squared += std::pow(static_cast<double>(task.test(i, f)) - mean[f], 2);
  return task.centred_error ? squared_error / squared : std::sqrt(squared_error / squared);
}

double hard_error(const Task& task, const HardEncoder& encoder, double nonzeros) {
  HardProblem<float> problem;
  problem.assign(encoder.weights.view(), encoder.bias, 0, encoder.positive);
  Matrix<float> codes(task.test.rows(), encoder.weights.rows());
  hard_codes<float>(problem, task.test, codes.view());
  problem.threshold = threshold_for_nonzeros(codes, nonzeros, encoder.positive);
  hard_codes<float>(problem, task.test, codes.view());
  const Matrix<float> decoded = multiply<float>(codes.view(), convert<float>(encoder.decoder).view());
  double squared = 0;
  for (std::size_t i = 0; i < decoded.rows(); ++i)
    for (std::size_t f = 0; f < decoded.cols(); ++f)
      squared += std::pow(static_cast<double>(task.test(i, f) - decoded(i, f)) - encoder.offset[f], 2);
  return error_of(task, squared);
}

struct Greedy {
  double error = 0;
  double microseconds = 0;  // a sample
};

Greedy greedy_error(const Task& task, const GreedyProblem<float>& problem, double nonzeros) {
  GreedyWorkspace<float> work;
  Matrix<float> codes(task.test.rows(), problem.n_atoms);
  const auto coded = [&](double price, bool measure) {
    GreedyCodeReport sum;
    for (std::size_t first = 0; first < codes.rows(); first += kBlockSamples) {
      const std::size_t n = std::min(kBlockSamples, codes.rows() - first);
      sum.add(greedy_codes<float>(problem, task.test.view().row_range(first, n), {.price = price, .measure = measure},
                                  work, codes.view().row_range(first, n)));
    }
    return sum;
  };
  double low = 1e-9, high = 1e9;
  for (int step = 0; step < 60; ++step) {
    const double middle = std::sqrt(low * high);
    const bool many = static_cast<double>(coded(middle, false).nonzeros) > nonzeros * static_cast<double>(codes.rows());
    (many ? low : high) = middle;
  }
  Greedy result;
  result.error = error_of(task, coded(high, true).squared_error);
  constexpr int kTimes = 3;
  const double start = core_seconds();
  for (int time = 0; time < kTimes; ++time) coded(high, false);
  result.microseconds = 1e6 * (core_seconds() - start) / (kTimes * static_cast<double>(codes.rows()));
  return result;
}

void run_count(const Task& task, double nonzeros, std::uint64_t seed) {
  ThreadPool one(1);
  HardFitOptions options;
  options.n_atoms = task.n_atoms;
  options.nonzeros = nonzeros;
  options.seed = seed;
  HardFitReport report;
  std::printf("%-10s %4.0f pca %.4f\n", task.name.c_str(), nonzeros,
              hard_error(task, fit_principal<float>(task.learn, options, one), nonzeros));
  double start = core_seconds();
  const HardEncoder encoder = fit_hard<float>(task.learn, {}, options, one, report);
  const double hard_seconds = core_seconds() - start;
  std::printf("%-10s %4.0f hard %.4f (%.2f s; %s, %zu steps; held out: pca %.4f start %.4f end %.4f)\n",
              task.name.c_str(), nonzeros, hard_error(task, encoder, nonzeros), hard_seconds, report.start.c_str(),
              report.n_steps, std::sqrt(report.principal_error), std::sqrt(report.start_error),
              std::sqrt(report.error));
  std::fflush(stdout);
  start = core_seconds();
  const Matrix<double> dictionary = fit_greedy<float>(task.learn, encoder, nonzeros, seed, one);
  const double greedy_seconds = core_seconds() - start;
  GreedyProblem<float> problem;
  problem.assign(dictionary, encoder.offset, false);
  const Greedy greedy = greedy_error(task, problem, nonzeros);
  std::printf("%-10s %4.0f greedy %.4f (%.2f s more; %.2f us a sample)\n", task.name.c_str(), nonzeros, greedy.error,
              greedy_seconds, greedy.microseconds);
  std::fflush(stdout);
}

}  // namespace
}  // namespace dualdict::bench

int main(int argc, char** argv) {
  using namespace dualdict::bench;
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_l0 DATA_FOLDER TASK [SEED [NONZEROS]]\n");
    return 2;
  }
  try {
    const Task task = make_task(argv[1], argv[2]);
    const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
    if (argc > 4) {
      run_count(task, std::strtod(argv[4], nullptr), seed);
      return 0;
    }
    for (const double nonzeros : task.nonzeros) run_count(task, nonzeros, seed);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
