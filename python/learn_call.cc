// SPDX-License-Identifier: BSD-3-Clause
#include "learn_call.h"

#include <nanobind/stl/string.h>

#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "python_caller.h"

namespace dualdict::python {
namespace {

// The processes of an mpi4py communicator (_ranks.py): its calls are made on the thread of the user, as MPI wants it.
class PythonRanks final : public Communicator {
 public:
  PythonRanks(PythonCaller& python, nb::object ranks)
      : python_(python),
        ranks_(std::move(ranks)),
        rank_(nb::cast<std::size_t>(ranks_.attr("rank"))),
        size_(nb::cast<std::size_t>(ranks_.attr("size"))) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  void sum(std::span<double> values) override { reduce("sum", values); }
  void max(std::span<double> values) override { reduce("max", values); }
  void abandon(int exit_code) noexcept override {
    python_.call_always([&] { ranks_.attr("abandon")(exit_code); }, [] {});
  }

 private:
  void reduce(const char* name, std::span<double> values) {
    python_.call_always(
        [&] {
          ranks_.attr(name)(nb::ndarray<double, nb::numpy, nb::ndim<1>>(values.data(), {values.size()}, nb::none()));
        },
        [] {
          throw Error(ErrorKind::kRank,
                      "MPI: a sum failed: another process of the job may be gone: go on from the checkpoint");
        });
  }

  PythonCaller& python_;
  nb::object ranks_;
  std::size_t rank_;
  std::size_t size_;
};

// Calls back into Python, each time on the thread of the user.
LearnHooks hooks_for(PythonCaller& python, const nb::object& on_iteration, const nb::object& on_message) {
  LearnHooks hooks;
  hooks.interrupt = &python.interrupt();
  if (!on_iteration.is_none())
    hooks.on_iteration = [&](const IterationRecord& record) {
      Action action = Action::kContinue;
      python.call([&] {
        if (nb::cast<bool>(on_iteration(to_dict(record)))) action = Action::kStop;
      });
      return action;
    };
  if (!on_message.is_none())
    hooks.on_message = [&](const std::string& text) { python.call([&] { on_message(in_python_words(text)); }); };
  return hooks;
}

}  // namespace

nb::tuple call_learn(const nb::object& samples, const std::map<std::string, std::string>& texts,
                     const nb::dict& others) {
  LearnOptions options = to_options(texts);
  options.initial_dictionary = to_matrix(others["dict_init"]);
  options.initial_dual = to_matrix(others["dual_init"]);
  const auto data = source_of(samples);
  const nb::object held_out = others["validation"];
  const std::shared_ptr<const DataSource> validation = held_out.is_none() ? nullptr : source_of(held_out);
  const nb::object on_iteration = others["on_iteration"];
  const nb::object on_message = others["on_message"];

  PythonCaller python;
  LearnContext context;
  context.preprocess = preprocess_of(others);
  context.validation = validation.get();
  context.checkpoint.path = nb::cast<std::string>(others["checkpoint"]);
  context.checkpoint.resume = !context.checkpoint.path.empty();
  context.hooks = hooks_for(python, on_iteration, on_message);
  LearnProgress progress;
  context.hooks.progress = &progress;
  const nb::object on_phase = others["on_phase"];
  std::function<void()> idle;
  if (!on_phase.is_none()) idle = [&] { on_phase(progress.text()); };
  std::optional<PythonRanks> ranks;
  if (const nb::object given = others["ranks"]; !given.is_none()) context.communicator = &ranks.emplace(python, given);
  std::optional<LearnResult> result;
  python.run([&] { result.emplace(learn(*data, options, context)); }, idle);

  if (!result) return nb::make_tuple(nb::none(), nb::list(), python.raised());
  nb::list records;
  for (const IterationRecord& record : result->summary.iterations) records.append(to_dict(record));
  return nb::make_tuple(nb::cast(result->model), records, python.raised());
}

}  // namespace dualdict::python
