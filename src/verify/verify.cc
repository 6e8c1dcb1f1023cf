// SPDX-License-Identifier: BSD-3-Clause
// Plain loops in double, written apart from the learner's: what both get wrong in the same way cannot be found here, so
// nothing of solvers/ or linalg/ is used. Sums are taken in block order: no bit depends on the number of threads.
#include "dualdict/verify.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/finite.h"
#include "core/thread_pool.h"
#include "dualdict/error.h"
#include "verify/naive_code.h"
#include "verify/naive_greedy.h"

namespace dualdict {
namespace {

constexpr std::size_t kBlock = 64;

struct Totals {
  Energy energy;
  double gap = 0;
  double max_kkt = 0;
  double max_pull = 0;  // largest |b_j|; with positive codes, largest b_j
  double nonzeros = 0;
};

// The energy of the code, each term from its own residual.
Energy measure_energy(const naive::CodeProblem& p, const double* x, const naive::Code& w) {
  std::vector<double> error(x, x + p.n_features);
  for (std::size_t j = 0; j < p.n_atoms; ++j) {
    if (w.u[j] == 0) continue;
    const double* atom = p.atoms.row(j);
    for (std::size_t f = 0; f < p.n_features; ++f) error[f] -= w.u[j] * atom[f];
  }
  double squared_error = 0;
  for (const double e : error) squared_error += e * e;
  double squared_mismatch = 0;
  double squared_code = 0;
  for (std::size_t j = 0; j < p.n_atoms; ++j) {
    const double mismatch = w.u[j] - w.predicted[j];
    squared_mismatch += mismatch * mismatch;
    squared_code += w.u[j] * w.u[j];
  }
  return {.reconstruction = squared_error / static_cast<double>(p.n_features),
          .coding = p.coding * squared_mismatch,
          .l1 = 2 * p.lambda * naive::sum_abs(w.u),
          .l2 = p.l2 * squared_code,
          .l0 = 0};
}

void add_energy(Energy& sum, const Energy& energy) {
  sum.reconstruction += energy.reconstruction;
  sum.coding += energy.coding;
  sum.l1 += energy.l1;
  sum.l2 += energy.l2;
  sum.l0 += energy.l0;
}

void verify_sample(const naive::CodeProblem& p, const double* x, naive::Code& w, Totals& totals) {
  naive::find_code(p, x, w);
  const Energy energy = measure_energy(p, x, w);
  add_energy(totals.energy, energy);
  totals.gap += naive::duality_gap(p, w, energy.reconstruction + energy.coding + energy.l2);
  const double largest_b = naive::largest_magnitude(w.b);
  const double unit = p.lambda > 0 ? p.lambda : largest_b;
  if (unit > 0) totals.max_kkt = std::max(totals.max_kkt, naive::max_violation(p, w) / unit);
  const double pull = p.positive ? *std::max_element(w.b.begin(), w.b.end()) : largest_b;
  totals.max_pull = std::max(totals.max_pull, pull);
  totals.nonzeros += static_cast<double>(w.u.size()) - static_cast<double>(std::count(w.u.begin(), w.u.end(), 0.0));
}

double max_row_norm(const Matrix<double>& rows) {
  double largest = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double squared = 0;
    for (std::size_t j = 0; j < rows.cols(); ++j) squared += rows(i, j) * rows(i, j);
    largest = std::max(largest, squared);
  }
  return std::sqrt(largest);
}

Matrix<double> read_block(const Transform& transform, const DataSource& data, std::size_t block) {
  const std::size_t first = block * kBlock;
  Matrix<double> samples(std::min(kBlock, data.n_samples() - first), data.n_features());
  data.read(first, samples.view());
  require_finite<double>(samples.view(), data.name(), first);
  transform.apply(samples.view());
  return samples;
}

Totals verify_block(const naive::CodeProblem& p, const Matrix<double>& samples) {
  naive::Code work = naive::make_code(p);
  Totals totals;
  for (std::size_t i = 0; i < samples.rows(); ++i) verify_sample(p, samples.row(i), work, totals);
  return totals;
}

Totals verify_block(const naive::GreedyCodeProblem& p, const Matrix<double>& samples) {
  naive::GreedyCode code;
  Totals totals;
  const auto d = static_cast<double>(samples.cols());
  for (std::size_t i = 0; i < samples.rows(); ++i) {
    naive::find_greedy_code(p, samples.row(i), code);
    totals.energy.reconstruction += code.squared_error / d;
    totals.energy.l0 += p.price * static_cast<double>(code.nonzeros) / d;
    totals.nonzeros += static_cast<double>(code.nonzeros);
    if (p.price > 0) totals.max_kkt = std::max(totals.max_kkt, code.best_gain / p.price);
  }
  return totals;
}

}  // namespace

