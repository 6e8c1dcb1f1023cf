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

constexpr std::size_t kTrainingBlock = 1024;
constexpr std::size_t kPartRows = 128;
constexpr std::size_t kAtomsAtOnce = 16;
constexpr float kWindow = 0.3F;       // e: how near to the threshold a response is near
constexpr double kGainFading = 0.95;  // of the mean gain
constexpr float kFirstFading = 0.9F, kSecondFading = 0.999F;
constexpr double kFloor = 1e-8;

}  // namespace

HardTraining::HardTraining(const HardRows& rows, HardState start, double nonzeros, Random random, ThreadPool& pool)
    : rows_(rows),
      state_(std::move(start)),
      nonzeros_(nonzeros),
      order_(rows.n, random),
      pool_(pool),
      x_(std::min(rows.n, kTrainingBlock), rows.n_features),
      rest_(x_.rows(), rows.n_features),
      lists_((x_.rows() + kPartRows - 1) / kPartRows),
      parts_(lists_.size()),
      directions_(pool.size(), std::vector<float>(rows.n_features)),
      bias_direction_(1, state_.n_atoms()),
      offset_direction_(1, rows.n_features),
      weights_moments_(state_.n_atoms(), rows.n_features),
      decoder_moments_(state_.n_atoms(), rows.n_features),
      bias_moments_(1, state_.n_atoms()),
      offset_moments_(1, rows.n_features) {
  for (Part& part : parts_) {
    part.responses = Matrix<float>(kPartRows, state_.n_atoms());
    part.atoms.resize(state_.n_atoms() + kWidestVector);
    part.codes.resize(state_.n_atoms() + kWidestVector);
    part.rest.resize(rows.n_features);
  }
}

void HardTraining::set_first_threshold() {
  Matrix<float> responses(x_.rows(), state_.n_atoms());
  hard_responses(state_, packed_, x_.view(), responses.view());
  state_.threshold = threshold_for_nonzeros(responses, nonzeros_, state_.positive);
}

// What a response near the threshold is pulled by besides v_k . r.
float HardTraining::pull_near(float response, float pull, Part& part) const {
  const float t = state_.threshold;
  const float magnitude = std::abs(response);
  if (magnitude >= (1 + kWindow) * t || !(t > 0)) return 0;
  const float sign = response < 0 ? -1.0F : 1.0F;
  const float without = pull + (magnitude > t ? response : 0.0F);
  const float gain = 2 * t * sign * without - t * t;
  part.gains += static_cast<double>(gain);
  ++part.near;
  return has_mean_gain_ ? sign * (gain - static_cast<float>(mean_gain_)) / (4 * kWindow * t) : 0.0F;
}

