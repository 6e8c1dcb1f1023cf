// SPDX-License-Identifier: BSD-3-Clause
// A fit that ends at any boundary and goes on from its checkpoint ends bit for bit like one that was left alone.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "dualdict/error.h"
#include "io/temporary_folder.h"
#include "io/tensors/safetensors.h"
#include "learn/fit_case.h"
#include "learn/saved/code_tensors.h"
#include "learn/stored_codes.h"
#include "model/file/model_file.h"

namespace dualdict {
namespace {

struct Killed {};

// Every tensor of the model, and the numbers of every iteration, as bytes.
std::string bits_of(const LearnResult& result) {
  std::string bits;
  for (const Tensor& tensor : to_tensor_file(result.model.parts()).tensors) {
    bits += tensor.name;
    bits.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  for (IterationRecord record : result.summary.iterations) {
    std::ostringstream line;
    line << std::hexfloat << record.energy.total() << ' ' << record.energy_before_codes << ' '
         << record.energy_after_codes << ' ' << record.tau << ' ' << record.relative_change << ' ' << record.dual_change
         << ' ' << record.replaced_atoms << ' ' << record.accurate << ' ' << record.extrapolated;
    bits += line.str();
  }
  return bits + std::string(outcome_name(result.summary.outcome));
}

// A context that writes at every boundary.
LearnContext with_checkpoint(const std::string& path, bool resume) {
  LearnContext context;
  context.checkpoint = {path, 0, resume};
  return context;
}

// Runs until the callback of iteration `last`, and leaves what a kill at that moment leaves.
void run_until(const Matrix<double>& samples, const LearnOptions& options, const std::string& path, std::size_t last) {
  LearnContext context = with_checkpoint(path, true);
  context.hooks.on_iteration = [&](const IterationRecord& record) -> Action {
    if (record.iteration >= last) throw Killed{};
    return Action::kContinue;
  };
  EXPECT_THROW(fit(samples, options, context), Killed);
}

void expect_same_after_kills(const Matrix<double>& samples, const LearnOptions& options, std::size_t stride) {
  const TemporaryFolder folder;
  const LearnResult whole = fit(samples, options);
  const std::size_t n = whole.summary.n_iterations;
  ASSERT_GE(n, 3u) << describe(options);
  // One run that is killed again and again, and at the end left alone.
  for (std::size_t last = 2; last <= n; last += stride) run_until(samples, options, folder.path("run.ckpt"), last);
  LearnOptions other_threads = options;
  other_threads.n_threads = 3;
  const LearnResult resumed = fit(samples, other_threads, with_checkpoint(folder.path("run.ckpt"), true));
  EXPECT_EQ(bits_of(resumed), bits_of(whole)) << describe(options);
  EXPECT_GE(resumed.summary.seconds, 0);
  EXPECT_EQ(folder.n_files(), 1u) << "a temporary file is left";
}

TEST(Checkpoint, ResumingEndsBitForBitTheSame) {
  const Matrix<double> samples = planted_samples(400, 12, 16, 5);
  for (const Solver solver : {Solver::kFast, Solver::kFista})
    for (const DType dtype : {DType::kFloat32, DType::kFloat64})
      for (const double eta : {0.0, 1.0}) {
        LearnOptions options = small_options(16, 0.1, solver, dtype);
        options.eta = eta;
        options.max_iterations = 15;
        expect_same_after_kills(samples, options, solver == Solver::kFast ? 1 : 4);
      }
}

TEST(Checkpoint, TheSearchForTauGoesOnWhereItWas) {
  const Matrix<double> samples = planted_samples(500, 12, 16, 6);
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    LearnOptions options = small_options(16, 0.1, solver);
    options.tau.reset();
    options.nonzeros = 2.5;
    options.max_iterations = 20;
    expect_same_after_kills(samples, options, 3);
  }
}

TEST(Checkpoint, ReplacedAtomsAreCountedAcrossRuns) {
  // Few directions and many atoms: most are used too little and are replaced until the limit for one atom is reached.
  const Matrix<double> samples = planted_samples(300, 20, 3, 7);
  LearnOptions options = small_options(30, 0.4);
  options.replace_below = 100;
  options.max_iterations = 15;
  options.rtol = 0;
  EXPECT_GT(fit(samples, options).summary.replaced_atoms, 0u);
  expect_same_after_kills(samples, options, 1);
}

TEST(Checkpoint, ConstraintsAndPreprocessingAreKept) {
  LearnOptions options = small_options(10, 0.1);
  options.positive_codes = options.positive_dictionary = true;
  options.max_iterations = 8;
  options.mu = 0.01;
  const Matrix<double> samples = planted_samples(300, 8, 10, 8);
  const TemporaryFolder folder;
  LearnContext context;
  context.preprocess.center_features = true;
  const LearnResult whole = fit(samples, options, context);
  context.checkpoint = {folder.path("c"), 0, true};
  context.hooks.on_iteration = [](const IterationRecord& record) -> Action {
    if (record.iteration == 4) throw Killed{};
    return Action::kContinue;
  };
  EXPECT_THROW(fit(samples, options, context), Killed);
  context.hooks = {};
  EXPECT_EQ(bits_of(fit(samples, options, context)), bits_of(whole));
}

TEST(Checkpoint, TheWarmUpGoesOnWhereItWas) {
  const Matrix<double> samples = planted_samples(5000, 8, 12, 9);
  for (const bool search : {false, true}) {
    LearnOptions options = small_options(12, 0.1);
    if (search) {
      options.tau.reset();
      options.nonzeros = 2;
    }
    options.max_iterations = 4;
    const LearnResult whole = fit(samples, options);
    const TemporaryFolder folder;
    std::size_t interrupts = 0;
    for (bool ended = false; !ended && interrupts < 200; ++interrupts) {
      // The wish to end is there before the first boundary: each run does one step and keeps it.
      std::atomic<bool> interrupt = false;
      LearnContext context = with_checkpoint(folder.path("c"), true);
      context.hooks.interrupt = &interrupt;
      context.hooks.on_message = [&](const std::string& text) {
        if (text.find("warming up") != std::string::npos) interrupt = true;
      };
      const LearnResult result = fit(samples, options, context);
      ended = result.summary.outcome != Outcome::kInterrupted;
      if (ended) {
        EXPECT_EQ(bits_of(result), bits_of(whole));
      }
    }
    EXPECT_GE(interrupts, 4u) << "no warm-up was interrupted";
    EXPECT_LT(interrupts, 200u);
  }
}

TEST(Checkpoint, AnInterruptWritesOneAtTheEndOfTheIteration) {
  const Matrix<double> samples = planted_samples(600, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.rtol = 0;
  options.max_iterations = 12;
  const TemporaryFolder folder;
  std::atomic<bool> interrupt = false;
  LearnContext context;
  context.checkpoint = {folder.path("c"), 1e9, false};
  context.hooks.interrupt = &interrupt;
  context.hooks.on_iteration = [&](const IterationRecord& record) {
    if (record.iteration == 5) interrupt = true;
    return Action::kContinue;
  };
  const LearnResult stopped = fit(samples, options, context);
  EXPECT_EQ(stopped.summary.outcome, Outcome::kInterrupted);
  EXPECT_EQ(stopped.summary.n_iterations, 5u);
  interrupt = false;
  std::vector<std::size_t> seen;
  context.checkpoint.resume = true;
  context.hooks.on_iteration = [&](const IterationRecord& record) {
    seen.push_back(record.iteration);
    return Action::kContinue;
  };
  EXPECT_EQ(bits_of(fit(samples, options, context)), bits_of(fit(samples, options)));
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front(), 6u);
}

TEST(Checkpoint, AHigherLimitGoesOn) {
  const Matrix<double> samples = planted_samples(600, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.rtol = 0;
  options.max_iterations = 9;
  const LearnResult whole = fit(samples, options);
  const TemporaryFolder folder;
  LearnContext context;
  context.checkpoint = {folder.path("c"), 1e9, true};
  options.max_iterations = 4;
  EXPECT_EQ(fit(samples, options, context).summary.n_iterations, 4u);
  options.max_iterations = 9;
  EXPECT_EQ(bits_of(fit(samples, options, context)), bits_of(whole));
}

// The message with which going on is refused.
std::string refusal(const Matrix<double>& samples, const LearnOptions& options, const LearnContext& context) {
  try {
    fit(samples, options, context);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Checkpoint, AnotherRunIsRefusedWithWhatDiffers) {
  const Matrix<double> samples = planted_samples(200, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.max_iterations = 2;
  const TemporaryFolder folder;
  LearnContext context = with_checkpoint(folder.path("c"), true);
  fit(samples, options, context);
  const auto expect_refusal = [&](const std::string& word, const LearnOptions& other_options,
                                  const Matrix<double>& other_samples, const LearnContext& other_context) {
    const std::string message = refusal(other_samples, other_options, other_context);
    EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
    EXPECT_NE(message.find(folder.path("c")), std::string::npos) << message;
  };
  LearnOptions other = options;
  other.tau = 0.3;
  expect_refusal("--tau is 0.2 there and 0.3 here", other, samples, context);
  other = options;
  other.seed = 4;
  expect_refusal("--seed", other, samples, context);
  other = options;
  other.solver = Solver::kFista;
  expect_refusal("--solver", other, samples, context);
  other = options;
  other.dtype = DType::kFloat64;
  expect_refusal("--dtype", other, samples, context);
  other = options;
  other.initial_dictionary = random_unit_rows(12, 10, 7);
  expect_refusal("initial dictionary", other, samples, context);
  expect_refusal("number of samples is 200 there and 150 here", options, planted_samples(150, 10, 12, 1), context);
  Matrix<double> changed = samples;
  changed(3, 4) += 0.5;
  expect_refusal("fingerprint of the samples", options, changed, context);
  LearnContext scaled = context;
  scaled.preprocess.scale = 2;
  expect_refusal("scale is 1 there and 2 here", options, samples, scaled);
  LearnContext fresh = context;
  fresh.checkpoint.resume = false;
  expect_refusal("--resume", options, samples, fresh);
}

TEST(Checkpoint, WithoutAFileResumingStartsFromTheBeginning) {
  const Matrix<double> samples = planted_samples(200, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.max_iterations = 5;
  const TemporaryFolder folder;
  EXPECT_EQ(bits_of(fit(samples, options, with_checkpoint(folder.path("c"), true))), bits_of(fit(samples, options)));
  LearnContext nowhere;
  nowhere.checkpoint.resume = true;
  EXPECT_THROW(fit(samples, options, nowhere), Error);
}

TEST(Checkpoint, ACheckpointThatCannotBeWrittenEndsTheRun) {
  const TemporaryFolder folder;
  try {
    fit(planted_samples(200, 10, 12, 1), small_options(12, 0.2), with_checkpoint(folder.path("no/such/folder"), true));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kWrite);
  }
}

TEST(Checkpoint, EveryFlippedByteIsFound) {
  const Matrix<double> samples = planted_samples(60, 6, 5, 1);
  LearnOptions options = small_options(5, 0.2);
  options.max_iterations = 3;
  const TemporaryFolder folder;
  const std::string path = folder.path("c");
  fit(samples, options, with_checkpoint(path, true));
  std::string content;
  {
    std::ifstream file(path, std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::size_t cases = 0;
  for (std::size_t at = 0; at < content.size(); at += 1 + content.size() / 400) {
    std::string damaged = content;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    folder.write("c", damaged);
    EXPECT_NE(refusal(samples, options, with_checkpoint(path, true)), "") << "flip at " << at;
    folder.write("c", content.substr(0, at));
    EXPECT_NE(refusal(samples, options, with_checkpoint(path, true)), "") << "cut at " << at;
    ++cases;
  }
  EXPECT_GE(cases, 200u);
  folder.write("c", content);
  EXPECT_EQ(refusal(samples, options, with_checkpoint(path, true)), "");
}

TEST(CodeTensors, EveryBitComesBack) {
  Matrix<float> rows(3, 4);
  rows(0, 1) = 1.5F;
  rows(2, 0) = -1e-42F;
  TensorFile file;
  add_codes(file, store_codes(rows));
  Matrix<float> before(3, 4);
  before(1, 1) = 7;
  CodeStore<float> back = store_codes(before);
  read_codes(file, "f", back);
  EXPECT_EQ(all_rows(back), rows);
}

TEST(CodeTensors, WhatCannotBeIsRefused) {
  Matrix<double> rows(3, 4);
  rows(1, 2) = 3;
  const auto refuses = [&](std::size_t tensor, std::vector<double> values, const std::string& why = "") {
    TensorFile file;
    add_codes(file, store_codes(rows));
    CodeStore<double> back(3, 4);
    file.tensors[tensor] = make_tensor(file.tensors[tensor].name, values, file.tensors[tensor].dtype);
    try {
      read_codes(file, "f", back);
      ADD_FAILURE() << "tensor " << tensor << " was read";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refuses(0, {0, 1});
  refuses(0, {0, 2, 0}, "counts more elements than there are");
  refuses(0, {0, 0, 0});
  refuses(0, {0, -1, 0});
  refuses(0, {0, 0.5, 0});
  refuses(0, {0, 1e30, 0});
  refuses(0, {0, NAN, 0});
  refuses(1, {4});
  refuses(1, {1, 2});
  refuses(1, {-1});
  refuses(2, {INFINITY});
  refuses(2, {});
}

}  // namespace
}  // namespace dualdict
