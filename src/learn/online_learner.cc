// SPDX-License-Identifier: BSD-3-Clause
// Blocks are put together to the pieces that a stream is read in, so that nothing depends on how they are cut.
#include "dualdict/online.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "dualdict/error.h"
#include "learn/fit/coding_weights.h"
#include "learn/fit/finish.h"
#include "learn/fit/start.h"
#include "learn/fit/stream_steps.h"
#include "learn/fit/warm_up.h"
#include "learn/prepare.h"
#include "learn/saved/checkpoint_header.h"
#include "learn/saved/fit_file.h"
#include "learn/saved/run_options.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr const char* kFormat = "dualdict-online";
constexpr const char* kName = "the state of an online learner";
constexpr const char* kPending = "pending";

// Samples that are too few yet for a step. Blocks may be small and many, so that what is there is not copied for each.
class PendingSamples {
 public:
  std::size_t rows() const { return n_features_ > 0 ? values_.size() / n_features_ : 0; }
  std::size_t cols() const { return n_features_; }
  bool empty() const { return values_.empty(); }
  MatrixView<const double> view() const { return {values_.data(), rows(), n_features_, n_features_}; }
  template <class T>
  void append(const Matrix<T>& samples) {
    n_features_ = samples.cols();
    values_.insert(values_.end(), samples.data(), samples.data() + samples.size());
  }
  void drop_first(std::size_t n) {
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(n * n_features_));
  }

 private:
  std::vector<double> values_;
  std::size_t n_features_ = 0;
};

// A fit, and what waits for its next step.
struct OnlineState {
  LearnOptions options;
  PreprocessOptions preprocess;
  FitState fit;
  PendingSamples pending;
};

template <class T>
void step(OnlineState& online, MatrixView<const double> rows, Control& control, ThreadPool& pool) {
  Samples<T> piece;
  piece.x = convert<T>(rows);
  for (std::size_t i = 0; i < rows.rows; ++i) piece.squared += squared_norm(piece.x.row(i), rows.cols);
  if (online.fit.stream.n_samples == 0)
    require_range<T>(std::sqrt(piece.squared / static_cast<double>(rows.rows)), "the first samples");
  StreamSteps<T> steps(control, pool);
  steps.step(online.fit, piece);
  while (steps.is_busy(online.fit)) steps.work(online.fit);
}

// Whole pieces of the pending samples and, in the end, what is left of them.
template <class T>
void work_through(OnlineState& online, bool to_the_end) {
  const std::size_t piece = step_samples(online.options.n_atoms);
  const std::size_t n = online.pending.rows();
  const std::size_t done = to_the_end ? n : n / piece * piece;
  if (done == 0 && !to_the_end) return;
  const LearnContext context;
  Ranks alone(nullptr);
  Control control(online.options, context, alone);
  ThreadPool pool(resolve_threads(online.options.n_threads));
  if (online.fit.dictionary.empty()) online.fit = stream_state<T>(online.options, online.pending.cols());
  for (std::size_t first = 0; first < done; first += piece)
    step<T>(online, online.pending.view().row_range(first, std::min(piece, done - first)), control, pool);
  if (to_the_end) {
    StreamSteps<T> steps(control, pool);
    steps.end_collecting(online.fit);
    while (steps.is_busy(online.fit)) steps.work(online.fit);
    steps.end_pass(online.fit);
  }
  online.pending.drop_first(done);
}

void work_through(OnlineState& online, bool to_the_end) {
  if (online.options.dtype == DType::kFloat32)
    work_through<float>(online, to_the_end);
  else
    work_through<double>(online, to_the_end);
}

template <class T>
void add_block(OnlineState& online, const DataSource& block) {
  online.pending.append(read_samples<T>(block, Transform(online.preprocess, {}), 0, block.n_samples()));
}

void check_block(const OnlineState& online, const DataSource& block) {
  if (block.n_samples() == 0) throw Error(ErrorKind::kInput, block.name() + ": 0 samples; a block has at least 1");
  const std::size_t known =
      std::max({online.pending.cols(), online.fit.dictionary.cols(), online.options.initial_dictionary.cols()});
  if (known > 0 && known != block.n_features())
    throw Error(ErrorKind::kInput, block.name() + ": " + std::to_string(block.n_features()) +
                                       " features, but the learner has " + std::to_string(known));
}

void check_online(const LearnOptions& options, const PreprocessOptions& preprocess) {
  validate(options);
  if (preprocess.center_features)
    throw Error(ErrorKind::kUsage,
                "center_features: is not allowed when samples come in blocks: the mean of all is not known; subtract a "
                "mean before, or center_samples");
  static_cast<void>(Transform(preprocess, {}));  // refuses a bad scale
}

