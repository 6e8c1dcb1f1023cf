// SPDX-License-Identifier: BSD-3-Clause
// The side of whoever holds a block: the same passes over samples as in memory.
#include <algorithm>
#include <cmath>

#include "core/hash.h"
#include "dualdict/blocks.h"
#include "dualdict/error.h"
#include "learn/blocks/messages.h"
#include "learn/fit/atoms.h"
#include "learn/fit/start.h"
#include "learn/fit/stream_steps.h"
#include "learn/samples/shared_pass.h"
#include "learn/saved/checkpoint_header.h"
#include "learn/saved/code_tensors.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr const char* kCodesFormat = "dualdict-block-codes";
constexpr const char* kCodesName = "codes of a block";

void check_block(const BlockRequest& request, const DataSource& block, std::size_t index) {
  if (!std::binary_search(request.blocks.begin(), request.blocks.end(), index))
    throw Error(ErrorKind::kUsage, "index: " + std::to_string(index) + ": the request is not for this block; ask " +
                                       "those that the fit names");
  const std::size_t known = std::max(request.dictionary.cols(), request.run.options.initial_dictionary.cols());
  if (known > 0 && known != block.n_features())
    throw Error(ErrorKind::kInput, "block " + std::to_string(index) + ": " + std::to_string(block.n_features()) +
                                       " features, but the fit has " + std::to_string(known));
}

// A number in [0, 1) that depends on seed, block and row alone.
double key_of(std::size_t seed, std::size_t block, std::size_t row) {
  const std::uint64_t bits = mix64(mix64(mix64(seed) + block) + row);
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

void append_row(ChosenRows& chosen, std::size_t n, double key, std::size_t block, std::size_t row) {
  chosen.places(n, 0) = key;
  chosen.places(n, 1) = static_cast<double>(block);
  chosen.places(n, 2) = static_cast<double>(row);
}

template <class T>
void survey(const BlockRequest& request, const Samples<T>& samples, std::size_t index, ThreadPool& pool,
            Statistics& answer) {
  const std::size_t n = samples.n_samples();
  const std::size_t d = samples.n_features();
  answer.sums = {samples.squared, samples.mean_norm};
  const Matrix<double> xx = second_moments(samples, pool, Interrupt(nullptr));
  for (std::size_t i = 0; i < d; ++i) answer.sums.insert(answer.sums.end(), xx.row(i) + i, xx.row(i) + d);
  ChosenRows& chosen = answer.chosen;
  chosen.limit = kept_limit(d, request.run.options.penalty);
  chosen.places = Matrix<double>(n, 3);
  for (std::size_t i = 0; i < n; ++i) append_row(chosen, i, key_of(request.run.options.seed, index, i), index, i);
  chosen.rows = convert<double>(samples.x);
  if (n > 0) keep_smallest(chosen);
}

template <class T>
void send_worst(const BlockRequest& request, const Batch<T>& batch, std::size_t index, ThreadPool& pool,
                Statistics& answer) {
  const auto worst = worst_samples(batch, request.dictionary, pool, request.n_worst);
  const Samples<T>& samples = batch.samples;
  const CodeStore<T>& codes = batch.codes;
  const std::size_t d = samples.n_features();
  ChosenRows& chosen = answer.chosen;
  chosen.limit = request.n_worst;
  if (worst.empty()) return;
  chosen.places = Matrix<double>(worst.size(), 3);
  chosen.rows = Matrix<double>(worst.size(), d + codes.cols());
  Matrix<T> code(1, codes.cols());
  for (std::size_t i = 0; i < worst.size(); ++i) {
    append_row(chosen, i, -worst[i].error, index, worst[i].place);
    codes.read(worst[i].place, code.view());
    std::copy_n(samples.x.row(worst[i].place), d, chosen.rows.row(i));
    std::copy_n(code.row(0), codes.cols(), chosen.rows.row(i) + d);
  }
}

// The codes of the last answer, or zeros.
template <class T>
CodeStore<T> restore_codes(std::string_view bytes, std::size_t n_samples, std::size_t n_atoms) {
  CodeStore<T> codes(n_samples, n_atoms);
  if (!bytes.empty()) read_codes(from_bytes(bytes, kCodesName, kCodesFormat), kCodesName, codes);
  return codes;
}

template <class T>
std::string make_codes(const BlockRequest& request, const Samples<T>& samples, std::size_t index,
                       std::string_view old_codes, ThreadPool& pool, Statistics& answer) {
  LearnOptions options = request.run.options;
  options.time_limit = 0;  // the fit looks at it between two steps
  const LearnContext context;
  Ranks alone(nullptr);
  Control control(options, context, alone);
  FitState state = empty_state<T>(options, samples.n_features());
  state.objective.tau = request.tau;
  state.dictionary = request.dictionary;
  state.dual = request.dual;
  CodeStore<T> codes = restore_codes<T>(old_codes, samples.n_samples(), options.n_atoms);
  const Batch<T> batch{samples, codes, {0, samples.n_samples()}};
  Stepper<T> stepper(control, pool, control.interrupt());
  StepPlan plan = request.plan;
  // From zero a few sweeps would leave codes behind those that E was measured with.
  if (old_codes.empty() && plan.visit == Visit::kAll) plan.accurate = true;
  const PassReport pass = stepper.make_codes(state, batch, plan);
  answer.sums = sums_of_pass(pass, state.moments);
  if (request.n_worst > 0) send_worst(request, batch, index, pool, answer);
  TensorFile file;
  add_codes(file, codes);
  return to_bytes(std::move(file), kCodesFormat);
}

template <class T>
BlockAnswer answer_request(const BlockRequest& request, const DataSource& block, std::size_t index,
                           std::string_view codes, std::size_t n_threads) {
  ThreadPool pool(resolve_threads(n_threads));
  const bool means = request.ask == Ask::kMeans;
  const Transform transform = means ? Transform() : Transform(request.run.preprocess, request.feature_means);
  Samples<T> samples;
  samples.x = read_samples<T>(block, transform, 0, block.n_samples());
  const std::size_t n = samples.n_samples();
  Statistics sums;
  sums.mark = request.mark;
  sums.n_features = samples.n_features();
  sums.dtype = request.run.options.dtype;
  sums.blocks = Matrix<double>(1, 2);
  sums.blocks(0, 0) = static_cast<double>(index);
  sums.blocks(0, 1) = static_cast<double>(n);
  BlockAnswer answer;
  if (means) {
    sums.sums.assign(samples.n_features(), 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < sums.sums.size(); ++j) sums.sums[j] += static_cast<double>(samples.x(i, j));
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const double squared = squared_norm(samples.x.row(i), samples.n_features());
      samples.squared += squared;
      samples.mean_norm += std::sqrt(squared);  // a sum: how many there are in all is not known here
    }
    if (request.ask == Ask::kSurvey)
      survey(request, samples, index, pool, sums);
    else
      answer.codes = make_codes(request, samples, index, codes, pool, sums);
  }
  answer.statistics = to_bytes(sums);
  return answer;
}

}  // namespace

BlockAnswer block_statistics(std::string_view request_bytes, const DataSource& samples, std::size_t index,
                             std::string_view codes, std::size_t n_threads) {
  const BlockRequest request = read_request(request_bytes);
  check_block(request, samples, index);
  return request.run.options.dtype == DType::kFloat32
             ? answer_request<float>(request, samples, index, codes, n_threads)
             : answer_request<double>(request, samples, index, codes, n_threads);
}

}  // namespace dualdict
