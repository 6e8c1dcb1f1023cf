// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/step_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/parallel_product.h"
#include "linalg/vectors.h"
#include "model/fit/threshold_fit.h"

namespace dualdict {
namespace {

constexpr std::array kSteps{0.25, 0.5, 0.75, 1.0};  // y
constexpr std::size_t kQuantiles = 65;

MatrixView<const double> rows_of(const Matrix<double>& a, std::size_t first, std::size_t count) {
  return a.view().row_range(first, count);
}
MatrixView<const double> columns_of(MatrixView<const double> a, std::size_t first, std::size_t count) {
  return {a.data + first, a.rows, count, a.stride};
}

// E of codes u without its constant is u'Hu - 2 b'u + 2 lambda |u|_1. Multiplied by a common gain g they have the
// energy g^2 quadratic - 2 g linear, and the squared code error g^2 squared - 2 g match + |u*|^2.
struct FittedCodes {
  double quadratic = 0;
  double linear = 0;
  double squared = 0;
  double match = 0;

  double energy(double gain) const { return gain * gain * quadratic - 2 * gain * linear; }
  double best_gain() const { return quadratic > 0 && linear > 0 ? linear / quadratic : 1.0; }
  double squared_error(double gain, double squared_codes) const {
    return std::max(0.0, gain * gain * squared - 2 * gain * match + squared_codes);
  }
};

struct Candidate {
  std::vector<ThresholdFit> fits;
  double squared_error = 0;
  double energy = 0;
};

// What the codes of all atoms add up to, block after block.
struct CodeSums {
  explicit CodeSums(MatrixView<const double> samples) : decoded(samples.rows, samples.cols) {}

  Matrix<double> decoded;  // D u
  double linear = 0;       // b'u - lambda |u|_1
  double squared = 0;
  double match = 0;

  FittedCodes total(const ModelParts& parts) const {
    const auto d = static_cast<double>(parts.dictionary.cols());
    const auto k = static_cast<double>(parts.dictionary.rows());
    return {squared_norm(decoded) / d + (parts.eta + parts.mu) / k * squared, linear, squared, match};
  }
};

// Fits that err little more than the best often have a much smaller E: of these the one with the smallest is taken.
constexpr double kNear = 1.05;

std::size_t best_of(const std::array<Candidate, kSteps.size()>& candidates, double least) {
  std::size_t best = kSteps.size();
  for (std::size_t k = 0; k < kSteps.size(); ++k)
    if (candidates[k].squared_error <= kNear * kNear * least &&
        (best == kSteps.size() || candidates[k].energy < candidates[best].energy))
      best = k;
  return best == kSteps.size() ? 0 : best;
}

// Quantiles 0, 1/64, ..., 1 of |v| / (1 + growth n).
void store_quantiles(const double* v, const std::vector<double>& n, double growth, bool positive, double* quantiles) {
  std::vector<double> sorted(n.size());
  for (std::size_t i = 0; i < n.size(); ++i)
    sorted[i] = (positive ? std::max(v[i], 0.0) : std::abs(v[i])) / (1 + growth * n[i]);
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t q = 0; q < kQuantiles; ++q) {
    const double position = static_cast<double>(q) / (kQuantiles - 1) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double share = position - static_cast<double>(below);
    quantiles[q] = sorted[below] + share * (sorted[above] - sorted[below]);
  }
}

class StepFitter {
 public:
  StepFitter(const ModelParts& parts, const FitSamples& fit, MatrixView<const double> sparse_codes, ThreadPool& pool)
      : parts_(parts),
        fit_(fit),
        sparse_codes_(sparse_codes),
        pool_(pool),
        norms_(relative_norms(parts, fit.samples)),
        work_(pool.size()) {
    for (std::size_t i = 0; i < fit.codes.rows; ++i) squared_codes_ += squared_norm(fit.codes.row(i), fit.codes.cols);
  }

  double run(const StepWeights& weights, bool relaxed, FittedEncoder& encoder) {
    std::array<Candidate, kSteps.size()> candidates = fit_candidates(weights);
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates) least = std::min(least, candidate.squared_error);
    const std::size_t best = best_of(candidates, least);
    const double step = kSteps[best];
    Candidate& chosen = candidates[best];
    if (relaxed) relax(weights, step, least, chosen);
    store(weights, step, chosen.fits, encoder);
    return step;
  }

 private:
  struct Block {
    std::size_t first;
    std::size_t count;
    Matrix<double> codes;   // u*, atoms in rows as below
    Matrix<double> linear;  // b
  };
  std::size_t n_atoms() const { return parts_.dictionary.rows(); }
  std::size_t n() const { return norms_.size(); }

