// SPDX-License-Identifier: BSD-3-Clause
// Learning on several ranks, which here are threads.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "core/sample_order.h"
#include "io/temporary_folder.h"
#include "learn/fit_case.h"
#include "learn/thread_ranks.h"

namespace dualdict {
namespace {

using Fits = std::vector<std::optional<LearnResult>>;

// Every rank learns from its range of the rows; `prepare` may change its options and context.
struct RankSetup {
  std::function<void(std::size_t rank, LearnOptions&, LearnContext&)> prepare = [](std::size_t, LearnOptions&,
                                                                                   LearnContext&) {};
};

struct RankRun {
  Fits fits;
  std::vector<std::exception_ptr> failures;
  std::vector<std::size_t> messages;
};

RankRun fit_on_ranks(std::size_t n_ranks, const Matrix<double>& samples, const LearnOptions& options,
                     const RankSetup& setup = {}) {
  ThreadGroup group(n_ranks);
  RankRun run;
  run.fits.resize(n_ranks);
  run.failures = run_ranks(group, [&](Communicator& communicator) {
    const std::size_t r = communicator.rank();
    const std::size_t first = samples.rows() * r / n_ranks;
    const std::size_t last = samples.rows() * (r + 1) / n_ranks;
    LearnOptions mine = options;
    LearnContext context;
    context.communicator = &communicator;
    setup.prepare(r, mine, context);
    run.fits[r] = learn(*make_source(samples.view().row_range(first, last - first)), mine, context);
  });
  run.messages = group.message_sizes();
  return run;
}

LearnResult rethrow_or_first(RankRun run) {
  for (const std::exception_ptr& failure : run.failures)
    if (failure) std::rethrow_exception(failure);
  return std::move(*run.fits[0]);
}

// Enough samples for the warm-up to take part.
LearnOptions rank_options(DType dtype, double eta = 1, Solver solver = Solver::kFast) {
  LearnOptions options = small_options(12, 0.3, solver, dtype);
  options.eta = eta;
  options.n_threads = 1;
  options.max_iterations = 20;
  options.rtol = 0;
  return options;
}
Matrix<double> rank_samples() {
  return planted_samples(2100, 9, 14, 3);
}

TEST(Ranks, OneToFourAgree) {
  const Matrix<double> samples = rank_samples();
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const double tolerance = dtype == DType::kFloat32 ? 1e-5 : 1e-10;
    for (const double eta : {1.0, 0.0}) {
      const LearnOptions options = rank_options(dtype, eta);
      const LearnResult one = fit(samples, options);
      for (const std::size_t n_ranks : {1u, 2u, 3u, 4u}) {
        const LearnResult many = rethrow_or_first(fit_on_ranks(n_ranks, samples, options));
        EXPECT_NEAR(many.summary.energy.total() / one.summary.energy.total(), 1, tolerance)
            << describe(options) << ", " << n_ranks << " ranks";
        EXPECT_EQ(many.summary.n_samples, samples.rows());
        EXPECT_NEAR(many.summary.nonzeros_per_code, one.summary.nonzeros_per_code, 2e-3);
        EXPECT_EQ(many.summary.iterations.size(), one.summary.iterations.size());
        EXPECT_LT(many.summary.duality_gap, 1e-4);
        if (n_ranks == 1) {
          EXPECT_EQ(many.model.dictionary(), one.model.dictionary());
        }
      }
    }
  }
}

TEST(Ranks, EveryRankHasTheSameModelAndTheSameBitsInEveryRun) {
  const Matrix<double> samples = rank_samples();
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    LearnOptions options = rank_options(DType::kFloat32, 1, solver);
    options.max_iterations = 5;
    const RankRun once = fit_on_ranks(3, samples, options);
    options.n_threads = 2;
    const RankRun again = fit_on_ranks(3, samples, options);
    for (std::size_t r = 0; r < 3; ++r) {
      ASSERT_TRUE(once.fits[r] && again.fits[r]);
      EXPECT_EQ(once.fits[r]->model.dictionary(), once.fits[0]->model.dictionary());
      EXPECT_EQ(once.fits[r]->model.dual(), once.fits[0]->model.dual());
      EXPECT_EQ(once.fits[r]->model.dictionary(), again.fits[r]->model.dictionary());
      EXPECT_EQ(once.fits[r]->summary.energy.total(), again.fits[r]->summary.energy.total());
      EXPECT_EQ(once.fits[r]->model.parts().encoders.empty(), r != 0);
    }
  }
}

