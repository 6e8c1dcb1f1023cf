// SPDX-License-Identifier: BSD-3-Clause
#include "learn/saved/l0_fields.h"

#include <algorithm>
#include <tuple>

namespace dualdict {
namespace {

struct L0Shape {
  std::size_t n_atoms = 0;
  std::size_t n_features = 0;
};

// A whole number that stands for one of `count` names.
template <class Archive, class Enum>
void walk_name(Archive& archive, const std::string& name, Enum last, Enum& value) {
  auto number = static_cast<std::size_t>(value);
  archive.count(name, number);
  if (number > static_cast<std::size_t>(last)) archive.fail(name, "is too large");
  value = static_cast<Enum>(number);
}

// Numbers that are there or not.
template <class Archive, class T>
void walk_optional(Archive& archive, const std::string& name, const L0Shape& shape, Matrix<T>& values) {
  bool there = !values.empty();
  archive.flag(name + ".there", there);
  if (there) archive.matrix(name, values, shape.n_atoms, shape.n_features);
}

template <class Archive>
void walk_numbers(Archive& archive, const std::string& name, std::size_t n, AlignedVector<float>& values) {
  Matrix<float> row(1, values.size());
  std::copy(values.begin(), values.end(), row.data());
  archive.matrix(name, row, 1, n);
  values.assign(row.data(), row.data() + row.size());
}

// Of an encoder that is there or not.
template <class Archive>
void walk_encoder(Archive& archive, const std::string& name, const L0Shape& shape, HardState& encoder) {
  bool there = encoder.n_atoms() > 0;
  archive.flag(name + ".there", there);
  if (!there) return;
  archive.matrix(name + ".weights", encoder.weights, shape.n_atoms, shape.n_features);
  archive.matrix(name + ".decoder", encoder.decoder, shape.n_atoms, shape.n_features);
  walk_numbers(archive, name + ".bias", shape.n_atoms, encoder.bias);
  walk_numbers(archive, name + ".offset", shape.n_features, encoder.offset);
  auto threshold = static_cast<double>(encoder.threshold);
  archive.number(name + ".threshold", threshold);
  encoder.threshold = static_cast<float>(threshold);
  archive.flag(name + ".positive", encoder.positive);
}

template <class Archive>
void walk_training(Archive& archive, const L0Shape& shape, HardTrainingState& training) {
  const std::string name = "hard.training";
  walk_encoder(archive, name, shape, training.encoder);
  if (training.encoder.n_atoms() == 0) return;
  const auto walk_moments = [&](const std::string& of, const L0Shape& size, AdamMoments& moments) {
    archive.matrix(name + ".first." + of, moments.first, size.n_atoms, size.n_features);
    archive.matrix(name + ".second." + of, moments.second, size.n_atoms, size.n_features);
  };
  walk_moments("weights", shape, training.weights);
  walk_moments("decoder", shape, training.decoder);
  walk_moments("bias", {1, shape.n_atoms}, training.bias);
  walk_moments("offset", {1, shape.n_features}, training.offset);
  archive.number(name + ".mean_gain", training.mean_gain);
  archive.flag(name + ".has_mean_gain", training.has_mean_gain);
  archive.count(name + ".n_steps", training.n_steps);
}

template <class Archive>
void walk_hard(Archive& archive, const L0Shape& shape, HardFitState& hard) {
  walk_name(archive, "hard.phase", HardPhase::kDone, hard.phase);
  archive.count("hard.step", hard.step);
  walk_encoder(archive, "hard.orthonormal", shape, hard.orthonormal);
  walk_encoder(archive, "hard.greedy", shape, hard.greedy);
  walk_encoder(archive, "hard.best", shape, hard.best);
  const L0Shape square{std::min(shape.n_atoms, shape.n_features), shape.n_features};
  archive.count("hard.rotation.step", hard.rotation.step);
  walk_optional(archive, "hard.rotation.sums", square, hard.rotation.sums);
  walk_optional(archive, "hard.rotation.span", square, hard.rotation.span);
  walk_training(archive, shape, hard.training);
  archive.number("hard.race_error", hard.race_error);
  archive.numbers("hard.errors", hard.errors);
  archive.flag("hard.from_greedy", hard.from_greedy);
  archive.flag("hard.stalled", hard.stalled);
  archive.number("hard.best_error", hard.best_error);
  archive.number("hard.principal_error", hard.principal_error);
  archive.number("hard.start_error", hard.start_error);
}

template <class Archive>
void walk_wide(Archive& archive, const L0Shape& shape, L0State& l0) {
  WideDictionaryState& wide = l0.wide;
  archive.numbers("l0.wide.curvature", wide.atoms.curvature);
  archive.number("l0.wide.n_seen", wide.atoms.n_seen);
  archive.number("l0.wide.price", wide.price);
  archive.count("l0.wide.n_steps", wide.n_steps);
  if (wide.n_steps > 0 && wide.atoms.curvature.size() != shape.n_atoms)
    archive.fail("l0.wide.curvature", "has another shape than this run needs");
  archive.count("l0.wide.n_replaced", wide.n_replaced);
  archive.number("l0.scale", l0.scale);
  archive.flag("l0.stalled", l0.stalled);
}

}  // namespace

template <class Archive>
void walk_l0(Archive& archive, FitState& state) {
  L0State& l0 = state.l0;
  const L0Shape shape{state.moments.ux.rows(), state.moments.ux.cols()};
  archive.number("price", state.objective.price);
  walk_name(archive, "l0.phase", L0Phase::kDone, l0.phase);
  archive.count("l0.step", l0.step);
  archive.count("l0.n_held_out", l0.n_held_out);
  state.atoms.looked.resize(state.atoms.usage.size());
  archive.counts("l0.looked", state.atoms.looked);
  for (auto [name, values, size] : {std::tuple{"l0.mean", &l0.mean, shape.n_features},
                                    {"l0.offset", &l0.offset, shape.n_features},
                                    {"l0.bias", &l0.bias, shape.n_atoms}}) {
    archive.numbers(name, *values);
    if (!values->empty() && values->size() != size) archive.fail(name, "has another shape than this run needs");
  }
  const bool has_mean = l0.phase > L0Phase::kCollect, has_encoder = l0.phase > L0Phase::kHard;
  if (has_mean == l0.mean.empty() || has_encoder == l0.offset.empty() || has_encoder == l0.bias.empty())
    archive.fail("l0.phase", "does not fit what is there");
  walk_optional(archive, "l0.decoder", shape, l0.decoder);
  archive.number("l0.start_threshold", l0.start_threshold);
  if (has_many_atoms(state.objective)) walk_wide(archive, shape, l0);
  if (l0.phase <= L0Phase::kHard) walk_hard(archive, shape, l0.hard);
}

template void walk_l0<StateWriter>(StateWriter&, FitState&);
template void walk_l0<StateReader>(StateReader&, FitState&);

}  // namespace dualdict
