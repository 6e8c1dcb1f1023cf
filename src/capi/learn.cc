// SPDX-License-Identifier: BSD-3-Clause
// Learning from a matrix, watched and ended by callbacks of C.
#include "dualdict/learn.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "capi/guard.h"
#include "capi/handles.h"

namespace dualdict::capi {
namespace {

dualdict_iteration c_record(const IterationRecord& record) {
  dualdict_iteration result{};
  result.struct_size = sizeof(result);
  result.iteration = record.iteration;
  result.seconds = record.seconds;
  result.energy = record.energy.total();
  result.relative_change = record.relative_change;
  result.tau = record.tau;
  result.nonzeros_per_code = record.nonzeros_per_code;
  result.duality_gap = record.duality_gap;
  result.dead_atoms = record.dead_atoms;
  result.replaced_atoms = record.replaced_atoms;
  return result;
}

LearnHooks hooks_of(const dualdict_hooks& given) {
  LearnHooks hooks;
  if (given.on_iteration != nullptr)
    hooks.on_iteration = [given](const IterationRecord& record) {
      const dualdict_iteration shown = c_record(record);
      return given.on_iteration(&shown, given.context) != 0 ? Action::kStop : Action::kContinue;
    };
  if (given.on_message != nullptr)
    hooks.on_message = [given](const std::string& text) { given.on_message(text.c_str(), given.context); };
  if (given.interrupt != nullptr) hooks.interrupt = &given.interrupt->flag;
  return hooks;
}

dualdict_outcome outcome_of(const LearnSummary& summary) {
  switch (summary.outcome) {
    case Outcome::kConverged:
      return DUALDICT_CONVERGED;
    case Outcome::kIterationLimit:
      return DUALDICT_ITERATION_LIMIT;
    case Outcome::kTimeLimit:
      return DUALDICT_TIME_LIMIT;
    case Outcome::kStopped:
      return DUALDICT_STOPPED;
    case Outcome::kInterrupted:
      return DUALDICT_INTERRUPTED;
    case Outcome::kTrivial:
      return DUALDICT_TRIVIAL;
    case Outcome::kNumericalFailure:
      break;
  }
  throw Error(ErrorKind::kNumerical, "learning failed: " + summary.message);
}

dualdict_summary c_summary(const LearnSummary& from) {
  dualdict_summary result{};
  result.outcome = outcome_of(from);
  result.n_iterations = from.n_iterations;
  result.seconds = from.seconds;
  result.energy = from.energy.total();
  result.tau = from.tau;
  result.nonzeros_per_code = from.nonzeros_per_code;
  result.duality_gap = from.duality_gap;
  result.dead_atoms = from.dead_atoms.value_or(SIZE_MAX);
  return result;
}

// Only the fields that the caller knows.
void write_summary(dualdict_summary from, dualdict_summary* to) {
  if (to == nullptr) return;
  from.struct_size = to->struct_size;
  std::memcpy(to, &from, std::min(to->struct_size, sizeof(from)));
}

template <class T>
dualdict_status learn_from(MatrixView<const T> samples, const dualdict_options* options, const dualdict_hooks* hooks,
                           dualdict_model** model, dualdict_summary* summary, dualdict_error** error) {
  return guarded(error, [&] {
    hand_out(model, "model", [&] {
      read_struct(summary, dualdict_summary{}, "summary");  // checks its size
      const dualdict_options& all = require(options, "options");
      const auto data = make_source(view_of(samples.data, samples.rows, samples.cols, "samples"));
      LearnContext context;
      context.preprocess = all.preprocess;
      context.hooks = hooks_of(read_struct(hooks, dualdict_hooks{}, "hooks"));
      const LearnResult result = learn(*data, all.learn, context);
      const dualdict_summary ended = c_summary(result.summary);
      auto* handle = new dualdict_model{result.model};
      write_summary(ended, summary);
      return handle;
    });
  });
}

}  // namespace
}  // namespace dualdict::capi

using namespace dualdict;        // NOLINT(google-build-using-namespace)
using namespace dualdict::capi;  // NOLINT(google-build-using-namespace)

dualdict_status dualdict_interrupt_new(dualdict_interrupt** interrupt, dualdict_error** error) {
  return guarded(error, [&] { hand_out(interrupt, "interrupt", [] { return new dualdict_interrupt; }); });
}

void dualdict_interrupt_raise(dualdict_interrupt* interrupt) {
  if (interrupt != nullptr) interrupt->flag = true;
}

void dualdict_interrupt_clear(dualdict_interrupt* interrupt) {
  if (interrupt != nullptr) interrupt->flag = false;
}

void dualdict_interrupt_free(dualdict_interrupt* interrupt) {
  delete interrupt;
}

dualdict_status dualdict_learn_f32(const float* samples, size_t n_samples, size_t n_features,
                                   const dualdict_options* options, const dualdict_hooks* hooks, dualdict_model** model,
                                   dualdict_summary* summary, dualdict_error** error) {
  return learn_from(MatrixView<const float>(samples, n_samples, n_features), options, hooks, model, summary, error);
}

dualdict_status dualdict_learn_f64(const double* samples, size_t n_samples, size_t n_features,
                                   const dualdict_options* options, const dualdict_hooks* hooks, dualdict_model** model,
                                   dualdict_summary* summary, dualdict_error** error) {
  return learn_from(MatrixView<const double>(samples, n_samples, n_features), options, hooks, model, summary, error);
}