TEST(Ranks, TheSearchForTauAndReplacedAtomsAndMeansAgree) {
  const Matrix<double> samples = planted_samples(400, 8, 3, 4);
  LearnOptions options = small_options(60, 20, Solver::kFast, DType::kFloat64);
  options.eta = 0;
  options.max_iterations = 10;
  const LearnResult replaced = fit(samples, options);
  ASSERT_GT(replaced.summary.replaced_atoms, 0u);
  const LearnResult replaced_too = rethrow_or_first(fit_on_ranks(3, samples, options));
  EXPECT_EQ(replaced_too.summary.replaced_atoms, replaced.summary.replaced_atoms);
  EXPECT_NEAR(replaced_too.summary.energy.total() / replaced.summary.energy.total(), 1, 1e-9);

  options = small_options(12, 0, Solver::kFast, DType::kFloat64);
  options.tau.reset();
  options.nonzeros = 3;
  LearnContext centred;
  centred.preprocess.center_features = true;
  const LearnResult sought = fit(rank_samples(), options, centred);
  const RankSetup setup{
      [](std::size_t, LearnOptions&, LearnContext& context) { context.preprocess.center_features = true; }};
  const LearnResult sought_too = rethrow_or_first(fit_on_ranks(4, rank_samples(), options, setup));
  EXPECT_NEAR(sought_too.summary.tau / sought.summary.tau, 1, 1e-6);
  EXPECT_NEAR(sought_too.summary.nonzeros_per_code, 3, 0.1);
  EXPECT_NEAR(sought_too.model.parts().transform.feature_means()[0], sought.model.parts().transform.feature_means()[0],
              1e-12);
}

// What a fit of n_iterations sends: how many messages of each size, in bytes.
std::map<std::size_t, std::size_t> messages_of(std::size_t n_samples, std::size_t n_iterations, Solver solver) {
  LearnOptions options = small_options(12, 0.1);
  options.max_iterations = n_iterations;
  options.solver = solver;
  options.rtol = 0;
  const RankRun run = fit_on_ranks(2, planted_samples(n_samples, 9, 12, 5), options);
  EXPECT_TRUE(run.fits[0] && run.fits[0]->summary.replaced_atoms == 0);
  std::map<std::size_t, std::size_t> counts;
  for (const std::size_t size : run.messages) ++counts[size];
  return counts;
}

// 8 (K^2 + dK + small) bytes an iteration, whatever the number of samples; half of the symmetric UU' is enough. Among
// these iterations none is taken back, which would take a second message.
TEST(Ranks, AnIterationIsOneMessageThatDoesNotGrowWithTheSamples) {
  constexpr std::size_t k = 12, d = 9;
  constexpr std::size_t kMessage = 8 * (k * (k + 1) / 2 + d * k + k + 19);
  for (const Solver solver : {Solver::kFista, Solver::kFast})
    for (const std::size_t n : {1000u, 4000u}) {
      const auto few = messages_of(n, 1, solver);
      auto more = messages_of(n, 3, solver);
      for (const auto& [size, count] : few) more[size] -= count;
      std::erase_if(more, [](const auto& entry) { return entry.second == 0; });
      EXPECT_EQ(more, (std::map<std::size_t, std::size_t>{{kMessage, 2}})) << n << " samples";
    }
}

ErrorKind kind_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.kind();
  }
}

TEST(Ranks, AnErrorOnOneRankEndsAll) {
  Matrix<double> bad = rank_samples();
  bad(1900, 3) = NAN;
  const RankRun nan = fit_on_ranks(4, bad, rank_options(DType::kFloat32));
  for (const auto& failure : nan.failures) EXPECT_EQ(kind_of(failure), ErrorKind::kInput);

  const RankSetup throws{[](std::size_t rank, LearnOptions&, LearnContext& context) {
    if (rank != 1) return;
    context.hooks.on_iteration = [](const IterationRecord& record) -> Action {
      if (record.iteration == 3) throw Error(ErrorKind::kWrite, "disk full");
      return Action::kContinue;
    };
  }};
  const RankRun write = fit_on_ranks(3, rank_samples(), rank_options(DType::kFloat32), throws);
  for (const auto& failure : write.failures) EXPECT_EQ(kind_of(failure), ErrorKind::kWrite);

  const RankSetup other{[](std::size_t rank, LearnOptions& options, LearnContext&) {
    if (rank == 2) options.tau = 0.5;
  }};
  const RankRun options = fit_on_ranks(3, rank_samples(), rank_options(DType::kFloat32), other);
  for (const auto& failure : options.failures) EXPECT_TRUE(failure);
}