struct Verifier::Impl {
  Impl(const Model& model_in, std::size_t n_threads) : model(model_in), pool(resolve_threads(n_threads)) {
    if (model.parts().penalty == Penalty::kL0)
      greedy = naive::make_greedy_problem(model.parts());
    else
      problem = naive::make_problem(model.parts());
  }
  Totals verify(const DataSource& data, std::size_t block) const {
    const Matrix<double> samples = read_block(model.parts().transform, data, block);
    return model.parts().penalty == Penalty::kL0 ? verify_block(greedy, samples) : verify_block(problem, samples);
  }
  Model model;
  naive::CodeProblem problem;
  naive::GreedyCodeProblem greedy;  // instead, with penalty l0
  ThreadPool pool;
  Totals totals;
  std::size_t n_samples = 0;
};

Verifier::Verifier(const Model& model, std::size_t n_threads) : impl_(std::make_unique<Impl>(model, n_threads)) {}
Verifier::~Verifier() = default;
Verifier::Verifier(Verifier&&) noexcept = default;
Verifier& Verifier::operator=(Verifier&&) noexcept = default;

void Verifier::add(const DataSource& data) {
  const Model& model = impl_->model;
  if (data.n_features() != model.n_features())
    throw Error(ErrorKind::kInput, data.name() + ": samples have " + std::to_string(data.n_features()) +
                                       " features; the model was learned on " + std::to_string(model.n_features()));
  std::vector<Totals> blocks((data.n_samples() + kBlock - 1) / kBlock);
  impl_->pool.run(blocks.size(), [&](std::size_t block, std::size_t) { blocks[block] = impl_->verify(data, block); });
  Totals& totals = impl_->totals;
  for (const Totals& block : blocks) {
    add_energy(totals.energy, block.energy);
    totals.gap += block.gap;
    totals.nonzeros += block.nonzeros;
    totals.max_kkt = std::max(totals.max_kkt, block.max_kkt);
    totals.max_pull = std::max(totals.max_pull, block.max_pull);
  }
  impl_->n_samples += data.n_samples();
}

Verification Verifier::result() const {
  const Totals& totals = impl_->totals;
  Verification result;
  result.n_samples = impl_->n_samples;
  result.energy = totals.energy;
  const double energy = totals.energy.total();
  result.duality_gap = energy > 0 ? totals.gap / energy : 0.0;
  result.max_kkt_residual = totals.max_kkt;
  if (result.n_samples > 0) result.nonzeros_per_code = totals.nonzeros / static_cast<double>(result.n_samples);
  result.max_atom_norm = max_row_norm(impl_->model.dictionary());
  result.max_filter_norm = max_row_norm(impl_->model.dual());
  result.tau_max = static_cast<double>(impl_->problem.n_atoms) * totals.max_pull;
  return result;
}

Verification verify(const Model& model, const DataSource& data, std::size_t n_threads) {
  Verifier verifier(model, n_threads);
  verifier.add(data);
  return verifier.result();
}

}  // namespace dualdict
