// SPDX-License-Identifier: BSD-3-Clause
// The side of the fit: what comes between two sums of statistics is the engine's (fit/iterations.h).
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "dualdict/blocks.h"
#include "dualdict/error.h"
#include "io/bytes/input_error.h"
#include "learn/blocks/block_state.h"
#include "learn/fit/atoms.h"
#include "learn/fit/finish.h"
#include "learn/fit/start.h"
#include "learn/samples/shared_pass.h"
#include "linalg/symmetric.h"

namespace dualdict {
namespace {

constexpr const char* kAnswers = "the statistics";

// What a running fit has beside its state.
class BlockEngine {
 public:
  virtual ~BlockEngine() = default;
  virtual void step(BlockState& state, const Statistics& sums) = 0;
  virtual LearnResult result(BlockState state) = 0;
};

// It is looked at between two steps, and what comes after learning is made all the same.
LearnOptions without_time_limit(LearnOptions options) {
  options.time_limit = 0;
  return options;
}

template <class T>
class BlockEngineOf final : public BlockEngine {
 public:
  BlockEngineOf(const LearnOptions& options, std::vector<std::string>& messages)
      : options_(without_time_limit(options)),
        context_(telling(messages)),
        alone_(nullptr),
        control_(options_, context_, alone_),
        pool_(resolve_threads(options.n_threads)),
        stepper_(control_, pool_, control_.interrupt()) {}

  // A state that goes on.
  void resume(const BlockState& state) {
    control_.go_on_from(state.fit.seconds);
    if (state.fit.dictionary.empty()) return;
    if (state.fit.objective.eta > 0) stepper_.prepare_dual(state.fit.moments, control_.interrupt());
    iterations_.emplace(control_, stepper_, state.n_all);
  }
  void step(BlockState& state, const Statistics& sums) override;
  LearnResult result(BlockState state) override;

 private:
  static LearnContext telling(std::vector<std::string>& messages) {
    LearnContext context;
    context.hooks.on_message = [&messages](const std::string& text) { messages.push_back(text); };
    return context;
  }
  void take_means(BlockState& state, const Statistics& sums) const;
  void start(BlockState& state, const Statistics& sums);
  void warm_up(BlockState& state, const Statistics& sums);
  void iterate(BlockState& state, const Statistics& sums);
  void begin_iteration(BlockState& state) const {
    state.phase = BlockPhase::kIterate;
    state.open = iterations_->open(state.fit);
  }
  // The sums of codes become the moments'.
  PassReport take_codes(FitState& fit, const Statistics& sums) const;
  std::size_t replace(FitState& fit, const ChosenRows& worst) const;

  const LearnOptions options_;
  const LearnContext context_;
  Ranks alone_;
  Control control_;
  ThreadPool pool_;
  Stepper<T> stepper_;
  std::optional<Iterations<T>> iterations_;  // once the samples are counted
};

// What was led ahead and has no codes yet goes back.
void give_up_iteration(BlockState& state) {
  if (state.open.dictionary.empty()) return;
  state.fit.dictionary = std::move(state.open.dictionary);
  state.fit.dual = std::move(state.open.dual);
  state.open = {};
}

void require_count(const Statistics& sums, std::size_t count) {
  if (sums.sums.size() != count)
    fail_input(kAnswers,
               "hold " + std::to_string(sums.sums.size()) + " sums, the request asks for " + std::to_string(count));
}

template <class T>
void BlockEngineOf<T>::take_means(BlockState& state, const Statistics& sums) const {
  require_count(sums, sums.n_features);
  std::vector<double> means = sums.sums;
  for (double& mean : means) mean /= static_cast<double>(state.n_all) * state.run.preprocess.scale;
  state.fit.stream.feature_means = std::move(means);
  state.phase = BlockPhase::kSurvey;
}

template <class T>
void BlockEngineOf<T>::start(BlockState& state, const Statistics& sums) {
  const std::size_t d = sums.n_features;
  require_count(sums, 2 + d * (d + 1) / 2);
  require_range<T>(sums.sums[1] / static_cast<double>(state.n_all), "the blocks");
  FitState fit = empty_state<T>(options_, d);
  fit.stream.feature_means = state.fit.stream.feature_means;
  fit.stream.n_samples = state.n_all;
  Matrix<double>& kept = fit.stream.kept;
  kept = Matrix<double>(sums.chosen.rows.rows(), d);
  std::vector<std::size_t> order(kept.rows());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const Matrix<double>& places = sums.chosen.places;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(places(a, 1), places(a, 2)) < std::pair(places(b, 1), places(b, 2));
  });
  for (std::size_t i = 0; i < order.size(); ++i) std::copy_n(sums.chosen.rows.row(order[i]), d, kept.row(i));
  fit.moments.squared_samples = sums.sums[0];
  if (fit.objective.eta > 0) {
    fit.moments.xx = Matrix<double>(d, d);
    const double* from = sums.sums.data() + 2;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i; j < d; ++j) fit.moments.xx(i, j) = *from++;
    mirror_upper(fit.moments.xx);
    stepper_.prepare_dual(fit.moments, control_.interrupt());
  }
  const Samples<T> samples = kept_samples<T>(fit, options_.seed, false, alone_);
  control_.say(
      start_fit(fit, options_, samples, StartFrom::kAllSamples, {pool_, control_.interrupt(), control_.progress()}));
  state.fit = std::move(fit);
  iterations_.emplace(control_, stepper_, state.n_all);
  iterations_->begin(state.fit);
  state.phase = BlockPhase::kWarmUp;
  if (!iterations_->wants_warm_up() || block_schedule(state).round_steps == 0) begin_iteration(state);
}

