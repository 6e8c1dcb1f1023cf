// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit_encoders.h"

#include <utility>

#include "core/thread_pool.h"
#include "linalg/vectors.h"
#include "model/fit/count_fit.h"
#include "model/fit/decoder_fit.h"
#include "model/fit/product_fit.h"
#include "model/fit/round_encoder.h"
#include "model/table/encoding_table.h"

namespace dualdict {
namespace {

// In the precision of the samples: what the fit averages over is far coarser than float32.
template <class T>
Matrix<double> exact_codes(ModelParts parts, MatrixView<const T> samples, const FitRun& run) {
  EncodeOptions options;
  options.mode = EncodeMode::kExact;
  options.gap = 1e-5;
  options.n_threads = run.n_threads;
  parts.transform = Transform();
  Matrix<T> codes(samples.rows, parts.dictionary.rows());
  encode_in_pieces<T>(Encoder(Model(std::move(parts)), options), samples, run, codes.view());
  return convert<double>(codes);
}

// The last quarter of the samples checks what the others were fitted to; where they are few, all do both.
std::size_t n_fitted(std::size_t n) {
  constexpr std::size_t kFewest = 40;
  return n < kFewest ? n : n - n / 4;
}

// Samples with their exact codes, and those that check.
struct SplitSamples {
  MatrixView<const double> samples;
  MatrixView<const double> codes;
  std::size_t n_fit = 0;

  FitSamples fit() const { return {samples.row_range(0, n_fit), codes.row_range(0, n_fit)}; }
  MatrixView<const double> check(MatrixView<const double> rows) const {
    return n_fit < rows.rows ? rows.row_range(n_fit, rows.rows - n_fit) : rows;
  }
  double wanted_nonzeros() const {
    const MatrixView<const double> rows = check(codes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) count += count_nonzeros(rows.row(i), rows.cols);
    return rows.rows > 0 ? static_cast<double>(count) / static_cast<double>(rows.rows) : 0.0;
  }
};

// Thresholds for the wanted count, the decoder, and the precision of the model. Returns the codes of all samples.
Matrix<double> complete(const ModelParts& parts, const SplitSamples& split, MatrixView<const double> sparse_codes,
                        ThreadPool& pool, FittedEncoder& encoder) {
  const MatrixView<const double> fed = sparse_codes.empty() ? sparse_codes : split.check(sparse_codes);
  set_count(parts, split.check(split.samples), fed, split.wanted_nonzeros(), pool, encoder);
  round_to(parts.dtype, encoder);
  Matrix<double> codes = apply_fitted(parts, encoder, split.samples, sparse_codes, pool);
  const MatrixView<const double> all = codes.view();
  encoder.decoder = fit_checked_decoder(parts.dictionary, {all.row_range(0, split.n_fit), split.fit().samples},
                                        {split.check(all), split.check(split.samples)}, pool);
  round_to(parts.dtype, encoder);
  return codes;
}

template <class T>
void fit_encoders(ModelParts& parts, const EncoderSamples<T>& given, const FitRun& run) {
  const Matrix<double> codes =
      given.fit_codes.empty() ? exact_codes(parts, given.fit, run) : convert<double>(given.fit_codes);
  const Matrix<double> samples = convert<double>(given.fit);
  const SplitSamples split{samples.view(), codes.view(), n_fitted(samples.rows())};
  ThreadPool pool(resolve_threads(run.n_threads), run.interrupt);
  FittedEncoder sparse = fit_sparse(parts, split.fit(), pool);
  const Matrix<double> sparse_codes = complete(parts, split, {}, pool, sparse);
  parts.sparse = std::move(sparse);
  FittedEncoder corrected = fit_corrected(parts, split.fit(), sparse_codes.view().row_range(0, split.n_fit), pool);
  complete(parts, split, sparse_codes.view(), pool, corrected);
  parts.corrected = std::move(corrected);
}

}  // namespace

template <class T>
bool fit_and_measure_encoders(ModelParts& parts, const EncoderSamples<T>& samples, const FitRun& run) {
  parts.sparse = {};
  parts.corrected = {};
  parts.provenance.encoding = {};
  if (samples.fit.empty()) return true;
  const bool separate = !samples.held_out.empty();
  try {
    fit_encoders(parts, samples, run);
    parts.provenance.encoding =
        measure_encoders<T>(parts, {samples.fit, separate ? samples.held_out : samples.fit}, run);
  } catch (const Interrupted&) {
    return false;
  }
  parts.provenance.encoding.held_out = separate;
  parts.provenance.encoding.unseen = separate && samples.unseen;
  return true;
}

template bool fit_and_measure_encoders<float>(ModelParts&, const EncoderSamples<float>&, const FitRun&);
template bool fit_and_measure_encoders<double>(ModelParts&, const EncoderSamples<double>&, const FitRun&);

}  // namespace dualdict
