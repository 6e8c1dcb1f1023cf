// SPDX-License-Identifier: BSD-3-Clause
// Codes to a wanted duality gap.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/vectors.h"
#include "model/modes/mode.h"
#include "model/modes/weights.h"

namespace dualdict {
namespace {

constexpr std::size_t kRounds = 6;
constexpr std::size_t kSweeps = 400;  // in each round

template <class T>
struct ExactWorkspace {
  CodeWorkspace<T> step;
  Matrix<T> prediction;  // C x
  Matrix<T> samples;     // of the rows that need another round
  Matrix<T> codes;
  std::vector<std::size_t> rows;
  std::vector<double> gaps;  // of the round before, relative
};

// From zero, each code to a duality gap of at most `gap` times its share of E where the precision allows: a code whose
// gap no longer halves is left as it is. Every decision is taken row by row, so a code does not depend on the rows
// around it.
template <class T>
class ExactEncoder final : public BlockEncoder<T> {
 public:
  ExactEncoder(const ModelParts& parts, const ModeSettings& settings)
      : dual_(packed_transposed<T>(parts.dual)), gap_(settings.gap) {
    problem_.assign(objective_of(parts, settings), parts.dictionary, parts.dual);
  }
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    encode_rows(x, work.template own<ExactWorkspace<T>>(), u);
  }

 private:
  void encode_rows(MatrixView<const T> x, ExactWorkspace<T>& work, MatrixView<T> u) const;
  double relative_gap(const CodeWorkspace<T>& step, std::size_t step_row, const T* prediction) const;

  CodeProblem<T> problem_;
  PackedRight<T> dual_;
  double gap_;
};

// Of the code in row `step_row` of the last code step, whose sample has this prediction.
template <class T>
double ExactEncoder<T>::relative_gap(const CodeWorkspace<T>& step, std::size_t step_row, const T* prediction) const {
  const Objective& objective = problem_.objective;
  const double gap = step.gap[step_row];
  if (gap == 0) return 0;
  double energy = step.energy[step_row];
  if (objective.eta > 0) energy += objective.coding_weight() * squared_norm(prediction, objective.n_atoms);
  return energy > 0 ? gap / energy : std::numeric_limits<double>::infinity();
}

template <class T>
void ExactEncoder<T>::encode_rows(MatrixView<const T> x, ExactWorkspace<T>& work, MatrixView<T> u) const {
  const std::size_t n_atoms = problem_.objective.n_atoms;
  if (work.samples.cols() != x.cols || work.codes.cols() != n_atoms) {
    work.samples = Matrix<T>(kBlockSamples, x.cols);
    work.codes = Matrix<T>(kBlockSamples, n_atoms);
    work.prediction = Matrix<T>(kBlockSamples, n_atoms);
  }
  if (problem_.objective.eta > 0) multiply<T>(plain(x), dual_, work.prediction.view().row_range(0, x.rows));
  for (std::size_t i = 0; i < x.rows; ++i) std::fill_n(u.row(i), n_atoms, T{0});
  CodeOptions options{CodeMethod::kDescent, std::clamp(gap_, 1e-12, 1e-2), kSweeps};
  code_step(problem_, x, options, work.step, u);
  if (problem_.has_direct) return;

  work.rows.clear();
  work.gaps.clear();
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double gap = relative_gap(work.step, i, work.prediction.row(i));
    if (gap <= gap_) continue;
    work.rows.push_back(i);
    work.gaps.push_back(gap);
  }
  for (std::size_t round = 1; round < kRounds && !work.rows.empty(); ++round) {
    options.tolerance /= 10;
    const std::size_t n = work.rows.size();
    for (std::size_t k = 0; k < n; ++k) {
      std::copy_n(x.row(work.rows[k]), x.cols, work.samples.row(k));
      std::copy_n(u.row(work.rows[k]), n_atoms, work.codes.row(k));
    }
    code_step<T>(problem_, work.samples.view().row_range(0, n), options, work.step, work.codes.view().row_range(0, n));
    std::size_t kept = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = work.rows[k];
      const double gap = relative_gap(work.step, k, work.prediction.row(i));
      if (gap < work.gaps[k]) std::copy_n(work.codes.row(k), n_atoms, u.row(i));
      if (gap <= gap_ || gap > work.gaps[k] / 2) continue;
      work.rows[kept] = i;
      work.gaps[kept++] = gap;
    }
    work.rows.resize(kept);
    work.gaps.resize(kept);
  }
}

}  // namespace

const Mode& exact_mode() {
  static const Mode mode = {
      .info = {.name = "exact",
               .number = "",
               .help = "the minimiser, with its certificate",
               .cost = "until the gap",
               .takes_tau = true,
               .debiased = true,
               .takes_eta = true,
               .needs_sample = true,
               .no_graph = "iterates until a certificate is met and cannot be a graph; use refine:k, as refine:10"},
      .make_float = make_mode_encoder<ExactEncoder<float>, float>,
      .make_double = make_mode_encoder<ExactEncoder<double>, double>};
  return mode;
}

}  // namespace dualdict
