// SPDX-License-Identifier: BSD-3-Clause
// The atom that gains most, again and again, under a price for every nonzero: moves on the Gram matrix or, of many
// atoms, rounds.
#include "model/fit/levels.h"
#include "model/modes/mode.h"
#include "solvers/greedy_coder.h"

namespace dualdict {
namespace {

template <class T>
class GreedyEncoder final : public BlockEncoder<T> {
 public:
  GreedyEncoder(const ModelParts& parts, const ModeSettings& settings) {
    coder_.assign(parts.dictionary, {}, parts.positive_codes);
    price_ = settings.level;
  }
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    coder_.codes(x, price_, work.template own<GreedyCoderWorkspace<T>>(), u, false);
  }

 private:
  GreedyCoder<T> coder_;
  double price_ = 0;
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
