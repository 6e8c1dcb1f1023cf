// SPDX-License-Identifier: BSD-3-Clause
#include "verify/naive_greedy.h"

#include <algorithm>
#include <cmath>

namespace dualdict::naive {
namespace {

constexpr double kTolerance = 0.05;           // of the price
constexpr std::size_t kMostMovesPerAtom = 8;  // they end by themselves: each takes the cost down

double product(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

constexpr std::size_t kMostOnGram = 4096;  // atoms

double atom_product(const GreedyCodeProblem& p, std::size_t i, std::size_t j) {
  return p.gram.empty() ? product(p.atoms.row(i), p.atoms.row(j), p.atoms.cols()) : p.gram(i, j);
}

// The cost that coefficient j has a part in, as a function of its value, is (w - u)^2 + price [u != 0], w the
// minimiser of the square.
struct Move {
  std::size_t atom = 0;
  double target = 0;
  double gain = 0;
};

Move best_move(const GreedyCodeProblem& p, const GreedyCode& code) {
  Move best;
  for (std::size_t j = 0; j < code.u.size(); ++j) {
    const double w = code.left[j] + code.u[j];
    const double now = (w - code.u[j]) * (w - code.u[j]) + (code.u[j] != 0 ? p.price : 0);
    const bool may_be_used = w * w > p.price && (w > 0 || !p.positive) && atom_product(p, j, j) > 0;
    const double target = may_be_used ? w : 0;
    const double then = target != 0 ? p.price : w * w;
    if (now - then > best.gain) best = {j, target, now - then};
  }
  return best;
}

}  // namespace

GreedyCodeProblem make_greedy_problem(const ModelParts& parts) {
  GreedyCodeProblem p;
  const std::size_t k = parts.dictionary.rows();
  const std::size_t d = parts.dictionary.cols();
  p.positive = parts.positive_codes;
  p.offset = parts.offset;
  p.offset.resize(d, 0.0);
  if (const FittedEncoder* greedy = parts.find_encoder("greedy")) p.price = greedy->levels(0, 1);
  p.atoms = parts.dictionary;
  for (std::size_t j = 0; j < k; ++j) {
    const double length = std::sqrt(product(p.atoms.row(j), p.atoms.row(j), d));
    for (std::size_t f = 0; f < d; ++f) p.atoms(j, f) = length > 0 ? p.atoms(j, f) / length : 0;
  }
  if (k > kMostOnGram) return p;
  p.gram = Matrix<double>(k, k);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) p.gram(i, j) = product(p.atoms.row(i), p.atoms.row(j), d);
  return p;
}

void find_greedy_code(const GreedyCodeProblem& p, const double* sample, GreedyCode& code) {
  const std::size_t k = p.atoms.rows();
  const std::size_t d = p.atoms.cols();
  std::vector<double> rest(sample, sample + d);
  for (std::size_t f = 0; f < d; ++f) rest[f] -= p.offset[f];
  code.u.assign(k, 0.0);
  code.left.resize(k);
  for (std::size_t j = 0; j < k; ++j) code.left[j] = product(p.atoms.row(j), rest.data(), d);
  for (std::size_t n = 0; n < kMostMovesPerAtom * k; ++n) {
    const Move move = best_move(p, code);
    if (!(move.gain > kTolerance * p.price) || move.gain <= 0) break;
    const double change = move.target - code.u[move.atom];
    code.u[move.atom] = move.target;
    for (std::size_t j = 0; j < k; ++j) code.left[j] -= change * atom_product(p, move.atom, j);
  }
  for (std::size_t j = 0; j < k; ++j)
    if (code.u[j] != 0)
      for (std::size_t f = 0; f < d; ++f) rest[f] -= code.u[j] * p.atoms(j, f);
  code.squared_error = product(rest.data(), rest.data(), d);
  code.nonzeros = k - static_cast<std::size_t>(std::count(code.u.begin(), code.u.end(), 0.0));
  code.best_gain = best_move(p, code).gain;
}

}  // namespace dualdict::naive
