// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <type_traits>
#include <vector>

#include "core/sample_order.h"
#include "learn/fit/coding_weights.h"
#include "linalg/vectors.h"
#include "solvers/code_problem.h"

namespace dualdict {
namespace {

// Makes `row` a unit vector of the set; false when it is zero.
bool normalise(double* row, std::size_t n, const AtomSet& set) {
  set.resemble(row, n);
  double largest = 0;
  for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(row[j]));
  if (!(largest > 0)) return false;
  for (std::size_t j = 0; j < n; ++j) row[j] /= largest;  // so that squares neither overflow nor vanish
  const double length = norm(row, n);
  for (std::size_t j = 0; j < n; ++j) row[j] /= length;
  return true;
}

void fill_direction(double* row, std::size_t n, const AtomSet& set, Random& random) {
  do {
    for (std::size_t j = 0; j < n; ++j) row[j] = random.normal();
  } while (!normalise(row, n, set));
}

// A mixture of a few random samples with normal weights, or a random direction when that is zero.
template <class T>
void fill_mixture(const Samples<T>& samples, double* row, const AtomSet& set, Random& random) {
  constexpr std::size_t kMixed = 4;
  const std::size_t d = samples.n_features();
  std::array<std::size_t, kMixed> places{};
  std::array<double, kMixed> weights{};
  for (std::size_t i = 0; i < kMixed; ++i) {
    places[i] = random.index(samples.n_all());
    weights[i] = random.normal();
  }
  const Matrix<T> x = samples_at<T>(samples, places);
  for (std::size_t i = 0; i < kMixed; ++i)
    for (std::size_t j = 0; j < d; ++j) row[j] += weights[i] * static_cast<double>(x(i, j));
  if (!normalise(row, d, set)) fill_direction(row, d, set, random);
}

// The first tau, and what to tell of it.
template <class T>
std::string choose_tau(FitState& state, const LearnOptions& options, const Samples<T>& samples,
                       const WatchedPool& work) {
  Objective& objective = state.objective;
  CodeProblem<T> problem;
  Objective any_tau = objective;
  any_tau.tau = 1;  // with 0 the problem would be solved in closed form, at the cost of K^3
  problem.assign(any_tau, state.dictionary, state.dual, work.pool);
  std::ostringstream how;
  if (options.tau) {
    objective.tau = *options.tau;
    state.tau.max = tau_max(problem, samples, work.pool);
    how << "tau = " << objective.tau;
  } else {
    const SilencingTau silencing = silencing_tau(problem, samples, work);
    state.tau.max = silencing.largest;
    if (options.nonzeros && silencing.largest > 0) {
      const double wanted = learning_nonzeros(options, objective.n_features);
      state.tau.search.emplace(wanted);
      objective.tau = state.tau.search->start(samples, objective, {state.dictionary, state.dual, silencing}, work);
      how << "tau = " << objective.tau << " to start with, to be moved until codes have " << wanted
          << " nonzeros while D is learned";
    } else {
      objective.tau = kDefaultTauFraction * silencing.mean;
      how << "tau = " << objective.tau << ", the default: " << kDefaultTauFraction
          << " of the mean tau that silences a sample (--tau and --nonzeros choose another)";
    }
  }
  how << "; tau_max = " << state.tau.max
      << " at the start. Effective weights: coding eta d/K = " << objective.eta * objective.d() / objective.k()
      << ", threshold tau d/K = " << objective.tau * objective.d() / objective.k();
  return how.str();
}

}  // namespace

Objective objective_of(const LearnOptions& options, std::size_t n_features) {
  Objective objective;
  objective.n_features = n_features;
  objective.n_atoms = options.n_atoms;
  objective.eta = options.penalty == Penalty::kL1 ? resolve_eta(options, n_features) : 0;
  objective.mu = options.mu;
  objective.penalty = options.penalty;
  objective.positive_codes = options.positive_codes;
  objective.atoms = atom_set_of(options);
  return objective;
}

