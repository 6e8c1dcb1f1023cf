// SPDX-License-Identifier: BSD-3-Clause
// Learning from a stream: pieces of it go through the online step one after the other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/clock.h"
#include "dualdict/error.h"
#include "dualdict/stream.h"
#include "learn/block_reader.h"
#include "learn/memory_need.h"
#include "learn/online_state.h"
#include "learn/result_size.h"
#include "learn/stream_sums.h"

namespace dualdict {
namespace {

template <class T>
class StreamLearner {
 public:
  StreamLearner(SampleStream& stream, const LearnOptions& options, const LearnContext& context, std::size_t n_passes)
      : stream_(stream),
        options_(options),
        context_(context),
        n_passes_(n_passes),
        pool_(resolve_threads(options.n_threads)),
        transform_(context.preprocess, {}) {
    state_.options = options;
    state_.preprocess = context.preprocess;
    // Without the number of samples there is no second pass either.
    if (n_passes > 1 && stream.n_samples()) sums_.emplace(*stream.n_samples(), stream.n_features(), options.n_atoms);
  }

  LearnResult run() {
    while (pass_ < n_passes_ && !ended_) {
      if (pass_ > 0 && !begin_again()) break;
      go_through();
      if (state_.n_updates == 0 && !ended_) throw Error(ErrorKind::kInput, stream_.name() + ": holds no sample");
      if (!ended_) ++pass_;
    }
    if (state_.n_updates == 0)
      throw Error(ErrorKind::kUsage, "interrupted before learning began: there is nothing to save");
    if (state_.objective.eta == 0) online_dual_step<T>(state_);
    return finish();
  }

 private:
  bool is_interrupted() const { return context_.hooks.interrupt != nullptr && context_.hooks.interrupt->load(); }
  bool is_late() const { return options_.time_limit > 0 && clock_.seconds() >= options_.time_limit; }
  void say(const std::string& text) const {
    if (context_.hooks.on_message) context_.hooks.on_message(text);
  }

  bool begin_again() {
    if (!sums_ || !stream_.rewind()) {
      say(stream_.name() + " can be read once only: there is no pass " + std::to_string(pass_ + 1));
      return false;
    }
    sums_->begin_pass(state_.moments);
    return true;
  }

  void go_through() {
    say("pass " + std::to_string(pass_ + 1) + " over " + stream_.name());
    BlockReader<T> reader(stream_, transform_, online_piece(stream_.n_features()));
    const auto give_up = [this] { return is_interrupted() || is_late(); };
    for (;;) {
      const Matrix<T> block = reader.next(give_up);
      if (is_interrupted() || is_late()) {
        outcome_ = is_interrupted() ? Outcome::kInterrupted : Outcome::kTimeLimit;
        ended_ = true;
      }
      if (ended_ || block.rows() == 0) return;
      step(block);
    }
  }

  void step(const Matrix<T>& block) {
    const auto source = make_source(block.view());
    const Samples<T> samples =
        load_samples<T>(*source, Transform(), Random(options_.seed, kOrderStream), Interrupt(nullptr));
    const bool first_pass = pass_ == 0;
    OnlineStepOptions how;
    how.new_samples = first_pass;
    how.dual = resolve_eta(options_, samples.n_features()) > 0;
    how.add = [&](const Moments& piece, double share, Moments& total) {
      if (first_pass) {
        fade_and_add(share, piece, total);
        if (sums_) sums_->add_new(piece, block.rows());
      } else {
        sums_->replace(piece, block.rows(), total);
      }
    };
    const OnlineStepReport report = online_step(state_, samples, pool_, how);
    if (!std::isfinite(report.energy.total()))
      throw Error(ErrorKind::kNumerical, "E is not finite after step " + std::to_string(state_.n_updates) +
                                             "; use --dtype float64, or scale the data");
    if (!context_.hooks.on_iteration) return;
    IterationRecord record;
    record.iteration = state_.n_updates;
    record.seconds = clock_.seconds();
    record.energy = report.energy;
    record.energy_after_codes = report.energy_after_codes;
    record.tau = state_.objective.tau;
    record.nonzeros_per_code = report.nonzeros_per_code;
    record.replaced_atoms = report.replaced_atoms;
    record.relative_change = std::numeric_limits<double>::quiet_NaN();  // other samples, another energy
    if (context_.hooks.on_iteration(record) == Action::kStop) {
      outcome_ = Outcome::kStopped;
      ended_ = true;
    }
  }

  LearnResult finish() {
    say("fitting the encoders and measuring them");
    OnlineOrigin<T> origin;
    origin.name = stream_.name();
    origin.shape = stream_.sample_shape();
    origin.outcome = outcome_;
    origin.n_passes = pass_;
    const double before = clock_.seconds();
    origin.seconds = before;
    origin.interrupt = context_.hooks.interrupt;
    const std::size_t haste = outcome_ == Outcome::kInterrupted ? kHasteDivisor : 1;
    if (context_.validation != nullptr)
      origin.held_out =
          read_samples<T>(*context_.validation, transform_, 0,
                          std::min(measure_samples(options_.n_atoms, context_.validation->n_features()) / haste,
                                   context_.validation->n_samples()));
    return online_result<T>(state_, pool_, origin);
  }

  SampleStream& stream_;
  const LearnOptions& options_;
  const LearnContext& context_;
  std::size_t n_passes_;
  Stopwatch clock_;
  ThreadPool pool_;
  Transform transform_;
  OnlineState state_;
  std::optional<StreamSums> sums_;
  std::size_t pass_ = 0;
  bool ended_ = false;
  Outcome outcome_ = Outcome::kIterationLimit;
};

void require_width(std::size_t width, const char* name, const SampleStream& stream) {
  if (width == 0 || width == stream.n_features()) return;
  throw Error(ErrorKind::kUsage, std::string(name) + " has " + std::to_string(width) + " features, the samples of " +
                                     stream.name() + " have " + std::to_string(stream.n_features()) +
                                     "; they must agree");
}

}  // namespace

LearnResult learn_stream(SampleStream& stream, const LearnOptions& options, const LearnContext& context,
                         std::size_t n_passes) {
  check_online(options, context.preprocess);
  if (n_passes == 0) throw Error(ErrorKind::kUsage, "--passes: 0 is not allowed: a whole number >= 1");
  if (!context.checkpoint.path.empty())
    throw Error(ErrorKind::kUsage, "--checkpoint: is not allowed with --stream: a stream cannot be taken up again");
  if (context.communicator != nullptr && context.communicator->size() > 1)
    throw Error(ErrorKind::kUsage, "--stream: is not allowed with several ranks: they share samples in memory");
  if (stream.n_features() == 0)
    throw Error(ErrorKind::kUsage, "interrupted before learning began: there is nothing to save");
  require_width(options.initial_dictionary.cols(), "the initial dictionary", stream);
  require_width(options.initial_dual.cols(), "the initial dual", stream);
  if (context.validation != nullptr) require_width(context.validation->n_features(), "the validation", stream);
  const std::size_t held = kKeptSamples + 8 * online_piece(stream.n_features());
  require_memory(memory_need({held, stream.n_features(), options.n_atoms, resolve_threads(options.n_threads),
                              options.dtype, false}),
                 options.max_memory);
  if (options.dtype == DType::kFloat64) return StreamLearner<double>(stream, options, context, n_passes).run();
  return StreamLearner<float>(stream, options, context, n_passes).run();
}

}  // namespace dualdict