  template <class Work>
  void for_blocks(const Work& work) {
    for (std::size_t first = 0; first < n_atoms(); first += kFitBlockAtoms)
      work(first, std::min(kFitBlockAtoms, n_atoms() - first));
  }

  // W f of the rows of W, a row for each of them.
  Matrix<double> respond(MatrixView<const double> weights) {
    const std::size_t d = fit_.samples.cols;
    Matrix<double> v = parallel_multiply_transposed(fit_.samples, columns_of(weights, 0, d), pool_);
    if (!sparse_codes_.empty()) {
      const Matrix<double> feedback = transpose<double>(columns_of(weights, d, weights.cols - d));
      parallel_multiply(sparse_codes_, feedback.view(), v.view(), Into::kAdd, pool_);
    }
    return transpose<double>(v.view());
  }

  // Codes and b of a block: b = (D/d + eta/K C) x.
  Block block(std::size_t first, std::size_t count) {
    const auto d = static_cast<double>(parts_.dictionary.cols());
    const auto k = static_cast<double>(n_atoms());
    Matrix<double> weights(count, fit_.samples.cols);
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t f = 0; f < weights.cols(); ++f)
        weights(j, f) = parts_.dictionary(first + j, f) / d + parts_.eta / k * parts_.dual(first + j, f);
    const Matrix<double> linear = parallel_multiply_transposed(fit_.samples, weights.view(), pool_);
    return {first, count, transpose<double>(columns_of(fit_.codes, first, count)), transpose<double>(linear.view())};
  }

  std::array<Candidate, kSteps.size()> fit_candidates(const StepWeights& weights) {
    std::array<Candidate, kSteps.size()> candidates;
    std::vector<CodeSums> sums(kSteps.size(), CodeSums(fit_.samples));
    for_blocks([&](std::size_t first, std::size_t count) {
      const Block atoms = block(first, count);
      const Matrix<double> base = respond(rows_of(weights.base, first, count));
      const Matrix<double> direction = respond(rows_of(weights.direction, first, count));
      for (std::size_t k = 0; k < kSteps.size(); ++k) {
        const Matrix<double> v = along(base.view(), direction.view(), kSteps[k]);
        const std::vector<ThresholdFit> fits = fit_atoms(atoms, v);
        add_codes(atoms, v, fits, sums[k]);
        candidates[k].fits.insert(candidates[k].fits.end(), fits.begin(), fits.end());
      }
    });
    for (std::size_t k = 0; k < kSteps.size(); ++k) {
      double reduction = 0;
      for (const ThresholdFit& fit : candidates[k].fits) reduction += fit.reduction;
      candidates[k].squared_error = std::max(0.0, squared_codes_ - reduction);
      candidates[k].energy = sums[k].total(parts_).energy(1);
    }
    return candidates;
  }

  std::vector<ThresholdFit> fit_atoms(const Block& atoms, const Matrix<double>& v) {
    std::vector<ThresholdFit> fits(atoms.count);
    pool_.run(atoms.count, [&](std::size_t j, std::size_t worker) {
      fits[j] = fit_threshold({v.row(j), n()}, {atoms.codes.row(j), n()}, norms_, parts_.positive_codes, work_[worker]);
    });
    return fits;
  }

  // The codes that fits make of v.
  void add_codes(const Block& atoms, const Matrix<double>& v, const std::vector<ThresholdFit>& fits, CodeSums& sums) {
    Matrix<double> codes(atoms.count, n());
    const double lambda = parts_.tau / static_cast<double>(n_atoms());
    std::vector<std::array<double, 3>> of_atom(atoms.count);
    pool_.run(atoms.count, [&](std::size_t j, std::size_t) {
      double* u = codes.row(j);
      const ThresholdFit& fit = fits[j];
      for (std::size_t i = 0; i < n(); ++i)
        u[i] = fit.gain * soft_threshold(v(j, i), fit.threshold * (1 + fit.growth * norms_[i]), parts_.positive_codes);
      of_atom[j] = {dot(u, atoms.linear.row(j), n()) - lambda * sum_abs(u, n()), squared_norm(u, n()),
                    dot(u, atoms.codes.row(j), n())};
    });
    for (const auto& [linear, squared, match] : of_atom) {
      sums.linear += linear;
      sums.squared += squared;
      sums.match += match;
    }
    parallel_multiply(transpose<double>(codes.view()).view(), rows_of(parts_.dictionary, atoms.first, atoms.count),
                      sums.decoded.view(), Into::kAdd, pool_);
  }

  // The fits minimise the code error. Lower thresholds with a common gain that is best for E cost little of that and
  // save much of E: small coefficients that were missed come back.
  void relax(const StepWeights& weights, double step, double least, Candidate& candidate) {
    constexpr double kNearer = 1.03;
    constexpr std::array kScales{0.95, 0.9};
    std::array<std::vector<ThresholdFit>, kScales.size()> fits;
    fits.fill(candidate.fits);
    for (std::size_t s = 0; s < kScales.size(); ++s)
      for (ThresholdFit& fit : fits[s]) fit.threshold *= kScales[s];
    std::vector<CodeSums> sums(kScales.size(), CodeSums(fit_.samples));
    for_blocks([&](std::size_t first, std::size_t count) {
      const Block atoms = block(first, count);
      const Matrix<double> v = respond(block_weights(weights, step, first, count).view());
      for (std::size_t s = 0; s < kScales.size(); ++s) {
        const auto begin = fits[s].begin() + static_cast<std::ptrdiff_t>(first);
        add_codes(atoms, v, {begin, begin + static_cast<std::ptrdiff_t>(count)}, sums[s]);
      }
    });
    for (std::size_t s = 0; s < kScales.size(); ++s) {
      const FittedCodes measured = sums[s].total(parts_);
      const double gain = measured.best_gain();
      const double squared_error = measured.squared_error(gain, squared_codes_);
      if (squared_error > kNearer * kNearer * least || measured.energy(gain) >= candidate.energy) continue;
      for (ThresholdFit& fit : fits[s]) fit.gain *= gain;
      candidate = {std::move(fits[s]), squared_error, measured.energy(gain)};
    }
  }

  Matrix<double> block_weights(const StepWeights& weights, double step, std::size_t first, std::size_t count) {
    return along(rows_of(weights.base, first, count), rows_of(weights.direction, first, count), step);
  }

  void store(const StepWeights& weights, double step, const std::vector<ThresholdFit>& fits, FittedEncoder& encoder) {
    const std::vector<double> inverse = inverse_diagonal(parts_);
    encoder.quantiles = Matrix<double>(n_atoms(), kQuantiles);
    for (std::size_t j = 0; j < n_atoms(); ++j) {
      encoder.gain.push_back(fits[j].gain);
      encoder.threshold.push_back(fits[j].threshold);
      encoder.growth.push_back(fits[j].growth);
      // The threshold of z is y tau/(K h), reached by a sample of mean norm at t (1 + k).
      encoder.tau_slope.push_back(step * inverse[j] / static_cast<double>(n_atoms()) / (1 + fits[j].growth));
    }
    for_blocks([&](std::size_t first, std::size_t count) {
      const Matrix<double> v = respond(block_weights(weights, step, first, count).view());
      pool_.run(count, [&](std::size_t j, std::size_t) {
        store_quantiles(v.row(j), norms_, fits[first + j].growth, parts_.positive_codes,
                        encoder.quantiles.row(first + j));
      });
    });
  }

  const ModelParts& parts_;
  FitSamples fit_;
  MatrixView<const double> sparse_codes_;
  ThreadPool& pool_;
  std::vector<double> norms_;
  std::vector<ThresholdWorkspace> work_;
  double squared_codes_ = 0;
};

}  // namespace

