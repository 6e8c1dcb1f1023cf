// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit_encoders.h"

#include <utility>

#include "core/thread_pool.h"
#include "dualdict/encode.h"
#include "model/encoder_fit.h"
#include "model/encoding_table.h"
#include "model/round_encoder.h"

namespace dualdict {
namespace {

// In the precision of the samples: what the fit averages over is far coarser than float32.
template <class T>
Matrix<double> exact_codes(ModelParts parts, MatrixView<const T> samples, std::size_t n_threads) {
  EncodeOptions options;
  options.mode = EncodeMode::kExact;
  options.gap = 1e-5;
  options.n_threads = n_threads;
  parts.transform = Transform();
  Matrix<T> codes(samples.rows, parts.dictionary.rows());
  Encoder(Model(std::move(parts)), options).encode(samples, codes.view());
  return convert<double>(codes);
}

void fit_encoders(ModelParts& parts, const FitSamples& fit, ThreadPool& pool) {
  parts.sparse = fit_sparse(parts, fit, pool);
  round_to(parts.dtype, parts.sparse);
  const Matrix<double> sparse_codes = apply_fitted(parts, parts.sparse, fit.samples, {}, pool);
  parts.corrected = fit_corrected(parts, fit, sparse_codes.view(), pool);
  round_to(parts.dtype, parts.corrected);
}

}  // namespace

template <class T>
void fit_and_measure_encoders(ModelParts& parts, MatrixView<const T> fit_samples, MatrixView<const T> held_out,
                              bool held_out_unseen, std::size_t n_threads) {
  parts.sparse = {};
  parts.corrected = {};
  parts.provenance.encoding = {};
  if (fit_samples.empty()) return;
  const Matrix<double> codes = exact_codes(parts, fit_samples, n_threads);
  {
    ThreadPool pool(resolve_threads(n_threads));
    const Matrix<double> samples = convert<double>(fit_samples);
    fit_encoders(parts, {samples.view(), codes.view()}, pool);
  }
  const bool separate = !held_out.empty();
  parts.provenance.encoding = measure_encoders<T>(parts, {fit_samples, separate ? held_out : fit_samples}, n_threads);
  parts.provenance.encoding.held_out = separate;
  parts.provenance.encoding.unseen = separate && held_out_unseen;
}

template void fit_and_measure_encoders<float>(ModelParts&, MatrixView<const float>, MatrixView<const float>, bool,
                                              std::size_t);
template void fit_and_measure_encoders<double>(ModelParts&, MatrixView<const double>, MatrixView<const double>, bool,
                                               std::size_t);

}  // namespace dualdict
