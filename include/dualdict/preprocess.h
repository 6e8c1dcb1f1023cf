// SPDX-License-Identifier: BSD-3-Clause
// Preprocessing that is part of the model: encoding applies it, decoding undoes what the codes do not lose.
#pragma once

#include <cstddef>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/matrix.h"

namespace dualdict {

// Applied in this order. Default: nothing.
struct PreprocessOptions {
  double scale = 1.0;            // divide every value by this (> 0): 255 for bytes, 125 in the paper's patches
  bool center_features = false;  // subtract the mean of the training samples
  bool center_samples = false;   // subtract from each sample the mean of its features
  bool unit_norm = false;        // divide each sample by its Euclidean norm (a zero sample stays zero)
  bool operator==(const PreprocessOptions&) const = default;

  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("scale", self.scale);
    visit("center_features", self.center_features);
    visit("center_samples", self.center_samples);
    visit("unit_norm", self.unit_norm);
  }
};

// A fitted transform. Immutable; apply and invert may run on many threads.
class DUALDICT_API Transform {
 public:
  Transform() = default;
  // With feature means already known (empty unless options.center_features).
  Transform(const PreprocessOptions& options, std::vector<double> feature_means);
  // Means measured on all samples of the source, in double, in block order.
  static Transform fit(const PreprocessOptions& options, const DataSource& data);

  const PreprocessOptions& options() const { return options_; }
  const std::vector<double>& feature_means() const { return feature_means_; }
  bool is_identity() const;

  // In place, row by row; a row's result does not depend on the other rows.
  void apply(MatrixView<float> samples) const;
  void apply(MatrixView<double> samples) const;
  // In place: adds the feature means, multiplies by the scale. A sample's own mean and norm are not in its code and are
  // not restored.
  void invert(MatrixView<float> samples) const;
  void invert(MatrixView<double> samples) const;

 private:
  PreprocessOptions options_;
  std::vector<double> feature_means_;
};

}  // namespace dualdict
