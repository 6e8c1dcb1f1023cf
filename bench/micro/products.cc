// SPDX-License-Identifier: BSD-3-Clause
// Products of the learner's and the encoder's shapes, with every kernel variant that this CPU has.
#include <benchmark/benchmark.h>

#include <string>

#include "core/random.h"
#include "linalg/product.h"
#include "linalg/sparse_product.h"
#include "problems/random_matrix.h"

namespace dualdict {
namespace {

struct Shape {
  std::size_t rows, depth, cols;
  std::string name() const { return std::to_string(rows) + "x" + std::to_string(depth) + "x" + std::to_string(cols); }
};

void count_flops(benchmark::State& state, const Shape& shape) {
  const double flops = 2.0 * static_cast<double>(shape.rows) * static_cast<double>(shape.depth * shape.cols);
  state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
void product(benchmark::State& state, const Kernels<T>& kernels, const Shape& shape) {
  const auto a = random_matrix<T>(shape.rows, shape.depth, 1);
  PackedRight<T> b(kernels);
  b.pack(random_matrix<T>(shape.depth, shape.cols, 2).view());
  Matrix<T> c(shape.rows, shape.cols);
  for (auto _ : state) {
    multiply(plain<T>(a.view()), b, c.view());
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  count_flops(state, shape);
}

// A block of codes times a K x K operand; the shares of nonzeros of the rows differ, as those of codes do.
template <class T>
void sparse_product(benchmark::State& state, const Kernels<T>& kernels, double share) {
  constexpr std::size_t kRows = 256, kAtoms = 200;
  auto codes = random_matrix<T>(kRows, kAtoms, 1);
  Random random(3);
  std::size_t nonzeros = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double kept = 2 * share * random.uniform();
    for (std::size_t j = 0; j < kAtoms; ++j) {
      if (random.uniform() >= kept) codes(i, j) = 0;
      nonzeros += codes(i, j) != 0 ? 1 : 0;
    }
  }
  PackedRight<T> b(kernels);
  b.pack(random_matrix<T>(kAtoms, kAtoms, 2).view());
  Matrix<T> c(kRows, kAtoms);
  UsedColumns work;
  for (auto _ : state) {
    multiply_sparse<T>(codes.view(), b, Into::kAdd, work, c.view());
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.counters["nonzeros/s"] =
      benchmark::Counter(static_cast<double>(nonzeros), benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
void add(const std::string& type) {
  // A block of samples times W' (144 and 784 features, 200 atoms), a block of codes times H, many samples at once.
  const Shape shapes[] = {{256, 144, 200}, {256, 784, 200}, {256, 200, 200}, {20000, 144, 200}, {256, 512, 4096}};
  for (const auto& kernels : all_kernels<T>()) {
    for (const Shape& shape : shapes) {
      const std::string name = "product/" + type + "/" + kernels.name + "/" + shape.name();
      benchmark::RegisterBenchmark(name.c_str(), [kernels, shape](benchmark::State& state) {
        product<T>(state, kernels, shape);
      })->Unit(benchmark::kMicrosecond);
    }
    for (const double share : {.05, .2, .3, .4}) {
      const std::string name = "sparse_product/" + type + "/" + kernels.name + "/" + std::to_string(share).substr(0, 4);
      benchmark::RegisterBenchmark(name.c_str(), [kernels, share](benchmark::State& state) {
        sparse_product<T>(state, kernels, share);
      })->Unit(benchmark::kMicrosecond);
    }
  }
}

const bool kAdded = [] {
  add<float>("float");
  add<double>("double");
  return true;
}();

}  // namespace
}  // namespace dualdict
