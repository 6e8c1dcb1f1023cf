// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/greedy_codes.h"

#include <algorithm>
#include <cmath>

#include "linalg/kernels/l0_kernels.h"
#include "linalg/parallel_product.h"
#include "linalg/vectors.h"
#include "solvers/code_step.h"

namespace dualdict {
namespace {

// Every move gains more than tolerance * price, so that few are made; this only bounds the loop.
constexpr std::size_t kMovesPerAtom = 8;

// Moves that gain less than rounding makes of c^2 are none, whatever the price; nor, where nothing has a price, those
// that gain next to nothing.
template <class T>
T least_gain(const T* c, std::size_t n, const GreedyOptions& options) {
  constexpr double kRounding = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  constexpr double kFree = 1e-4;
  const auto largest = static_cast<double>(kernels<T>().largest_magnitude(c, n));
  const double share = options.price > 0 ? kRounding : kFree;
  return static_cast<T>(std::max(options.tolerance * options.price, share * largest * largest));
}

template <class T>
GreedyReport descend(const GreedyProblem<T>& problem, const GreedyOptions& options, T* code, T* residual) {
  return l0_kernels<T>().move_greedily({.gram = problem.gram.data(),
                                        .gram_stride = problem.gram.cols(),
                                        .n = problem.gram.cols(),
                                        .price = static_cast<T>(options.price),
                                        .least_gain = least_gain(residual, problem.gram.cols(), options),
                                        .positive = problem.positive,
                                        .max_moves = kMovesPerAtom * problem.gram.cols(),
                                        .max_nonzeros = options.max_nonzeros,
                                        .u = code,
                                        .c = residual});
}

// The code in units of unit atoms, and what it leaves of V'(x - b).
template <class T>
void load_start(const GreedyProblem<T>& problem, const T* u, GreedyWorkspace<T>& work) {
  for (std::size_t k = 0; k < problem.n_atoms; ++k) {
    const T value = u[k] * problem.norm[k];
    work.code[k] = problem.positive ? std::max(value, T{0}) : value;
  }
  const std::size_t count =
      kernels<T>().list_nonzeros(work.code.data(), problem.n_atoms, work.columns.data(), work.values.data());
  kernels<T>().add_rows({.factors = work.values.data(),
                         .rows = work.columns.data(),
                         .count = count,
                         .sign = T{-1},
                         .matrix = problem.gram.data(),
                         .stride = problem.gram.cols(),
                         .out = work.residual.data(),
                         .n = problem.gram.cols()});
}

template <class T>
double squared_distance(const T* x, std::span<const double> bias, std::size_t n) {
  if (bias.empty()) return kernels<T>().squared_norm(x, n);
  double sum = 0;
  for (std::size_t f = 0; f < n; ++f) {
    const double value = static_cast<double>(x[f]) - bias[f];
    sum += value * value;
  }
  return sum;
}

// |x - b|^2 - u'(V'(x - b)) - u'(what is left of it), never below zero.
template <class T>
double squared_error(double squared_sample, const T* code, const T* linear, const T* residual, std::size_t n) {
  return std::max(0.0, squared_sample - dot(code, linear, n) - dot(code, residual, n));
}

}  // namespace

template <class T>
void linear_part(const GreedyProblem<T>& problem, MatrixView<const T> x, MatrixView<T> linear) {
  multiply<T>(plain(x), problem.atoms, linear);
  if (problem.offset.empty()) return;
  for (std::size_t i = 0; i < x.rows; ++i) {
    T* row = linear.row(i);
    for (std::size_t k = 0; k < problem.n_atoms; ++k) row[k] -= problem.offset[k];
  }
}

template <class T>
void GreedyProblem<T>::assign(const Matrix<double>& dictionary, std::span<const double> bias_in, bool positive_in,
                              ThreadPool& pool) {
  n_atoms = dictionary.rows();
  n_features = dictionary.cols();
  positive = positive_in;
  norm.assign(n_atoms, T{0});
  inverse.assign(n_atoms, T{0});
  Matrix<double> unit = dictionary;
  for (std::size_t k = 0; k < n_atoms; ++k) {
    const double length = dualdict::norm(unit.row(k), n_features);
    const double by = length > 0 ? 1 / length : 0;
    for (std::size_t f = 0; f < n_features; ++f) unit(k, f) *= by;
    norm[k] = static_cast<T>(length);
    inverse[k] = static_cast<T>(by);
  }
  atoms.pack_transposed(convert<T>(unit).view());
  const Matrix<double> products = parallel_gram(unit.view(), pool);
  if (gram.rows() != n_atoms) gram = Matrix<T>(n_atoms, padded(n_atoms));
  for (std::size_t k = 0; k < n_atoms; ++k)
    for (std::size_t j = 0; j < n_atoms; ++j) gram(k, j) = static_cast<T>(products(k, j));
  bias.assign(bias_in.begin(), bias_in.end());
  offset.clear();
  if (bias.empty()) return;
  offset.assign(padded(n_atoms), T{0});
  for (std::size_t k = 0; k < n_atoms; ++k) offset[k] = static_cast<T>(dot(unit.row(k), bias.data(), n_features));
}

void GreedyCodeReport::add(const GreedyCodeReport& other) {
  squared_error += other.squared_error;
  squared_samples += other.squared_samples;
  cost += other.cost;
  gain += other.gain;
  nonzeros += other.nonzeros;
  moves += other.moves;
  unfinished += other.unfinished;
}

template <class T>
void GreedyWorkspace<T>::reserve(std::size_t n_atoms) {
  if (code.size() == padded(n_atoms)) return;
  linear = Matrix<T>(kBlockSamples, padded(n_atoms));
  code.assign(padded(n_atoms), T{0});
  residual.assign(padded(n_atoms), T{0});
  columns.resize(n_atoms + kWidestVector);
  values.resize(n_atoms + kWidestVector);
  error.resize(kBlockSamples);
}

template <class T>
GreedyCodeReport greedy_codes(const GreedyProblem<T>& problem, MatrixView<const T> x, const GreedyOptions& options,
                              GreedyWorkspace<T>& work, MatrixView<T> u) {
  const std::size_t n = problem.n_atoms;
  GreedyCodeReport report;
  work.reserve(n);
  linear_part(problem, x, MatrixView<T>(work.linear.data(), x.rows, n, work.linear.cols()));
  for (std::size_t i = 0; i < x.rows; ++i) {
    const T* linear = work.linear.row(i);
    std::copy_n(linear, n, work.residual.data());
    std::fill(work.residual.begin() + static_cast<std::ptrdiff_t>(n), work.residual.end(), T{0});
    if (options.from_zero)
      std::fill(work.code.begin(), work.code.end(), T{0});
    else
      load_start(problem, u.row(i), work);
    const GreedyReport moved = descend(problem, options, work.code.data(), work.residual.data());
    for (std::size_t k = 0; k < n; ++k) u(i, k) = work.code[k] * problem.inverse[k];
    report.nonzeros += moved.nonzeros;
    report.moves += moved.moves;
    report.gain += moved.gain;
    report.unfinished += moved.moves == kMovesPerAtom * problem.gram.cols() ? 1 : 0;
    if (!options.measure) continue;
    const double squared_sample = squared_distance(x.row(i), problem.bias, x.cols);
    work.error[i] = squared_error(squared_sample, work.code.data(), linear, work.residual.data(), n);
    report.squared_samples += squared_sample;
    report.squared_error += work.error[i];
  }
  report.cost = report.squared_error + options.price * static_cast<double>(report.nonzeros);
  return report;
}

namespace {

// The mean count of nonzeros that a price gives on some samples whose linear parts are at hand.
template <class T>
class CountAtPrice {
 public:
  CountAtPrice(const GreedyProblem<T>& problem, MatrixView<const T> x, const GreedyOptions& options, ThreadPool& pool,
               std::size_t most)
      : problem_(problem),
        options_(options),
        pool_(pool),
        linear_(std::min(x.rows, most), problem.gram.cols()),
        workspaces_(pool.size()),
        counts_((linear_.rows() + kPart - 1) / kPart) {
    for (Workspace& work : workspaces_) {
      work.code.resize(linear_.cols());
      work.residual.resize(linear_.cols());
    }
    pool_.run(linear_.rows(), [&](std::size_t i, std::size_t) {
      const std::size_t row = i * x.rows / linear_.rows();  // evenly spread
      linear_part(problem_, x.row_range(row, 1), MatrixView<T>(linear_.row(i), 1, problem_.n_atoms, linear_.cols()));
    });
  }

