// SPDX-License-Identifier: BSD-3-Clause
// One product, a bias and one threshold for all atoms, or one for each.
#include "model/modes/mode.h"
#include "solvers/hard_codes.h"

namespace dualdict {
namespace {

template <class T>
class HardEncoder final : public BlockEncoder<T> {
 public:
  HardEncoder(const ModelParts& parts, const ModeSettings& settings) {
    const FittedEncoder& fitted = *parts.find_encoder("hard");
    problem_.assign(parts.dual.view(), fitted.bias, settings.level, parts.positive_codes);
    for (const double threshold : fitted.threshold)
      problem_.own_thresholds.push_back(static_cast<T>(threshold * settings.level));
  }
  void encode(MatrixView<const T> x, EncodeWorkspace<T>&, MatrixView<T> u) const override {
    hard_codes<T>(problem_, x, u);
  }

 private:
  HardProblem<T> problem_;
};

}  // namespace

const Mode& hard_mode() {
  static const Mode mode = {.info = {.name = "hard",
                                     .number = "",
                                     .help = "what of C x is above one threshold, as it is; for models of --penalty l0",
                                     .cost = "1",
                                     .no_graph = ""},
                            .needs = {"hard"},
                            .tensors = {"bias", "levels"},
                            .optional_tensors = {"threshold"},
                            .has_decoder = true,
                            .has_levels = true,
                            .make_float = make_mode_encoder<HardEncoder<float>, float>,
                            .make_double = make_mode_encoder<HardEncoder<double>, double>};
  return mode;
}

}  // namespace dualdict
