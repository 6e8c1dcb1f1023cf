// SPDX-License-Identifier: BSD-3-Clause
// The product and the bias of `hard`, and of each sample the k largest.
#include "model/modes/mode.h"
#include "solvers/hard_codes.h"

namespace dualdict {
namespace {

template <class T>
class LargestEncoder final : public BlockEncoder<T> {
 public:
  LargestEncoder(const ModelParts& parts, const ModeSettings& settings) : n_nonzeros_(settings.number) {
    problem_.assign(parts.dual.view(), parts.find_encoder("hard")->bias, 0, parts.positive_codes);
  }
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    largest_codes<T>(problem_, n_nonzeros_, x, work.template own<std::vector<T>>(), u);
  }

 private:
  HardProblem<T> problem_;
  std::size_t n_nonzeros_;
};

}  // namespace

const Mode& topk_mode() {
  static const Mode mode = {.info = {.name = "topk",
                                     .number = "nonzeros of a code",
                                     .help = "the k largest of the product that hard cuts, for every sample",
                                     .cost = "1",
                                     .takes_nonzeros = false,
                                     .no_graph = "sorts the product of every sample; use hard",
                                     .usual_number = 10},
                            .needs = {"hard"},
                            .decoder_of = "hard",
                            .has_decoder = true,
                            .make_float = make_mode_encoder<LargestEncoder<float>, float>,
                            .make_double = make_mode_encoder<LargestEncoder<double>, double>};
  return mode;
}

}  // namespace dualdict
