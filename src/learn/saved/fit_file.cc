// SPDX-License-Identifier: BSD-3-Clause
#include "learn/saved/fit_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "dualdict/error.h"
#include "dualdict/fields.h"
#include "learn/saved/l0_fields.h"
#include "learn/saved/state_archive.h"

namespace dualdict {
namespace {

constexpr std::size_t kMostChapters = 1024;

// One row of `iterations`. Both directions walk the record's own list: its order is the file's.
template <class Type, class Visit>
void for_each_number(Type& record, const Visit& visit) {
  std::remove_const_t<Type>::for_each_field(record, [&]<class Value>(const char*, Value& value) {
    if constexpr (Record<Value>)
      for_each_number(value, visit);
    else
      visit(value);
  });
}

std::size_t count_numbers() {
  std::size_t count = 0;
  for_each_number(static_cast<const IterationRecord&>(IterationRecord{}), [&](const auto&) { ++count; });
  return count;
}

Matrix<double> to_rows(const std::vector<IterationRecord>& records) {
  Matrix<double> rows(records.size(), count_numbers());
  for (std::size_t i = 0; i < records.size(); ++i) {
    double* to = rows.row(i);
    for_each_number(records[i], [&](const auto& value) { *to++ = static_cast<double>(value); });
  }
  return rows;
}

std::vector<IterationRecord> to_records(const Matrix<double>& rows, const StateReader& reader) {
  std::vector<IterationRecord> records(rows.rows());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const double* from = rows.row(i);
    for_each_number(records[i], [&]<class Value>(Value& value) {
      const double number = *from++;
      if (!std::is_same_v<Value, double> && !(number >= 0 && number <= kLargestCount))
        reader.fail("iterations", "holds a count or flag out of range");
      value = static_cast<Value>(number);
    });
    if (records[i].iteration != i + 1) reader.fail("iterations", "must be numbered 1, 2, 3, ...");
  }
  return records;
}

template <class Archive>
void walk_fading(Archive& archive, FadingPosition& fade) {
  archive.flag("fading.began", fade.began);
  archive.flag("fading.finished", fade.finished);
  archive.count("fading.step", fade.step);
  archive.count("fading.n_seen", fade.n_seen);
  archive.number("fading.weight", fade.weight);
  archive.number("fading.round_energy", fade.round_energy);
  archive.number("fading.round_nonzeros", fade.round_nonzeros);
  archive.count("fading.round_step", fade.round_step);
  archive.count("fading.round", fade.round);
  archive.number("fading.last_energy", fade.last_energy);
}

template <class Archive>
void walk_chapter(Archive& archive, const std::string& name, Chapter& chapter, const FitState& state) {
  archive.count(name + ".n", chapter.n);
  if (chapter.n == 0) return;
  archive.matrix(name + ".uu", chapter.uu, state.moments.uu.rows(), state.moments.uu.cols());
  archive.matrix(name + ".ux", chapter.ux, state.moments.ux.rows(), state.moments.ux.cols());
  archive.number(name + ".sum_abs_codes", chapter.sum_abs_codes);
}

// A stream has sums of its own of what its samples are; for samples in memory these are made anew.
template <class Archive>
void walk_stream(Archive& archive, FitState& state) {
  StreamPosition& stream = state.stream;
  const std::size_t d = state.moments.ux.cols();
  archive.count("stream.n_samples", stream.n_samples);
  if (stream.n_samples == 0) return;
  archive.count("stream.pass", stream.pass);
  archive.count("stream.n_read", stream.n_read);
  archive.count("stream.next.dual", stream.next.dual);
  archive.count("stream.next.tau", stream.next.tau);
  archive.count("stream.next.look", stream.next.look);
  archive.count("stream.next.report", stream.next.report);
  archive.bits("stream.fingerprint", stream.fingerprint);
  archive.numbers("stream.feature_means", stream.feature_means);
  archive.matrix("stream.kept", stream.kept, Archive::kAny, d);
  archive.number("moments.squared_samples", state.moments.squared_samples);
  state.atoms.looked.resize(state.atoms.usage.size());
  archive.counts("atoms.looked", state.atoms.looked);
  const bool has_dual = state.objective.eta > 0;
  if (has_dual) archive.matrix("moments.xx", state.moments.xx, d, d);
  Chapters& chapters = stream.chapters;
  archive.count("chapters.length", chapters.length);
  if (chapters.length == 0) return;
  std::size_t n_done = chapters.done.size();
  archive.count("chapters.done", n_done);
  if (n_done > kMostChapters) archive.fail("chapters.done", "is too large");
  chapters.done.resize(n_done);
  for (std::size_t i = 0; i < n_done; ++i)
    walk_chapter(archive, "chapters." + std::to_string(i), chapters.done[i], state);
  walk_chapter(archive, "chapters.now", chapters.now, state);
  archive.count("chapters.at", chapters.at);
  archive.number("chapters.left", chapters.left);
  archive.number("chapters.squared_samples", chapters.squared_samples);
  if (has_dual) archive.matrix("chapters.xx", chapters.xx, d, d);
}

// The one list of what a fit is: names, order, shapes.
template <class Archive>
void walk(Archive& archive, FitState& state) {
  const std::size_t k = state.moments.ux.rows();
  const std::size_t d = state.moments.ux.cols();
  archive.matrix("dictionary", state.dictionary, k, d);
  archive.matrix("dual", state.dual, k, d);
  if (!has_many_atoms(state.objective)) archive.matrix("moments.uu", state.moments.uu, k, k);
  archive.matrix("moments.ux", state.moments.ux, k, d);
  archive.number("moments.sum_abs_codes", state.moments.sum_abs_codes);
  archive.number("tau", state.objective.tau);
  archive.number("energy", state.energy);
  archive.flag("accurate", state.accurate);
  walk_fading(archive, state.fading);
  Extrapolation::State& lead = state.extrapolation.state();
  archive.flag("extrapolation.has_direction", lead.has_direction);
  archive.number("extrapolation.weight", lead.weight);
  if (lead.has_direction) {
    archive.matrix("extrapolation.dictionary", lead.dictionary, k, d);
    archive.matrix("extrapolation.dual", lead.dual, k, d);
  }
  archive.counts("atoms.usage", state.atoms.usage);
  archive.counts("atoms.replaced", state.atoms.replaced);
  archive.count("atoms.n_replaced", state.atoms.n_replaced);
  bool searching = state.tau.search.has_value();
  archive.flag("tau_search.active", searching);
  if (!searching) state.tau.search.reset();
  if (searching && !state.tau.search) archive.fail("tau_search.active", "is set, but no nonzeros are wanted");
  if (state.tau.search) {
    TauSearch::State& search = state.tau.search->state();
    archive.count("tau_search.moves", search.moves);
    archive.number("tau_search.last_log_tau", search.last_log_tau);
    archive.number("tau_search.last_log_nonzeros", search.last_log_nonzeros);
  }
  if (state.objective.penalty == Penalty::kL0) walk_l0(archive, state);
  walk_stream(archive, state);
  archive.number("tau_max", state.tau.max);
  archive.number("seconds", state.seconds);
}

}  // namespace

void add_state(TensorFile& file, const FitState& state) {
  StateWriter writer(file);
  FitState copy = state;
  walk(writer, copy);
  writer.numbers("history", {state.rule.energies().begin(), state.rule.energies().end()});
  writer.matrix("iterations", to_rows(state.iterations), 0, 0);
}

void read_state(const TensorFile& file, const std::string& path, FitState& state) {
  StateReader reader(file, path);
  walk(reader, state);
  std::vector<double> energies;
  reader.numbers("history", energies);
  if (energies.empty() || energies.size() > std::max<std::size_t>(1, state.rule.history()))
    reader.fail("history", "must hold between 1 and --history energies");
  state.rule.energies().assign(energies.begin(), energies.end());
  Matrix<double> rows;
  reader.matrix("iterations", rows, StateReader::kAny, count_numbers());
  state.iterations = to_records(rows, reader);
}

}  // namespace dualdict
