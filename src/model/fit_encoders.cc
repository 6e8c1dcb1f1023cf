// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit_encoders.h"

#include <algorithm>
#include <utility>

#include "core/thread_pool.h"
#include "model/fit/split_samples.h"
#include "model/modes/mode.h"
#include "model/table/encoding_table.h"

namespace dualdict {
namespace {

// In the precision of the samples: what the fit averages over is far coarser than float32.
template <class T>
Matrix<double> exact_codes(ModelParts parts, MatrixView<const T> samples, const FitRun& run) {
  EncodeOptions options;
  options.mode = "exact";
  options.debias = false;
  options.gap = 1e-5;
  options.n_threads = run.n_threads;
  parts.transform = Transform();
  Matrix<T> codes(samples.rows, parts.dictionary.rows());
  encode_in_pieces<T>(Encoder(Model(std::move(parts)), options), samples, run, codes.view());
  return convert<double>(codes);
}

template <class T>
void fit_encoders(ModelParts& parts, const EncoderSamples<T>& given, const FitRun& run) {
  const Matrix<double> codes =
      given.fit_codes.empty() ? exact_codes(parts, given.fit, run) : convert<double>(given.fit_codes);
  const Matrix<double> samples = convert<double>(given.fit);
  const SplitSamples split(samples.view(), codes.view());
  ThreadPool pool(resolve_threads(run.n_threads), run.interrupt);
  const auto is_fitted = [](const Mode* mode) { return mode->fit != nullptr; };
  begin_phase(run, "fitting the encoders",
              static_cast<std::size_t>(std::count_if(all_modes().begin(), all_modes().end(), is_fitted)));
  for (const Mode* mode : all_modes()) {
    if (!is_fitted(mode)) continue;
    FittedEncoder encoder = mode->fit(parts, split, pool);
    encoder.mode = mode->info.name;
    parts.encoders.push_back(std::move(encoder));
    advance_phase(run);
  }
}

}  // namespace

template <class T>
bool fit_and_measure_encoders(ModelParts& parts, const EncoderSamples<T>& samples, const FitRun& run) {
  parts.encoders = {};
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
