// SPDX-License-Identifier: BSD-3-Clause
// Errors of hard and greedy codes at equal nonzeros, and the core seconds of learning them, on one thread:
//   bench_l0 DATA_FOLDER TASK [SEED [NONZEROS [l1|l0]]]
// Errors are for exactly the wanted mean count on the test samples: the common threshold or price is moved until it is
// met, which uses no labels.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "dualdict/learn.h"
#include "linalg/vectors.h"
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

struct Learned {
  LearnResult result;
  double hard_seconds = 0;
  double greedy_seconds = 0;
};

// What learn() says tells where it stands.
Learned learn_timed(const Task& task, double nonzeros, std::uint64_t seed) {
  LearnOptions options;
  options.n_atoms = task.n_atoms;
  options.penalty = Penalty::kL0;
  options.nonzeros = nonzeros;
  options.seed = seed;
  options.n_threads = 1;
  double start = 0, passes = 0, end = 0;
  LearnContext context;
  context.hooks.on_message = [&](const std::string& message) {
    if (message.starts_with("learning hard codes")) start = core_seconds();
    if (message.starts_with("learning D for greedy codes")) passes = core_seconds();
    if (message.starts_with("setting the levels")) end = core_seconds();
  };
  LearnResult result = learn(*make_source(task.learn.view()), options, context);
  return {std::move(result), passes - start, end - passes};
}

void run_count(const Task& task, double nonzeros, std::uint64_t seed) {
  ThreadPool one(1);
  HardFitOptions options;
  options.n_atoms = task.n_atoms;
  options.nonzeros = nonzeros;
  options.seed = seed;
  std::printf("%-10s %4.0f pca %.4f\n", task.name.c_str(), nonzeros,
              hard_error(task, fit_principal<float>(task.learn, options, one), nonzeros));
  const Learned learned = learn_timed(task, nonzeros, seed);
  const ModelParts& parts = learned.result.model.parts();
  HardEncoder encoder;
  encoder.weights = parts.dual;
  encoder.decoder = parts.find_encoder("hard")->decoder;
  encoder.bias = parts.find_encoder("hard")->bias;
  encoder.offset = parts.offset;
  for (std::size_t k = 0; k < encoder.bias.size(); ++k)
    encoder.bias[k] -= dot(encoder.weights.row(k), encoder.offset.data(), encoder.offset.size());
  std::printf("%-10s %4.0f hard %.4f (%.2f s, a dictionary to start from included)\n", task.name.c_str(), nonzeros,
              hard_error(task, encoder, nonzeros), learned.hard_seconds);
  GreedyProblem<float> problem;
  problem.assign(parts.dictionary, parts.offset, false);
  const Greedy greedy = greedy_error(task, problem, nonzeros);
  std::printf("%-10s %4.0f greedy %.4f (%.2f s more, %zu iterations; %.2f us a sample)\n", task.name.c_str(), nonzeros,
              greedy.error, learned.greedy_seconds, learned.result.summary.n_iterations, greedy.microseconds);
  std::fflush(stdout);
}

// The dictionary that the penalty l1 learns with as many nonzeros, coded greedily too.
void run_l1(const Task& task, double nonzeros, std::uint64_t seed) {
  LearnOptions options;
  options.n_atoms = task.n_atoms;
  options.penalty = Penalty::kL1;
  options.nonzeros = nonzeros;
  options.seed = seed;
  options.n_threads = 1;
  PreprocessOptions centred;
  centred.center_features = true;
  LearnContext context;
  context.preprocess = centred;
  const double start = core_seconds();
  const Model model = learn(*make_source(task.learn.view()), options, context).model;
  const double seconds = core_seconds() - start;
  GreedyProblem<float> problem;
  problem.assign(model.dictionary(), model.parts().transform.feature_means(), false);
  const Greedy greedy = greedy_error(task, problem, nonzeros);
  std::printf("%-10s %4.0f l1 greedy %.4f (%.2f s, modes and their table included; %.2f us a sample)\n",
              task.name.c_str(), nonzeros, greedy.error, seconds, greedy.microseconds);
  std::fflush(stdout);
}

}  // namespace
}  // namespace dualdict::bench

int main(int argc, char** argv) {
  using namespace dualdict::bench;
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_l0 DATA_FOLDER TASK [SEED [NONZEROS [l1|l0]]]\n");
    return 2;
  }
  try {
    const Task task = make_task(argv[1], argv[2]);
    const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
    const std::string only = argc > 5 ? argv[5] : "";
    for (const double nonzeros : argc > 4 ? std::vector<double>{std::strtod(argv[4], nullptr)} : task.nonzeros) {
      if (only != "l1") run_count(task, nonzeros, seed);
      if (only != "l0") run_l1(task, nonzeros, seed);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