  double at(double price) {
    GreedyOptions options = options_;
    options.price = price;
    pool_.run(counts_.size(), [&](std::size_t part, std::size_t worker) {
      Workspace& work = workspaces_[worker];
      counts_[part] = 0;
      for (std::size_t i = part * kPart; i < std::min(linear_.rows(), (part + 1) * kPart); ++i) {
        std::copy_n(linear_.row(i), linear_.cols(), work.residual.data());
        std::fill(work.code.begin(), work.code.end(), T{0});
        counts_[part] += descend(problem_, options, work.code.data(), work.residual.data()).nonzeros;
      }
    });
    std::size_t sum = 0;
    for (const std::size_t count : counts_) sum += count;
    return static_cast<double>(sum) / static_cast<double>(linear_.rows());
  }

  // The price at which `nonzeros` of the first moves on average would pay, if atoms were orthogonal.
  double guess(double nonzeros) const {
    std::vector<T> squares(linear_.size());
    for (std::size_t e = 0; e < squares.size(); ++e) {
      const T value = linear_.data()[e];
      squares[e] = problem_.positive && value < T{0} ? T{0} : value * value;
    }
    const auto wanted = static_cast<std::size_t>(nonzeros * static_cast<double>(linear_.rows()));
    const auto place = squares.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, squares.size() - 1));
    std::nth_element(squares.begin(), place, squares.end(), std::greater<>());
    return static_cast<double>(*place);
  }

