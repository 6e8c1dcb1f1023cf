// SPDX-License-Identifier: BSD-3-Clause
// Learning with penalty l0 where there are many atoms: the same promises as with few, without K x K numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "data/source_stream.h"
#include "dualdict/online.h"
#include "dualdict/stream.h"
#include "io/temporary_folder.h"
#include "io/tensors/safetensors.h"
#include "learn/fit/start.h"
#include "learn/fit_case.h"
#include "learn/memory_need.h"
#include "learn/thread_ranks.h"
#include "model/file/model_file.h"

namespace dualdict {
namespace {

constexpr std::size_t kManyFeatures = 12, kManyAtoms = 1030;

LearnOptions many_options(std::size_t n_threads = 1) {
  LearnOptions options;
  options.n_atoms = kManyAtoms;
  options.penalty = Penalty::kL0;
  options.nonzeros = 3;
  options.n_threads = n_threads;
  return options;
}

Matrix<double> many_samples(std::size_t n) {
  Matrix<double> x = planted_samples(n, kManyFeatures, 60, 5);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < kManyFeatures; ++f) x(i, f) += 0.25 * static_cast<double>(f);
  return x;
}

std::string many_bits(const LearnResult& result) {
  std::string bits = std::to_string(result.summary.energy.total());
  for (const Tensor& tensor : to_tensor_file(result.model.parts()).tensors)
    bits.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return bits;
}

void expect_usable_many(const LearnResult& result, const std::string& when) {
  const ModelParts& parts = result.model.parts();
  EXPECT_GT(squared_norm(parts.dual.row(0), kManyFeatures), 0) << when;
  for (const char* mode : {"hard", "greedy"}) {
    ASSERT_NE(parts.find_encoder(mode), nullptr) << when;
    EXPECT_GT(parts.find_encoder(mode)->levels(0, 1), 0) << when;
    EXPECT_NEAR(parts.find_encoder(mode)->levels(0, 0), 3, 0.15) << when;
  }
  EXPECT_NEAR(largest_row_norm(result.model.dictionary()), 1, 1e-5) << when;
  EXPECT_GT(result.summary.energy.l0, 0) << when;
  // Many of the samples learned from are nearly atoms themselves: these have fewer than those held out.
  EXPECT_LE(result.summary.nonzeros_per_code, 3.3) << when;
  EXPECT_GE(result.summary.nonzeros_per_code, 1) << when;
}

std::map<std::string, EncodingRow> rows_of(const LearnResult& result) {
  std::map<std::string, EncodingRow> rows;
  for (const EncodingRow& row : result.model.parts().provenance.encoding.rows) rows[row.mode] = row;
  return rows;
}

TEST(WideFit, BeatsSamplesAsAtomsWithTheSameBitsForAnyThreads) {
  const Matrix<double> x = many_samples(2600);
  const auto unseen = make_source(x.view().row_range(1800, 800));
  const Matrix<double> learned = convert<double>(x.view().row_range(0, 1800));
  LearnContext context;
  context.validation = unseen.get();
  const LearnResult one = fit(learned, many_options(1), context);
  expect_usable_many(one, "the end");
  EXPECT_TRUE(one.summary.outcome == Outcome::kConverged || one.summary.outcome == Outcome::kIterationLimit);
  std::map<std::string, EncodingRow> rows = rows_of(one);
  EXPECT_NEAR(rows["greedy"].nonzeros, 3, 0.3);
  EXPECT_NEAR(rows["hard"].nonzeros, 3, 0.3);
  EXPECT_LT(rows["greedy"].reconstruction_error, rows["samples greedy"].reconstruction_error);
  EXPECT_LE(rows["hard"].reconstruction_error, 1.02 * rows["hard"].pca_error);
  EXPECT_LT(rows["greedy"].reconstruction_error, rows["hard"].reconstruction_error);
  for (const std::size_t n_threads : {2u, 3u})
    EXPECT_TRUE(many_bits(fit(learned, many_options(n_threads), context)) == many_bits(one)) << n_threads;
}

TEST(WideFit, KeepsNoSumsOfPairsOfAtoms) {
  EXPECT_TRUE(empty_state<float>(many_options(), kManyFeatures).moments.uu.empty());
  LearnOptions few = many_options();
  few.n_atoms = 1024;
  EXPECT_EQ(empty_state<float>(few, kManyFeatures).moments.uu.rows(), 1024u);
  const auto need = [](std::size_t n_atoms) {
    FitSize size{70000, 384, n_atoms};
    size.many_atoms = true;
    return memory_need(size).total();
  };
  EXPECT_LT(need(16384), 4.5 * need(4096));
  EXPECT_LT(need(65536) - need(32768), 2.1 * (need(32768) - need(16384)));
}

// Ends a fit when `message` has been said.
struct StopWhen {
  std::atomic<bool> interrupt = false;
  LearnContext context;
  explicit StopWhen(const std::string& message) {
    context.hooks.interrupt = &interrupt;
    context.hooks.on_message = [this, message](const std::string& said) {
      if (said.find(message) != std::string::npos) interrupt = true;
    };
  }
};

TEST(WideFit, AnInterruptLeavesAUsableModel) {
  const Matrix<double> samples = many_samples(1500);
  for (const char* phase : {"first a dictionary from samples", "learning W and its decoder"}) {
    StopWhen stop(phase);
    const LearnResult result = fit(samples, many_options(), stop.context);
    EXPECT_EQ(result.summary.outcome, Outcome::kInterrupted) << phase;
    expect_usable_many(result, phase);
  }
}

// Taken up again and again, with other numbers of threads.
TEST(WideFit, ResumingEndsBitForBitTheSame) {
  const Matrix<double> samples = many_samples(900);
  LearnOptions options = many_options(2);
  const std::string whole = many_bits(fit(samples, options));
  const TemporaryFolder folder;
  std::size_t interrupts = 0;
  double seconds = 0;
  for (bool ended = false; !ended && interrupts < 60; ++interrupts) {
    options.n_threads = 1 + interrupts % 3;
    options.time_limit = 2 * seconds + 0.3;
    LearnContext context;
    context.checkpoint = {folder.path("c"), 0, true};
    const LearnResult result = fit(samples, options, context);
    seconds = result.summary.seconds;
    ended = result.summary.outcome != Outcome::kTimeLimit;
    if (ended) {
      EXPECT_TRUE(many_bits(result) == whole);
    }
  }
  EXPECT_GE(interrupts, 2u);
}

TEST(WideFit, SamplesThatAreAllAlikeAreTrivial) {
  Matrix<double> samples(300, kManyFeatures);
  for (std::size_t i = 0; i < samples.size(); ++i) samples.data()[i] = 1;
  EXPECT_EQ(fit(samples, many_options()).summary.outcome, Outcome::kTrivial);
}

TEST(WideFit, StreamsAndBlocksGoOnWithWhatTheyBring) {
  const Matrix<double> samples = many_samples(4000);
  const auto streamed = [&](std::size_t n_threads) {
    SourceStream stream(make_source(samples.view()));
    return learn_stream(stream, many_options(n_threads), {}, 2);
  };
  const LearnResult one = streamed(1);
  expect_usable_many(one, "stream");
  EXPECT_EQ(one.summary.n_samples, 4000u);
  EXPECT_TRUE(many_bits(streamed(3)) == many_bits(one));
  OnlineLearner learner(many_options());
  for (const std::size_t begin : {0u, 1300u}) learner.update(*make_source(samples.view().row_range(begin, 1300)));
  expect_usable_many(OnlineLearner::from_bytes(learner.to_bytes()).result(), "blocks");
}

TEST(WideFit, RanksGetTheSameModelAsOneProcess) {
  const Matrix<double> samples = many_samples(1000);
  const LearnResult one = fit(samples, many_options());
  ThreadGroup group(2);
  std::vector<std::optional<LearnResult>> fits(2);
  const auto failures = run_ranks(group, [&](Communicator& communicator) {
    LearnContext context;
    context.communicator = &communicator;
    const std::size_t r = communicator.rank();
    fits[r] = learn(*make_source(samples.view().row_range(r * 500, 500)), many_options(), context);
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  EXPECT_EQ(fits[0]->model.dictionary(), fits[1]->model.dictionary());
  EXPECT_EQ(fits[0]->model.dual(), fits[1]->model.dual());
  expect_usable_many(*fits[0], "ranks");
  EXPECT_NEAR(fits[0]->summary.energy.total() / one.summary.energy.total(), 1, 0.02);
}

}  // namespace
}  // namespace dualdict
