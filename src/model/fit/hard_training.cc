// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/hard_training.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/kernels/l0_kernels.h"
#include "linalg/vectors.h"
#include "solvers/hard_codes.h"

namespace dualdict {
namespace {

constexpr std::size_t kPartRows = 128;
constexpr std::size_t kAtomsAtOnce = 16;
constexpr float kWindow = 0.3F;       // e: how near to the threshold a response is near
constexpr double kGainFading = 0.95;  // of the mean gain
constexpr float kFirstFading = 0.9F, kSecondFading = 0.999F;
constexpr double kFloor = 1e-8;

}  // namespace

HardTrainingState::HardTrainingState(HardState start) : encoder(std::move(start)) {
  const auto zeros = [](std::size_t rows, std::size_t cols) {
    return AdamMoments{Matrix<float>(rows, cols), Matrix<float>(rows, cols)};
  };
  weights = decoder = zeros(encoder.n_atoms(), encoder.n_features());
  bias = zeros(1, encoder.n_atoms());
  offset = zeros(1, encoder.n_features());
}

HardTraining::HardTraining(const HardRows& rows, HardTrainingState& state, const HardTrainingOptions& options,
                           ThreadPool& pool)
    : rows_(rows),
      state_(state),
      nonzeros_(options.nonzeros),
      pool_(pool),
      x_(std::min(rows.n, kTrainingBlock), rows.n_features),
      order_(rows.n, options.seed, options.stream, state.n_steps * x_.rows()),
      rest_(x_.rows(), rows.n_features),
      lists_((x_.rows() + kPartRows - 1) / kPartRows),
      parts_(lists_.size()),
      directions_{.scratch = std::vector(pool.size(), std::vector<float>(rows.n_features)),
                  .bias = Matrix<float>(1, encoder().n_atoms()),
                  .offset = Matrix<float>(1, rows.n_features)} {
  for (Part& part : parts_) {
    part.responses = Matrix<float>(kPartRows, encoder().n_atoms());
    part.atoms.resize(encoder().n_atoms() + kWidestVector);
    part.codes.resize(encoder().n_atoms() + kWidestVector);
    part.rest.resize(rows.n_features);
  }
}

void HardTraining::set_first_threshold() {
  Matrix<float> responses(x_.rows(), encoder().n_atoms());
  hard_responses(encoder(), packed_, x_.view(), responses.view());
  encoder().threshold = threshold_for_nonzeros(responses, nonzeros_, encoder().positive);
}

// What a response near the threshold is pulled by besides v_k . r.
float HardTraining::pull_near(float response, float pull, Part& part) const {
  const float t = encoder().threshold;
  const float magnitude = std::abs(response);
  if (magnitude >= (1 + kWindow) * t || !(t > 0)) return 0;
  const float sign = response < 0 ? -1.0F : 1.0F;
  const float without = pull + (magnitude > t ? response : 0.0F);
  const float gain = 2 * t * sign * without - t * t;
  part.gains += static_cast<double>(gain);
  ++part.near;
  return state_.has_mean_gain ? sign * (gain - static_cast<float>(state_.mean_gain)) / (4 * kWindow * t) : 0.0F;
}

void HardTraining::look_at(std::size_t sample, const float* responses, Part& part) {
  SampleLists& lists = part.lists;
  const std::size_t n = encoder().n_atoms();
  const std::size_t begin = lists.begin_sample(n);
  std::uint32_t* const listed = lists.atom.data() + begin;
  float* const codes = lists.code.data() + begin;
  float* const pulls = lists.pull.data() + begin;
  const std::size_t count = kernels<float>().list_nonzeros(responses, n, listed, codes);
  std::size_t kept = 0;
  for (std::size_t e = 0; e < count; ++e) {
    part.atoms[kept] = listed[e];
    part.codes[kept] = codes[e];
    kept += std::abs(codes[e]) > encoder().threshold ? 1 : 0;
  }
  const std::size_t d = rows_.n_features;
  float* const rest = rest_.row(sample);
  for (std::size_t f = 0; f < d; ++f) rest[f] = x_(sample, f) - encoder().offset[f];
  kernels<float>().add_rows({.factors = part.codes.data(),
                             .rows = part.atoms.data(),
                             .count = kept,
                             .sign = -1,
                             .matrix = encoder().decoder.data(),
                             .stride = d,
                             .out = rest,
                             .n = d});
  l0_kernels<float>().dot_rows({.rows = listed,
                                .count = count,
                                .matrix = encoder().decoder.data(),
                                .stride = d,
                                .x = rest,
                                .n = d,
                                .out = pulls});
  for (std::size_t e = 0; e < count; ++e) {
    const bool is_kept = std::abs(codes[e]) > encoder().threshold;
    const float near = pull_near(codes[e], pulls[e], part);
    pulls[e] = (is_kept ? pulls[e] : 0.0F) + near;
    if (!is_kept) codes[e] = 0;
  }
  lists.end_sample(count);
  part.nonzeros += kept;
  for (std::size_t f = 0; f < d; ++f) part.rest[f] += static_cast<double>(rest[f]);
}

void HardTraining::look(std::size_t index) {
  Part& part = parts_[index];
  const std::size_t first = index * kPartRows;
  const std::size_t n = std::min(kPartRows, x_.rows() - first);
  part.lists.clear();
  part.nonzeros = part.near = 0;
  part.gains = 0;
  std::fill(part.rest.begin(), part.rest.end(), 0.0);
  multiply<float>(plain<float>(x_.view().row_range(first, n)), packed_, part.responses.view().row_range(0, n));
  const float lowest = (1 - kWindow) * encoder().threshold;
  for (std::size_t i = 0; i < n; ++i) {
    float* const responses = part.responses.row(i);
    l0_kernels<float>().keep_large(encoder().bias.data(), encoder().n_atoms(), lowest, encoder().positive, responses);
    look_at(first + i, responses, part);
  }
}

void HardTraining::adam(const float* direction, AdamMoments& moments, std::size_t row, float* w) const {
  l0_kernels<float>().adam_step({.direction = direction,
                                 .n = moments.first.cols(),
                                 .first_fading = kFirstFading,
                                 .second_fading = kSecondFading,
                                 .rate = pace_.rate,
                                 .floor = pace_.floor,
                                 .first = moments.first.row(row),
                                 .second = moments.second.row(row),
                                 .w = w});
}

void HardTraining::move_atom(std::size_t atom, float* direction) {
  const std::size_t d = rows_.n_features;
  const float share = 1 / static_cast<float>(x_.rows());
  const auto summed = [&](const AtomLists& lists, const Matrix<float>& rows) {
    std::fill_n(direction, d, 0.0F);
    lists.add_rows(atom, rows, direction);
    for (std::size_t f = 0; f < d; ++f) direction[f] *= share;
  };
  summed(pulls_, x_);
  adam(direction, state_.weights, atom, encoder().weights.row(atom));
  summed(codes_, rest_);
  float* const row = encoder().decoder.row(atom);
  adam(direction, state_.decoder, atom, row);
  const double length = std::sqrt(kernels<float>().squared_norm(row, d));
  if (!(length > 0)) return;
  const auto inverse = static_cast<float>(1 / length);
  for (std::size_t f = 0; f < d; ++f) row[f] *= inverse;
}

void HardTraining::move_biases(bool moves_offset) {
  const double share = 1 / static_cast<double>(x_.rows());
  for (std::size_t k = 0; k < encoder().n_atoms(); ++k) {
    double sum = 0;
    for (std::size_t e = pulls_.begin[k]; e < pulls_.begin[k + 1]; ++e) sum += static_cast<double>(pulls_.value[e]);
    directions_.bias(0, k) = static_cast<float>(share * sum);
  }
  adam(directions_.bias.data(), state_.bias, 0, encoder().bias.data());
  if (!moves_offset) return;
  for (std::size_t f = 0; f < rows_.n_features; ++f) {
    double sum = 0;
    for (const Part& part : parts_) sum += part.rest[f];
    directions_.offset(0, f) = static_cast<float>(share * sum);
  }
  adam(directions_.offset.data(), state_.offset, 0, encoder().offset.data());
}

// The threshold follows the count; no quantile is needed.
void HardTraining::follow_count() {
  constexpr double kPower = 0.3, kLeast = 0.5, kMost = 2;
  std::size_t nonzeros = 0, near = 0;
  double gains = 0;
  for (const Part& part : parts_) {
    nonzeros += part.nonzeros;
    near += part.near;
    gains += part.gains;
  }
  if (near > 0) {
    const double mean = gains / static_cast<double>(near);
    state_.mean_gain = state_.has_mean_gain ? kGainFading * state_.mean_gain + (1 - kGainFading) * mean : mean;
    state_.has_mean_gain = true;
  }
  const double wanted = nonzeros_ * static_cast<double>(x_.rows());
  const double factor = std::clamp(std::pow(static_cast<double>(nonzeros) / wanted, kPower), kLeast, kMost);
  encoder().threshold = static_cast<float>(static_cast<double>(encoder().threshold) * factor);
}

void HardTraining::step(double rate, bool moves_offset) {
  read_block(rows_, order_, pool_, drawn_, x_);
  packed_.pack_transposed(encoder().weights.view());
  if (state_.n_steps == 0) set_first_threshold();
  ++state_.n_steps;
  const auto steps = static_cast<double>(state_.n_steps);
  const double second = std::sqrt(1 - std::pow(static_cast<double>(kSecondFading), steps));
  pace_.rate = static_cast<float>(rate * second / (1 - std::pow(static_cast<double>(kFirstFading), steps)));
  pace_.floor = static_cast<float>(kFloor * second);
  pool_.run(parts_.size(), [&](std::size_t part, std::size_t) { look(part); });
  for (std::size_t part = 0; part < parts_.size(); ++part) std::swap(lists_[part], parts_[part].lists);
  codes_.assign(lists_, &SampleLists::code, encoder().n_atoms());
  pulls_.assign(lists_, &SampleLists::pull, encoder().n_atoms());
  for (std::size_t part = 0; part < parts_.size(); ++part) std::swap(lists_[part], parts_[part].lists);
  const std::size_t groups = (encoder().n_atoms() + kAtomsAtOnce - 1) / kAtomsAtOnce;
  pool_.run(groups, [&](std::size_t group, std::size_t worker) {
    for (std::size_t k = group * kAtomsAtOnce; k < std::min(encoder().n_atoms(), (group + 1) * kAtomsAtOnce); ++k)
      move_atom(k, directions_.scratch[worker].data());
  });
  move_biases(moves_offset);
  follow_count();
}

}  // namespace dualdict
