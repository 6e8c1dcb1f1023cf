// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/blocks.h"

#include <gtest/gtest.h>

#include "dualdict/error.h"
#include "learn/fit_case.h"

namespace dualdict {
namespace {

// Samples cut into blocks of about equal size, and their codes.
struct Holder {
  Holder(const Matrix<double>& all, std::size_t n_blocks) : samples(all), codes(n_blocks) {}
  std::unique_ptr<DataSource> block(std::size_t i) const {
    const std::size_t first = samples.rows() * i / codes.size();
    return make_source(samples.view().row_range(first, samples.rows() * (i + 1) / codes.size() - first));
  }
  // Sums of the answers to a request, added in the order of the blocks.
  std::string answer(const std::string& request, const std::vector<std::size_t>& blocks, std::size_t n_threads = 1) {
    std::string total;
    for (const std::size_t i : blocks) {
      BlockAnswer answer = block_statistics(request, *block(i), i, codes[i], n_threads);
      if (!answer.codes.empty()) codes[i] = std::move(answer.codes);
      total = total.empty() ? std::move(answer.statistics) : add_statistics(total, answer.statistics);
    }
    return total;
  }

  const Matrix<double>& samples;
  std::vector<std::string> codes;
};

LearnResult fit_blocks(const Matrix<double>& samples, std::size_t n_blocks, const LearnOptions& options,
                       const PreprocessOptions& preprocess = {}, bool through_bytes = false) {
  Holder holder(samples, n_blocks);
  BlockFit fit(options, n_blocks, preprocess);
  while (!fit.is_done()) {
    if (through_bytes) fit = BlockFit::from_bytes(fit.to_bytes());
    fit.step(holder.answer(fit.request(), fit.blocks(), options.n_threads));
  }
  if (through_bytes) fit = BlockFit::from_bytes(fit.to_bytes());
  return fit.result();
}

LearnOptions paper_options(double eta, DType dtype) {
  LearnOptions options = small_options(12, 0.2, Solver::kFast, dtype);
  options.accurate_steps = true;
  options.eta = eta;
  options.rtol = 1e-6;
  return options;
}

// Without a warm-up the steps are the same as in memory: sums are added in another order, and that is all.
TEST(BlockFit, LearnsWhatMemoryDoes) {
  const Matrix<double> samples = planted_samples(600, 10, 12, 1);
  PreprocessOptions centered;
  centered.center_features = true;
  centered.scale = 2;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64})
    for (const double eta : {0.0, 1.0}) {
      const LearnOptions options = paper_options(eta, dtype);
      const PreprocessOptions preprocess = eta > 0 ? centered : PreprocessOptions{};
      LearnContext context;
      context.preprocess = preprocess;
      const LearnResult memory = fit(samples, options, context);
      const LearnResult blocks = fit_blocks(samples, 5, options, preprocess);
      EXPECT_EQ(blocks.summary.outcome, memory.summary.outcome);
      EXPECT_NEAR(blocks.summary.energy.total() / memory.summary.energy.total(), 1, 1e-6);
      EXPECT_EQ(blocks.summary.n_samples, 600u);
      EXPECT_EQ(blocks.summary.n_iterations, blocks.summary.iterations.size());
    }
}

TEST(BlockFit, OneBlockIsMemory) {
  const Matrix<double> samples = planted_samples(700, 10, 12, 1);
  LearnOptions options = paper_options(1.0, DType::kFloat32);
  options.max_iterations = 7;
  const LearnResult memory = fit(samples, options);
  // The order of the samples is another in memory: the sums differ in their last bits, the rounded D rarely.
  EXPECT_NEAR(fit_blocks(samples, 1, options).summary.energy.total() / memory.summary.energy.total(), 1, 1e-7);
}

// Whoever holds the state may pass it on, whenever; and threads change nothing.
TEST(BlockFit, BytesAndThreadsChangeNoBit) {
  const Matrix<double> samples = planted_samples(3000, 10, 12, 2);
  for (const double eta : {0.0, 1.0}) {
    LearnOptions options = small_options(12, 0.2);
    options.eta = eta;
    options.max_iterations = 30;
    const LearnResult whole = fit_blocks(samples, 9, options);
    options.n_threads = 3;
    const LearnResult passed_on = fit_blocks(samples, 9, options, {}, true);
    EXPECT_EQ(whole.model.dictionary(), passed_on.model.dictionary());
    EXPECT_EQ(whole.model.dual(), passed_on.model.dual());
    EXPECT_EQ(whole.summary.message, passed_on.summary.message);
    EXPECT_EQ(whole.summary.energy.total(), passed_on.summary.energy.total());
  }
}

// The warm-up goes through blocks, in another order than in memory: another minimum, about as low.
TEST(BlockFit, WarmsUpOnGroupsOfBlocks) {
  const Matrix<double> samples = planted_samples(4000, 10, 12, 3);
  LearnOptions options = small_options(12, 0.2);
  options.eta = 0.5;
  const LearnResult memory = fit(samples, options);
  const LearnResult blocks = fit_blocks(samples, 16, options);
  EXPECT_EQ(blocks.summary.outcome, Outcome::kConverged);
  EXPECT_NEAR(blocks.summary.energy.total() / memory.summary.energy.total(), 1, 0.05);
}

