// SPDX-License-Identifier: BSD-3-Clause
// Plain loops in double, written apart from the learner's: what both get wrong in the same way cannot be found here, so
// nothing of solvers/ or linalg/ is used. Sums are taken in block order: no bit depends on the number of threads.
#include "dualdict/verify.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/error.h"

namespace dualdict {
namespace {

constexpr std::size_t kBlock = 64;
constexpr double kGap = 1e-9;   // a code is done when its duality gap <= kGap times its energy
constexpr double kKkt = 1e-10;  // and with tau = 0 when its KKT residual <= kKkt times the largest |b_j|
// Bounds of the work on one code. With tau = 0 sweeps are dense, and a singular H may converge as slowly as it likes.
constexpr std::size_t kMaxSweeps = 20000;
constexpr std::size_t kMaxDenseSweeps = 2000;
// Every so many sweeps b - Hu is computed afresh, so that rounding does not build up in it.
constexpr std::size_t kRefreshSweeps = 64;

// min over u of 1/2 u'Hu - b'u + lambda |u|_1, H = D'D/d + ridge I, b = D'x/d + coding C x. Half of a sample's energy,
// less a constant.
struct Problem {
  std::size_t n_atoms = 0;
  std::size_t n_features = 0;
  double lambda = 0;  // tau/K
  double coding = 0;  // eta/K
  double l2 = 0;      // mu/K
  double ridge = 0;   // (eta + mu)/K
  bool positive = false;
  Matrix<double> atoms;         // K x d
  Matrix<double> atom_columns;  // d x K, so that the inner loops below run along memory
  Matrix<double> filter_columns;
  Matrix<double> hessian;
};

// One sample and what is known of its code.
struct Work {
  std::vector<double> b;          // K
  std::vector<double> predicted;  // C x
  std::vector<double> u;
  std::vector<double> r;  // b - Hu
  std::vector<double> error;
};

struct Totals {
  Energy energy;
  double gap = 0;
  double max_kkt = 0;
  double max_pull = 0;  // largest |b_j|
  double nonzeros = 0;
};

Matrix<double> transposed(const Matrix<double>& a) {
  Matrix<double> t(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

Problem make_problem(const ModelParts& parts) {
  Problem p;
  p.n_atoms = parts.dictionary.rows();
  p.n_features = parts.dictionary.cols();
  const auto k = static_cast<double>(p.n_atoms);
  p.lambda = parts.tau / k;
  p.coding = parts.eta / k;
  p.l2 = parts.mu / k;
  p.ridge = (parts.eta + parts.mu) / k;
  p.positive = parts.positive_codes;
  p.atoms = parts.dictionary;
  p.atom_columns = transposed(parts.dictionary);
  p.filter_columns = transposed(parts.dual);
  p.hessian = Matrix<double>(p.n_atoms, p.n_atoms);
  for (std::size_t i = 0; i < p.n_atoms; ++i) {
    double* row = p.hessian.row(i);
    for (std::size_t f = 0; f < p.n_features; ++f)
      for (std::size_t j = 0; j < p.n_atoms; ++j) row[j] += p.atoms(i, f) * p.atom_columns(f, j);
    for (std::size_t j = 0; j < p.n_atoms; ++j) row[j] /= static_cast<double>(p.n_features);
    row[i] += p.ridge;
  }
  return p;
}

void find_linear_term(const Problem& p, const double* x, Work& w) {
  std::fill(w.b.begin(), w.b.end(), 0.0);
  std::fill(w.predicted.begin(), w.predicted.end(), 0.0);
  double* b = w.b.data();
  double* predicted = w.predicted.data();
  for (std::size_t f = 0; f < p.n_features; ++f) {
    const double* atom_values = p.atom_columns.row(f);
    const double* filter_values = p.filter_columns.row(f);
    for (std::size_t j = 0; j < p.n_atoms; ++j) b[j] += x[f] * atom_values[j];
    for (std::size_t j = 0; j < p.n_atoms; ++j) predicted[j] += x[f] * filter_values[j];
  }
  for (std::size_t j = 0; j < p.n_atoms; ++j) b[j] = b[j] / static_cast<double>(p.n_features) + p.coding * predicted[j];
}

void refresh(const Problem& p, Work& w) {
  w.r = w.b;
  double* r = w.r.data();
  for (std::size_t i = 0; i < p.n_atoms; ++i) {
    if (w.u[i] == 0) continue;
    const double* row = p.hessian.row(i);
    for (std::size_t j = 0; j < p.n_atoms; ++j) r[j] -= w.u[i] * row[j];
  }
}

// One pass over all coordinates. Returns the largest change of a gradient entry's own coordinate, H_jj |move|.
double sweep(const Problem& p, Work& w) {
  double largest = 0;
  double* r = w.r.data();
  for (std::size_t i = 0; i < p.n_atoms; ++i) {
    const double* row = p.hessian.row(i);
    if (!(row[i] > 0)) continue;  // a zero atom without any l2 weight: its coefficient stays 0
    const double z = r[i] + row[i] * w.u[i];
    double next = 0;
    if (z > p.lambda) next = (z - p.lambda) / row[i];
    if (z < -p.lambda && !p.positive) next = (z + p.lambda) / row[i];
    const double move = next - w.u[i];
    if (move == 0) continue;
    w.u[i] = next;
    for (std::size_t j = 0; j < p.n_atoms; ++j) r[j] -= move * row[j];
    largest = std::max(largest, row[i] * std::abs(move));
  }
  return largest;
}

// How far the subdifferential at coordinate j is from holding 0.
double violation(const Problem& p, const Work& w, std::size_t j) {
  const double u = w.u[j];
  const double r = w.r[j];
  if (u > 0) return std::abs(r - p.lambda);
  if (u < 0) return std::abs(r + p.lambda);
  return std::max(0.0, (p.positive ? r : std::abs(r)) - p.lambda);
}

double max_violation(const Problem& p, const Work& w) {
  double worst = 0;
  for (std::size_t j = 0; j < p.n_atoms; ++j) worst = std::max(worst, violation(p, w, j));
  return worst;
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double sum_abs(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

// The duality gap in the units of E. The problem is a lasso on y = [x/sqrt d; sqrt(eta/K) C x; 0] with
// A = [D/sqrt d; sqrt(eta/K) I; sqrt(mu/K) I] (the last two blocks only when their weight is not 0). With rho = y - Au,
// A'rho = r and s = min(1, lambda/|r|_inf), s rho is dual feasible, and the gap is
//   (1 - s)^2 |rho|^2 + 2 (lambda |u|_1 - s u'r).
// H >= ridge I gives a second bound, |violations|^2 / ridge, the only useful one when tau = 0. The smaller one counts.
double duality_gap(const Problem& p, const Work& w, double squared_rho) {
  double pull = 0;
  double ur = 0;
  double squared_violation = 0;
  for (std::size_t j = 0; j < p.n_atoms; ++j) {
    pull = std::max(pull, p.positive ? w.r[j] : std::abs(w.r[j]));
    ur += w.u[j] * w.r[j];
    const double v = violation(p, w, j);
    squared_violation += v * v;
  }
  const double s = pull > p.lambda ? p.lambda / pull : 1.0;
  const double lasso = (1 - s) * (1 - s) * squared_rho + 2 * std::max(0.0, p.lambda * sum_abs(w.u) - s * ur);
  return p.ridge > 0 ? std::min(lasso, squared_violation / p.ridge) : lasso;
}

// Coordinate descent from zero. `squared_y` is |y|^2: |rho|^2 = |y|^2 - u'(b + r) is good enough to stop by.
void find_code(const Problem& p, double squared_y, Work& w) {
  std::fill(w.u.begin(), w.u.end(), 0.0);
  w.r = w.b;
  const double largest_b = largest_magnitude(w.b);
  const std::size_t max_sweeps = p.lambda > 0 ? kMaxSweeps : kMaxDenseSweeps;
  for (std::size_t n = 1; n <= max_sweeps; ++n) {
    const double moved = sweep(p, w);
    if (n % kRefreshSweeps == 0) refresh(p, w);
    // Moves below the rounding of b lead nowhere; the certificate tells how good the code is.
    if (moved <= 1e-16 * largest_b) return;
    if (p.lambda == 0) {
      if (max_violation(p, w) <= kKkt * largest_b) return;
      continue;
    }
    double squared_rho = squared_y;
    for (std::size_t j = 0; j < p.n_atoms; ++j) squared_rho -= w.u[j] * (w.b[j] + w.r[j]);
    squared_rho = std::max(0.0, squared_rho);
    if (duality_gap(p, w, squared_rho) <= kGap * (squared_rho + 2 * p.lambda * sum_abs(w.u))) return;
  }
}

// The energy of the code, each term from its own residual.
Energy measure_energy(const Problem& p, const double* x, Work& w) {
  std::copy_n(x, p.n_features, w.error.begin());
  double* error = w.error.data();
  for (std::size_t j = 0; j < p.n_atoms; ++j) {
    if (w.u[j] == 0) continue;
    const double* atom = p.atoms.row(j);
    for (std::size_t f = 0; f < p.n_features; ++f) error[f] -= w.u[j] * atom[f];
  }
  double squared_error = 0;
  for (const double e : w.error) squared_error += e * e;
  double squared_mismatch = 0;
  double squared_code = 0;
  for (std::size_t j = 0; j < p.n_atoms; ++j) {
    const double mismatch = w.u[j] - w.predicted[j];
    squared_mismatch += mismatch * mismatch;
    squared_code += w.u[j] * w.u[j];
  }
  return {.reconstruction = squared_error / static_cast<double>(p.n_features),
          .coding = p.coding * squared_mismatch,
          .l1 = 2 * p.lambda * sum_abs(w.u),
          .l2 = p.l2 * squared_code};
}

void add(Energy& sum, const Energy& energy) {
  sum.reconstruction += energy.reconstruction;
  sum.coding += energy.coding;
  sum.l1 += energy.l1;
  sum.l2 += energy.l2;
}

void verify_sample(const Problem& p, const double* x, Work& w, Totals& totals) {
  find_linear_term(p, x, w);
  double squared_y = 0;
  for (std::size_t f = 0; f < p.n_features; ++f) squared_y += x[f] * x[f];
  squared_y /= static_cast<double>(p.n_features);
  for (const double value : w.predicted) squared_y += p.coding * value * value;
  find_code(p, squared_y, w);
  refresh(p, w);
  const Energy energy = measure_energy(p, x, w);
  add(totals.energy, energy);
  totals.gap += duality_gap(p, w, energy.reconstruction + energy.coding + energy.l2);
  const double largest_b = largest_magnitude(w.b);
  const double unit = p.lambda > 0 ? p.lambda : largest_b;
  if (unit > 0) totals.max_kkt = std::max(totals.max_kkt, max_violation(p, w) / unit);
  totals.max_pull = std::max(totals.max_pull, largest_b);
  totals.nonzeros += static_cast<double>(w.u.size()) - static_cast<double>(std::count(w.u.begin(), w.u.end(), 0.0));
}

void require_finite_rows(const Matrix<double>& samples, std::size_t n, const std::string& name, std::size_t first) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < samples.cols(); ++j)
      if (!std::isfinite(samples(i, j)))
        throw Error(ErrorKind::kInput, name + ": the value at row " + std::to_string(first + i) + ", column " +
                                           std::to_string(j) +
                                           " (counted from 0) is NaN or infinite; every value must be finite");
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

Totals verify_block(const Problem& p, const Transform& transform, const DataSource& data, std::size_t block) {
  const std::size_t first = block * kBlock;
  const std::size_t n = std::min(kBlock, data.n_samples() - first);
  Matrix<double> samples(n, p.n_features);
  data.read(first, samples.view());
  require_finite_rows(samples, n, data.name(), first);
  transform.apply(samples.view());
  Work work;
  for (auto* values : {&work.b, &work.predicted, &work.u, &work.r}) values->resize(p.n_atoms);
  work.error.resize(p.n_features);
  Totals totals;
  for (std::size_t i = 0; i < n; ++i) verify_sample(p, samples.row(i), work, totals);
  return totals;
}

}  // namespace

Verification verify(const Model& model, const DataSource& data, std::size_t n_threads) {
  if (data.n_features() != model.n_features())
    throw Error(ErrorKind::kInput, data.name() + ": samples have " + std::to_string(data.n_features()) +
                                       " features; the model was learned on " + std::to_string(model.n_features()));
  const Problem problem = make_problem(model.parts());
  const std::size_t n_blocks = (data.n_samples() + kBlock - 1) / kBlock;
  std::vector<Totals> blocks(n_blocks);
  ThreadPool pool(resolve_threads(n_threads));
  pool.run(n_blocks, [&](std::size_t block, std::size_t) {
    blocks[block] = verify_block(problem, model.parts().transform, data, block);
  });
  Totals totals;
  for (const Totals& block : blocks) {
    add(totals.energy, block.energy);
    totals.gap += block.gap;
    totals.nonzeros += block.nonzeros;
    totals.max_kkt = std::max(totals.max_kkt, block.max_kkt);
    totals.max_pull = std::max(totals.max_pull, block.max_pull);
  }
  Verification result;
  result.n_samples = data.n_samples();
  result.energy = totals.energy;
  const double energy = totals.energy.total();
  result.duality_gap = energy > 0 ? totals.gap / energy : 0.0;
  result.max_kkt_residual = totals.max_kkt;
  if (result.n_samples > 0) result.nonzeros_per_code = totals.nonzeros / static_cast<double>(result.n_samples);
  result.max_atom_norm = max_row_norm(model.dictionary());
  result.max_filter_norm = max_row_norm(model.dual());
  result.tau_max = static_cast<double>(problem.n_atoms) * totals.max_pull;
  return result;
}

}  // namespace dualdict
