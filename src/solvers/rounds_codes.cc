// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rounds_codes.h"

#include <algorithm>
#include <cmath>

#include "linalg/kernels/l0_kernels.h"
#include "linalg/vectors.h"
#include "solvers/code_step.h"
#include "solvers/price_search.h"

namespace dualdict {
namespace {

// A pull below this share of the price's is never worth a look, whatever lies between the atoms.
constexpr double kWorthALook = 0.3;
// Of the level at which a list is left: what has fallen below it will not be chosen from this list.
constexpr double kHopeless = 0.08;
constexpr std::size_t kPicksBetweenDrops = 4;
constexpr double kLeastOutside = 0.01;

// The products of what is listed with x.
template <class T>
void multiply_listed(const RoundsProblem<T>& problem, const Candidates<T>& list, const T* x, std::vector<T>& out) {
  out.resize(list.atoms.size());
  l0_kernels<T>().dot_rows({.rows = list.atoms.data(),
                            .count = list.atoms.size(),
                            .matrix = problem.atoms.data(),
                            .stride = problem.n_features(),
                            .x = x,
                            .n = problem.n_features(),
                            .out = out.data()});
}

// Choosing from one list.
template <class T>
class Round {
 public:
  // `bound`: of the pulls of what is not listed.
  Round(const RoundsProblem<T>& problem, const RoundsOptions& options, float bound, Candidates<T>& list,
        OrthogonalCode<T>& code)
      : problem_(problem), price_(static_cast<T>(options.price)), list_(list), code_(code) {
    is_learning_ = options.rounds == 1;
    const double share = is_learning_ ? 1.0 : kWorthALook;
    level_ = static_cast<T>(std::max(share * options.price, static_cast<double>(bound) * static_cast<double>(bound)));
  }

  // How far the cost fell.
  double choose(std::size_t most) {
    const std::size_t n = list_.atoms.size();
    list_.outside.assign(n, T{1});
    list_.places.resize(n);
    for (std::size_t i = 0; i < n; ++i) list_.places[i] = static_cast<std::uint32_t>(i);
    if (list_.products.cols() < n) list_.products = Matrix<T>(n, n);
    multiply_listed(problem_, list_, code_.rest(), list_.pull);
    double gain = 0;
    chosen_ = 0;
    while (code_.size() < most && !list_.atoms.empty()) {
      const std::size_t best = find_best();
      if (best == list_.atoms.size()) break;
      const double gained = add(best);
      list_.remove(best);
      if (!(gained > 0)) continue;
      gain += gained;
      if (code_.size() < most) follow();
    }
    return gain;
  }

 private:
  T gain_of(std::size_t i) const {
    const T pull = list_.pull[i];
    if (problem_.positive && pull < T{0}) return T{0};
    return is_learning_ ? pull * pull / list_.outside[i] : pull * pull;
  }
  // The end where none is above the level.
  std::size_t find_best() const {
    T largest = level_;
    std::size_t best = list_.atoms.size();
    for (std::size_t i = 0; i < list_.atoms.size(); ++i) {
      const T gain = gain_of(i);
      if (!(gain > largest)) continue;
      largest = gain;
      best = i;
    }
    return best;
  }
  double add(std::size_t i) {
    list_.known.resize(chosen_);
    for (std::size_t e = 0; e < chosen_; ++e) list_.known[e] = list_.products(e, list_.places[i]);
    return code_.add(list_.atoms[i], problem_.atoms.row(list_.atoms[i]), list_.known, price_);
  }
  // What the last direction took from the pulls of the others.
  void follow() {
    multiply_listed(problem_, list_, code_.last_direction(), list_.now);
    const T length = code_.last_length();
    for (std::size_t i = 0; i < list_.atoms.size(); ++i) {
      const T along = list_.now[i];
      list_.products(chosen_, list_.places[i]) = along;
      list_.pull[i] -= length * along;
      list_.outside[i] -= along * along;
    }
    ++chosen_;
    const bool drops = chosen_ % kPicksBetweenDrops == 0;
    const T hopeless = static_cast<T>(is_learning_ ? kWorthALook : kHopeless) * level_;
    for (std::size_t i = list_.atoms.size(); i-- > 0;)
      if (!(list_.outside[i] > static_cast<T>(kLeastOutside)) || (drops && gain_of(i) < hopeless)) list_.remove(i);
  }

