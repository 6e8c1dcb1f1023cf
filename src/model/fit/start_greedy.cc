// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/start_greedy.h"

#include <algorithm>
#include <vector>

#include "linalg/cholesky.h"
#include "linalg/parallel_product.h"
#include "linalg/vectors.h"
#include "solvers/code_step.h"
#include "solvers/greedy_coder.h"

namespace dualdict {
namespace {

constexpr std::size_t kRegressionRows = 20000;
constexpr std::size_t kRegressionBlock = 2048;  // or fewer rows, whose codes are of this size
constexpr std::size_t kRegressionElements = std::size_t{1} << 23;
constexpr std::uint64_t kRegressStream = 104;  // of random numbers

}  // namespace

HardState start_from_dictionary(const HardRows& rows, const Matrix<double>& dictionary, double nonzeros, bool positive,
                                std::uint64_t seed, ThreadPool& pool) {
  constexpr double kRidge = 1e-4;  // of the mean eigenvalue
  const std::size_t n_atoms = dictionary.rows(), d = rows.n_features;
  GreedyCoder<float> coder;
  coder.assign(dictionary, {}, positive, pool);
  RowOrder order(rows.n, seed, kRegressStream);
  std::vector<std::size_t> drawn;
  Matrix<double> xx(d, d), ux(n_atoms, d);
  double price = 0;
  std::vector<GreedyCoderWorkspace<float>> workspaces(pool.size());
  const std::size_t n = std::min(rows.n, kRegressionRows);
  const std::size_t step = std::clamp(kRegressionElements / n_atoms, kBlockSamples, kRegressionBlock);
  for (std::size_t first = 0; first < n; first += step) {
    Matrix<float> x(std::min(step, n - first), d), u(x.rows(), n_atoms);
    read_block(rows, order, pool, drawn, x);
    if (first == 0) price = coder.price_for(x, nonzeros, pool).price;
    pool.run((x.rows() + kBlockSamples - 1) / kBlockSamples, [&](std::size_t part, std::size_t worker) {
      const std::size_t begin = part * kBlockSamples;
      const std::size_t count = std::min(kBlockSamples, x.rows() - begin);
      coder.codes(x.view().row_range(begin, count), price, workspaces[worker], u.view().row_range(begin, count));
    });
    const Matrix<double> wide = convert<double>(x), codes = convert<double>(u);
    add_transposed_product(wide.view(), wide.view(), xx.view(), pool);
    add_transposed_product(codes.view(), wide.view(), ux.view(), pool);
  }
  double trace = 0;
  for (std::size_t f = 0; f < d; ++f) trace += xx(f, f);
  if (!(trace > 0)) trace = 1;
  for (std::size_t f = 0; f < d; ++f) xx(f, f) += kRidge * trace / static_cast<double>(d);
  solve_positive_definite(std::move(xx), ux.view(), pool);
  HardState state(n_atoms, d);
  state.positive = positive;
  state.weights = convert<float>(ux);
  state.decoder = convert<float>(dictionary);
  return state;
}

}  // namespace dualdict
