// SPDX-License-Identifier: BSD-3-Clause
// C x, dense.
#include "model/modes/mode.h"
#include "model/modes/weights.h"

namespace dualdict {
namespace {

template <class T>
class LinearEncoder final : public BlockEncoder<T> {
 public:
  LinearEncoder(const ModelParts& parts, const ModeSettings&)
      : dual_(packed_transposed<T>(parts.dual)), largest_gain_(largest_row_sum(parts.dual)) {}
  void encode(MatrixView<const T> x, EncodeWorkspace<T>&, MatrixView<T> u) const override {
    multiply<T>(plain(x), dual_, u);
  }
  double largest_gain() const override { return largest_gain_; }

 private:
  PackedRight<T> dual_;
  double largest_gain_;
};

}  // namespace

const Mode& linear_mode() {
  static const Mode mode = {.info = {.name = "linear",
                                     .number = "",
                                     .help = "C x, the paper's encoder; dense",
                                     .cost = "1",
                                     .sparse = false,
                                     .takes_nonzeros = false,
                                     .no_graph = ""},
                            .make_float = make_mode_encoder<LinearEncoder<float>, float>,
                            .make_double = make_mode_encoder<LinearEncoder<double>, double>};
  return mode;
}

}  // namespace dualdict
