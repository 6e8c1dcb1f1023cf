// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/model.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "dualdict/error.h"
#include "model/example_model.h"

namespace dualdict {
namespace {

TEST(Model, RefusesPartsThatDoNotFitByName) {
  struct Case {
    std::string named;
    std::function<void(ModelParts&)> damage;
  };
  const std::vector<Case> cases = {
      {"dictionary", [](ModelParts& p) { p.dictionary = {}; }},
      {"dual", [](ModelParts& p) { p.dual = Matrix<double>(4, 5); }},
      {"dual", [](ModelParts& p) { p.dual(1, 2) = std::numeric_limits<double>::quiet_NaN(); }},
      {"dictionary", [](ModelParts& p) { p.dictionary(0, 0) = 1e300; }},  // infinite as float32
      {"usage", [](ModelParts& p) { p.provenance.usage.pop_back(); }},
      {"encoder.sparse.weights", [](ModelParts& p) { encoder_of(p, "sparse").weights = Matrix<double>(3, 6); }},
      {"encoder.sparse.weights", [](ModelParts& p) { encoder_of(p, "sparse").weights = {}; }},
      {"encoder.sparse.feedback", [](ModelParts& p) { encoder_of(p, "sparse").feedback = Matrix<double>(4, 4); }},
      {"encoder.sparse.gain", [](ModelParts& p) { encoder_of(p, "sparse").gain.pop_back(); }},
      {"encoder.corrected.feedback", [](ModelParts& p) { encoder_of(p, "corrected").feedback = {}; }},
      {"encoder.corrected.threshold",
       [](ModelParts& p) { encoder_of(p, "corrected").threshold[3] = std::numeric_limits<double>::infinity(); }},
      {"encoder.corrected.quantiles",
       [](ModelParts& p) { encoder_of(p, "corrected").quantiles = Matrix<double>(3, 5); }},
      {"encoder.hard.bias", [](ModelParts& p) { encoder_of(p, "hard").bias.pop_back(); }},
      {"encoder.hard.levels", [](ModelParts& p) { encoder_of(p, "hard").levels = Matrix<double>(3, 3); }},
      {"encoder.greedy.levels", [](ModelParts& p) { encoder_of(p, "greedy").levels(2, 0) = 0.5; }},
      {"encoder.greedy.levels", [](ModelParts& p) { encoder_of(p, "greedy").levels(0, 1) = -1; }},
      {"offset", [](ModelParts& p) { p.offset.pop_back(); }},
      {"encoder.corrected.decoder", [](ModelParts& p) { encoder_of(p, "corrected").decoder = Matrix<double>(6, 4); }},
      {"encoder.sparse", [](ModelParts& p) { p.encoders[1].mode = "sparse"; }},
      {"encoder.linear", [](ModelParts& p) { p.encoders[1].mode = "linear"; }},
      {"feature_means",
       [](ModelParts& p) {
         p.transform = Transform({.center_features = true}, {1.0, 2.0});
       }},
      {"sample shape", [](ModelParts& p) { p.shape = {.height = 6, .width = 6}; }},
      {"sample shape", [](ModelParts& p) { p.shape.channels = 3; }},
      {"sample shape", [](ModelParts& p) { p.shape = {.height = 0, .width = 0, .channels = 3}; }},
      {"tau", [](ModelParts& p) { p.tau = -1; }},
      {"mean_norm", [](ModelParts& p) { p.mean_norm = std::numeric_limits<double>::infinity(); }},
  };
  for (const Case& one : cases) {
    ModelParts parts = example_parts();
    one.damage(parts);
    try {
      const Model model(parts);
      ADD_FAILURE() << one.named << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      EXPECT_NE(std::string(error.what()).find(one.named), std::string::npos) << error.what();
    }
  }
}

TEST(Model, TakesEncodersAndUsageAsOptional) {
  ModelParts parts = example_parts();
  parts.encoders = {};
  parts.provenance.usage.clear();
  EXPECT_NO_THROW(Model{parts});
}

TEST(Model, HoldsNumbersOfItsPrecision) {
  const Model narrow(example_parts(DType::kFloat32));
  const Model wide(example_parts(DType::kFloat64));
  EXPECT_EQ(narrow.dictionary()(0, 0), static_cast<double>(static_cast<float>(wide.dictionary()(0, 0))));
  EXPECT_NE(narrow.dictionary(), wide.dictionary());
  EXPECT_EQ(wide.dictionary(), example_parts().dictionary);
  EXPECT_EQ(narrow.parts().transform.feature_means(), wide.parts().transform.feature_means());
}

}  // namespace
}  // namespace dualdict