 private:
  static constexpr std::size_t kPart = 32;
  struct Workspace {
    AlignedVector<T> code;
    AlignedVector<T> residual;
  };
  const GreedyProblem<T>& problem_;
  GreedyOptions options_;
  ThreadPool& pool_;
  Matrix<T> linear_;
  std::vector<Workspace> workspaces_;
  std::vector<std::size_t> counts_;
};

}  // namespace

template <class T>
FoundPrice price_for_nonzeros(const GreedyProblem<T>& problem, MatrixView<const T> x, double nonzeros,
                              const GreedyOptions& options, ThreadPool& pool, std::size_t most) {
  if (x.empty() || problem.n_atoms == 0) return {};
  CountAtPrice<T> count(problem, x, options, pool, most);
  return search_price([&](double price) { return count.at(price); }, count.guess(nonzeros), nonzeros);
}

#define DUALDICT_INSTANTIATE(T)                                                                                 \
  template struct GreedyProblem<T>;                                                                             \
  template struct GreedyWorkspace<T>;                                                                           \
  template void linear_part<T>(const GreedyProblem<T>&, MatrixView<const T>, MatrixView<T>);                    \
  template GreedyCodeReport greedy_codes<T>(const GreedyProblem<T>&, MatrixView<const T>, const GreedyOptions&, \
                                            GreedyWorkspace<T>&, MatrixView<T>);                                \
  template FoundPrice price_for_nonzeros<T>(const GreedyProblem<T>&, MatrixView<const T>, double,               \
                                            const GreedyOptions&, ThreadPool&, std::size_t);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
