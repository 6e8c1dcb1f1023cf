// SPDX-License-Identifier: BSD-3-Clause
// A product with the sample and one with its sparse code, then gain and threshold.
#include "model/modes/mode.h"
#include "model/modes/sparse_encoder.h"

namespace dualdict {
namespace {

// The sparse code that feeds back keeps the thresholds it was fitted with: the stored quantiles are those of its sum.
template <class T>
class CorrectedEncoder final : public BlockEncoder<T> {
 public:
  CorrectedEncoder(const ModelParts& parts, const ModeSettings& settings)
      : CorrectedEncoder(parts, *parts.find_encoder("corrected"), settings.tau_shift) {}
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    constexpr std::size_t kPart = 128;  // rows whose first code is still in the cache when it feeds back
    for (std::size_t row = 0; row < x.rows; row += kPart) {
      const std::size_t n = std::min(kPart, x.rows - row);
      encode_part(x.row_range(row, n), work, u.row_range(row, n));
    }
  }
  double largest_gain() const override { return largest_gain_; }

 private:
  CorrectedEncoder(const ModelParts& parts, const FittedEncoder& fitted, double tau_shift)
      : first_(parts, *parts.find_encoder("sparse"), 0.0),
        weights_(packed_transposed<T>(fitted.weights)),
        feedback_(packed_transposed<T>(fitted.feedback)),
        shrink_(parts, fitted, tau_shift),
        largest_gain_(shrink_.largest_gain() *
                      (largest_row_sum(fitted.weights) + largest_row_sum(fitted.feedback) * first_.largest_gain())) {}

  void encode_part(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const {
    const MatrixView<T> first = buffer_rows(work.scratch, x.rows, u.cols);
    first_.encode(x, work, first);
    multiply<T>(plain(x), weights_, u);
    const Shrinkage<T> shrinkage = shrink_.at(work.levels);
    if (!multiply_if_sparse<T>(first, feedback_, Into::kAdd, work.used, u, shrinkage))
      multiply_and_shrink<T>(plain<T>(first), feedback_, shrinkage, Into::kAdd, u);
  }

  SparseEncoder<T> first_;
  PackedRight<T> weights_;
  PackedRight<T> feedback_;
  Shrink<T> shrink_;
  double largest_gain_;
};

FittedEncoder fit_after_sparse(const ModelParts& parts, const SplitSamples& split, ThreadPool& pool) {
  const Matrix<double> sparse_codes = apply_fitted(parts, *parts.find_encoder("sparse"), split.samples, {}, pool);
  FittedEncoder encoder = fit_corrected(parts, split.fit(), sparse_codes.view().row_range(0, split.n_fit), pool);
  complete(parts, split, sparse_codes.view(), pool, encoder);
  return encoder;
}

}  // namespace

const Mode& corrected_mode() {
  static const Mode mode = {.info = {.name = "corrected",
                                     .number = "",
                                     .help = "the same once more, knowing the first code",
                                     .cost = "2 and a little",
                                     .takes_tau = true,
                                     .debiased = true,
                                     .no_graph = ""},
                            .needs = {"sparse", "corrected"},
                            .tensors = {"weights", "feedback", "gain", "threshold", "growth", "tau_slope"},
                            .has_decoder = true,
                            .fit = fit_after_sparse,
                            .make_float = make_mode_encoder<CorrectedEncoder<float>, float>,
                            .make_double = make_mode_encoder<CorrectedEncoder<double>, double>};
  return mode;
}

}  // namespace dualdict
