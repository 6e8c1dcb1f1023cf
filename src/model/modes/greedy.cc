// SPDX-License-Identifier: BSD-3-Clause
// Moves of one coefficient at a time under a price for every nonzero, on the Gram matrix.
#include "model/fit/levels.h"
#include "model/modes/mode.h"
#include "solvers/greedy_codes.h"

namespace dualdict {
namespace {

template <class T>
class GreedyEncoder final : public BlockEncoder<T> {
 public:
  GreedyEncoder(const ModelParts& parts, const ModeSettings& settings) {
    problem_.assign(parts.dictionary, {}, parts.positive_codes);
    options_.price = settings.level;
    options_.measure = false;
  }
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    greedy_codes<T>(problem_, x, options_, work.template own<GreedyWorkspace<T>>(), u);
  }

 private:
  GreedyProblem<T> problem_;
  GreedyOptions options_;
};

FittedEncoder fit_price(const ModelParts& parts, const SplitSamples& split, ThreadPool& pool) {
  FittedEncoder encoder;
  encoder.levels = greedy_levels(parts, split.check(split.samples), split.wanted_nonzeros(), pool);
  return encoder;
}

}  // namespace

const Mode& greedy_mode() {
  static const Mode mode = {.info = {.name = "greedy",
                                     .number = "",
                                     .help = "the atom that gains most, again and again, while it is worth the price",
                                     .cost = "2 and more",
                                     .no_graph = "makes as many moves as a sample is worth and cannot be a graph of "
                                                 "fixed steps; use hard, or sparse where the model has no hard codes"},
                            .tensors = {"levels"},
                            .has_levels = true,
                            .fit = fit_price,
                            .make_float = make_mode_encoder<GreedyEncoder<float>, float>,
                            .make_double = make_mode_encoder<GreedyEncoder<double>, double>};
  return mode;
}

}  // namespace dualdict