  const RoundsProblem<T>& problem_;
  T price_;
  T level_;  // of the gain, below which none of the list is chosen
  bool is_learning_;
  Candidates<T>& list_;
  OrthogonalCode<T>& code_;
  std::size_t chosen_ = 0;  // from this list
};

// Least squares without the atoms whose coefficients are negative, until there are none.
template <class T>
void keep_positive(const RoundsProblem<T>& problem, const T* x, OrthogonalCode<T>& code, std::vector<T>& values) {
  code.solve(values);
  while (std::any_of(values.begin(), values.end(), [](T value) { return !(value > T{0}); })) {
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] > T{0}) kept.push_back(code.atoms()[i]);
    code.start(x, problem.bias, problem.n_features());
    for (const std::uint32_t atom : kept) code.add(atom, problem.atoms.row(atom), {}, T{0});
    code.solve(values);
  }
}

// Some samples at a time, the first of which is x's row `first`.
template <class T>
class RoundsBatch {
 public:
  RoundsBatch(const RoundsProblem<T>& problem, MatrixView<const T> x, const RoundsOptions& options,
              RoundsWorkspace<T>& work)
      : problem_(problem), x_(x), options_(options), work_(work) {
    most_ = std::min({options.max_nonzeros, problem.n_features(), problem.n_atoms()});
  }

  void run(GreedyCodeReport& report) {
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < x_.rows; ++i) {
      work_.codes[i].start(x_.row(i), problem_.bias, problem_.n_features());
      report.squared_samples += kernels<T>().squared_norm(work_.codes[i].rest(), problem_.n_features());
      active.push_back(i);
    }
    for (std::size_t round = 0; round < options_.rounds && !active.empty(); ++round)
      look(active, round + 1 == options_.rounds, report);
    for (std::size_t i = 0; i < x_.rows; ++i) finish(i, report);
  }

 private:
  // One round of those that are active; they stay so while it adds atoms.
  void look(std::vector<std::size_t>& active, bool is_last, GreedyCodeReport& report) {
    for (std::size_t a = 0; a < active.size(); ++a)
      work_.screen.set(a, work_.codes[active[a]].rest(), problem_.n_features());
    work_.screen.multiply(problem_.bytes, active.size());
    std::size_t kept = 0;
    for (std::size_t a = 0; a < active.size(); ++a) {
      OrthogonalCode<T>& code = work_.codes[active[a]];
      float* const products = work_.screen.row(a);
      for (const std::uint32_t atom : code.atoms()) products[atom] = 0;
      work_.shortlist.find(products, problem_.n_atoms(), options_.shortlist, problem_.positive);
      work_.candidates.atoms = work_.shortlist.places();
      Round<T> round(problem_, options_, is_last ? 0.0F : work_.shortlist.bound(), work_.candidates, code);
      const std::size_t before = code.size();
      report.gain += round.choose(most_);
      report.moves += code.size() - before;
      if (code.size() > before && code.size() < most_) active[kept++] = active[a];
    }
    active.resize(kept);
  }
  void finish(std::size_t i, GreedyCodeReport& report) {
    OrthogonalCode<T>& code = work_.codes[i];
    if (problem_.positive)
      keep_positive(problem_, x_.row(i), code, work_.solved);
    else
      code.solve(work_.solved);
    for (std::size_t e = 0; e < code.size(); ++e) {
      work_.atoms.push_back(code.atoms()[e]);
      work_.values.push_back(work_.solved[e] * problem_.inverse[code.atoms()[e]]);
    }
    const std::size_t row = work_.error.size();
    std::copy_n(code.rest(), problem_.n_features(), work_.rest.row(row));
    work_.begin.push_back(work_.atoms.size());
    work_.error.push_back(kernels<T>().squared_norm(code.rest(), problem_.n_features()));
    report.squared_error += work_.error.back();
    report.nonzeros += code.size();
  }

  const RoundsProblem<T>& problem_;
  MatrixView<const T> x_;
  const RoundsOptions& options_;
  RoundsWorkspace<T>& work_;
  std::size_t most_ = 0;
};

}  // namespace

RoundsOptions learning_rounds(double price, double nonzeros) {
  constexpr double kListed = 2;
  constexpr std::size_t kFewest = 8;
  RoundsOptions options{.price = price, .rounds = 1};
  options.shortlist = std::max(kFewest, static_cast<std::size_t>(std::llround(kListed * nonzeros)));
  return options;
}

template <class T>
void RoundsProblem<T>::assign(const Matrix<double>& dictionary, std::span<const double> bias_in, bool positive_in,
                              ThreadPool& pool) {
  const std::size_t d = dictionary.cols();
  positive = positive_in;
  bias.assign(bias_in.begin(), bias_in.end());
  inverse.assign(dictionary.rows(), T{0});
  if (atoms.rows() != dictionary.rows() || atoms.cols() != d) atoms = Matrix<T>(dictionary.rows(), d);
  for (std::size_t k = 0; k < dictionary.rows(); ++k) {
    const double length = norm(dictionary.row(k), d);
    const double by = length > 0 ? 1 / length : 0;
    inverse[k] = static_cast<T>(by);
    for (std::size_t f = 0; f < d; ++f) atoms(k, f) = static_cast<T>(by * dictionary(k, f));
  }
  pack(pool);
}