template <class T>
PassReport BlockEngineOf<T>::take_codes(FitState& fit, const Statistics& sums) const {
  PassReport pass;
  pass.usage.resize(options_.n_atoms);
  require_count(sums, sums_of_pass(pass, fit.moments).size());
  set_sums_of_pass(sums.sums, pass, fit.moments);
  return pass;
}

template <class T>
std::size_t BlockEngineOf<T>::replace(FitState& fit, const ChosenRows& worst) const {
  const std::vector<std::size_t> atoms = unused_atoms(fit.atoms, options_.replace_below);
  const std::size_t count = std::min(atoms.size(), worst.rows.rows());
  const std::size_t d = fit.dictionary.cols();
  Matrix<T> samples(count, d);
  Matrix<T> codes(count, options_.n_atoms);
  for (std::size_t i = 0; i < count; ++i) {
    std::transform(worst.rows.row(i), worst.rows.row(i) + d, samples.row(i),
                   [](double x) { return static_cast<T>(x); });
    std::transform(worst.rows.row(i) + d, worst.rows.row(i) + worst.rows.cols(), codes.row(i),
                   [](double u) { return static_cast<T>(u); });
  }
  if (count > 0) replace_atoms<T>(fit, atoms, samples.view(), codes.view());
  return count;
}

template <class T>
void BlockEngineOf<T>::warm_up(BlockState& state, const Statistics& sums) {
  FitState& fit = state.fit;
  fit.fading.began = true;
  const StepPlan plan = iterations_->warm_up_plan(fit);
  FadingSums rule(state.n_all);
  rule.begin(fit);
  const PassReport pass = take_codes(fit, sums);
  const LearnStep report = stepper_.follow_codes(fit, pass, rule, plan, [] { return std::size_t{0}; });
  if (!iterations_->warm_up_goes_on(fit, block_schedule(state), report, plan)) begin_iteration(state);
}

template <class T>
void BlockEngineOf<T>::iterate(BlockState& state, const Statistics& sums) {
  FitState& fit = state.fit;
  WholeSums rule;
  const PassReport pass = take_codes(fit, sums);
  const LearnStep report =
      stepper_.follow_codes(fit, pass, rule, iterations_->plan(fit), [&] { return replace(fit, sums.chosen); });
  if (!iterations_->close(fit, state.open, report)) return;
  const OpenIteration closed = std::exchange(state.open, {});
  if (iterations_->should_continue(fit, closed, fit.moments.squared_samples == 0, state.summary))
    begin_iteration(state);
  else
    state.phase = BlockPhase::kDone;
}

