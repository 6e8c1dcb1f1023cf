// SPDX-License-Identifier: BSD-3-Clause
// A dictionary of many atoms for greedy codes alone, and what samples are worth as atoms, untrained; on one thread:
//   bench_wide_dictionary LEARN.npy TEST.npy ATOMS NONZEROS PASSES
// PASSES over the samples to learn from; 0: the samples that D starts from. Prints a line of JSON. The price is that of
// exactly the wanted mean count on the test samples, which uses no labels.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "core/random.h"
#include "dualdict/data.h"
#include "model/fit/hard_rows.h"
#include "model/fit/wide_dictionary.h"
#include "solvers/code_step.h"
#include "solvers/greedy_coder.h"

namespace dualdict::bench {
namespace {

double core_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

Matrix<float> read(const char* path) {
  const auto source = open_data({path});
  Matrix<double> rows(source->n_samples(), source->n_features());
  source->read(0, rows.view());
  return convert<float>(rows);
}

Matrix<double> learned(const HardRows& rows, std::size_t n_atoms, double nonzeros, double passes) {
  constexpr std::size_t kCalmShare = 5;
  std::vector<std::size_t> drawn = Random(0).permutation(rows.n);
  drawn.resize(n_atoms);
  const Matrix<double> atoms = convert<double>(read_all(chosen_rows(rows, drawn), calling_thread()));
  if (!(passes > 0)) return atoms;
  WideDictionaryState state;
  WideDictionary dictionary(atoms, state, {.nonzeros = nonzeros}, calling_thread());
  RowOrder order = wide_order(rows.n, n_atoms, 0, 0);
  Matrix<float> x(wide_block(rows.n, n_atoms), rows.n_features);
  const auto n_blocks = static_cast<std::size_t>(passes * static_cast<double>(rows.n)) / x.rows();
  for (std::size_t block = 0; block < n_blocks; ++block) {
    read_block(rows, order, calling_thread(), drawn, x);
    dictionary.step(x, block + n_blocks / kCalmShare < n_blocks);
  }
  return dictionary.dictionary();
}

// Of greedy codes; their microseconds a sample too.
GreedyCodeReport code(const Matrix<double>& dictionary, const Matrix<float>& x, double nonzeros, double& microseconds) {
  GreedyCoder<float> coder;
  coder.assign(dictionary, {}, false);
  const double price = coder.price_for(x, nonzeros, calling_thread(), x.rows()).price;
  GreedyCoderWorkspace<float> work;
  GreedyCodeReport sum;
  Matrix<float> codes(kBlockSamples, dictionary.rows());
  const double began = core_seconds();
  for (std::size_t first = 0; first < x.rows(); first += kBlockSamples) {
    const MatrixView<const float> some = x.view().row_range(first, std::min(kBlockSamples, x.rows() - first));
    sum.add(coder.codes(some, price, work, codes.view().row_range(0, some.rows)));
  }
  microseconds = 1e6 * (core_seconds() - began) / static_cast<double>(x.rows());
  return sum;
}

int run(char** arguments) {
  const Matrix<float> learn = read(arguments[1]), test = read(arguments[2]);
  const double nonzeros = std::atof(arguments[4]);
  const Standard standard = standard_of(learn.view());
  const HardRows rows = standard_rows(learn.view(), standard);
  const Matrix<float> x = read_all(standard_rows(test.view(), standard), calling_thread());
  const double began = core_seconds();
  const Matrix<double> dictionary =
      learned(rows, std::strtoul(arguments[3], nullptr, 10), nonzeros, std::atof(arguments[5]));
  const double seconds = core_seconds() - began;
  double microseconds = 0;
  const GreedyCodeReport sum = code(dictionary, x, nonzeros, microseconds);
  std::printf("{\"fvu\": %.5f, \"nonzeros\": %.3f, \"microseconds\": %.1f, \"learning_seconds\": %.1f}\n",
              sum.squared_error / sum.squared_samples,
              static_cast<double>(sum.nonzeros) / static_cast<double>(x.rows()), microseconds, seconds);
  return 0;
}

}  // namespace
}  // namespace dualdict::bench

int main(int n_arguments, char** arguments) {
  if (n_arguments != 6) {
    std::fprintf(stderr, "usage: bench_wide_dictionary LEARN.npy TEST.npy ATOMS NONZEROS PASSES\n");
    return 1;
  }
  try {
    return dualdict::bench::run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