TEST(Ranks, AnInterruptOrAStopOnOneRankEndsAllWithTheSameModel) {
  std::atomic<bool> flag{false};
  const RankSetup interrupted{[&](std::size_t rank, LearnOptions&, LearnContext& context) {
    if (rank != 1) return;
    context.hooks.interrupt = &flag;
    context.hooks.on_iteration = [&](const IterationRecord& record) {
      if (record.iteration == 4) flag = true;
      return Action::kContinue;
    };
  }};
  const RankRun run = fit_on_ranks(3, rank_samples(), rank_options(DType::kFloat32), interrupted);
  const RankSetup stopped{[&](std::size_t rank, LearnOptions&, LearnContext& context) {
    if (rank != 2) return;
    context.hooks.on_iteration = [&](const IterationRecord& record) {
      return record.iteration == 4 ? Action::kStop : Action::kContinue;
    };
  }};
  const RankRun stop = fit_on_ranks(3, rank_samples(), rank_options(DType::kFloat32), stopped);
  for (std::size_t r = 0; r < 3; ++r) {
    ASSERT_TRUE(run.fits[r] && stop.fits[r]);
    EXPECT_EQ(run.fits[r]->summary.outcome, Outcome::kInterrupted);
    EXPECT_EQ(run.fits[r]->model.dictionary(), run.fits[0]->model.dictionary());
    EXPECT_EQ(stop.fits[r]->summary.outcome, Outcome::kStopped);
    EXPECT_EQ(stop.fits[r]->summary.iterations.size(), 5u);
  }
}

RankSetup with_checkpoint(const std::string& path) {
  return {[path](std::size_t, LearnOptions&, LearnContext& context) {
    context.checkpoint.path = path;
    context.checkpoint.resume = true;
    context.checkpoint.seconds = 0;
  }};
}

TEST(Ranks, ACheckpointGoesOnBitForBitAndWithAnotherNumberOfRanks) {
  const TemporaryFolder folder;
  const Matrix<double> samples = rank_samples();
  LearnOptions options = rank_options(DType::kFloat32);
  const LearnResult whole = rethrow_or_first(fit_on_ranks(3, samples, options));
  const std::string path = folder.path("run.ckpt");
  options.max_iterations = 7;
  ASSERT_TRUE(fit_on_ranks(3, samples, options, with_checkpoint(path)).fits[0]);
  const TemporaryFolder second;
  std::filesystem::copy(folder.path(), second.path());
  options.max_iterations = 20;
  const LearnResult resumed = rethrow_or_first(fit_on_ranks(3, samples, options, with_checkpoint(path)));
  EXPECT_EQ(resumed.model.dictionary(), whole.model.dictionary());
  EXPECT_EQ(resumed.model.dual(), whole.model.dual());
  EXPECT_EQ(resumed.summary.energy.total(), whole.summary.energy.total());

  // From 3 ranks to 2, then to 1, then to 4.
  const std::string copy = second.path("run.ckpt");
  for (const std::size_t n_ranks : {2u, 1u, 4u}) {
    options.max_iterations = n_ranks == 2 ? 10 : n_ranks == 1 ? 14 : 20;
    const LearnResult other = rethrow_or_first(fit_on_ranks(n_ranks, samples, options, with_checkpoint(copy)));
    EXPECT_EQ(other.summary.iterations.size(), options.max_iterations);
    if (n_ranks == 4) {
      EXPECT_NEAR(other.summary.energy.total() / whole.summary.energy.total(), 1, 1e-5);
    }
  }
  EXPECT_EQ(second.n_files(), 5u) << "the checkpoint and one part for each of the last four ranks";
}

TEST(SampleOrder, IsAPermutationAlsoWhenItIsNotListed) {
  const std::size_t n = SampleOrder::kListed + 12345;
  Random random(3);
  const SampleOrder order(n, random);
  std::vector<bool> seen(n);
  double sum = 0;
  constexpr std::size_t kLooked = 300000;
  for (std::size_t i = 0; i < kLooked; ++i) {
    const std::size_t at = order.at(i);
    ASSERT_LT(at, n);
    ASSERT_FALSE(seen[at]);
    seen[at] = true;
    sum += static_cast<double>(at);
  }
  EXPECT_NEAR(sum / kLooked / static_cast<double>(n), 0.5, 0.005);
}

}  // namespace
}  // namespace dualdict