template <class T>
FitState empty_state(const LearnOptions& options, std::size_t n_features) {
  constexpr double kRoundingRise = std::is_same_v<T, float> ? 1e-6 : 1e-12;  // of E
  FitState state;
  state.objective = objective_of(options, n_features);
  if (!has_many_atoms(state.objective)) state.moments.uu = Matrix<double>(options.n_atoms, options.n_atoms);
  state.moments.ux = Matrix<double>(options.n_atoms, n_features);
  state.accurate = options.accurate_steps;
  // Greedy codes jump: below that E tells little, and D has been passed over before.
  constexpr double kL0Change = 1e-3;
  const double rtol = options.penalty == Penalty::kL0 ? std::max(options.rtol, kL0Change) : options.rtol;
  state.rule = StoppingRule(rtol, options.history, kRoundingRise);
  state.atoms.usage.resize(options.n_atoms);
  state.atoms.replaced.resize(options.n_atoms);
  return state;
}

template <class T>
std::string start_fit(FitState& state, const LearnOptions& options, const Samples<T>& samples, StartFrom from,
                      const WatchedPool& work) {
  const AtomSet& set = state.objective.atoms;
  Random random(options.seed);
  state.dictionary = options.initial_dictionary;
  if (state.dictionary.empty()) state.dictionary = initial_dictionary(samples, options.n_atoms, set, from, random);
  if (!set.is_ball()) set.project(state.dictionary);  // a given start may be outside
  state.dual = options.initial_dual.empty() ? state.dictionary : options.initial_dual;
  round_rows_to_ball<T>(state.dictionary);
  round_rows_to_ball<T>(state.dual);
  return choose_tau(state, options, samples, work);
}

template <class T>
Matrix<double> initial_dictionary(const Samples<T>& samples, std::size_t n_atoms, const AtomSet& set, StartFrom from,
                                  Random& random) {
  const std::size_t d = samples.n_features();
  Matrix<double> dictionary(n_atoms, d);
  std::set<std::vector<double>> chosen;
  std::size_t n_chosen = 0;
  const SampleOrder order(samples.n_all(), random);
  // As many candidates at a time as there are atoms: ranks exchange them.
  for (std::size_t first = 0; first < samples.n_all() && n_chosen < n_atoms; first += n_atoms) {
    std::vector<std::size_t> places(std::min(n_atoms, samples.n_all() - first));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = order.at(first + i);
    const Matrix<T> candidates = samples_at<T>(samples, places);
    for (std::size_t i = 0; i < places.size() && n_chosen < n_atoms; ++i) {
      std::vector<double> atom(candidates.row(i), candidates.row(i) + d);
      if (!normalise(atom.data(), d, set) || !chosen.insert(atom).second) continue;
      std::copy(atom.begin(), atom.end(), dictionary.row(n_chosen++));
    }
  }
  for (; n_chosen < n_atoms; ++n_chosen) {
    if (from == StartFrom::kAllSamples)
      fill_mixture(samples, dictionary.row(n_chosen), set, random);
    else
      fill_direction(dictionary.row(n_chosen), d, set, random);
  }
  round_rows_to_ball<T>(dictionary);
  return dictionary;
}

template <class T>
void round_rows_to_ball(Matrix<double>& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double* row = rows.row(i);
    for (std::size_t j = 0; j < rows.cols(); ++j) row[j] = static_cast<double>(static_cast<T>(row[j]));
    // Rounding can push a unit vector out of the ball by less than one unit in the last place of each element.
    for (int attempt = 0; attempt < 4 && norm(row, rows.cols()) > 1; ++attempt) {
      const double shrink = (1 - static_cast<double>(std::numeric_limits<T>::epsilon())) / norm(row, rows.cols());
      for (std::size_t j = 0; j < rows.cols(); ++j) row[j] = static_cast<double>(static_cast<T>(row[j] * shrink));
    }
  }
}

#define DUALDICT_INSTANTIATE(T)                                                                                        \
  template FitState empty_state<T>(const LearnOptions&, std::size_t);                                                  \
  template std::string start_fit<T>(FitState&, const LearnOptions&, const Samples<T>&, StartFrom, const WatchedPool&); \
  template Matrix<double> initial_dictionary<T>(const Samples<T>&, std::size_t, const AtomSet&, StartFrom, Random&);   \
  template void round_rows_to_ball<T>(Matrix<double>&);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