void HardTraining::look_at(std::size_t sample, const float* responses, Part& part) {
  SampleLists& lists = part.lists;
  const std::size_t n = state_.n_atoms();
  const std::size_t begin = lists.begin_sample(n);
  std::uint32_t* const listed = lists.atom.data() + begin;
  float* const codes = lists.code.data() + begin;
  float* const pulls = lists.pull.data() + begin;
  const std::size_t count = kernels<float>().list_nonzeros(responses, n, listed, codes);
  std::size_t kept = 0;
  for (std::size_t e = 0; e < count; ++e) {
    part.atoms[kept] = listed[e];
    part.codes[kept] = codes[e];
    kept += std::abs(codes[e]) > state_.threshold ? 1 : 0;
  }
  const std::size_t d = rows_.n_features;
  float* const rest = rest_.row(sample);
  for (std::size_t f = 0; f < d; ++f) rest[f] = x_(sample, f) - state_.offset[f];
  kernels<float>().add_rows({.factors = part.codes.data(),
                             .rows = part.atoms.data(),
                             .count = kept,
                             .sign = -1,
                             .matrix = state_.decoder.data(),
                             .stride = d,
                             .out = rest,
                             .n = d});
  l0_kernels<float>().dot_rows(
      {.rows = listed, .count = count, .matrix = state_.decoder.data(), .stride = d, .x = rest, .n = d, .out = pulls});
  for (std::size_t e = 0; e < count; ++e) {
    const bool is_kept = std::abs(codes[e]) > state_.threshold;
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
  const float lowest = (1 - kWindow) * state_.threshold;
  for (std::size_t i = 0; i < n; ++i) {
    float* const responses = part.responses.row(i);
    l0_kernels<float>().keep_large(state_.bias.data(), state_.n_atoms(), lowest, state_.positive, responses);
    look_at(first + i, responses, part);
  }
}

void HardTraining::adam(const float* direction, Moments& moments, std::size_t row, float* w) const {
  l0_kernels<float>().adam_step({.direction = direction,
                                 .n = moments.first.cols(),
                                 .first_fading = kFirstFading,
                                 .second_fading = kSecondFading,
                                 .rate = rate_,
                                 .floor = floor_,
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
  adam(direction, weights_moments_, atom, state_.weights.row(atom));
  summed(codes_, rest_);
  float* const row = state_.decoder.row(atom);
  adam(direction, decoder_moments_, atom, row);
  const double length = std::sqrt(kernels<float>().squared_norm(row, d));
  if (!(length > 0)) return;
  const auto inverse = static_cast<float>(1 / length);
  for (std::size_t f = 0; f < d; ++f) row[f] *= inverse;
}

void HardTraining::move_biases() {
  const double share = 1 / static_cast<double>(x_.rows());
  for (std::size_t k = 0; k < state_.n_atoms(); ++k) {
    double sum = 0;
    for (std::size_t e = pulls_.begin[k]; e < pulls_.begin[k + 1]; ++e) sum += static_cast<double>(pulls_.value[e]);
    bias_direction_(0, k) = static_cast<float>(share * sum);
  }
  adam(bias_direction_.data(), bias_moments_, 0, state_.bias.data());
  for (std::size_t f = 0; f < rows_.n_features; ++f) {
    double sum = 0;
    for (const Part& part : parts_) sum += part.rest[f];
    offset_direction_(0, f) = static_cast<float>(share * sum);
  }
  adam(offset_direction_.data(), offset_moments_, 0, state_.offset.data());
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
    mean_gain_ = has_mean_gain_ ? kGainFading * mean_gain_ + (1 - kGainFading) * mean : mean;
    has_mean_gain_ = true;
  }
  const double wanted = nonzeros_ * static_cast<double>(x_.rows());
  const double factor = std::clamp(std::pow(static_cast<double>(nonzeros) / wanted, kPower), kLeast, kMost);
  state_.threshold = static_cast<float>(static_cast<double>(state_.threshold) * factor);
}

void HardTraining::step(double rate) {
  read_block(rows_, order_, pool_, drawn_, x_);
  packed_.pack_transposed(state_.weights.view());
  if (n_steps_ == 0) set_first_threshold();
  ++n_steps_;
  const auto steps = static_cast<double>(n_steps_);
  const double second = std::sqrt(1 - std::pow(static_cast<double>(kSecondFading), steps));
  rate_ = static_cast<float>(rate * second / (1 - std::pow(static_cast<double>(kFirstFading), steps)));
  floor_ = static_cast<float>(kFloor * second);
  pool_.run(parts_.size(), [&](std::size_t part, std::size_t) { look(part); });
  for (std::size_t part = 0; part < parts_.size(); ++part) std::swap(lists_[part], parts_[part].lists);
  codes_.assign(lists_, &SampleLists::code, state_.n_atoms());
  pulls_.assign(lists_, &SampleLists::pull, state_.n_atoms());
  for (std::size_t part = 0; part < parts_.size(); ++part) std::swap(lists_[part], parts_[part].lists);
  const std::size_t groups = (state_.n_atoms() + kAtomsAtOnce - 1) / kAtomsAtOnce;
  pool_.run(groups, [&](std::size_t group, std::size_t worker) {
    for (std::size_t k = group * kAtomsAtOnce; k < std::min(state_.n_atoms(), (group + 1) * kAtomsAtOnce); ++k)
      move_atom(k, directions_[worker].data());
  });
  move_biases();
  follow_count();
}

}  // namespace dualdict