template <class T>
void BlockEngineOf<T>::step(BlockState& state, const Statistics& sums) {
  switch (state.phase) {
    case BlockPhase::kMeans:
      take_means(state, sums);
      break;
    case BlockPhase::kSurvey:
      start(state, sums);
      break;
    case BlockPhase::kWarmUp:
      warm_up(state, sums);
      break;
    default:
      iterate(state, sums);
      break;
  }
  state.fit.seconds = control_.own_seconds();
  if (state.fit.dictionary.empty() || state.phase == BlockPhase::kDone) return;
  if (!limit_reached(state.run.options, {state.fit.seconds, 0}, state.fit.iterations, state.summary)) return;
  give_up_iteration(state);
  state.phase = BlockPhase::kDone;
}

template <class T>
LearnResult BlockEngineOf<T>::result(BlockState state) {
  give_up_iteration(state);
  Samples<T> samples = kept_samples<T>(state.fit, options_.seed, false, alone_);
  CodeStore<T> codes;
  const FitOrigin origin{"blocks", {}, Transform(state.run.preprocess, state.fit.stream.feature_means), nullptr};
  return finish_fit(state.fit, samples, codes, state.summary, origin, control_, pool_);
}

template <class T>
std::unique_ptr<BlockEngine> engine_for(const BlockState& state, std::vector<std::string>& messages) {
  auto engine = std::make_unique<BlockEngineOf<T>>(state.run.options, messages);
  engine->resume(state);
  return engine;
}

// The blocks are those that were asked, with the samples that they had before; the first answer says how many.
void count_samples(BlockState& state, const Statistics& sums) {
  const bool counts = state.n_all == 0;
  std::vector<std::size_t> wanted = blocks_of(state);
  std::vector<std::size_t> sizes = state.sizes;
  std::vector<std::size_t> there;
  for (std::size_t i = 0; i < sums.blocks.rows(); ++i) {
    const auto block = static_cast<std::size_t>(sums.blocks(i, 0));
    const auto size = static_cast<std::size_t>(sums.blocks(i, 1));
    there.push_back(block);
    if (block >= sizes.size() || (!counts && sizes[block] != size))
      fail_input(kAnswers, "say that block " + std::to_string(block) + " has " + std::to_string(size) +
                               " samples, which it had not before; give the same blocks throughout");
    sizes[block] = size;
  }
  std::sort(there.begin(), there.end());
  if (there != wanted)
    fail_input(kAnswers, "are those of " + std::to_string(there.size()) + " blocks, the request is for " +
                             std::to_string(wanted.size()) + "; add those of all of them, each once");
  if (!counts) return;
  state.sizes = std::move(sizes);
  for (const std::size_t size : state.sizes) state.n_all += size;
  if (state.n_all == 0) fail_input("the blocks", "hold 0 samples; a fit needs at least 1");
}

// Somebody has counted who uses the atoms.
bool has_usage(const FitState& fit) {
  return fit.fading.began || !fit.iterations.empty();
}

}  // namespace

struct BlockFit::Impl {
  BlockState state;
  std::vector<std::string> messages;
  std::unique_ptr<BlockEngine> engine;
  mutable std::string request;  // of the state, once it is asked for
  mutable std::string mark;

  explicit Impl(BlockState from) : state(std::move(from)) {
    engine = state.run.options.dtype == DType::kFloat32 ? engine_for<float>(state, messages)
                                                        : engine_for<double>(state, messages);
  }
  void make_request() const;
};

void BlockFit::Impl::make_request() const {
  if (!request.empty()) return;
  BlockRequest ask;
  ask.run = state.run;
  ask.run.n_features = state.fit.dictionary.cols();
  ask.blocks = blocks_of(state);
  ask.feature_means = state.fit.stream.feature_means;
  ask.ask = Ask::kCodes;
  if (state.phase == BlockPhase::kMeans || state.phase == BlockPhase::kSurvey) {
    ask.ask = state.phase == BlockPhase::kMeans ? Ask::kMeans : Ask::kSurvey;
  } else {
    const LearnOptions& options = state.run.options;
    ask.tau = state.fit.objective.tau;
    ask.dictionary = state.fit.dictionary;
    ask.dual = state.fit.dual;
    ask.plan.accurate = state.phase == BlockPhase::kIterate && state.fit.accurate;
    if (state.phase == BlockPhase::kWarmUp)
      ask.plan.visit = state.fit.fading.n_seen < state.n_all ? Visit::kFirst : Visit::kAgain;
    else if (options.replace_below > 0 && !options.keep_dictionary && has_usage(state.fit))
      ask.n_worst = unused_atoms(state.fit.atoms, options.replace_below).size();
  }
  request = dualdict::to_bytes(ask);
  mark = read_request(request).mark;
}

