// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "images/basis_choice.h"
#include "images/patch_bases.h"

namespace dualdict {
namespace {

ChoiceWork& choice_work(std::any& work) {
  if (!work.has_value()) work = ChoiceWork();
  return *std::any_cast<ChoiceWork>(&work);
}

struct KeptOrLost {
  float squared_threshold;
  float operator()(float z) const { return std::min(z * z, squared_threshold); }
};

// The mean squared error of a coefficient that is shrunk as it should be.
struct WienerRisk {
  float variance;
  float operator()(float p) const { return p * p * variance / (p * p + variance); }
};

// Hands out the patches basis by basis: their rows, gathered in work.gathered, and where their result goes.
template <class Work>
void by_basis(MatrixView<const float> rows, std::size_t n_bases, ChoiceWork& work, const Work& filter) {
  if (work.gathered.rows() < rows.rows || work.gathered.cols() != rows.cols) {
    work.gathered = Matrix<float>(rows.rows, rows.cols);
    work.filtered = Matrix<float>(rows.rows, rows.cols);
  }
  for (std::size_t m = 0; m < n_bases; ++m) {
    work.rows.clear();
    for (std::size_t i = 0; i < rows.rows; ++i)
      if (work.basis[i] == m) work.rows.push_back(i);
    if (work.rows.empty()) continue;
    for (std::size_t k = 0; k < work.rows.size(); ++k)
      std::copy_n(rows.row(work.rows[k]), rows.cols, work.gathered.row(k));
    filter(m, work.gathered.view().row_range(0, work.rows.size()), work.filtered.view().row_range(0, work.rows.size()));
  }
}

}  // namespace

std::vector<std::size_t> sparsest_bases(MatrixView<const float> patches, const PatchBases& bases, double threshold,
                                        ThreadPool& pool) {
  std::vector<PackedRight<float>> forward, back;
  pack_bases(bases, forward, back);
  std::vector<std::size_t> chosen(patches.rows);
  std::vector<ChoiceWork> works(pool.size());
  const KeptOrLost cost{static_cast<float>(threshold * threshold)};
  pool.run((patches.rows + kFilterRows - 1) / kFilterRows, [&](std::size_t block, std::size_t worker) {
    const std::size_t first = block * kFilterRows;
    const std::size_t n = std::min(kFilterRows, patches.rows - first);
    choose_bases(patches.row_range(first, n), forward, cost, works[worker]);
    std::copy_n(works[worker].basis.begin(), n, chosen.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return chosen;
}

ThresholdFilter::ThresholdFilter(const PatchBases& bases, double threshold)
    : threshold_(static_cast<float>(threshold)) {
  pack_bases(bases, forward_, back_);
}

void ThresholdFilter::apply(MatrixView<float> noisy, MatrixView<const float>, std::span<float> weights,
                            std::any& own) const {
  ChoiceWork& work = choice_work(own);
  choose_bases(noisy, forward_, KeptOrLost{threshold_ * threshold_}, work);
  for (std::size_t i = 0; i < noisy.rows; ++i) {
    float* const z = work.best.row(i);
    const float kept =
        sum_over(z, noisy.cols, [this](float value) { return std::abs(value) > threshold_ ? 1.0F : 0.0F; });
    for (std::size_t k = 0; k < noisy.cols; ++k) z[k] = std::abs(z[k]) > threshold_ ? z[k] : 0.0F;
    weights[i] = 1 / (1 + kept);
  }
  const MatrixView<const float> codes = work.best.view().row_range(0, noisy.rows);
  by_basis(codes, back_.size(), work, [&](std::size_t m, MatrixView<const float> mine, MatrixView<float> out) {
    multiply<float>(plain(mine), back_[m], out);
    for (std::size_t k = 0; k < mine.rows; ++k) std::copy_n(out.row(k), noisy.cols, noisy.row(work.rows[k]));
  });
}

WienerFilter::WienerFilter(const PatchBases& bases, double sigma) : variance_(static_cast<float>(sigma * sigma)) {
  pack_bases(bases, forward_, back_);
}

void WienerFilter::apply(MatrixView<float> noisy, MatrixView<const float> pilot, std::span<float> weights,
                         std::any& own) const {
  constexpr float kLeastGain = 0.1F;
  ChoiceWork& work = choice_work(own);
  choose_bases(pilot, forward_, WienerRisk{variance_}, work);
  by_basis(MatrixView<const float>(noisy), back_.size(), work,
           [&](std::size_t m, MatrixView<float> mine, MatrixView<float> out) {
             multiply<float>(plain(MatrixView<const float>(mine)), forward_[m], out);
             for (std::size_t k = 0; k < mine.rows; ++k) {
               const float* const p = work.best.row(work.rows[k]);
               float* const z = out.row(k);
               float squared_gains = 0;
               for (std::size_t f = 0; f < noisy.cols; ++f) {
                 const float gain = p[f] * p[f] / (p[f] * p[f] + variance_);
                 z[f] *= gain;
                 squared_gains += gain * gain;
               }
               weights[work.rows[k]] = 1 / std::max(squared_gains, kLeastGain);
             }
             multiply<float>(plain(MatrixView<const float>(out)), back_[m], mine);
             for (std::size_t k = 0; k < mine.rows; ++k) std::copy_n(mine.row(k), noisy.cols, noisy.row(work.rows[k]));
           });
}

}  // namespace dualdict