template <class T>
void Candidates<T>::remove(std::size_t i) {
  const auto take_last = [i](auto& list) {
    list[i] = list.back();
    list.pop_back();
  };
  take_last(atoms);
  take_last(places);
  take_last(pull);
  take_last(outside);
}

template <class T>
GreedyCodeReport find_rounds_codes(const RoundsProblem<T>& problem, MatrixView<const T> x, const RoundsOptions& options,
                                   RoundsWorkspace<T>& work) {
  GreedyCodeReport report;
  work.screen.reserve(problem.bytes);
  work.codes.resize(ScreenRows::kMostRows);
  work.begin.assign(1, 0);
  work.atoms.clear();
  work.values.clear();
  work.error.clear();
  if (work.rest.rows() < x.rows || work.rest.cols() != x.cols) work.rest = Matrix<T>(x.rows, x.cols);
  for (std::size_t first = 0; first < x.rows; first += ScreenRows::kMostRows) {
    const MatrixView<const T> some = x.row_range(first, std::min(ScreenRows::kMostRows, x.rows - first));
    RoundsBatch<T>(problem, some, options, work).run(report);
  }
  report.cost = report.squared_error + options.price * static_cast<double>(report.nonzeros);
  return report;
}

template <class T>
GreedyCodeReport rounds_codes(const RoundsProblem<T>& problem, MatrixView<const T> x, const RoundsOptions& options,
                              RoundsWorkspace<T>& work, MatrixView<T> u) {
  const GreedyCodeReport report = find_rounds_codes(problem, x, options, work);
  for (std::size_t i = 0; i < x.rows; ++i) {
    std::fill_n(u.row(i), u.cols, T{0});
    for (std::size_t e = work.begin[i]; e < work.begin[i + 1]; ++e) u(i, work.atoms[e]) = work.values[e];
  }
  return report;
}

template <class T>
FoundPrice price_for_nonzeros(const RoundsProblem<T>& problem, MatrixView<const T> x, double nonzeros,
                              const RoundsOptions& options, ThreadPool& pool, std::size_t most) {
  if (x.empty() || problem.n_atoms() == 0) return {};
  const std::size_t n = std::min(x.rows, most);
  Matrix<T> some(n, x.cols);
  for (std::size_t i = 0; i < n; ++i) std::copy_n(x.row(i * x.rows / n), x.cols, some.row(i));  // evenly spread
  double squared = 0;
  for (std::size_t i = 0; i < n; ++i) squared += squared_norm(some.row(i), x.cols);
  std::vector<RoundsWorkspace<T>> workspaces(pool.size());
  std::vector<std::size_t> counts((n + ScreenRows::kMostRows - 1) / ScreenRows::kMostRows);
  const auto count_at = [&](double price) {
    RoundsOptions with = options;
    with.price = price;
    pool.run(counts.size(), [&](std::size_t part, std::size_t worker) {
      const std::size_t first = part * ScreenRows::kMostRows;
      const MatrixView<const T> rows = some.view().row_range(first, std::min(ScreenRows::kMostRows, n - first));
      counts[part] = find_rounds_codes<T>(problem, rows, with, workspaces[worker]).nonzeros;
    });
    std::size_t sum = 0;
    for (const std::size_t count : counts) sum += count;
    return static_cast<double>(sum) / static_cast<double>(n);
  };
  // A nonzero takes half of what the mean one of so many could, or less.
  constexpr double kGuess = 0.1;
  return search_price(count_at, kGuess * squared / (static_cast<double>(n) * std::max(1.0, nonzeros)), nonzeros);
}

#define DUALDICT_INSTANTIATE(T)                                                                                      \
  template struct RoundsProblem<T>;                                                                                  \
  template GreedyCodeReport find_rounds_codes<T>(const RoundsProblem<T>&, MatrixView<const T>, const RoundsOptions&, \
                                                 RoundsWorkspace<T>&);                                               \
  template GreedyCodeReport rounds_codes<T>(const RoundsProblem<T>&, MatrixView<const T>, const RoundsOptions&,      \
                                            RoundsWorkspace<T>&, MatrixView<T>);                                     \
  template FoundPrice price_for_nonzeros<T>(const RoundsProblem<T>&, MatrixView<const T>, double,                    \
                                            const RoundsOptions&, ThreadPool&, std::size_t);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
