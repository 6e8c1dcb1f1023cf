// SPDX-License-Identifier: BSD-3-Clause
// A stream is learned from by the engine of fits in memory: checkpoints, ranks, means, limits.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>

#include "data/source_stream.h"
#include "dualdict/error.h"
#include "dualdict/stream.h"
#include "io/temporary_folder.h"
#include "learn/fit/start.h"
#include "learn/fit/sums.h"
#include "learn/fit_case.h"
#include "learn/thread_ranks.h"

namespace dualdict {
namespace {

struct StreamKilled {};

// Throws StreamKilled after so many reads.
class DyingStream final : public SampleStream {
 public:
  DyingStream(std::unique_ptr<DataSource> source, std::size_t reads) : stream_(std::move(source)), left_(reads) {}
  std::size_t n_features() const override { return stream_.n_features(); }
  SampleShape sample_shape() const override { return stream_.sample_shape(); }
  std::string name() const override { return stream_.name(); }
  std::optional<std::size_t> n_samples() const override { return stream_.n_samples(); }
  std::size_t read(MatrixView<float> out) override { return count(), stream_.read(out); }
  std::size_t read(MatrixView<double> out) override { return count(), stream_.read(out); }
  std::size_t skip(std::size_t n) override { return stream_.skip(n); }
  bool rewind() override { return stream_.rewind(); }

 private:
  void count() {
    if (left_ == 0) throw StreamKilled{};
    --left_;
  }
  SourceStream stream_;
  std::size_t left_;
};

// Of a pipe: its length is not known, and it cannot be read again.
class OnceStream final : public SampleStream {
 public:
  explicit OnceStream(std::unique_ptr<DataSource> source) : stream_(std::move(source)) {}
  std::size_t n_features() const override { return stream_.n_features(); }
  SampleShape sample_shape() const override { return {}; }
  std::string name() const override { return "a pipe"; }
  std::optional<std::size_t> n_samples() const override { return std::nullopt; }
  std::size_t read(MatrixView<float> out) override { return stream_.read(out); }
  std::size_t read(MatrixView<double> out) override { return stream_.read(out); }
  bool rewind() override { return false; }

