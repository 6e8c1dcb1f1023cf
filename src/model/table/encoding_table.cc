// SPDX-License-Identifier: BSD-3-Clause
#include "model/table/encoding_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/thread_pool.h"
#include "linalg/parallel_product.h"
#include "linalg/product.h"
#include "linalg/vectors.h"
#include "model/coding_space.h"
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
  const Stopwatch clock;
  encode_in_pieces(encoder, samples, run, codes);
  return clock.seconds();
}

// Samples a second, over runs that last long enough for the clock. `first_seconds`: what all samples took once. Every
// fit pays for this, the smallest too: hence no longer than is needed.
template <class T>
double measure_speed(const Encoder& encoder, MatrixView<const T> samples, double first_seconds) {
  constexpr std::size_t kMost = 10000;
  constexpr double kSeconds = 0.01;
  constexpr double kLong = 0.1;
  constexpr int kMaxRuns = 100;
  if (first_seconds >= kLong) return static_cast<double>(samples.rows) / first_seconds;
  const MatrixView<const T> some = samples.row_range(0, std::min(kMost, samples.rows));
  Matrix<T> codes(some.rows, encoder.n_atoms());
  double seconds = 0;
  int runs = 0;
  const Stopwatch clock;  // in one piece: it is short
  while (runs < kMaxRuns && seconds < kSeconds) {
    encoder.encode(some, codes.view());
    seconds = clock.seconds();
    ++runs;
  }
  return seconds > 0 ? static_cast<double>(runs) * static_cast<double>(some.rows) / seconds : 0.0;
}

template <class T>
EncodingRow measure_mode(const Model& model, const std::string& name, MatrixView<const T> samples,
                         const TableMeasures& measures, const FitRun& run) {
  EncodeOptions options;
  options.mode = name;
  options.debias = false;
  options.n_threads = run.n_threads;
  const Encoder encoder(model, options);
  Matrix<T> codes(samples.rows, model.n_atoms());
  const double seconds = seconds_of(encoder, samples, run, codes.view());
  EncodingRow row = measures.measure(convert<double>(codes), decoder_of(model.parts(), name, DecodeWith::kModeDecoder));
  row.mode = name;
  row.samples_per_second = measure_speed(encoder, samples, seconds);
  return row;
}

struct MeasuredSamples {
  Matrix<double> fit;
  Matrix<double> measured;
};

