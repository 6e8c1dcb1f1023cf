// SPDX-License-Identifier: BSD-3-Clause
// P13, P14, P15, P17, P27.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "dualdict/verify.h"
#include "learn/fit_case.h"
#include "trust/long_forms.h"

namespace dualdict {
namespace {

Matrix<double> scaled(const Matrix<double>& x, double factor) {
  Matrix<double> y = x;
  for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] *= factor;
  return y;
}

// Twenty ways of learning that take different paths.
LearnOptions configuration(std::size_t i) {
  LearnOptions options =
      small_options(12 + i % 5, 0.1 + 0.05 * static_cast<double>(i % 3), i % 2 == 0 ? Solver::kFast : Solver::kFista,
                    i / 2 % 2 == 0 ? DType::kFloat32 : DType::kFloat64);
  options.eta = i % 3 == 0 ? 0.0 : 1.0;
  options.positive_codes = i % 5 == 4;
  options.positive_dictionary = i % 7 == 6;
  options.max_iterations = 6;
  options.seed = i;
  options.n_threads = 1;
  return options;
}

bool same_tensors(const Model& a, const Model& b) {
  const auto same = [](const FittedEncoder& one, const FittedEncoder& other) {
    return one.mode == other.mode && one.weights == other.weights && one.gain == other.gain;
  };
  return a.dictionary() == b.dictionary() && a.dual() == b.dual() &&
         std::equal(a.parts().encoders.begin(), a.parts().encoders.end(), b.parts().encoders.begin(),
                    b.parts().encoders.end(), same);
}

}  // namespace

void scaling_by_powers_of_two(Tally& tally) {
  const Matrix<double> samples = planted_samples(500, 12, 16, 3);
  for (std::size_t i = 0; i < 20; ++i) {
    const LearnOptions options = configuration(i);
    const LearnResult one = fit(samples, options);
    for (const int k : {-20, -3, 1, 7, 20}) {
      if (!tally.next()) continue;
      LearnOptions other = options;
      other.tau = std::ldexp(*options.tau, k);
      const LearnResult result = fit(scaled(samples, std::ldexp(1.0, k)), other);
      tally.add(result.model.dictionary() == one.model.dictionary() && result.model.dual() == one.model.dual(),
                "scale 2^" + std::to_string(k) + ", " + describe(options));
    }
  }
}

void every_magnitude(Tally& tally) {
  const Matrix<double> samples = planted_samples(200, 8, 10, 3);
  const int rounding = std::fegetround();
  const double smallest = 4.9406564584124654e-324;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64})
    for (const Solver solver : {Solver::kFast, Solver::kFista})
      for (int e = -30; e <= 30; ++e) {
        if (!tally.next()) continue;
        const double factor = std::pow(10.0, e);
        LearnOptions options = small_options(10, 0.1 * factor, solver, dtype);
        options.max_iterations = 5;
        const std::string where = "1e" + std::to_string(e) + ", " + describe(options);
        try {
          const LearnResult result = fit(scaled(samples, factor), options);
          const double nonzeros = result.summary.nonzeros_per_code;
          tally.add(all_finite(result.model.dictionary()) && nonzeros > 0 && nonzeros < 10, where);
        } catch (const Error& error) {
          tally.add(error.kind() == ErrorKind::kInput, where + ": " + error.what());
        }
      }
  volatile double tiny = smallest;
  tally.add(std::fegetround() == rounding && tiny * 1.0 != 0, "the mode of the floating-point unit was changed");
}

