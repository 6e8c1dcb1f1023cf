// SPDX-License-Identifier: BSD-3-Clause
#include "model/table/encoding_table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/thread_pool.h"
#include "linalg/parallel_product.h"
#include "linalg/product.h"
#include "model/fit/decoder_fit.h"
#include "model/modes/mode.h"
#include "model/row_decoder.h"
#include "model/table/baselines.h"
#include "model/table/table_measures.h"

namespace dualdict {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

template <class T>
double seconds_of(const Encoder& encoder, MatrixView<const T> samples, const FitRun& run, MatrixView<T> codes) {
  const auto start = std::chrono::steady_clock::now();
  encode_in_pieces(encoder, samples, run, codes);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Samples a second, over runs that last long enough for the clock. `first_seconds`: what all samples took once. Every
// fit pays for this, the smallest too: hence no longer than is needed.
template <class T>
double measure_speed(const Encoder& encoder, MatrixView<const T> samples, const FitRun& run, double first_seconds) {
  constexpr std::size_t kMost = 10000;
  constexpr double kSeconds = 0.01;
  constexpr double kLong = 0.1;
  constexpr int kMaxRuns = 100;
  if (first_seconds >= kLong) return static_cast<double>(samples.rows) / first_seconds;
  const MatrixView<const T> some = samples.row_range(0, std::min(kMost, samples.rows));
  Matrix<T> codes(some.rows, encoder.n_atoms());
  double seconds = 0;
  int runs = 0;
  while (runs < kMaxRuns && seconds < kSeconds) {
    seconds += seconds_of(encoder, some, run, codes.view());
    ++runs;
  }
  return seconds > 0 ? static_cast<double>(runs) * static_cast<double>(some.rows) / seconds : 0.0;
}

template <class T>
EncodingRow measure_mode(const Model& model, const std::string& name, MatrixView<const T> samples,
                         const TableMeasures& measures, const FitRun& run) {
  EncodeOptions options;
  options.mode = name;
  options.n_threads = run.n_threads;
  const Encoder encoder(model, options);
  Matrix<T> codes(samples.rows, model.n_atoms());
  const double seconds = seconds_of(encoder, samples, run, codes.view());
  EncodingRow row = measures.measure(convert<double>(codes), decoder_of(model.parts(), name, DecodeWith::kModeDecoder));
  row.mode = name;
  row.samples_per_second = measure_speed(encoder, samples, run, seconds);
  return row;
}

EncodingRow measure_threshold(const ModelParts& parts, MatrixView<const double> fit, MatrixView<const double> measured,
                              double nonzeros, const TableMeasures& measures, ThreadPool& pool) {
  Matrix<double> codes = parallel_multiply_transposed(measured, parts.dictionary.view(), pool);
  const ThresholdBaseline baseline = fit_threshold_baseline(codes, measures.exact(), nonzeros, parts.positive_codes);
  apply_threshold_baseline(baseline, parts.positive_codes, codes);
  Matrix<double> fit_codes = parallel_multiply_transposed(fit, parts.dictionary.view(), pool);
  apply_threshold_baseline(baseline, parts.positive_codes, fit_codes);
  EncodingRow row = measures.measure(codes, fit_decoder(parts.dictionary, {fit_codes.view(), fit}, pool));
  row.mode = "threshold D'x";
  row.samples_per_second = kNone;
  return row;
}

EncodingRow baseline_row(const std::string& name, double nonzeros, double error) {
  EncodingRow row;
  row.mode = name;
  row.reconstruction_error = error;
  row.nonzeros = nonzeros;
  row.code_error = row.energy_excess = row.dictionary_reconstruction_error = kNone;
  row.debiased_reconstruction_error = row.support_overlap = row.samples_per_second = kNone;
  return row;
}

// What needs no learned dictionary, with as many nonzeros as `exact`.
void add_baselines(const ModelParts& parts, MatrixView<const double> measured, const BasisErrors& pca, double nonzeros,
                   ThreadPool& pool, EncodingTable& table) {
  const auto whole = static_cast<std::size_t>(std::llround(std::max(0.0, nonzeros)));
  const std::size_t n_components = std::min(measured.cols, whole);
  table.rows.push_back(baseline_row("pca", static_cast<double>(n_components), pca.leading(n_components)));
  table.rows.push_back(baseline_row("pca hard", nonzeros, pca.hard(nonzeros)));
  const Basis dct = dct_basis(parts.shape.height, parts.shape.width, measured.cols);
  if (!dct.vectors.empty())
    table.rows.push_back(baseline_row("dct hard", nonzeros, BasisErrors(dct, measured, pool).hard(nonzeros)));
}

// "linear", "refine:1", "refine:3", ...
std::vector<std::string> measured_modes() {
  std::vector<std::string> names;
  for (const Mode* mode : all_modes()) {
    if (mode->measured.empty()) names.emplace_back(mode->info.name);
    for (const std::size_t number : mode->measured)
      names.push_back(std::string(mode->info.name) + ":" + std::to_string(number));
  }
  return names;
}

// The samples are preprocessed already.
ModelParts without_transform(ModelParts parts) {
  parts.transform = Transform();
  return parts;
}

Matrix<double> codes_in_double(ModelParts parts, MatrixView<const double> samples, const FitRun& run) {
  constexpr double kGap = 1e-8;
  parts.dtype = DType::kFloat64;
  EncodeOptions options;
  options.mode = "exact";
  options.gap = kGap;
  options.n_threads = run.n_threads;
  Matrix<double> codes(samples.rows, parts.dictionary.rows());
  encode_in_pieces(Encoder(Model(std::move(parts)), options), samples, run, codes.view());
  return codes;
}

}  // namespace

template <class T>
EncodingTable measure_encoders(const ModelParts& parts, const TableSamples<T>& samples, const FitRun& run) {
  EncodingTable table;
  table.n_fit = samples.fit.rows;
  table.n_measured = samples.measured.rows;
  if (samples.measured.empty()) return table;
  const Model model(without_transform(parts));
  const ModelParts& plain_parts = model.parts();
  const Matrix<double> measured = convert<double>(samples.measured);
  const Matrix<double> fit = convert<double>(samples.fit);
  ThreadPool pool(resolve_threads(run.n_threads), run.interrupt);
  const TableMeasures measures(model.parts(), measured.view(), codes_in_double(plain_parts, measured.view(), run),
                               pool);
  double sparse_nonzeros = 0;
  double exact_nonzeros = 0;
  for (const std::string& name : measured_modes()) {
    table.rows.push_back(measure_mode<T>(model, name, samples.measured, measures, run));
    if (table.rows.back().mode == "sparse") sparse_nonzeros = table.rows.back().nonzeros;
    if (table.rows.back().mode == "exact") exact_nonzeros = table.rows.back().nonzeros;
  }
  table.rows.push_back(measure_threshold(parts, fit.view(), measured.view(), sparse_nonzeros, measures, pool));
  const BasisErrors pca(pca_basis(fit.view(), pool), measured.view(), pool);
  for (EncodingRow& row : table.rows) row.pca_error = pca.hard(row.nonzeros);
  add_baselines(parts, measured.view(), pca, exact_nonzeros, pool, table);
  return table;
}

template EncodingTable measure_encoders<float>(const ModelParts&, const TableSamples<float>&, const FitRun&);
template EncodingTable measure_encoders<double>(const ModelParts&, const TableSamples<double>&, const FitRun&);

}  // namespace dualdict
