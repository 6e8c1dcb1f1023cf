// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "dualdict/learn.h"
#include "linalg/vectors.h"
#include "model/file/model_file.h"
#include "problems/planted.h"

namespace dualdict {
namespace {

constexpr std::size_t kL0Features = 20, kL0Atoms = 30, kLearned = 3000, kUnseen = 1500;

LearnOptions l0_options(double nonzeros) {
  LearnOptions options;
  options.n_atoms = kL0Atoms;
  options.penalty = Penalty::kL0;
  options.nonzeros = nonzeros;
  options.n_threads = 2;
  return options;
}

// Samples far from the origin: the model has to find that.
Matrix<double> shifted_samples(std::size_t n) {
  Matrix<double> x = make_planted(n, kL0Features, 24, 3, 0.05, 3).samples;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < kL0Features; ++f) x(i, f) += 0.5 * static_cast<double>(f);
  return x;
}

TEST(LearnL0, CodesUnseenSamplesWithTheWantedNonzerosAndLessErrorThanComponents) {
  const Matrix<double> x = shifted_samples(kLearned + kUnseen);
  const auto source = make_source(x.view().row_range(0, kLearned));
  const auto unseen = make_source(x.view().row_range(kLearned, kUnseen));
  LearnContext context;
  context.validation = unseen.get();
  const LearnResult result = learn(*source, l0_options(3), context);
  EXPECT_EQ(result.summary.outcome, Outcome::kConverged) << result.summary.message;
  EXPECT_EQ(result.summary.advice, "");
  EXPECT_NEAR(result.summary.nonzeros_per_code, 3, 0.15);
  EXPECT_EQ(result.summary.dead_atoms, 0u);
  std::map<std::string, EncodingRow> rows;
  for (const EncodingRow& row : result.model.parts().provenance.encoding.rows) rows[row.mode] = row;
  EXPECT_TRUE(result.model.parts().provenance.encoding.unseen);
  for (const char* mode : {"hard", "greedy", "omp:3"}) {
    ASSERT_EQ(rows.count(mode), 1u) << mode;
    EXPECT_NEAR(rows[mode].nonzeros, 3, 0.15) << mode;
    EXPECT_LT(rows[mode].reconstruction_error, rows[mode].pca_error) << mode;
    EXPECT_LT(rows[mode].worst_error, 1) << mode;
  }
  EXPECT_LT(rows["greedy"].reconstruction_error, rows["hard"].reconstruction_error);
  EXPECT_LT(rows["greedy"].reconstruction_error, rows["samples greedy"].reconstruction_error);
  EXPECT_EQ(rows.count("sparse"), 0u);

  // The table says what encoding, decoding and scoring give.
  for (const char* mode : {"hard", "greedy"}) {
    EncodeOptions options;
    options.mode = mode;
    const Encoder encoder(result.model, options);
    std::vector<double> errors(kUnseen);
    encoder.score(x.view().row_range(kLearned, kUnseen), errors, false);
    double squared = 0;
    for (const double error : errors) squared += error * error;
    const double all = [&] {
      double sum = 0;
      for (std::size_t i = kLearned; i < x.rows(); ++i) sum += squared_norm(x.row(i), kL0Features);
      return sum;
    }();
    EXPECT_NEAR(std::sqrt(squared / all), rows[mode].reconstruction_error, 1e-4) << mode;
  }
}

TEST(LearnL0, ThreadsAndTheWayThroughAFileChangeNoBit) {
  const Matrix<double> x = shifted_samples(1200);
  const auto source = make_source(x.view());
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    LearnOptions options = l0_options(4);
    options.dtype = dtype;
    options.positive_codes = dtype == DType::kFloat64;
    options.n_threads = 1;
    const Model one = learn(*source, options).model;
    for (const std::size_t n_threads : {2u, 3u, 7u}) {
      options.n_threads = n_threads;
      const Model many = learn(*source, options).model;
      EXPECT_EQ(one.dictionary(), many.dictionary()) << n_threads;
      EXPECT_EQ(one.dual(), many.dual());
      EXPECT_EQ(one.parts().offset, many.parts().offset);
      EXPECT_EQ(one.parts().find_encoder("hard")->levels, many.parts().find_encoder("hard")->levels);
      EXPECT_EQ(one.parts().find_encoder("greedy")->levels, many.parts().find_encoder("greedy")->levels);
    }
    const Model read = Model::from_bytes(one.to_bytes());
    EXPECT_EQ(read.parts().penalty, Penalty::kL0);
    for (const char* mode : {"hard", "greedy", "omp:3", "linear"}) {
      EncodeOptions encoding;
      encoding.mode = mode;
      Matrix<double> codes(1200, kL0Atoms), again(1200, kL0Atoms);
      if (options.positive_codes && std::string(mode) == "omp:3") continue;
      Encoder(one, encoding).encode(x.view(), codes.view());
      Encoder(read, encoding).encode(x.view(), again.view());
      EXPECT_EQ(codes, again) << mode;
    }
  }
}

// Fewer samples than atoms, samples that are all the same, one feature: an end with a name, and finite numbers.
TEST(LearnL0, CornersEndInAModel) {
  for (const std::size_t n : {1u, 7u, 60u}) {
    const Matrix<double> x = shifted_samples(n);
    const LearnResult result = learn(*make_source(x.view()), l0_options(2));
    EXPECT_EQ(result.model.n_atoms(), kL0Atoms);
    EXPECT_TRUE(all_finite<double>(result.model.dictionary().view()));
  }
  Matrix<double> alike(300, kL0Features);
  for (std::size_t i = 0; i < alike.size(); ++i) alike.data()[i] = 2.5;
  const LearnResult result = learn(*make_source(alike.view()), l0_options(2));
  EXPECT_EQ(result.summary.outcome, Outcome::kTrivial) << result.summary.message;
  Matrix<double> narrow = shifted_samples(300);
  const Matrix<double> one_feature = convert<double>(MatrixView<const double>(narrow.data(), 300, 1, kL0Features));
  EXPECT_TRUE(all_finite<double>(learn(*make_source(one_feature.view()), l0_options(1)).model.dictionary().view()));
}

TEST(LearnL0, AnInterruptLeavesNothing) {
  const Matrix<double> x = shifted_samples(2000);
  const std::atomic<bool> interrupt = true;
  LearnContext context;
  context.hooks.interrupt = &interrupt;
  EXPECT_THROW(learn(*make_source(x.view()), l0_options(3), context), Error);
}

}  // namespace
}  // namespace dualdict
