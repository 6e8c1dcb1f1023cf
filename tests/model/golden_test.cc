// SPDX-License-Identifier: BSD-3-Clause
// Model files of earlier versions, as they were written then, still load.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "dualdict/encode.h"
#include "dualdict/model.h"

namespace dualdict {
namespace {

TEST(Golden, ModelsOfEarlierVersionsLoadAndEncode) {
  std::size_t n_models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DUALDICT_GOLDEN)) {
    const std::string path = entry.path().string();
    const Model model = Model::load(path);
    EXPECT_GT(model.n_atoms(), 0u) << path;
    EXPECT_EQ(model.parts().provenance.summary.outcome, Outcome::kConverged) << path;
    Matrix<float> samples(2, model.n_features());
    samples(0, 0) = 1;
    Matrix<float> codes(2, model.n_atoms());
    Encoder(model, {}).encode(samples.view(), codes.view());
    for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_TRUE(std::isfinite(codes.data()[i])) << path;
    ++n_models;
  }
  EXPECT_GE(n_models, 1u);
}

// This one was written before the option --max-memory was there.
TEST(Golden, AnOptionThatDidNotExistHasItsDefault) {
  const Model model = Model::load(DUALDICT_GOLDEN "/model_schema_1.safetensors");
  EXPECT_EQ(model.parts().provenance.summary.given.n_atoms, 4u);
  EXPECT_EQ(model.parts().provenance.summary.given.max_memory, LearnOptions{}.max_memory);
}

}  // namespace
}  // namespace dualdict
