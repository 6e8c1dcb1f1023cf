// SPDX-License-Identifier: BSD-3-Clause
// Berkeley patches: 10,000 of 12 x 12, K = 200, eta = 1. Needs DUALDICT_DATA, a folder that holds bsds/train.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "dualdict/encode.h"
#include "dualdict/learn.h"
#include "linalg/vectors.h"
#include "reference/naive_objective.h"

namespace dualdict {
namespace {

class RealData : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("DUALDICT_DATA");
    if (folder == nullptr || *folder == '\0')
      GTEST_SKIP() << "DUALDICT_DATA is not set: the tests on Berkeley patches did not run";
    folder_ = std::string(folder) + "/bsds/train";
  }

  std::unique_ptr<DataSource> patches(std::size_t n, std::uint64_t seed) const {
    DataOptions options;
    options.patches = PatchOptions{.height = 12, .width = 12, .n_samples = n, .seed = seed};
    return open_data({folder_}, options);
  }

  static LearnContext paper_context() {
    LearnContext context;
    context.preprocess.scale = 125;
    context.preprocess.center_samples = true;
    return context;
  }
  static LearnOptions paper_options(double tau) {
    LearnOptions options;
    options.n_atoms = 200;
    options.tau = tau;
    options.eta = 1;
    return options;
  }

  // E, the certificate and the constraints hold on real data too.
  static void expect_sound(const LearnSummary& summary, const Model& model) {
    EXPECT_LE(summary.max_kkt_residual, 1e-3);
    EXPECT_LE(summary.duality_gap, 1e-4);
    double previous = INFINITY;
    for (const IterationRecord& record : summary.iterations) {
      EXPECT_LE(record.energy_after_codes, previous * (1 + 1e-6)) << record.iteration;
      if (record.replaced_atoms == 0) {
        EXPECT_LE(record.energy_after_dictionary, record.energy_after_codes * (1 + 1e-6)) << record.iteration;
      }
      EXPECT_LE(record.energy.total(), record.energy_after_dictionary * (1 + 1e-6)) << record.iteration;
      previous = record.energy.total();
    }
    for (std::size_t i = 0; i < model.n_atoms(); ++i) {
      EXPECT_LE(norm(model.dictionary().row(i), model.n_features()), 1 + 1e-6);
      EXPECT_LE(norm(model.dual().row(i), model.n_features()), 1 + 1e-6);
    }
  }

  void expect_nonzeros(double tau, double expected, std::size_t max_iterations) const {
    LearnOptions options = paper_options(tau);
    options.max_iterations = max_iterations;
    const LearnResult result = learn(*patches(10000, 0), options, paper_context());
    EXPECT_NEAR(result.summary.nonzeros_per_code, expected, 0.1 * expected) << result.summary.message;
    // And it has come to rest: no more than 2 % over the last quarter of the iterations.
    const auto& iterations = result.summary.iterations;
    EXPECT_NEAR(iterations[iterations.size() * 3 / 4].nonzeros_per_code, result.summary.nonzeros_per_code,
                0.02 * expected);
    expect_sound(result.summary, result.model);
  }

  std::string folder_;
};

TEST_F(RealData, NonzerosAtTauOne) {
  expect_nonzeros(1, 5.9, 60);
}
TEST_F(RealData, NonzerosAtTauOneTenth) {
  expect_nonzeros(0.1, 65, 60);
}
TEST_F(RealData, NonzerosAtTauOneFiftieth) {
  expect_nonzeros(0.02, 141, 60);
}

}  // namespace
}  // namespace dualdict
