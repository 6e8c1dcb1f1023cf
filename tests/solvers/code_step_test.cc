// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/code_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reference/tolerance.h"
#include "solvers/code_case.h"

namespace dualdict {
namespace {

template <class T>
CodeOptions exact(CodeMethod method) {
  return {.method = method, .tolerance = Tolerance<T>::kKkt, .max_sweeps = 200000};
}

// The weights that are worth trying, on a problem with more atoms than features.
std::vector<CodeCase> variants() {
  std::vector<CodeCase> all;
  for (const double eta : {0.0, 1.0}) {
    for (const double mu : {0.0, 0.5}) {
      for (const bool positive : {false, true}) {
        for (const double tau_factor : {1.0, 0.1}) {
          CodeCase one(40, 12, 20, 17);
          one.objective.eta = eta;
          one.objective.mu = mu;
          one.objective.positive_codes = positive;
          one.objective.tau *= tau_factor;
          all.push_back(std::move(one));
        }
      }
    }
  }
  return all;
}

std::string describe(const CodeCase& one, CodeMethod method) {
  const Objective& o = one.objective;
  return "eta " + std::to_string(o.eta) + ", mu " + std::to_string(o.mu) + ", tau " + std::to_string(o.tau) +
         (o.positive_codes ? ", positive" : "") + (method == CodeMethod::kFista ? ", fista" : ", descent");
}

template <class T>
class CodeStep : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(CodeStep, Scalars);

TYPED_TEST(CodeStep, SatisfiesTheOptimalityConditions) {
  for (const CodeCase& one : variants()) {
    for (const CodeMethod method : kMethods) {
      CodeReport report;
      const Matrix<double> u = one.codes<TypeParam>(report, exact<TypeParam>(method));
      EXPECT_LE(report.max_kkt, Tolerance<TypeParam>::kKkt) << describe(one, method);
      EXPECT_LE(one.worst_kkt(u), 2 * Tolerance<TypeParam>::kKkt) << describe(one, method);
      double nonzeros = 0;
      double sum_abs = 0;
      for (std::size_t i = 0; i < u.size(); ++i) {
        nonzeros += u.data()[i] != 0 ? 1 : 0;
        sum_abs += std::abs(u.data()[i]);
        if (one.objective.positive_codes) {
          ASSERT_GE(u.data()[i], 0);
        }
      }
      EXPECT_EQ(static_cast<double>(report.nonzeros), nonzeros);
      EXPECT_NEAR(report.sum_abs, sum_abs, 10 * Tolerance<TypeParam>::kEpsilon * sum_abs);
      EXPECT_GT(nonzeros, 0);
    }
  }
}

TYPED_TEST(CodeStep, ItsGapBoundsTheNaiveGap) {
  for (const CodeCase& one : variants()) {
    for (const CodeMethod method : kMethods) {
      CodeReport report;
      const Matrix<double> u = one.codes<TypeParam>(report, {.method = method, .tolerance = 1e-2, .max_sweeps = 1000});
      double gap = 0;
      for (std::size_t i = 0; i < u.rows(); ++i)
        gap += naive_gap(one.objective, one.dictionary, one.dual, one.samples.row(i), u.row(i));
      const double rounding = 100 * Tolerance<TypeParam>::kEpsilon * one.energy(u);
      EXPECT_GE(report.gap, gap - rounding) << describe(one, method);
      EXPECT_LE(report.gap, 20 * gap + rounding) << describe(one, method);
    }
  }
}

// Also of codes that are far from done: a residual that is reported too small would let the stopping rule fire.
TYPED_TEST(CodeStep, ItsKktResidualIsTheNaiveOne) {
  for (const CodeCase& one : variants()) {
    for (const CodeMethod method : kMethods) {
      CodeReport report;
      const std::size_t sweeps = method == CodeMethod::kDescent ? 0 : 2;
      const Matrix<double> u =
          one.codes<TypeParam>(report, {.method = method, .tolerance = 1e-2, .max_sweeps = sweeps});
      const double expected = one.worst_kkt(u);
      EXPECT_GT(expected, 1e-2) << describe(one, method);
      EXPECT_NEAR(report.max_kkt, expected, Tolerance<TypeParam>::kKkt * expected) << describe(one, method);
    }
  }
}

TYPED_TEST(CodeStep, BothMethodsAgreeToTheCertificate) {
  for (const CodeCase& one : variants()) {
    CodeReport descent, fista;
    const Matrix<double> a = one.codes<TypeParam>(descent, exact<TypeParam>(CodeMethod::kDescent));
    const Matrix<double> b = one.codes<TypeParam>(fista, exact<TypeParam>(CodeMethod::kFista));
    const double ea = one.energy(a);
    const double eb = one.energy(b);
    const double rounding = Tolerance<TypeParam>::kEpsilon * ea;
    EXPECT_LE(ea, eb + descent.gap + rounding) << describe(one, CodeMethod::kDescent);
    EXPECT_LE(eb, ea + fista.gap + rounding) << describe(one, CodeMethod::kFista);
    if (one.objective.ridge() == 0) continue;  // only then the code is certainly unique
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a.data()[i], b.data()[i], 10 * Tolerance<TypeParam>::kCode) << describe(one, CodeMethod::kFista);
  }
}

TYPED_TEST(CodeStep, AnOptimalCodeIsAFixedPoint) {
  using T = TypeParam;
  for (const CodeCase& one : variants()) {
    for (const CodeMethod method : kMethods) {
      Matrix<T> u(one.samples.rows(), one.objective.n_atoms);
      one.solve(u, exact<T>(method));
      const Matrix<T> before = u;
      one.solve(u, exact<T>(method));
      const double energy = one.energy(convert<double>(before));
      EXPECT_NEAR(one.energy(convert<double>(u)), energy, 5 * Tolerance<T>::kRise * energy) << describe(one, method);
      if (one.objective.ridge() == 0) continue;  // only then the code is certainly unique
      for (std::size_t i = 0; i < u.size(); ++i)
        ASSERT_NEAR(static_cast<double>(u.data()[i]), static_cast<double>(before.data()[i]), Tolerance<T>::kCode)
            << describe(one, method);
    }
  }
}

// From any start and after any number of sweeps, code by code.
TYPED_TEST(CodeStep, NeverRaisesTheObjective) {
  using T = TypeParam;
  for (const CodeCase& one : variants()) {
    for (const CodeMethod method : kMethods) {
      for (const double scale : {0.0, 1e-3, 1.0, 30.0}) {
        Matrix<T> u = random_matrix<T>(one.samples.rows(), one.objective.n_atoms, 5);
        for (std::size_t i = 0; i < u.size(); ++i) {
          u.data()[i] *= static_cast<T>(scale);
          if (one.objective.positive_codes) u.data()[i] = std::abs(u.data()[i]);
        }
        for (int round = 0; round < 6; ++round) {
          const Matrix<double> before = convert<double>(u);
          one.solve(u, {.method = method, .tolerance = 0, .max_sweeps = 1});
          const Matrix<double> after = convert<double>(u);
          for (std::size_t i = 0; i < u.rows(); ++i) {
            const double e0 =
                naive_sample_energy(one.objective, one.dictionary, one.dual, one.samples.row(i), before.row(i)).total();
            const double e1 =
                naive_sample_energy(one.objective, one.dictionary, one.dual, one.samples.row(i), after.row(i)).total();
            ASSERT_LE(e1, e0 * (1 + 5 * Tolerance<T>::kRise)) << describe(one, method) << ", start " << scale;
          }
        }
      }
    }
  }
}

TYPED_TEST(CodeStep, TheCodeOfARowDependsOnThatRowAlone) {
  using T = TypeParam;
  for (const double tau : {0.2, 0.0}) {
    CodeCase one(50, 12, 20, 23);
    one.objective.tau = tau;
    one.samples(7, 3) *= 1000;  // one row that takes longer than the others
    for (const CodeMethod method : kMethods) {
      const CodeOptions options{.method = method, .tolerance = 1e-3, .max_sweeps = 500};
      Matrix<T> together(50, 20);
      one.solve(together, options);
      for (std::size_t i = 0; i < 50; ++i) {
        CodeCase alone = one;
        alone.samples = convert<double>(one.samples.view().row_range(i, 1));
        Matrix<T> u(1, 20);
        alone.solve(u, options);
        for (std::size_t j = 0; j < 20; ++j)
          ASSERT_EQ(u(0, j), together(i, j)) << describe(one, method) << ", row " << i;
      }
    }
  }
}

TYPED_TEST(CodeStep, WithoutSparsityTheCodeIsTheRidgeSolution) {
  using T = TypeParam;
  for (const double eta : {0.0, 1.0}) {
    for (const std::size_t k : {6u, 12u, 20u}) {
      CodeCase one(30, 12, k, 29);
      one.objective.tau = 0;
      one.objective.eta = eta;
      CodeReport report;
      const Matrix<double> u = one.codes<T>(report, {});
      EXPECT_LE(one.worst_kkt(u), Tolerance<T>::kKkt) << "K = " << k << ", eta = " << eta;
      EXPECT_EQ(report.sweeps, 0u);
      // The certificate bounds what is left.
      EXPECT_LE(report.gap, 1e3 * Tolerance<T>::kEpsilon * one.energy(Matrix<double>(30, k)));
    }
  }
}

// Two atoms that are nearly one: their difference has curvature near 1e-9, less than float knows of H.
TYPED_TEST(CodeStep, WithoutSparsityNearlyEqualAtomsDoNoHarm) {
  using T = TypeParam;
  CodeCase one(30, 12, 8, 31);
  one.objective.tau = 0;
  one.objective.eta = 0;
  for (std::size_t f = 0; f < 12; ++f)
    one.dictionary(1, f) = one.dictionary(0, f) + 1e-4 * one.dictionary(2, f) * static_cast<double>(f % 3);
  CodeReport report;
  const Matrix<double> u = one.codes<T>(report, {});
  const double best = one.energy(naive_codes(one.objective, one.dictionary, one.dual, one.samples, 1e-13, 2000));
  EXPECT_LE(one.energy(u), best * (1 + 1e-3));
}

}  // namespace
}  // namespace dualdict