EncodingRow measure_threshold(const ModelParts& parts, const MeasuredSamples& samples, double nonzeros,
                              const TableMeasures& measures, ThreadPool& pool) {
  const MatrixView<const double> fit = samples.fit.view();
  Matrix<double> codes = parallel_multiply_transposed(samples.measured.view(), parts.dictionary.view(), pool);
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

// What needs no learned dictionary, with as many nonzeros.
void add_baselines(const ModelParts& parts, const MeasuredSamples& samples, const BasisErrors& pca, double nonzeros,
                   ThreadPool& pool, EncodingTable& table) {
  const MatrixView<const double> measured = samples.measured.view();
  const auto whole = static_cast<std::size_t>(std::llround(std::max(0.0, nonzeros)));
  const std::size_t n_components = std::min(measured.cols, whole);
  table.rows.push_back(baseline_row("pca", static_cast<double>(n_components), pca.leading(n_components)));
  table.rows.push_back(baseline_row("pca hard", nonzeros, pca.hard(nonzeros)));
  const Basis dct = dct_basis(parts.shape.height, parts.shape.width, measured.cols);
  if (!dct.vectors.empty())
    table.rows.push_back(baseline_row("dct hard", nonzeros, BasisErrors(dct, measured, pool).hard(nonzeros)));
  if (!(nonzeros > 0)) return;
  const SampleAtoms atoms(samples.fit.view(), parts.dictionary.rows(), parts.positive_codes, pool);
  table.rows.push_back(baseline_row("samples greedy", nonzeros, atoms.error(measured, nonzeros, pool)));
}

// "linear", "refine:1", "refine:3", ...: the modes that the model can encode in. `nonzeros`: its own.
std::vector<std::string> measured_modes(const ModelParts& parts, double nonzeros) {
  std::vector<std::string> names;
  for (const Mode* mode : all_modes()) {
    const auto missing = [&](std::string_view needed) { return parts.find_encoder(needed) == nullptr; };
    if (std::any_of(mode->needs.begin(), mode->needs.end(), missing)) continue;
    if (mode->has_levels && missing(mode->info.name)) continue;
    if (mode->info.takes_tau && parts.penalty == Penalty::kL0) continue;
    const std::string name(mode->info.name);
    if (name == "omp" && parts.positive_codes) continue;
    if (mode->measured.empty() && mode->info.number.empty()) names.push_back(name);
    if (mode->measured.empty() && !mode->info.number.empty())
      names.push_back(name + ":" + std::to_string(std::max(1LL, std::llround(nonzeros))));
    for (const std::size_t number : mode->measured) names.push_back(name + ":" + std::to_string(number));
  }
  return names;
}

// The samples are preprocessed already.
ModelParts without_transform(ModelParts parts) {
  parts.transform = Transform();
  return parts;
}

// Exact codes, or greedy ones with penalty l0. The samples are preprocessed, with their offset.
Matrix<double> codes_in_double(ModelParts parts, MatrixView<const double> samples, const FitRun& run) {
  constexpr double kGap = 1e-8;
  parts.dtype = DType::kFloat64;
  EncodeOptions options;
  options.mode = parts.penalty == Penalty::kL0 ? "greedy" : "exact";
  options.debias = false;
  options.gap = kGap;
  options.n_threads = run.n_threads;
  Matrix<double> codes(samples.rows, parts.dictionary.rows());
  encode_in_pieces(Encoder(Model(std::move(parts)), options), samples, run, codes.view());
  return codes;
}

double nonzeros_of(const Matrix<double>& codes) {
  return static_cast<double>(count_nonzeros(codes.data(), codes.size())) / static_cast<double>(codes.rows());
}

std::vector<double> row_norms(const Matrix<double>& rows) {
  std::vector<double> norms(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) norms[i] = norm(rows.row(i), rows.cols());
  return norms;
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
  MeasuredSamples wide{convert<double>(samples.fit), convert<double>(samples.measured)};
  const std::vector<double> norms = row_norms(wide.measured);
  ThreadPool pool(resolve_threads(run.n_threads), run.interrupt);
  begin_phase(run, "measuring what principal components and exact codes do");
  const BasisErrors pca(pca_basis(wide.fit.view(), pool), wide.measured.view(), pool);
  Matrix<double> exact = codes_in_double(plain_parts, wide.measured.view(), run);
  const double nonzeros = nonzeros_of(exact);
  add_offset(plain_parts, -1, wide.fit.view());
  add_offset(plain_parts, -1, wide.measured.view());
  const TableMeasures measures(plain_parts, wide.measured.view(), norms, std::move(exact), pool);
  const std::vector<std::string> modes = measured_modes(plain_parts, nonzeros);
  begin_phase(run, "measuring the modes of encoding", modes.size());
  for (const std::string& name : modes) {
    table.rows.push_back(measure_mode<T>(model, name, samples.measured, measures, run));
    advance_phase(run);
  }
  // A decoder for dense codes would take memory and time that so many atoms are not worth.
  if (!codes_by_rounds(parts.dictionary.rows(), parts.dictionary.cols(), parts.positive_codes))
    table.rows.push_back(measure_threshold(plain_parts, wide, nonzeros, measures, pool));
  for (EncodingRow& row : table.rows) row.pca_error = pca.hard(row.nonzeros);
  add_offset(plain_parts, 1, wide.fit.view());
  add_offset(plain_parts, 1, wide.measured.view());
  add_baselines(parts, wide, pca, nonzeros, pool, table);
  return table;
}

template EncodingTable measure_encoders<float>(const ModelParts&, const TableSamples<float>&, const FitRun&);
template EncodingTable measure_encoders<double>(const ModelParts&, const TableSamples<double>&, const FitRun&);

}  // namespace dualdict