template <class T>
LearnResult result_of(OnlineState online) {
  const LearnContext context;
  Ranks alone(nullptr);
  Control control(online.options, context, alone);
  ThreadPool pool(resolve_threads(online.options.n_threads));
  Samples<T> samples = kept_samples<T>(online.fit, online.options.seed, false, alone);
  CodeStore<T> codes;
  LearnSummary summary;
  summary.outcome = Outcome::kStopped;
  summary.message = "learned online from " + std::to_string(online.fit.stream.n_samples) + " samples in " +
                    std::to_string(online.fit.fading.step) + " steps; energy and certificate are those of " +
                    std::to_string(samples.n_all()) + " of them";
  const FitOrigin origin{"blocks", {}, Transform(online.preprocess, {}), nullptr};
  return finish_fit(online.fit, samples, codes, std::move(summary), origin, control, pool);
}

}  // namespace

struct OnlineLearner::Impl {
  OnlineState online;
  // The state after all samples so far, when somebody has asked for it and some are pending.
  mutable std::optional<OnlineState> flushed;

  const OnlineState& now() const {
    const bool collects = online.options.penalty == Penalty::kL0 && online.fit.l0.phase == L0Phase::kCollect;
    if (online.pending.empty() && (!collects || online.fit.dictionary.empty())) return online;
    if (!flushed) {
      OnlineState copy = online;
      work_through(copy, true);
      flushed = std::move(copy);
    }
    return *flushed;
  }
};

OnlineLearner::OnlineLearner(const LearnOptions& options, const PreprocessOptions& preprocess)
    : impl_(std::make_unique<Impl>()) {
  check_online(options, preprocess);
  impl_->online.options = with_penalty(options);
  impl_->online.preprocess = preprocess;
}
OnlineLearner::OnlineLearner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OnlineLearner::~OnlineLearner() = default;
OnlineLearner::OnlineLearner(OnlineLearner&&) noexcept = default;
OnlineLearner& OnlineLearner::operator=(OnlineLearner&&) noexcept = default;

void OnlineLearner::update(const DataSource& block) {
  OnlineState& online = impl_->online;
  check_block(online, block);
  if (online.options.dtype == DType::kFloat32)
    add_block<float>(online, block);
  else
    add_block<double>(online, block);
  impl_->flushed.reset();
  work_through(online, false);
}

std::size_t OnlineLearner::n_samples() const {
  return impl_->online.fit.stream.n_samples + impl_->online.pending.rows();
}
std::size_t OnlineLearner::n_updates() const {
  return impl_->now().fit.fading.step;
}
double OnlineLearner::tau() const {
  return impl_->now().fit.objective.tau;
}
DType OnlineLearner::dtype() const {
  return impl_->online.options.dtype;
}
const Matrix<double>& OnlineLearner::codes_by_codes() const {
  return impl_->now().fit.moments.uu;
}
const Matrix<double>& OnlineLearner::codes_by_samples() const {
  return impl_->now().fit.moments.ux;
}
const Matrix<double>& OnlineLearner::samples_by_samples() const {
  return impl_->now().fit.moments.xx;
}
const Matrix<double>& OnlineLearner::dictionary() const {
  return impl_->now().fit.dictionary;
}
const Matrix<double>& OnlineLearner::dual() const {
  return impl_->now().fit.dual;
}

LearnResult OnlineLearner::result() const {
  const OnlineState& online = impl_->now();
  if (online.fit.stream.n_samples == 0)
    throw Error(ErrorKind::kUsage, "the learner has seen no samples: update it with a block first");
  return online.options.dtype == DType::kFloat32 ? result_of<float>(online) : result_of<double>(online);
}

std::string OnlineLearner::to_bytes() const {
  const OnlineState& online = impl_->online;
  TensorFile file;
  add_run(file, {online.options, online.preprocess, online.fit.dictionary.cols()});
  if (!online.fit.dictionary.empty()) add_state(file, online.fit);
  if (const MatrixView<const double> pending = online.pending.view(); !pending.empty())
    file.tensors.push_back(make_tensor(kPending, pending, DType::kFloat64));
  return dualdict::to_bytes(std::move(file), kFormat);
}

OnlineLearner OnlineLearner::from_bytes(std::string_view bytes) {
  const TensorFile file = dualdict::from_bytes(bytes, kName, kFormat);
  auto impl = std::make_unique<Impl>();
  OnlineState& online = impl->online;
  RunOptions run = read_run(file, kName);
  if (run.n_features > 0) online.fit = read_fit(file, kName, run);
  online.options = std::move(run.options);
  online.preprocess = run.preprocess;
  if (const Tensor* tensor = file.find(kPending)) online.pending.append(to_matrix(*tensor));
  return OnlineLearner(std::move(impl));
}

}  // namespace dualdict
