// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/split_samples.h"

#include "linalg/vectors.h"
#include "model/fit/count_fit.h"
#include "model/fit/decoder_fit.h"
#include "model/fit/round_encoder.h"

namespace dualdict {

SplitSamples::SplitSamples(MatrixView<const double> samples_in, MatrixView<const double> codes_in)
    : samples(samples_in), codes(codes_in) {
  constexpr std::size_t kFewest = 40;
  n_fit = samples.rows < kFewest ? samples.rows : samples.rows - samples.rows / 4;
}

double SplitSamples::wanted_nonzeros() const {
  const MatrixView<const double> rows = check(codes);
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) count += count_nonzeros(rows.row(i), rows.cols);
  return rows.rows > 0 ? static_cast<double>(count) / static_cast<double>(rows.rows) : 0.0;
}

void complete(const ModelParts& parts, const SplitSamples& split, MatrixView<const double> sparse_codes,
              ThreadPool& pool, FittedEncoder& encoder) {
  const MatrixView<const double> fed = sparse_codes.empty() ? sparse_codes : split.check(sparse_codes);
  set_count(parts, split.check(split.samples), fed, split.wanted_nonzeros(), pool, encoder);
  round_to(parts.dtype, encoder);
  const Matrix<double> codes = apply_fitted(parts, encoder, split.samples, sparse_codes, pool);
  const MatrixView<const double> all = codes.view();
  encoder.decoder = fit_checked_decoder(parts.dictionary, {all.row_range(0, split.n_fit), split.fit().samples},
                                        {split.check(all), split.check(split.samples)}, pool);
  round_to(parts.dtype, encoder);
}

}  // namespace dualdict
