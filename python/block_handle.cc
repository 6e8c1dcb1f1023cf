// SPDX-License-Identifier: BSD-3-Clause
#include "block_handle.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string_view>

namespace dualdict::python {
namespace {

nb::bytes as_bytes(const std::string& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}
std::string_view text_of(const nb::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}

BlockFit* make_fit(const std::map<std::string, std::string>& texts, const nb::dict& others, std::size_t n_blocks) {
  LearnOptions options = to_options(texts);
  options.initial_dictionary = to_matrix(others["dict_init"]);
  options.initial_dual = to_matrix(others["dual_init"]);
  return new BlockFit(options, n_blocks, preprocess_of(others));
}

// A partition may have lost all of its samples to a filter.
class EmptyBlock final : public DataSource {
 public:
  explicit EmptyBlock(std::size_t n_features) : n_features_(n_features) {}
  std::size_t n_samples() const override { return 0; }
  std::size_t n_features() const override { return n_features_; }
  ElementType element_type() const override { return ElementType::kFloat64; }
  SampleShape sample_shape() const override { return {}; }
  std::string name() const override { return "empty block"; }
  void read(std::size_t, MatrixView<float>) const override {}
  void read(std::size_t, MatrixView<double>) const override {}

 private:
  std::size_t n_features_;
};

std::shared_ptr<const DataSource> block_of(const nb::object& samples) {
  const auto shape = nb::cast<std::vector<std::size_t>>(samples.attr("shape"));
  return shape.at(0) == 0 ? std::make_shared<EmptyBlock>(shape.at(1)) : source_of(samples);
}

// Returns (statistics, codes), codes None when none were made.
nb::tuple answer_of(const nb::bytes& request, const nb::object& samples, std::size_t index, const nb::bytes& codes,
                    std::size_t n_threads) {
  const auto block = block_of(samples);
  const std::string_view wish = text_of(request);
  const std::string_view before = text_of(codes);
  BlockAnswer answer;
  {
    const nb::gil_scoped_release release;
    answer = block_statistics(wish, *block, index, before, n_threads);
  }
  return nb::make_tuple(as_bytes(answer.statistics),
                        answer.codes.empty() ? nb::object(nb::none()) : nb::object(as_bytes(answer.codes)));
}

nb::bytes sum_of(const nb::bytes& a, const nb::bytes& b) {
  return as_bytes(add_statistics(text_of(a), text_of(b)));
}

// The record of the iteration that the step has ended, or None.
nb::object step_of(BlockFit& fit, const nb::bytes& statistics) {
  const std::string_view sums = text_of(statistics);
  const std::size_t before = fit.iterations().size();
  {
    const nb::gil_scoped_release release;
    fit.step(sums);
  }
  return fit.iterations().size() == before ? nb::object(nb::none()) : nb::object(to_dict(fit.iterations().back()));
}

nb::tuple result_of(const BlockFit& fit) {
  std::optional<LearnResult> result;
  {
    const nb::gil_scoped_release release;
    result.emplace(fit.result());
  }
  nb::list records;
  for (const IterationRecord& record : result->summary.iterations) records.append(to_dict(record));
  return nb::make_tuple(nb::cast(result->model), records);
}

}  // namespace

void define_blocks(nb::module_& module) {
  nb::class_<BlockFit>(module, "BlockFit")
      .def(nb::new_(&make_fit), nb::arg("options"), nb::arg("others"), nb::arg("n_blocks"))
      .def_prop_ro("is_done", &BlockFit::is_done)
      .def_prop_ro("has_dictionary", &BlockFit::has_dictionary)
      .def_prop_ro("blocks", &BlockFit::blocks)
      .def_prop_ro("run_json", &BlockFit::run_json)
      .def_prop_ro("messages",
                   [](const BlockFit& fit) {
                     nb::list messages;
                     for (const std::string& text : fit.messages()) messages.append(in_python_words(text));
                     return messages;
                   })
      .def("request", [](const BlockFit& fit) { return as_bytes(fit.request()); })
      .def("step", &step_of, nb::arg("statistics"))
      .def(
          "stop",
          [](BlockFit& fit, bool interrupted) { fit.stop(interrupted ? Outcome::kInterrupted : Outcome::kStopped); },
          nb::arg("interrupted"))
      .def("result", &result_of)
      .def("__getstate__", [](const BlockFit& fit) { return as_bytes(fit.to_bytes()); })
      .def("__setstate__",
           [](BlockFit& fit, const nb::bytes& bytes) { new (&fit) BlockFit(BlockFit::from_bytes(text_of(bytes))); });
  module.def("block_statistics", &answer_of, nb::arg("request"), nb::arg("samples"), nb::arg("index"), nb::arg("codes"),
             nb::arg("n_threads"));
  module.def("add_statistics", &sum_of, nb::arg("a"), nb::arg("b"));
}

}  // namespace dualdict::python
