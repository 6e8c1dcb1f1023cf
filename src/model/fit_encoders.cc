// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit_encoders.h"

#include <utility>

#include "core/thread_pool.h"
#include "model/encoder_fit.h"
#include "model/encoding_table.h"
#include "model/round_encoder.h"

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

template <class T>
void fit_encoders(ModelParts& parts, MatrixView<const T> fit_samples, const FitRun& run) {
  const Matrix<double> codes = exact_codes(parts, fit_samples, run);
  const Matrix<double> samples = convert<double>(fit_samples);
  const FitSamples fit{samples.view(), codes.view()};
  ThreadPool pool(resolve_threads(run.n_threads), run.interrupt);
  FittedEncoder sparse = fit_sparse(parts, fit, pool);
  round_to(parts.dtype, sparse);
  parts.sparse = std::move(sparse);
  const Matrix<double> sparse_codes = apply_fitted(parts, parts.sparse, fit.samples, {}, pool);
  FittedEncoder corrected = fit_corrected(parts, fit, sparse_codes.view(), pool);
  round_to(parts.dtype, corrected);
  parts.corrected = std::move(corrected);
}

}  // namespace

template <class T>
bool fit_and_measure_encoders(ModelParts& parts, MatrixView<const T> fit_samples, MatrixView<const T> held_out,
                              bool held_out_unseen, const FitRun& run) {
  parts.sparse = {};
  parts.corrected = {};
  parts.provenance.encoding = {};
  if (fit_samples.empty()) return true;
  const bool separate = !held_out.empty();
  try {
    fit_encoders(parts, fit_samples, run);
    parts.provenance.encoding = measure_encoders<T>(parts, {fit_samples, separate ? held_out : fit_samples}, run);
  } catch (const Interrupted&) {
    return false;
  }
  parts.provenance.encoding.held_out = separate;
  parts.provenance.encoding.unseen = separate && held_out_unseen;
  return true;
}

template bool fit_and_measure_encoders<float>(ModelParts&, MatrixView<const float>, MatrixView<const float>, bool,
                                              const FitRun&);
template bool fit_and_measure_encoders<double>(ModelParts&, MatrixView<const double>, MatrixView<const double>, bool,
                                               const FitRun&);

}  // namespace dualdict
