// SPDX-License-Identifier: BSD-3-Clause
// A few samples of the data, coded: what the page counts and shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict {

// A sample that uses an atom, and how much.
struct AtomUser {
  std::size_t picture = 0;  // row of CodedSample::pictures
  double weight = 0;
};

// Some of the samples that use an atom, strongest first.
struct AtomUses {
  std::vector<std::size_t> samples;  // of the coded ones
  std::vector<double> weights;
};

struct CodedSample {
  std::size_t n_coded = 0;
  std::vector<std::size_t> rows;  // of the coded samples in the data
  double smallest = 0;            // over the values as read
  double largest = 0;
  std::vector<std::size_t> usage;             // coded samples that use each atom, exact codes
  std::vector<std::size_t> exact_histogram;   // [n]: samples whose exact code has n nonzeros
  std::vector<std::size_t> sparse_histogram;  // the same of the `sparse` codes; empty when the model has none
  // Samples as read, and their exact codes, to be looked at one by one.
  std::vector<std::size_t> gallery_rows;  // in the data
  Matrix<float> gallery;
  Matrix<float> gallery_codes;
  // For each atom, the samples with its largest weights; each drawn once, as bytes: 128 + 127 x / max |x|, x
  // preprocessed.
  std::vector<std::vector<AtomUser>> users;
  std::vector<std::size_t> picture_samples;  // of the coded ones
  std::vector<AtomUses> uses;                // of each atom; all of them where they are not too many for a page
  Matrix<std::uint8_t> pictures;
};

// Up to 2000 samples, evenly spread. Throws Error(kInput) when they do not fit the model.
CodedSample code_sample(const Model& model, const DataSource& data, std::size_t n_threads);

}  // namespace dualdict
