// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/encode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>

#include "dualdict/error.h"
#include "dualdict/learn.h"
#include "linalg/product.h"
#include "linalg/vectors.h"
#include "model/coding_space.h"
#include "model/fit/levels.h"
#include "model/fit_encoders.h"
#include "problems/planted.h"
#include "problems/small_model.h"

namespace dualdict {
namespace {

constexpr std::size_t kSamples = 1100;
constexpr std::size_t kFeatures = 16;
constexpr std::size_t kAtoms = 24;
const char* const kModes[] = {"linear", "sparse", "corrected", "refine:1", "refine:3", "exact", "greedy", "omp:3"};

struct Fixture {
  Planted planted = make_planted(kSamples, kFeatures, kAtoms, 4, 0.05, 7);
  Model single = make(DType::kFloat32, false);
  Model exact = make(DType::kFloat64, false);
  Model positive = make(DType::kFloat64, true);
  Model l0 = make_l0(DType::kFloat64);
  Model single_l0 = make_l0(DType::kFloat32);

  Model make_l0(DType dtype) const {
    LearnOptions options;
    options.n_atoms = kAtoms;
    options.penalty = Penalty::kL0;
    options.nonzeros = 4;
    options.dtype = dtype;
    options.n_threads = 1;
    ModelParts parts = learn(*make_source(planted.samples.view()), options).model.parts();
    // Levels that are those of all samples, so that counts can be asked for exactly.
    Matrix<double> rest = planted.samples;
    add_offset(parts, -1, rest.view());
    parts.encoders[0].levels = hard_levels(parts, parts.encoders[0].bias, rest.view(), 4, calling_thread());
    parts.encoders[1].levels = greedy_levels(parts, rest.view(), 4, calling_thread());
    return Model(parts);
  }