double fit_steps(const ModelParts& parts, const FitSamples& fit, MatrixView<const double> sparse_codes,
                 const StepWeights& weights, bool relaxed, ThreadPool& pool, FittedEncoder& encoder) {
  return StepFitter(parts, fit, sparse_codes, pool).run(weights, relaxed, encoder);
}

Matrix<double> along(MatrixView<const double> base, MatrixView<const double> direction, double step) {
  Matrix<double> sum(base.rows, base.cols);
  for (std::size_t i = 0; i < base.rows; ++i)
    for (std::size_t j = 0; j < base.cols; ++j) sum(i, j) = base(i, j) + step * direction(i, j);
  return sum;
}

std::vector<double> inverse_diagonal(const ModelParts& parts) {
  const Matrix<double>& dictionary = parts.dictionary;
  const auto n_atoms = static_cast<double>(dictionary.rows());
  std::vector<double> inverse(dictionary.rows());
  for (std::size_t j = 0; j < inverse.size(); ++j) {
    const double h = squared_norm(dictionary.row(j), dictionary.cols()) / static_cast<double>(dictionary.cols()) +
                     (parts.eta + parts.mu) / n_atoms;
    inverse[j] = h > 0 ? 1 / h : 0.0;
  }
  return inverse;
}

std::vector<double> relative_norms(const ModelParts& parts, MatrixView<const double> samples) {
  std::vector<double> n(samples.rows);
  for (std::size_t i = 0; i < n.size(); ++i)
    n[i] = parts.mean_norm > 0 ? norm(samples.row(i), samples.cols) / parts.mean_norm : 0.0;
  return n;
}

}  // namespace dualdict
