// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/hard_state.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "linalg/kernels/l0_kernels.h"
#include "linalg/vectors.h"
#include "solvers/hard_codes.h"

namespace dualdict {
namespace {

constexpr std::size_t kJudgeRows = 128;

}  // namespace

void hard_responses(const HardState& state, const PackedRight<float>& weights, MatrixView<const float> samples,
                    MatrixView<float> responses) {
  multiply<float>(plain(samples), weights, responses);
  for (std::size_t i = 0; i < responses.rows; ++i)
    for (std::size_t k = 0; k < responses.cols; ++k) responses(i, k) += state.bias[k];
}

HardJudge::HardJudge(Matrix<float> samples, double nonzeros)
    : samples_(std::move(samples)),
      nonzeros_(nonzeros),
      squared_samples_(squared_norm(samples_)),
      errors_((samples_.rows() + kJudgeRows - 1) / kJudgeRows) {}

double HardJudge::measure(HardState& state, ThreadPool& pool) {
  if (responses_.cols() != state.n_atoms()) responses_ = Matrix<float>(samples_.rows(), state.n_atoms());
  packed_.pack_transposed(state.weights.view());
  const auto rows_of = [&](std::size_t part) { return std::min(kJudgeRows, samples_.rows() - part * kJudgeRows); };
  pool.run(errors_.size(), [&](std::size_t part, std::size_t) {
    hard_responses(state, packed_, samples_.view().row_range(part * kJudgeRows, rows_of(part)),
                   responses_.view().row_range(part * kJudgeRows, rows_of(part)));
  });
  sorted_ = responses_;
  state.threshold = threshold_for_nonzeros(sorted_, nonzeros_, state.positive);
  pool.run(errors_.size(), [&](std::size_t part, std::size_t) {
    errors_[part] = 0;
    std::vector<std::uint32_t> atoms(state.n_atoms() + kWidestVector);
    std::vector<float> codes(state.n_atoms() + kWidestVector), rest(state.n_features());
    const AlignedVector<float> nothing(state.n_atoms());
    for (std::size_t i = part * kJudgeRows; i < part * kJudgeRows + rows_of(part); ++i) {
      float* const z = responses_.row(i);
      l0_kernels<float>().keep_large(nothing.data(), state.n_atoms(), state.threshold, state.positive, z);
      const std::size_t count = kernels<float>().list_nonzeros(z, state.n_atoms(), atoms.data(), codes.data());
      for (std::size_t f = 0; f < rest.size(); ++f) rest[f] = samples_(i, f) - state.offset[f];
      kernels<float>().add_rows({.factors = codes.data(),
                                 .rows = atoms.data(),
                                 .count = count,
                                 .sign = -1,
                                 .matrix = state.decoder.data(),
                                 .stride = state.n_features(),
                                 .out = rest.data(),
                                 .n = rest.size()});
      errors_[part] += kernels<float>().squared_norm(rest.data(), rest.size());
    }
  });
  double sum = 0;
  for (const double error : errors_) sum += error;
  return squared_samples_ > 0 ? sum / squared_samples_ : 0;
}

}  // namespace dualdict