  Model make(DType dtype, bool positive_codes) const {
    ModelParts parts;
    parts.dtype = dtype;
    parts.tau = 0.2;
    parts.eta = 1;
    parts.mu = 0.01;
    parts.positive_codes = positive_codes;
    parts = learn_briefly(parts, planted.dictionary, planted.samples, 4);
    if (dtype == DType::kFloat32)
      fit_and_measure_encoders<float>(parts, {convert<float>(planted.samples).view(), {}, false}, {1});
    else
      fit_and_measure_encoders<double>(parts, {planted.samples.view(), {}, false}, {1});
    return Model(parts);
  }
};
const Fixture& fixture() {
  static const Fixture instance;
  return instance;
}

EncodeOptions mode(const char* name, std::size_t n_threads = 1) {
  EncodeOptions options;
  options.mode = name;
  options.debias = false;
  options.n_threads = n_threads;
  return options;
}

bool same_bits(const float* a, const float* b, std::size_t n) {
  return std::equal(
      a, a + n, b, [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); });
}

template <class T>
Matrix<T> encode(const Model& model, const EncodeOptions& options, const Matrix<T>& samples) {
  Matrix<T> codes(samples.rows(), model.n_atoms());
  const auto source = make_source(MatrixView<const T>(samples.view()));
  Encoder(model, options, source.get()).encode(samples.view(), codes.view());
  return codes;
}

double nonzeros(const Matrix<double>& codes) {
  return static_cast<double>(count_nonzeros(codes.data(), codes.size())) / static_cast<double>(codes.rows());
}

// E of the codes by naive loops.
double energy(const ModelParts& parts, const Matrix<double>& samples, const Matrix<double>& codes) {
  const auto d = static_cast<double>(parts.dictionary.cols());
  const auto k = static_cast<double>(parts.dictionary.rows());
  double total = 0;
  for (std::size_t i = 0; i < samples.rows(); ++i) {
    for (std::size_t f = 0; f < samples.cols(); ++f) {
      double residual = samples(i, f);
      for (std::size_t j = 0; j < codes.cols(); ++j) residual -= codes(i, j) * parts.dictionary(j, f);
      total += residual * residual / d;
    }
    for (std::size_t j = 0; j < codes.cols(); ++j) {
      const double u = codes(i, j);
      const double predicted = dot(parts.dual.row(j), samples.row(i), samples.cols());
      total +=
          parts.eta / k * (u - predicted) * (u - predicted) + 2 * parts.tau / k * std::abs(u) + parts.mu / k * u * u;
    }
  }
  return total;
}

template <class F>
void expect_error(ErrorKind kind, const std::string& words, const F& call) {
  try {
    call();
    ADD_FAILURE() << "no error, expected: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Encoder, LinearIsTheProductWithTheDual) {
  const Fixture& f = fixture();
  const Matrix<float> samples = convert<float>(f.planted.samples);
  const Matrix<float> dual = convert<float>(f.single.dual());
  const Matrix<float> codes = encode(f.single, mode("linear"), samples);
  EXPECT_EQ(codes, multiply_transposed<float>(samples.view(), dual.view()));
  const Matrix<double> wide = encode(f.exact, mode("linear"), f.planted.samples);
  for (std::size_t i = 0; i < wide.rows(); ++i)
    for (std::size_t j = 0; j < wide.cols(); ++j)
      ASSERT_NEAR(wide(i, j), dot(f.planted.samples.row(i), f.exact.dual().row(j), kFeatures), 1e-12);
}

TEST(Encoder, ACodeHasTheSameBitsAloneInAnyBatchAndOnAnyThreads) {
  const Fixture& f = fixture();
  const Matrix<float> samples = convert<float>(f.planted.samples);
  for (const char* name : kModes) {
    for (const bool debias : {false, true}) {
      EncodeOptions options = mode(name);
      options.debias = debias;
      const Matrix<float> codes = encode(f.single, options, samples);
      options.n_threads = 3;
      EXPECT_EQ(encode(f.single, options, samples), codes) << name;
      const Encoder encoder(f.single, options);
      Matrix<float> alone(1, kAtoms), shifted(300, kAtoms);
      for (const std::size_t i : {0, 1, 255, 256, 700, 1099}) {
        encoder.encode(samples.view().row_range(i, 1), alone.view());
        EXPECT_TRUE(same_bits(alone.data(), codes.row(i), kAtoms)) << name << " sample " << i;
      }
      encoder.encode(samples.view().row_range(13, 300), shifted.view());
      EXPECT_TRUE(same_bits(shifted.data(), codes.row(13), shifted.size())) << name;
    }
  }
}

TEST(Encoder, ManyThreadsMayShareOne) {
  const Fixture& f = fixture();
  const Matrix<float> samples = convert<float>(f.planted.samples);
  for (const char* name : {"corrected", "exact"}) {
    const Encoder encoder(f.single, mode(name, 2));
    const Matrix<float> expected = encode(f.single, mode(name), samples);
    std::vector<Matrix<float>> codes(4, Matrix<float>(kSamples, kAtoms));
    std::vector<std::thread> threads;
    threads.reserve(codes.size());
    for (auto& out : codes)
      threads.emplace_back([&] {
        for (int repeat = 0; repeat < 3; ++repeat) encoder.encode(samples.view(), out.view());
      });
    for (auto& thread : threads) thread.join();
    for (const auto& out : codes) EXPECT_EQ(out, expected);
  }
}

TEST(Encoder, TheCallersPrecisionDoesNotChangeTheCode) {
  const Fixture& f = fixture();
  const Matrix<float> samples = convert<float>(f.planted.samples);
  for (const char* name : kModes)
    EXPECT_EQ(convert<double>(encode(f.single, mode(name), samples)),
              encode(f.single, mode(name), convert<double>(samples)))
        << name;
}

TEST(Encoder, ExactCodesSatisfyTheOptimalityConditions) {
  const Fixture& f = fixture();
  for (const Model* model : {&f.exact, &f.positive}) {
    const ModelParts& parts = model->parts();
    EncodeOptions options = mode("exact");
    options.gap = 1e-12;
    const Matrix<double> codes = encode(*model, options, f.planted.samples);
    CodeProblem<double> problem;
    problem.assign(objective_of(parts), parts.dictionary, parts.dual);
    for (std::size_t i = 0; i < 200; ++i) {
      const double* x = f.planted.samples.row(i);
      const double* u = codes.row(i);
      for (std::size_t j = 0; j < kAtoms; ++j) {
        double r = dot(parts.dictionary.row(j), x, kFeatures) / kFeatures +
                   parts.eta / kAtoms * dot(parts.dual.row(j), x, kFeatures);
        for (std::size_t k = 0; k < kAtoms; ++k) r -= problem.gram(j, k) * u[k];
        const double lambda = parts.tau / kAtoms;
        if (u[j] != 0) {
          ASSERT_NEAR(r, u[j] > 0 ? lambda : -lambda, 1e-4 * lambda);
        } else {
          ASSERT_LE(parts.positive_codes ? r : std::abs(r), lambda * (1 + 1e-4));
        }
        ASSERT_TRUE(u[j] >= 0 || !parts.positive_codes);
      }
    }
  }
}

TEST(Encoder, ExactCodesReachTheWantedGap) {
  const Fixture& f = fixture();
  const ModelParts& parts = f.exact.parts();
  EncodeOptions options = mode("exact");
  options.gap = 1e-12;
  const Matrix<double> best = encode(f.exact, options, f.planted.samples);
  for (const double gap : {1e-2, 1e-4, 1e-6}) {
    options.gap = gap;
    const Matrix<double> codes = encode(f.exact, options, f.planted.samples);
    for (std::size_t i = 0; i < 100; ++i) {
      const auto row = [&](const Matrix<double>& a) { return convert<double>(a.view().row_range(i, 1)); };
      const double reached = energy(parts, row(f.planted.samples), row(codes));
      const double least = energy(parts, row(f.planted.samples), row(best));
      ASSERT_LE(reached - least, gap * reached * 1.001 + 1e-13) << gap;
    }
  }
}

TEST(Encoder, RefineApproachesTheExactCodeWithoutEverGoingUp) {
  const Fixture& f = fixture();
  const ModelParts& parts = f.exact.parts();
  double last = energy(parts, f.planted.samples, encode(f.exact, mode("sparse"), f.planted.samples));
  for (const char* name : {"refine:1", "refine:2", "refine:5", "refine:20", "refine:1000"}) {
    const double now = energy(parts, f.planted.samples, encode(f.exact, mode(name), f.planted.samples));
    EXPECT_LT(now, last) << name;
    last = now;
  }
  const double least = energy(parts, f.planted.samples, encode(f.exact, mode("exact"), f.planted.samples));
  EXPECT_NEAR(last, least, 1e-5 * least);
}

TEST(Encoder, ALargerTauMakesSparserCodes) {
  const Fixture& f = fixture();
  for (const char* name : {"sparse", "corrected", "refine:3", "exact"}) {
    double last = static_cast<double>(kAtoms) + 1;
    for (const double tau : {0.02, 0.1, 0.2, 0.5, 2.0}) {
      EncodeOptions options = mode(name);
      options.tau = tau;
      const double now = nonzeros(encode(f.exact, options, f.planted.samples));
      EXPECT_LT(now, last) << name << " tau " << tau;
      last = now;
    }
  }
}

TEST(Encoder, TheModelsOwnTauChangesNothing) {
  const Fixture& f = fixture();
  for (const char* name : {"sparse", "corrected", "refine:3", "exact"}) {
    EncodeOptions options = mode(name);
    options.tau = f.exact.parts().tau;
    EXPECT_EQ(encode(f.exact, options, f.planted.samples), encode(f.exact, mode(name), f.planted.samples)) << name;
  }
}

TEST(Encoder, NonzerosAreHitOnTheFitSamples) {
  const Fixture& f = fixture();
  for (const char* name : {"sparse", "corrected", "refine:3", "exact"}) {
    for (const double wanted : {2.0, 5.0, 9.0}) {
      EncodeOptions options = mode(name);
      options.nonzeros = wanted;
      EXPECT_NEAR(nonzeros(encode(f.exact, options, f.planted.samples)), wanted, 0.05 * wanted) << name;
    }
  }
}

// From the levels that the model keeps, on the samples that those were found on.
TEST(Encoder, NonzerosAreHitFromTheLevels) {
  const Fixture& f = fixture();
  for (const char* name : {"hard", "greedy"}) {
    double last = 0;
    for (const double wanted : {1.0, 2.2, 3.3, 4.0, 6.1}) {
      EncodeOptions options = mode(name);
      options.nonzeros = wanted;
      const double now = nonzeros(encode(f.l0, options, f.planted.samples));
      EXPECT_NEAR(now, wanted, 0.04 * wanted) << name;
      EXPECT_GT(now, last);
      last = now;
    }
    EXPECT_NEAR(nonzeros(encode(f.l0, mode(name), f.planted.samples)), 4, 0.04) << name;
  }
}

TEST(Encoder, GreedyCodesNeedAPriceOrSamplesToFindIt) {
  const Fixture& f = fixture();
  ModelParts parts = f.exact.parts();
  std::erase_if(parts.encoders, [](const FittedEncoder& encoder) { return encoder.mode == "greedy"; });
  const Model old(parts);
  expect_error(ErrorKind::kInput, "knows no price", [&] { const Encoder encoder(old, mode("greedy")); });
  EncodeOptions options = mode("greedy");
  options.nonzeros = 3;
  expect_error(ErrorKind::kUsage, "needs samples", [&] { const Encoder encoder(old, options); });
  EXPECT_NEAR(nonzeros(encode(old, options, f.planted.samples)), 3, 0.15);
}

TEST(Encoder, DebiasedCodesAreLeastSquaresOnTheirSupport) {
  const Fixture& f = fixture();
  for (const char* name : {"sparse", "exact"}) {
    const Matrix<double> before = encode(f.exact, mode(name), f.planted.samples);
    EncodeOptions options = mode(name);
    options.debias = true;
    const Matrix<double> codes = encode(f.exact, options, f.planted.samples);
    for (std::size_t i = 0; i < 200; ++i) {
      const std::size_t support = count_nonzeros(before.row(i), kAtoms);
      if (support > kFeatures) continue;
      std::vector<double> residual(f.planted.samples.row(i), f.planted.samples.row(i) + kFeatures);
      for (std::size_t j = 0; j < kAtoms; ++j)
        for (std::size_t k = 0; k < kFeatures; ++k) residual[k] -= codes(i, j) * f.exact.dictionary()(j, k);
      const double scale = norm(f.planted.samples.row(i), kFeatures);
      for (std::size_t j = 0; j < kAtoms; ++j) {
        // The ridge of 1e-10 leaves a residual of that size times the code, which grows as atoms become alike.
        if (before(i, j) == 0) {
          ASSERT_EQ(codes(i, j), 0);
        } else {
          ASSERT_LT(std::abs(dot(residual.data(), f.exact.dictionary().row(j), kFeatures)), 1e-6 * scale);
        }
      }
    }
  }
}

TEST(Encoder, PositiveModelsGivePositiveCodes) {
  const Fixture& f = fixture();
  for (const char* name : {"sparse", "corrected", "refine:2", "exact"}) {
    for (const bool debias : {false, true}) {
      EncodeOptions options = mode(name);
      options.debias = debias;
      const Matrix<double> codes = encode(f.positive, options, f.planted.samples);
      EXPECT_GE(*std::min_element(codes.data(), codes.data() + codes.size()), 0) << name;
      EXPECT_GT(nonzeros(codes), 0.5) << name;
    }
  }
}

TEST(Encoder, AZeroSampleCodesToZero) {
  const Fixture& f = fixture();
  const Matrix<float> zero(1, kFeatures);
  for (const char* name : kModes) EXPECT_EQ(encode(f.single, mode(name), zero), Matrix<float>(1, kAtoms)) << name;
}

TEST(Encoder, RefusesOptionsThatAModeDoesNotTake) {
  const Model& model = fixture().exact;
  const auto make = [&](const char* name, auto change) {
    return [&model, name, change] {
      EncodeOptions options = mode(name);
      change(options);
      const Encoder encoder(model, options);
    };
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorKind::kUsage, "refine:k or exact does", make("sparse", [](auto& o) { o.eta = 0.5; }));
  expect_error(ErrorKind::kUsage, "has no tau; give nonzeros", make("greedy", [](auto& o) { o.tau = 0.5; }));
  expect_error(ErrorKind::kUsage, "has k of them", make("omp:3", [](auto& o) { o.nonzeros = 5; }));
  expect_error(ErrorKind::kInput, "use mode greedy", make("hard", [](auto&) {}));
  expect_error(ErrorKind::kUsage, "give tau or nonzeros", [] { const Encoder encoder(fixture().l0, mode("exact")); });
  expect_error(ErrorKind::kUsage, "use greedy", [] { const Encoder encoder(fixture().positive, mode("omp:3")); });
  expect_error(ErrorKind::kUsage, "dense", make("linear", [](auto& o) { o.tau = 0.5; }));
  expect_error(ErrorKind::kUsage, "not both", make("exact", [](auto& o) { o.tau = 1, o.nonzeros = 2; }));
  expect_error(ErrorKind::kUsage, "24 atoms", make("sparse", [](auto& o) { o.nonzeros = 24; }));
  expect_error(ErrorKind::kUsage, "more than 0", make("sparse", [](auto& o) { o.nonzeros = 0; }));
  expect_error(ErrorKind::kUsage, "needs samples", make("exact", [](auto& o) { o.nonzeros = 3; }));
  expect_error(ErrorKind::kUsage, "tau -1", make("sparse", [](auto& o) { o.tau = -1; }));
  expect_error(ErrorKind::kUsage, "eta nan", make("exact", [nan](auto& o) { o.eta = nan; }));
  expect_error(ErrorKind::kUsage, "an integer from 1 to 1000", make("refine:0", [](auto&) {}));
  expect_error(ErrorKind::kUsage, "gap 0", make("exact", [](auto& o) { o.gap = 0; }));
}

TEST(Encoder, RefusesSamplesThatItCannotCode) {
  const Fixture& f = fixture();
  Matrix<double> samples = f.planted.samples, codes(kSamples, kAtoms);
  samples(900, 3) = std::numeric_limits<double>::quiet_NaN();
  samples(901, 0) = std::numeric_limits<double>::infinity();
  for (const Model* model : {&f.single, &f.exact})
    expect_error(ErrorKind::kInput, "2 values are NaN or infinite, the first at row 900, column 3",
                 [&] { Encoder(*model, mode("sparse", 2)).encode(samples.view(), codes.view()); });
  Matrix<double> narrow(3, kFeatures - 1), few(2, kAtoms);
  expect_error(ErrorKind::kInput, "15 features", [&] { Encoder(f.exact).encode(narrow.view(), codes.view()); });
  expect_error(ErrorKind::kInput, "codes: 2 x 24",
               [&] { Encoder(f.exact).encode(f.planted.samples.view(), few.view()); });
  Matrix<double> huge(1, kFeatures), one(1, kAtoms);
  huge(0, 0) = 1e300;
  expect_error(ErrorKind::kNumerical, "float32", [&] { Encoder(f.single).encode(huge.view(), one.view()); });
}

TEST(Encoder, AModelWithoutFittedEncodersSaysWhatToUse) {
  ModelParts parts = fixture().exact.parts();
  parts.encoders = {};
  const Model bare(parts);
  for (const char* name : {"sparse", "corrected", "refine:2"})
    expect_error(ErrorKind::kInput, "use mode linear or exact", [&] { const Encoder encoder(bare, mode(name)); });
  EXPECT_GT(nonzeros(encode(bare, mode("exact"), fixture().planted.samples)), 0);
}

TEST(Modes, TheTableIsWhatParsingTakes) {
  std::size_t n_modes = 0;
  for (const ModeInfo& info : mode_table()) {
    const bool has_number = !info.number.empty();
    const std::string text = std::string(info.name) + (has_number ? ":" + std::to_string(info.usual_number) : "");
    const ModeChoice choice = parse_mode(text);
    EXPECT_EQ(choice.info, &info) << text;
    EXPECT_EQ(choice.number, info.usual_number) << text;
    EXPECT_EQ(has_number, info.usual_number > 0) << text;
    EXPECT_FALSE(info.help.empty() || info.cost.empty()) << text;
    EXPECT_NE(mode_forms().find(mode_form(info)), std::string::npos);
    ++n_modes;
  }
  EXPECT_GE(n_modes, 5u);
  for (const char* name : {"", "Sparse", "refine", "refine:", "refine:0", "refine:-1", "refine:2x", "sparse:2", "omq"})
    expect_error(ErrorKind::kUsage, "mode " + std::string(name), [&] { parse_mode(name); });
}

// Every mode of the table that a model has, one line each: what is true of all of them.
void expect_alike(const Model& model, const ModeInfo& info) {
  const Fixture& f = fixture();
  EncodeOptions options;
  options.mode = std::string(info.name) + (info.number.empty() ? "" : ":" + std::to_string(info.usual_number));
  options.n_threads = 2;
  for (const std::optional<bool> debias : {std::optional<bool>(), std::optional(false), std::optional(true)}) {
    options.debias = debias;
    const Encoder encoder(model, options);
    EXPECT_EQ(encoder.mode(), options.mode);
    Matrix<double> codes(kSamples, kAtoms), decoded(kSamples, kFeatures), again(kSamples, kFeatures);
    encoder.encode(f.planted.samples.view(), codes.view());
    if (info.sparse)
      EXPECT_LT(nonzeros(codes), 0.8 * kAtoms);
    else
      EXPECT_GT(nonzeros(codes), 0.5 * kAtoms);
    encoder.decode(codes.view(), decoded.view());
    Decoder(model, options.mode, decode_with(options.mode, debias)).decode(codes.view(), again.view());
    EXPECT_EQ(decoded, again);
    std::vector<double> errors(kSamples), absolute(kSamples);
    encoder.score(f.planted.samples.view(), errors);
    encoder.score(f.planted.samples.view(), absolute, false);
    for (std::size_t i = 0; i < kSamples; ++i) {
      double squared = 0;
      for (std::size_t j = 0; j < kFeatures; ++j) squared += std::pow(f.planted.samples(i, j) - decoded(i, j), 2);
      ASSERT_NEAR(absolute[i], std::sqrt(squared), 1e-9);
      ASSERT_NEAR(errors[i] * norm(f.planted.samples.row(i), kFeatures), absolute[i], 1e-9);
    }
  }
}

TEST(Modes, EachEncodesDecodesAndScoresAlike) {
  for (const ModeInfo& info : mode_table()) {
    SCOPED_TRACE(info.name);
    if (info.name != "hard" && info.name != "topk") expect_alike(fixture().exact, info);
    if (!info.takes_tau) expect_alike(fixture().l0, info);
  }
}

TEST(Modes, TheDefaultIsThatOfThePenaltyAndItsCodesComeBackByDefault) {
  const Fixture& f = fixture();
  for (const Model* model : {&f.exact, &f.l0}) {
    const std::string name(default_mode(*model));
    EXPECT_EQ(name, model == &f.l0 ? "greedy" : "sparse");
    const Encoder encoder(*model);
    EXPECT_EQ(encoder.mode(), name);
    Matrix<double> codes(kSamples, kAtoms), decoded(kSamples, kFeatures), again(kSamples, kFeatures);
    encoder.encode(f.planted.samples.view(), codes.view());
    EncodeOptions options = mode(name.c_str());
    options.debias = model == &f.exact;
    EXPECT_EQ(codes, encode(*model, options, f.planted.samples));
    encoder.decode(codes.view(), decoded.view());
    Decoder(*model).decode(codes.view(), again.view());
    EXPECT_EQ(decoded, again);
    std::vector<double> errors(kSamples);
    encoder.score(f.planted.samples.view(), errors);
    for (std::size_t i = 0; i < kSamples; ++i)  // of no sample more than its norm is left
      if (model == &f.exact && count_nonzeros(codes.row(i), kAtoms) <= kFeatures) {
        EXPECT_LE(errors[i], 1 + 1e-9);
      }
  }
}

TEST(Decode, UndoesThePreprocessingAndChecksShapes) {
  const Fixture& f = fixture();
  ModelParts parts = f.exact.parts();
  parts.transform = Transform({.scale = 4.0}, {});
  const Model scaled(parts);
  Matrix<double> raw = f.planted.samples;
  for (std::size_t i = 0; i < raw.size(); ++i) raw.data()[i] *= 4;
  const Matrix<double> codes = encode(scaled, mode("corrected"), raw);
  EXPECT_EQ(codes, encode(f.exact, mode("corrected"), f.planted.samples));
  Matrix<double> decoded(kSamples, kFeatures), plain_decoded(kSamples, kFeatures);
  Decoder(scaled, "corrected", DecodeWith::kModeDecoder).decode(codes.view(), decoded.view());
  Decoder(f.exact, "corrected", DecodeWith::kModeDecoder).decode(codes.view(), plain_decoded.view());
  for (std::size_t i = 0; i < decoded.size(); ++i) ASSERT_DOUBLE_EQ(decoded.data()[i], 4 * plain_decoded.data()[i]);
  EXPECT_LT(relative_change(decoded, raw), 0.5);
  Matrix<double> wrong(2, 3);
  expect_error(ErrorKind::kInput, "3 numbers a code", [&] { Decoder(scaled).decode(wrong.view(), decoded.view()); });
}

// Samples so large that codes, or what is made on the way to them, leave float32: each looks like a filter, whose sum
// of products is then as large as it can be.
TEST(Encoder, CodesOfHugeSamplesAreFiniteOrRefused) {
  const Matrix<double> dual = fixture().single.dual();
  for (const char* name : kModes) {
    for (const float size : {1e15F, 1e18F, 1e20F, 1e30F, 1e36F, 1e38F, 3.4e38F}) {
      Matrix<float> huge(kAtoms, kFeatures);
      for (std::size_t i = 0; i < huge.size(); ++i) huge.data()[i] = dual.data()[i] < 0 ? -size : size;
      bool refused = false;
      try {
        const Matrix<float> codes = encode(fixture().single, mode(name), huge);
        for (std::size_t i = 0; i < codes.size(); ++i)
          ASSERT_TRUE(std::isfinite(codes.data()[i])) << name << ", size " << size;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kNumerical) << name << ": " << error.what();
        refused = true;
      }
      EXPECT_FALSE(refused && size < 1e17F) << name << ", size " << size;
      EXPECT_FALSE(!refused && size > 2e38F && std::string(name) == "linear");
    }
  }
}

}  // namespace
}  // namespace dualdict
