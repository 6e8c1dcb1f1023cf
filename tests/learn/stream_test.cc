// SPDX-License-Identifier: BSD-3-Clause
// Learning from streams, and the streams themselves. What a pipe can do to the command is in tests/cli/test_streams.py.
#include "dualdict/stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "data/image_stream.h"
#include "data/pipe_stream.h"
#include "data/source_stream.h"
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "io/temporary_folder.h"
#include "learn/fit/start.h"
#include "learn/fit/sums.h"
#include "learn/fit_case.h"

namespace dualdict {
namespace {

// A step whose sums are these.
struct StepSums {
  Matrix<double> uu, ux, xx;
  double sum_abs = 0;
  explicit StepSums(std::uint64_t seed)
      : uu(convert<double>(random_matrix<float>(5, 5, seed))),
        ux(convert<double>(random_matrix<float>(5, 3, seed + 1))),
        xx(convert<double>(random_matrix<float>(3, 3, seed + 2))),
        sum_abs(1 + static_cast<double>(seed)) {}
};

PassReport join(FitState& state, SumRule& rule, const StepSums& sums) {
  PassReport pass;
  pass.n_samples = 10;
  pass.codes.nonzeros = 20;
  pass.codes.squared_samples = 3;
  rule.begin(state);
  state.moments.uu = sums.uu;
  state.moments.ux = sums.ux;
  state.moments.sum_abs_codes = sums.sum_abs;
  rule.join(state, pass);
  state.fading.add(pass, 0);
  return pass;
}

TEST(ChapterSums, AfterALaterPassTheSumsAreThoseOfThatPassAlone) {
  constexpr std::size_t kSteps = 50;
  LearnOptions options;
  options.n_atoms = 5;
  options.penalty = Penalty::kL1;
  FitState state = empty_state<double>(options, 3);
  plan_chapters(kSteps * 10, 3, 5, state.stream.chapters);
  for (std::size_t i = 0; i < kSteps; ++i) {
    StreamSums rule(StepSums(i).xx, 3);
    join(state, rule, StepSums(i));
  }
  for (const std::size_t seed : {1000u, 2000u}) {
    begin_chapters(state.stream.chapters, state.moments);
    StepSums all(0);
    for (Matrix<double>* sums : {&all.uu, &all.ux, &all.xx}) *sums = Matrix<double>(sums->rows(), sums->cols());
    all.sum_abs = 0;
    for (std::size_t i = 0; i < kSteps; ++i) {
      ChapterSums rule;
      const StepSums sums(seed + i);
      join(state, rule, sums);
      for (std::size_t e = 0; e < sums.uu.size(); ++e) all.uu.data()[e] += sums.uu.data()[e];
      for (std::size_t e = 0; e < sums.ux.size(); ++e) all.ux.data()[e] += sums.ux.data()[e];
      for (std::size_t e = 0; e < sums.xx.size(); ++e) all.xx.data()[e] += StepSums(i).xx.data()[e];
      all.sum_abs += sums.sum_abs;
    }
    for (std::size_t e = 0; e < all.uu.size(); ++e) EXPECT_NEAR(state.moments.uu.data()[e], all.uu.data()[e], 1e-10);
    for (std::size_t e = 0; e < all.ux.size(); ++e) EXPECT_NEAR(state.moments.ux.data()[e], all.ux.data()[e], 1e-10);
    for (std::size_t e = 0; e < all.xx.size(); ++e) EXPECT_NEAR(state.moments.xx.data()[e], all.xx.data()[e], 1e-10);
    EXPECT_NEAR(state.moments.sum_abs_codes, all.sum_abs, 1e-8);
    EXPECT_NEAR(state.moments.squared_samples, 3.0 * kSteps, 1e-10);
  }
}

// Passes lead where learning in memory leads.
TEST(LearnStream, PassesComeCloseToLearningInMemory) {
  const Matrix<double> samples = planted_samples(6000, 10, 14, 3);
  const LearnOptions options = small_options(14, 0.2);
  const double in_memory = fit(samples, options).summary.energy.total() / 6000;
  std::vector<double> energies;
  for (const std::size_t n_passes : {1u, 6u}) {
    SourceStream stream(make_source(samples.view()));
    const LearnResult result = learn_stream(stream, options, {}, n_passes);
    EXPECT_EQ(result.summary.n_samples, 6000u);
    EXPECT_LE(largest_row_norm(result.model.dictionary()), 1 + 1e-6);
    LearnOptions kept = options;
    kept.initial_dictionary = result.model.dictionary();
    kept.initial_dual = result.model.dual();
    kept.keep_dictionary = true;
    energies.push_back(fit(samples, kept).summary.energy.total() / 6000);
  }
  EXPECT_LT(energies[1], energies[0]);
  EXPECT_LT(energies[1], 1.05 * in_memory);
}

TEST(LearnStream, TheSameBitsForAnyNumberOfThreadsAndAnyBlocksOfTheProducer) {
  const Matrix<float> samples = convert<float>(planted_samples(3000, 9, 12, 5));
  LearnOptions options = small_options(12, 0.2);
  SourceStream whole(make_source(samples.view()));
  const LearnResult one = learn_stream(whole, options);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread producer([&] {
    const auto* bytes = reinterpret_cast<const char*>(samples.data());
    const std::size_t size = samples.size() * sizeof(float);
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = write(ends[1], bytes + done, std::min<std::size_t>(size - done, 1001));
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    close(ends[1]);
  });
  options.n_threads = 1;
  PipeStream pipe_stream(ends[0], "a pipe", RawRecords{ElementType::kFloat32, 9}, nullptr);
  const LearnResult piped = learn_stream(pipe_stream, options);
  producer.join();
  close(ends[0]);
  EXPECT_EQ(piped.model.dictionary(), one.model.dictionary());
  EXPECT_EQ(piped.model.dual(), one.model.dual());
}

TEST(ImageStream, DrawsTheSamePatchesForASeedFromEveryImage) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < 20; ++i) {
    Matrix<float> image(12, 12);
    std::fill_n(image.data(), image.size(), static_cast<float>(10 * i));
    files.push_back(folder.path(std::to_string(i) + ".png"));
    write_grey_png(files.back(), image.view());
  }
  PatchOptions options{5, 4, 500, 7};
  const auto draw = [&](std::uint64_t seed) {
    options.seed = seed;
    ImageStream stream(files, options, "images");
    Matrix<float> all(500, 20);
    std::size_t n = 0;
    while (const std::size_t got = stream.read(all.view().row_range(n, std::min<std::size_t>(33, 500 - n)))) n += got;
    EXPECT_EQ(n, 500u);
    EXPECT_TRUE(stream.rewind());
    Matrix<float> again(500, 20);
    EXPECT_EQ(stream.read(again.view()), 500u);
    EXPECT_EQ(again, all);
    return all;
  };
  const Matrix<float> first = draw(7);
  EXPECT_EQ(draw(7), first);
  EXPECT_NE(draw(8), first);
  std::vector<std::size_t> uses(20);
  for (std::size_t i = 0; i < 500; ++i) ++uses[static_cast<std::size_t>(first(i, 3) / 10)];
  for (const std::size_t n : uses) EXPECT_GT(n, 5u);
}

TEST(RawRecords, AreParsedOrRefusedByName) {
  EXPECT_EQ(parse_raw("float32:144").n_features, 144u);
  EXPECT_EQ(parse_raw("uint8", 28).n_features, 28u);
  EXPECT_EQ(parse_raw("float64:3").type, ElementType::kFloat64);
  for (const char* text : {"float32", "float32:0", "int:3", "float32:x", "float32:3x", ""})
    EXPECT_THROW(parse_raw(text), Error) << text;
  EXPECT_THROW(parse_raw("float32:3", 4), Error);
}

}  // namespace
}  // namespace dualdict