void ill_conditioned(Tally& tally) {
  for (std::size_t i = 0; i < 100; ++i) {
    if (!tally.next()) continue;
    // Singular values from 1 to 1e-12 along random directions, and atoms that begin as near copies of each other.
    Matrix<double> samples = random_samples(120, 8, i + 1);
    for (std::size_t row = 0; row < samples.rows(); ++row)
      for (std::size_t f = 0; f < 8; ++f) samples(row, f) *= std::pow(10.0, -12.0 * static_cast<double>(f) / 7.0);
    LearnOptions options = small_options(10, i % 3 == 0 ? 1e-4 : 0.02, i % 2 == 0 ? Solver::kFast : Solver::kFista,
                                         i / 2 % 2 == 0 ? DType::kFloat32 : DType::kFloat64);
    options.eta = i % 5 == 0 ? 0.0 : 1.0;
    options.max_iterations = 60;
    options.n_threads = 1;
    options.initial_dictionary = Matrix<double>(10, 8);
    for (std::size_t a = 0; a < 10; ++a)
      for (std::size_t f = 0; f < 8; ++f)
        options.initial_dictionary(a, f) = (f == a / 2 ? 0.9 : 0.0) + (a % 2 == 0 ? 0.0 : 1e-9);
    const LearnResult result = fit(samples, options);
    const Verification check = verify(result.model, *make_source(samples.view()), 1);
    // Relative to the E that is said, as the gap is.
    const double said = result.summary.energy.total();
    const double excess = (said - check.energy.total()) / said;
    const double slack = options.dtype == DType::kFloat32 ? 1e-5 : 1e-8;
    // The certificate covers the true distance, and "converged" is never said of codes that are not.
    const bool honest = excess <= result.summary.duality_gap + slack;
    const bool true_end = result.summary.outcome != Outcome::kConverged || excess <= 1e-4;
    tally.add(honest && true_end && all_finite(result.model.dictionary()),
              "problem " + std::to_string(i) + ", " + describe(options) + ", excess " + std::to_string(excess) +
                  ", gap " + std::to_string(result.summary.duality_gap));
  }
}

void every_thread_count(Tally& tally) {
  const Matrix<double> samples = planted_samples(900, 12, 16, 3);
  for (std::size_t i = 0; i < 20; ++i) {
    LearnOptions options = configuration(i);
    const LearnResult one = fit(samples, options);
    for (const std::size_t n_threads : {1U, 2U, 3U, 4U, 7U, 16U})
      for (int repeat = 0; repeat < 5; ++repeat) {
        if (!tally.next()) continue;
        options.n_threads = n_threads;
        const LearnResult other = fit(samples, options);
        tally.add(same_tensors(one.model, other.model) && one.summary.energy.total() == other.summary.energy.total(),
                  std::to_string(n_threads) + " threads, " + describe(options));
      }
  }
}

void many_encoding_threads(Tally& tally) {
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kEncodes = 10000;
  const Matrix<float> samples = convert<float>(planted_samples(64, 12, 16, 3));
  LearnOptions learning = small_options(16, 0.1);
  learning.max_iterations = 5;
  const Model model = fit(convert<double>(samples), learning).model;
  for (const char* mode : {"sparse", "exact"}) {
    EncodeOptions options;
    options.mode = mode;
    options.n_threads = 1;
    const Encoder encoder(model, options);
    Matrix<float> serial(samples.rows(), model.n_atoms());
    encoder.encode(samples.view(), serial.view());
    std::vector<std::size_t> wrong(kThreads);
    std::vector<std::thread> threads;
    std::size_t n_encodes = 0;
    for (std::size_t i = 0; i < kEncodes; ++i) n_encodes += tally.next() ? 1U : 0U;
    for (std::size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        Matrix<float> code(1, model.n_atoms());
        for (std::size_t i = 0; i < n_encodes; ++i) {
          const std::size_t row = (i * 7 + t) % samples.rows();
          encoder.encode(samples.view().row_range(row, 1), code.view());
          if (std::memcmp(code.data(), serial.row(row), code.size() * sizeof(float)) != 0) ++wrong[t];
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t t = 0; t < kThreads; ++t)
      for (std::size_t i = 0; i < n_encodes; ++i)
        tally.add(i >= wrong[t], std::string(mode) + ": thread " + std::to_string(t) + " got other bits");
  }
}

}  // namespace dualdict