BlockFit::BlockFit(const LearnOptions& given, std::size_t n_blocks, const PreprocessOptions& preprocess) {
  validate(given);
  const bool instead_of_l0 = given.penalty == Penalty::kAuto && resolve_penalty(given) == Penalty::kL0;
  LearnOptions options = given;
  if (options.penalty == Penalty::kAuto) options.penalty = Penalty::kL1;
  if (options.penalty == Penalty::kL0)
    throw Error(ErrorKind::kUsage,
                "--penalty: l0 is not allowed for samples that others hold in blocks; take l1, or learn "
                "in one process, from a stream or on ranks");
  if (n_blocks == 0) throw Error(ErrorKind::kUsage, "n_blocks: 0 is not allowed: a fit has at least 1 block");
  static_cast<void>(
      Transform(preprocess.center_features ? PreprocessOptions{preprocess.scale, false} : preprocess, {}));
  BlockState state;
  state.run = {options, preprocess, 0};
  state.phase = preprocess.center_features ? BlockPhase::kMeans : BlockPhase::kSurvey;
  state.sizes.resize(n_blocks);
  impl_ = std::make_unique<Impl>(std::move(state));
  if (instead_of_l0)
    impl_->messages.push_back(
        "penalty l1: blocks that others hold are not learned from with l0, which --nonzeros has elsewhere");
}
BlockFit::BlockFit(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BlockFit::~BlockFit() = default;
BlockFit::BlockFit(BlockFit&&) noexcept = default;
BlockFit& BlockFit::operator=(BlockFit&&) noexcept = default;

bool BlockFit::is_done() const {
  return impl_->state.phase == BlockPhase::kDone;
}

std::vector<std::size_t> BlockFit::blocks() const {
  return is_done() ? std::vector<std::size_t>() : blocks_of(impl_->state);
}

std::string BlockFit::request() const {
  if (is_done()) throw Error(ErrorKind::kUsage, "the fit has ended: there is no request; take its result");
  impl_->make_request();
  return impl_->request;
}

void BlockFit::step(std::string_view statistics) {
  const Statistics sums = read_sums(statistics);
  if (is_done()) throw Error(ErrorKind::kUsage, "the fit has ended: there is no step; take its result");
  impl_->make_request();
  if (sums.mark != impl_->mark)
    fail_input(kAnswers, "answer another request than that of this state; ask the blocks again");
  BlockState next = impl_->state;
  count_samples(next, sums);
  impl_->messages.clear();
  impl_->engine->step(next, sums);
  impl_->state = std::move(next);
  impl_->request.clear();
}

void BlockFit::stop(Outcome outcome) {
  BlockState& state = impl_->state;
  if (is_done()) return;
  give_up_iteration(state);
  state.phase = BlockPhase::kDone;
  state.summary.outcome = outcome;
  state.summary.message = std::string(outcome == Outcome::kInterrupted ? "interrupted" : "stopped by the caller") +
                          " after " + std::to_string(state.fit.iterations.size()) + " iterations";
}

const std::vector<IterationRecord>& BlockFit::iterations() const {
  return impl_->state.fit.iterations;
}
const std::vector<std::string>& BlockFit::messages() const {
  return impl_->messages;
}
std::string BlockFit::run_json() const {
  TensorFile file;
  RunOptions run = impl_->state.run;
  run.n_features = 0;
  add_run(file, run);
  return file.metadata.at("run");
}
bool BlockFit::has_dictionary() const {
  return !impl_->state.fit.dictionary.empty();
}

LearnResult BlockFit::result() const {
  if (!has_dictionary()) throw Error(ErrorKind::kUsage, "the fit has no dictionary yet: make steps until it has");
  return impl_->engine->result(impl_->state);
}

std::string BlockFit::to_bytes() const {
  return dualdict::to_bytes(impl_->state);
}
BlockFit BlockFit::from_bytes(std::string_view bytes) {
  return BlockFit(std::make_unique<Impl>(read_block_state(bytes)));
}

}  // namespace dualdict
