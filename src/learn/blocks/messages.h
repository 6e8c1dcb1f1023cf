// SPDX-License-Identifier: BSD-3-Clause
// What a fit and the holders of its blocks send each other, and its form as bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dualdict/matrix.h"
#include "learn/fit/step.h"
#include "learn/saved/run_options.h"

namespace dualdict {

// What is asked of a block.
enum class Ask {
  kMeans,   // the sums of its features
  kSurvey,  // sums that no pass changes, and some rows
  kCodes,   // codes for the D and C at hand, and their sums
};

struct BlockRequest {
  Ask ask = Ask::kSurvey;
  RunOptions run;
  std::vector<double> feature_means;
  std::vector<std::size_t> blocks;
  StepPlan plan;            // visit and accuracy of the codes
  std::size_t n_worst = 0;  // the worst reconstructed samples are sent along, at most so many
  double tau = 0;
  Matrix<double> dictionary, dual;
  std::string mark;  // set in bytes: what an answer repeats
};

// Rows with a key: those with the smallest keys are kept.
struct ChosenRows {
  std::size_t limit = 0;
  Matrix<double> rows;
  Matrix<double> places;  // key, block, row in the block; rising in this order
};

struct Statistics {
  std::string mark;               // of the request
  std::vector<double> sums;       // as the request wants them
  Matrix<double> blocks;          // index and number of samples of each
  std::size_t n_features = 0;     // of the samples
  DType dtype = DType::kFloat64;  // of the chosen rows in bytes
  ChosenRows chosen;
};

std::string to_bytes(const BlockRequest& request);
BlockRequest read_request(std::string_view bytes);
std::string to_bytes(const Statistics& sums);
Statistics read_sums(std::string_view bytes);

// Keeps the rows with the smallest keys, in the order of their places.
void keep_smallest(ChosenRows& chosen);
// Throws Error(kInput) when they do not answer the same request or share a block.
Statistics add(const Statistics& a, const Statistics& b);

}  // namespace dualdict
