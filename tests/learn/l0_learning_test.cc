// SPDX-License-Identifier: BSD-3-Clause
// Penalty l0 as a penalty of the one engine: bits, checkpoints, streams, ranks, interrupts.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <optional>
#include <string>

#include "data/source_stream.h"
#include "dualdict/error.h"
#include "dualdict/online.h"
#include "dualdict/stream.h"
#include "io/temporary_folder.h"
#include "io/tensors/safetensors.h"
#include "learn/fit/l0_learning.h"
#include "learn/fit/start.h"
#include "learn/fit_case.h"
#include "learn/saved/fit_file.h"
#include "learn/thread_ranks.h"
#include "model/file/model_file.h"

namespace dualdict {
namespace {

constexpr std::size_t kWide = 10, kPenaltyAtoms = 14;

LearnOptions l0_engine_options(std::size_t n_threads = 1) {
  LearnOptions options;
  options.n_atoms = kPenaltyAtoms;
  options.penalty = Penalty::kL0;
  options.nonzeros = 2;
  options.n_threads = n_threads;
  return options;
}

Matrix<double> l0_samples(std::size_t n) {
  Matrix<double> x = planted_samples(n, kWide, kPenaltyAtoms, 5);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < kWide; ++f) x(i, f) += 0.25 * static_cast<double>(f);
  return x;
}

// Every tensor of the model as bytes, and E.
std::string l0_bits(const LearnResult& result) {
  std::string bits = std::to_string(result.summary.energy.total());
  for (const Tensor& tensor : to_tensor_file(result.model.parts()).tensors)
    bits.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return bits;
}

void expect_usable(const LearnResult& result, const std::string& when) {
  const ModelParts& parts = result.model.parts();
  EXPECT_EQ(parts.penalty, Penalty::kL0);
  EXPECT_GT(squared_norm(parts.dual.row(0), kWide), 0) << when;
  for (const char* mode : {"hard", "greedy"}) {
    ASSERT_NE(parts.find_encoder(mode), nullptr) << when;
    EXPECT_GT(parts.find_encoder(mode)->levels(0, 1), 0) << when;
    EXPECT_NEAR(parts.find_encoder(mode)->levels(0, 0), 2, 0.1) << when;
  }
  EXPECT_NEAR(largest_row_norm(result.model.dictionary()), 1, 1e-5) << when;
  EXPECT_GT(result.summary.energy.l0, 0) << when;
  EXPECT_NEAR(result.summary.nonzeros_per_code, 2, 0.2) << when;
}

TEST(L0Engine, ThreadsChangeNoBit) {
  const Matrix<double> samples = l0_samples(600);
  const std::string one = l0_bits(fit(samples, l0_engine_options(1)));
  for (const std::size_t n_threads : {2u, 3u, 7u})
    EXPECT_TRUE(l0_bits(fit(samples, l0_engine_options(n_threads))) == one) << n_threads;
}

// Iterations over all samples: codes descend from those before, and so does E with D.
TEST(L0Engine, EachMoveLowersTheCost) {
  const LearnResult result = fit(l0_samples(3000), l0_engine_options());
  ASSERT_GE(result.summary.iterations.size(), 2u);
  const double rounding = 1e-6;
  double before = 0;
  for (const IterationRecord& record : result.summary.iterations) {
    if (before > 0) {
      EXPECT_LE(record.energy_after_codes, before * (1 + rounding));
    }
    EXPECT_LE(record.energy_after_dictionary, record.energy_after_codes * (1 + rounding));
    EXPECT_GT(record.energy.l0, 0);
    EXPECT_EQ(record.energy.l1, 0);
    EXPECT_EQ(record.energy.coding, 0);
    before = record.energy.total();
  }
  EXPECT_EQ(result.summary.outcome, Outcome::kConverged) << result.summary.message;
}

// A context whose interrupt is set once `message` has been said so many times; 0: at once.
struct StopAt {
  std::atomic<bool> interrupt = false;
  LearnContext context;
  StopAt(const std::string& message, const std::string& checkpoint) {
    context.checkpoint = {checkpoint, 0, !checkpoint.empty()};
    context.hooks.interrupt = &interrupt;
    context.hooks.on_message = [this, message](const std::string& said) {
      if (said.find(message) != std::string::npos) interrupt = true;
    };
  }
};

TEST(L0Engine, AnInterruptInAnyPhaseLeavesAUsableModel) {
  const Matrix<double> samples = l0_samples(2500);
  for (const char* phase : {"first a dictionary from samples", "learning W and its decoder", "learning D for greedy"}) {
    StopAt stop(phase, "");
    const LearnResult result = fit(samples, l0_engine_options(), stop.context);
    EXPECT_EQ(result.summary.outcome, Outcome::kInterrupted) << phase;
    expect_usable(result, phase);
  }
  expect_usable(fit(samples, l0_engine_options()), "the end");
}

// Taken up again and again, with other numbers of threads.
TEST(L0Engine, ResumingEndsBitForBitTheSame) {
  const Matrix<double> samples = l0_samples(900);
  LearnOptions options = l0_engine_options(2);
  const std::string whole = l0_bits(fit(samples, options));
  const TemporaryFolder folder;
  std::size_t interrupts = 0;
  double seconds = 0;
  // The clock ends a run, wherever it stands; half of a limit may be kept back for the end.
  for (bool ended = false; !ended && interrupts < 500; ++interrupts) {
    options.n_threads = 1 + interrupts % 3;
    options.time_limit = 2 * seconds + 0.02;
    LearnContext context;
    context.checkpoint = {folder.path("c"), 0, true};
    const LearnResult result = fit(samples, options, context);
    seconds = result.summary.seconds;
    ended = result.summary.outcome != Outcome::kTimeLimit;
    if (ended) {
      EXPECT_TRUE(l0_bits(result) == whole);
    }
  }
  EXPECT_GE(interrupts, 3u);
}

// The state of every phase, through the file and back, goes on with the same bits.
TEST(L0Engine, AStateWrittenAndReadGoesOnTheSame) {
  const Matrix<double> given = l0_samples(700);
  const LearnOptions options = l0_engine_options();
  const LearnContext context;
  Ranks alone(nullptr);
  Control control(options, context, alone);
  ThreadPool pool(1);
  struct Run {
    Samples<float> samples;
    CodeStore<float> codes;
    FitState state;
    explicit Run(const Matrix<double>& x, const LearnOptions& how)
        : samples(
              load_samples<float>(*make_source(x.view()), Transform(), Random(0, kOrderStream), Interrupt(nullptr))),
          codes(x.rows(), kPenaltyAtoms),
          state(empty_state<float>(how, kWide)) {
      state.rule.restart(0);
    }
  };
  Run left_alone(given, options);
  L0Learning<float> learning(left_alone.samples, left_alone.codes, control, pool);
  std::optional<Run> other;
  std::size_t n_pieces = 0;
  while (!learning.is_over(left_alone.state)) {
    // Every few pieces another run takes the state up from a file.
    if (n_pieces % 17 == 3) {
      CodeStore<float> codes = other ? other->codes : left_alone.codes;
      TensorFile file;
      add_state(file, other ? other->state : left_alone.state);
      other.emplace(given, options);
      other->codes = codes;
      read_state(file, "state", other->state);
    }
    learning.advance(left_alone.state);
    if (other) L0Learning<float>(other->samples, other->codes, control, pool).advance(other->state);
    ++n_pieces;
  }
  EXPECT_GT(n_pieces, 100u);
  ASSERT_TRUE(other && L0Learning<float>::is_over(other->state));
  EXPECT_EQ(other->state.dictionary, left_alone.state.dictionary);
  EXPECT_EQ(other->state.dual, left_alone.state.dual);
  EXPECT_EQ(other->state.moments.uu, left_alone.state.moments.uu);
  EXPECT_EQ(other->state.objective.price, left_alone.state.objective.price);
}

LearnResult l0_stream(const Matrix<double>& samples, std::size_t n_threads = 1, const LearnContext& context = {}) {
  SourceStream stream(make_source(samples.view()));
  return learn_stream(stream, l0_engine_options(n_threads), context, 1);
}

TEST(L0Engine, AStreamGivesTheSameBitsForAnyThreadsAndIsAsGoodAsMemory) {
  const Matrix<double> samples = l0_samples(2600);
  const LearnResult one = l0_stream(samples);
  expect_usable(one, "stream");
  EXPECT_EQ(one.summary.n_samples, 2600u);
  EXPECT_TRUE(l0_bits(l0_stream(samples, 3)) == l0_bits(one));
  const LearnResult in_memory = fit(samples, l0_engine_options());
  EXPECT_NEAR(one.summary.energy.total(), in_memory.summary.energy.total(), 0.1 * in_memory.summary.energy.total());
}

TEST(L0Engine, HowBlocksAreCutChangesNoBit) {
  const Matrix<double> samples = l0_samples(1100);
  std::optional<std::string> first;
  for (const std::size_t block : {1100u, 97u, 300u}) {
    OnlineLearner learner(l0_engine_options());
    for (std::size_t begin = 0; begin < samples.rows(); begin += block)
      learner.update(*make_source(samples.view().row_range(begin, std::min(block, samples.rows() - begin))));
    OnlineLearner copy = OnlineLearner::from_bytes(learner.to_bytes());
    const LearnResult result = copy.result();
    expect_usable(result, "blocks");
    if (!first) first = l0_bits(result);
    EXPECT_TRUE(l0_bits(result) == *first) << block;
  }
}

TEST(L0Engine, RanksAgree) {
  const Matrix<double> samples = l0_samples(2000);
  const LearnResult one = fit(samples, l0_engine_options());
  for (const bool from_stream : {false, true}) {
    ThreadGroup group(2);
    std::vector<std::optional<LearnResult>> fits(2);
    const auto failures = run_ranks(group, [&](Communicator& communicator) {
      LearnContext context;
      context.communicator = &communicator;
      const std::size_t r = communicator.rank();
      if (from_stream)
        fits[r] = l0_stream(samples, 1, context);
      else
        fits[r] = learn(*make_source(samples.view().row_range(r * 1000, 1000)), l0_engine_options(), context);
    });
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
    EXPECT_EQ(fits[0]->summary.energy.total(), fits[1]->summary.energy.total());
    EXPECT_EQ(fits[0]->model.dictionary(), fits[1]->model.dictionary());
    EXPECT_EQ(fits[0]->model.dual(), fits[1]->model.dual());
    expect_usable(*fits[0], "ranks");
    EXPECT_NEAR(fits[0]->summary.energy.total() / one.summary.energy.total(), 1, from_stream ? 0.1 : 0.02);
  }
}

}  // namespace
}  // namespace dualdict