TEST(BlockFit, ReachesWantedNonzerosAndReplacesUnusedAtoms) {
  const Matrix<double> samples = planted_samples(3000, 10, 12, 4);
  LearnOptions options = small_options(12, 0.2);
  options.tau.reset();
  options.nonzeros = 3;
  EXPECT_NEAR(fit_blocks(samples, 6, options).summary.nonzeros_per_code, 3, 0.3);
  EXPECT_TRUE(BlockFit(options, 6).messages().empty());
  options.penalty = Penalty::kAuto;
  const LearnResult blocks = fit_blocks(samples, 6, options);
  EXPECT_EQ(blocks.model.parts().penalty, Penalty::kL1);
  EXPECT_NEAR(blocks.summary.nonzeros_per_code, 3, 0.3);
  const BlockFit told(options, 6);
  ASSERT_EQ(told.messages().size(), 1u);
  EXPECT_EQ(told.messages()[0].rfind("penalty l1: ", 0), 0u) << told.messages()[0];

  LearnOptions replacing = small_options(12, 0.05);
  replacing.max_iterations = 20;
  // Atom 0 is zero: nobody can use it.
  replacing.initial_dictionary = planted_samples(12, 10, 12, 5);
  for (std::size_t i = 0; i < 12; ++i) {
    const double length = std::sqrt(squared_norm(replacing.initial_dictionary.row(i), 10));
    for (std::size_t j = 0; j < 10; ++j) replacing.initial_dictionary(i, j) *= i == 0 ? 0 : 1 / length;
  }
  const LearnResult result = fit_blocks(samples, 3, replacing);
  EXPECT_GE(result.summary.replaced_atoms, 1u);
  EXPECT_EQ(result.summary.dead_atoms, 0u);
}

TEST(BlockFit, LimitsEndItWithWhatIsThere) {
  const Matrix<double> samples = planted_samples(900, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.max_iterations = 2;
  const LearnResult limited = fit_blocks(samples, 3, options);
  EXPECT_EQ(limited.summary.outcome, Outcome::kIterationLimit);
  EXPECT_EQ(limited.summary.n_iterations, 2u);

  Holder holder(samples, 3);
  BlockFit fit(options, 3);
  EXPECT_THROW(fit.result(), Error);
  fit.step(holder.answer(fit.request(), fit.blocks()));
  fit.stop(Outcome::kInterrupted);
  EXPECT_TRUE(fit.is_done());
  EXPECT_EQ(fit.result().summary.outcome, Outcome::kInterrupted);
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(BlockFit, RefusesWhatIsNotTheAnswer) {
  const Matrix<double> samples = planted_samples(900, 10, 12, 1);
  const LearnOptions options = small_options(12, 0.2);
  Holder holder(samples, 4);
  BlockFit fit(options, 4);
  const std::string survey = fit.request();
  const std::string part = holder.answer(survey, {0, 1});
  EXPECT_NE(message_of([&] { fit.step(part); }).find("are those of 2 blocks"), std::string::npos);
  EXPECT_NE(message_of([&] { add_statistics(part, part); }).find("is in both"), std::string::npos);
  const std::string whole = holder.answer(survey, {0, 1, 2, 3});
  std::string damaged = whole;
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_NE(message_of([&] { fit.step(damaged); }).find("checksum"), std::string::npos);
  fit.step(whole);
  EXPECT_NE(message_of([&] { fit.step(whole); }).find("another request"), std::string::npos);
  EXPECT_NE(message_of([&] { add_statistics(whole, holder.answer(fit.request(), fit.blocks())); }).find("different"),
            std::string::npos);
  const auto other = make_source(random_matrix<double>(20, 9, 1));
  const std::size_t block = fit.blocks().front();
  EXPECT_NE(message_of([&] { block_statistics(fit.request(), *other, block); }).find("9 features"), std::string::npos);
  EXPECT_NE(message_of([&] { block_statistics(fit.request(), *other, 77); }).find("index: 77"), std::string::npos);
  EXPECT_NE(message_of([&] { BlockFit::from_bytes(whole); }).find("format"), std::string::npos);
}

// A block that has lost its codes starts from zero: nothing fails, and the end is as low.
TEST(BlockFit, CodesMayBeLost) {
  const Matrix<double> samples = planted_samples(900, 10, 12, 1);
  LearnOptions options = paper_options(1.0, DType::kFloat64);
  Holder holder(samples, 3);
  BlockFit fit(options, 3);
  while (!fit.is_done()) {
    holder.codes[fit.iterations().size() % 3].clear();
    fit.step(holder.answer(fit.request(), fit.blocks()));
  }
  EXPECT_NEAR(fit.result().summary.energy.total() / fit_blocks(samples, 3, options).summary.energy.total(), 1, 1e-5);
}

}  // namespace
}  // namespace dualdict