 private:
  SourceStream stream_;
};

LearnResult learn_rows(const Matrix<double>& samples, const LearnOptions& options, const LearnContext& context = {},
                       std::size_t n_passes = 1) {
  SourceStream stream(make_source(samples.view()));
  return learn_stream(stream, options, context, n_passes);
}

void expect_same(const LearnResult& a, const LearnResult& b) {
  EXPECT_EQ(a.model.dictionary(), b.model.dictionary());
  EXPECT_EQ(a.model.dual(), b.model.dual());
  EXPECT_EQ(a.summary.energy.total(), b.summary.energy.total());
  EXPECT_EQ(a.summary.n_samples, b.summary.n_samples);
  EXPECT_EQ(a.summary.replaced_atoms, b.summary.replaced_atoms);
}

LearnContext stream_checkpoint(const std::string& path) {
  LearnContext context;
  context.checkpoint = {path, 0, true};
  return context;
}

std::vector<LearnOptions> kinds() {
  std::vector<LearnOptions> all;
  for (const double eta : {0.0, 1.0}) {
    all.push_back(small_options(12, 0.2));
    all.back().eta = eta;
  }
  all.push_back(small_options(12, 0.2, Solver::kFast, DType::kFloat64));
  all.back().tau.reset();
  all.back().nonzeros = 2.5;
  return all;
}

TEST(StreamCheckpoint, KilledAnywhereItEndsWithTheSameBits) {
  const Matrix<double> samples = planted_samples(3000, 10, 12, 1);
  for (const LearnOptions& options : kinds())
    for (const std::size_t n_passes : {1u, 3u}) {
      const LearnResult whole = learn_rows(samples, options, {}, n_passes);
      const TemporaryFolder folder;
      const LearnContext context = stream_checkpoint(folder.path("c"));
      std::optional<LearnResult> resumed;
      std::size_t kills = 0;
      for (std::size_t reads = 1; !resumed && kills < 200; ++reads) {
        try {
          DyingStream stream(make_source(samples.view()), reads);
          resumed = learn_stream(stream, options, context, n_passes);
        } catch (const StreamKilled&) {
          ++kills;
        }
      }
      ASSERT_TRUE(resumed);
      EXPECT_GE(kills, 5u);
      expect_same(*resumed, whole);
      EXPECT_EQ(folder.n_files(), 1u);
    }
}

TEST(StreamCheckpoint, APipeGoesOnWhenItIsFedAgain) {
  const Matrix<double> samples = planted_samples(3000, 10, 12, 1);
  const LearnOptions options = small_options(12, 0.2);
  const LearnResult whole = learn_rows(samples, options);
  const TemporaryFolder folder;
  LearnContext context = stream_checkpoint(folder.path("c"));
  std::size_t steps = 0;
  context.hooks.on_iteration = [&](const IterationRecord&) -> Action {
    if (++steps == 3) throw StreamKilled{};
    return Action::kContinue;
  };
  OnceStream first(make_source(samples.view()));
  EXPECT_THROW(learn_stream(first, options, context), StreamKilled);
  context.hooks = {};
  OnceStream again(make_source(samples.view()));
  expect_same(learn_stream(again, options, context), whole);
}

TEST(StreamCheckpoint, AnotherStreamIsRefused) {
  const Matrix<double> samples = planted_samples(2000, 10, 12, 1);
  const LearnOptions options = small_options(12, 0.2);
  const TemporaryFolder folder;
  const LearnContext context = stream_checkpoint(folder.path("c"));
  DyingStream dying(make_source(samples.view()), 4);
  EXPECT_THROW(learn_stream(dying, options, context), StreamKilled);
  const auto refusal = [&](const Matrix<double>& other, std::size_t n_passes) -> std::string {
    try {
      learn_rows(other, options, context, n_passes);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      return error.what();
    }
    return "";
  };
  Matrix<double> changed = samples;
  changed(3, 4) += 1;
  EXPECT_NE(refusal(changed, 1).find("begins with other samples"), std::string::npos);
  EXPECT_NE(refusal(planted_samples(1000, 10, 12, 1), 1).find("number of samples"), std::string::npos);
  EXPECT_NE(refusal(samples, 2).find("--passes"), std::string::npos);
  EXPECT_EQ(refusal(samples, 1), "");
}

TEST(StreamCheckpoint, AnInterruptKeepsTheWork) {
  const Matrix<double> samples = planted_samples(3000, 10, 12, 1);
  const LearnOptions options = small_options(12, 0.2);
  const LearnResult whole = learn_rows(samples, options);
  const TemporaryFolder folder;
  LearnContext context = stream_checkpoint(folder.path("c"));
  std::atomic<bool> interrupt = false;
  context.hooks.interrupt = &interrupt;
  context.hooks.on_iteration = [&](const IterationRecord&) {
    interrupt = true;
    return Action::kContinue;
  };
  const LearnResult stopped = learn_rows(samples, options, context);
  EXPECT_EQ(stopped.summary.outcome, Outcome::kInterrupted);
  EXPECT_LT(stopped.summary.n_samples, 3000u);
  interrupt = false;
  context.hooks.on_iteration = {};
  expect_same(learn_rows(samples, options, context), whole);
}

struct StreamRun {
  std::vector<std::optional<LearnResult>> fits;
  std::vector<std::exception_ptr> failures;
};

StreamRun learn_on_ranks(std::size_t n_ranks, const Matrix<double>& samples, const LearnOptions& options,
                         const LearnContext& given = {}, std::size_t n_passes = 1) {
  ThreadGroup group(n_ranks);
  StreamRun run;
  run.fits.resize(n_ranks);
  run.failures = run_ranks(group, [&](Communicator& communicator) {
    LearnContext context = given;
    context.communicator = &communicator;
    run.fits[communicator.rank()] = learn_rows(samples, options, context, n_passes);
  });
  return run;
}

LearnResult first_of(StreamRun run) {
  for (const std::exception_ptr& failure : run.failures)
    if (failure) std::rethrow_exception(failure);
  return std::move(*run.fits[0]);
}

TEST(StreamRanks, OneToFourAgree) {
  const Matrix<double> samples = planted_samples(2900, 10, 12, 1);
  for (LearnOptions options : kinds()) {
    options.n_threads = 1;
    const double tolerance = options.dtype == DType::kFloat32 ? 1e-5 : 1e-10;
    for (const std::size_t n_passes : {1u, 2u}) {
      const LearnResult one = learn_rows(samples, options, {}, n_passes);
      for (const std::size_t n_ranks : {1u, 2u, 3u, 4u}) {
        const StreamRun run = learn_on_ranks(n_ranks, samples, options, {}, n_passes);
        const LearnResult many = first_of(run);
        EXPECT_NEAR(many.summary.energy.total() / one.summary.energy.total(), 1, tolerance)
            << describe(options) << ", " << n_ranks << " ranks, " << n_passes << " passes";
        EXPECT_EQ(many.summary.n_samples, 2900u);
        for (const auto& other : run.fits) EXPECT_EQ(other->model.dictionary(), many.model.dictionary());
        if (n_ranks == 1) expect_same(many, one);
        const LearnResult again = first_of(learn_on_ranks(n_ranks, samples, options, {}, n_passes));
        EXPECT_EQ(again.model.dictionary(), many.model.dictionary());
      }
    }
  }
}

TEST(StreamRanks, ACheckpointGoesOnAlsoWithAnotherNumberOfRanks) {
  const Matrix<double> samples = planted_samples(2900, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.n_threads = 1;
  const LearnResult whole = first_of(learn_on_ranks(3, samples, options));
  for (const std::size_t n_ranks : {3u, 1u, 2u}) {
    const TemporaryFolder folder;
    LearnContext context = stream_checkpoint(folder.path("c"));
    context.hooks.on_iteration = [](const IterationRecord& record) {
      return record.iteration >= 4 ? Action::kStop : Action::kContinue;
    };
    learn_on_ranks(3, samples, options, context);
    context.hooks = {};
    const LearnResult resumed = first_of(learn_on_ranks(n_ranks, samples, options, context));
    if (n_ranks == 3) {
      expect_same(resumed, whole);
    } else {
      EXPECT_NEAR(resumed.summary.energy.total() / whole.summary.energy.total(), 1, 1e-5);
    }
  }
}

TEST(StreamRanks, ABadSampleEndsAll) {
  Matrix<double> samples = planted_samples(2900, 10, 12, 1);
  samples(2500, 3) = std::numeric_limits<double>::quiet_NaN();
  const StreamRun run = learn_on_ranks(3, samples, small_options(12, 0.2));
  for (const std::exception_ptr& failure : run.failures) EXPECT_TRUE(failure);
}

// The means are those of samples in memory, and so is what is learned from the same pieces.
TEST(LearnStream, CentresFeaturesInAPassOfItsOwn) {
  Matrix<double> samples = planted_samples(2000, 10, 12, 1);
  for (std::size_t i = 0; i < 2000; ++i)
    for (std::size_t f = 0; f < 10; ++f) samples(i, f) += 3 * static_cast<double>(f);
  LearnContext context;
  context.preprocess.center_features = true;
  const LearnOptions options = small_options(12, 0.2);
  const LearnResult streamed = learn_rows(samples, options, context);
  const std::vector<double> wanted = Transform::fit(context.preprocess, *make_source(samples.view())).feature_means();
  const std::vector<double>& means = streamed.model.parts().transform.feature_means();
  ASSERT_EQ(means.size(), wanted.size());
  for (std::size_t f = 0; f < 10; ++f) EXPECT_NEAR(means[f], wanted[f], 1e-12 * (1 + std::abs(wanted[f])));
  const LearnResult on_ranks = first_of(learn_on_ranks(3, samples, options, context));
  EXPECT_NEAR(on_ranks.summary.energy.total() / streamed.summary.energy.total(), 1, 1e-5);
  OnceStream pipe(make_source(samples.view()));
  EXPECT_THROW(learn_stream(pipe, options, context), Error);
}

// The sums of a step join those before with the share that fading() gives them.
TEST(StreamSums, FadeByTheDensityOfTheCodes) {
  LearnOptions options;
  options.n_atoms = 5;
  options.penalty = Penalty::kL1;
  FitState state = empty_state<double>(options, 3);
  Matrix<double> uu(5, 5), xx(3, 3);
  double squared = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    PassReport pass;
    pass.n_samples = 10 + i;
    pass.codes.nonzeros = 20;
    pass.codes.squared_samples = 2;
    const Matrix<double> new_uu = convert<double>(random_matrix<float>(5, 5, i));
    const Matrix<double> new_xx = convert<double>(random_matrix<float>(3, 3, i + 100));
    const double nonzeros = 20.0 / static_cast<double>(pass.n_samples);
    const double share = fading(state.fading.n_seen, pass.n_samples, {nonzeros / 5, nonzeros / 3});
    StreamSums rule(new_xx, 2);
    rule.begin(state);
    state.moments.uu = new_uu;
    rule.join(state, pass);
    state.fading.add(pass, 0);
    for (std::size_t e = 0; e < uu.size(); ++e) uu.data()[e] = share * uu.data()[e] + new_uu.data()[e];
    for (std::size_t e = 0; e < xx.size(); ++e) xx.data()[e] = share * xx.data()[e] + new_xx.data()[e];
    squared = share * squared + 2;
    for (std::size_t e = 0; e < uu.size(); ++e) EXPECT_NEAR(state.moments.uu.data()[e], uu.data()[e], 1e-12);
    for (std::size_t e = 0; e < xx.size(); ++e) EXPECT_NEAR(state.moments.xx.data()[e], xx.data()[e], 1e-12);
    EXPECT_NEAR(state.moments.squared_samples, squared, 1e-12);
  }
}

}  // namespace
}  // namespace dualdict
