// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/finite.h"
#include "dualdict/error.h"
#include "model/modes/mode.h"

namespace dualdict {
namespace {

std::string shape_of(std::size_t rows, std::size_t cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

// Checks the parts of one model and rounds its tensors to the model's precision, so that what is used is what is saved.
class PartsChecker {
 public:
  explicit PartsChecker(ModelParts& parts)
      : parts_(parts), n_atoms_(parts.dictionary.rows()), n_features_(parts.dictionary.cols()) {}

  void check() {
    if (parts_.dictionary.empty()) fail("dictionary", shape_of(n_atoms_, n_features_), "at least 1 x 1");
    check_matrix("dictionary", parts_.dictionary, n_features_);
    check_matrix("dual", parts_.dual, n_features_);
    if (!parts_.offset.empty()) check_offset();
    for (FittedEncoder& encoder : parts_.encoders) check_encoder(encoder);
    check_own_mode();
    check_numbers();
    check_sizes();
  }

 private:
  [[noreturn]] static void fail(const std::string& field, const std::string& value, const std::string& rule) {
    throw Error(ErrorKind::kInput, "model: " + field + " is " + value + "; it must be " + rule);
  }

  void round_to_dtype(double* values, std::size_t n) const {
    if (parts_.dtype == DType::kFloat64) return;
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(static_cast<float>(values[i]));
  }

  void check_matrix(const std::string& field, Matrix<double>& matrix, std::size_t n_cols) const {
    if (matrix.rows() != n_atoms_ || matrix.cols() != n_cols)
      fail(field, shape_of(matrix.rows(), matrix.cols()), shape_of(n_atoms_, n_cols));
    round_to_dtype(matrix.data(), matrix.size());
    require_finite(std::as_const(matrix).view(), "model: " + field);
  }

  void check_vector(const std::string& field, std::vector<double>& values) const {
    if (values.size() != n_atoms_)
      fail(field, std::to_string(values.size()) + " long", std::to_string(n_atoms_) + " long, one number an atom");
    round_to_dtype(values.data(), values.size());
    require_finite(MatrixView<const double>(values.data(), 1, values.size()), "model: " + field);
  }

  void check_encoder(FittedEncoder& encoder) const {
    const std::string name = "encoder." + encoder.mode;
    const Mode& mode = mode_of(*parse_mode(encoder.mode).info);
    if (parts_.find_encoder(encoder.mode) != &encoder) fail(name, "there twice", "there once");
    if (mode.tensors.empty()) fail(name, "given", "left out: mode " + encoder.mode + " has no tensors of its own");
    for_each_tensor(encoder, [&](std::string_view part, TensorColumns columns, auto& tensor) {
      const std::string field = name + "." + std::string(part);
      const bool wanted = std::find(mode.tensors.begin(), mode.tensors.end(), part) != mode.tensors.end();
      if (!wanted && tensor.empty()) return;
      const bool allowed =
          std::find(mode.optional_tensors.begin(), mode.optional_tensors.end(), part) != mode.optional_tensors.end();
      if (!wanted && !allowed && part != "quantiles")
        fail(field, "given", "left out: mode " + encoder.mode + " has none");
      check_tensor(field, columns, tensor);
    });
    if (!encoder.decoder.empty()) check_matrix(name + ".decoder", encoder.decoder, n_features_);
  }
  void check_offset() const {
    if (parts_.offset.size() != n_features_)
      fail("offset", std::to_string(parts_.offset.size()) + " long", std::to_string(n_features_) + " long");
    round_to_dtype(parts_.offset.data(), n_features_);
    require_finite(MatrixView<const double>(parts_.offset.data(), 1, n_features_), "model: offset");
  }
  void check_levels(const std::string& field, Matrix<double>& levels) const {
    if (levels.cols() != 2 || levels.rows() == 0) fail(field, shape_of(levels.rows(), levels.cols()), "at least 1 x 2");
    round_to_dtype(levels.data(), levels.size());
    require_finite(std::as_const(levels).view(), "model: " + field);
    for (std::size_t i = 0; i < levels.rows(); ++i)
      if (!(levels(i, 0) >= 0 && levels(i, 1) >= 0) || (i > 1 && !(levels(i, 0) > levels(i - 1, 0))))
        fail(field, "negative or out of order in row " + std::to_string(i), ">= 0, and from row 1 on rising");
  }

  void check_tensor(const std::string& field, TensorColumns, std::vector<double>& values) const {
    check_vector(field, values);
  }
  void check_tensor(const std::string& field, TensorColumns columns, Matrix<double>& matrix) const {
    if (columns == TensorColumns::kPairs) return check_levels(field, matrix);
    const bool is_any = columns == TensorColumns::kAny;
    check_matrix(field, matrix, is_any ? matrix.cols() : columns == TensorColumns::kAtoms ? n_atoms_ : n_features_);
  }

  void check_own_mode() const {
    if (parts_.own_mode.empty()) return;
    try {
      parse_mode(parts_.own_mode);
    } catch (const Error&) {
      fail("own_mode", parts_.own_mode, mode_forms());
    }
  }

  void check_numbers() const {
    const auto check = [](const std::string& field, double value) {
      if (!(std::isfinite(value) && value >= 0)) fail(field, std::to_string(value), "a finite number >= 0");
    };
    check("tau", parts_.tau);
    check("eta", parts_.eta);
    check("mu", parts_.mu);
    check("learning_tau", parts_.learning_tau.value_or(0));
    check("learning_eta", parts_.learning_eta.value_or(0));
    check("mean_norm", parts_.mean_norm);
  }

  void check_sizes() const {
    const SampleShape& shape = parts_.shape;
    const bool is_picture = shape.height != 0 || shape.width != 0;
    // Each side first: a product of huge sides could wrap to the right number.
    const bool are_colours = shape.channels == 1 || (shape.channels == 3 && is_picture);
    if (!are_colours || (is_picture && (shape.height > n_features_ || shape.width > n_features_ ||
                                        shape.height * shape.width != n_features_ / shape.channels ||
                                        n_features_ % shape.channels != 0)))
      fail("sample shape", shape_of(shape.height, shape.width) + " x " + std::to_string(shape.channels),
           "0 x 0, or have one channel or three and as many elements as the " + std::to_string(n_features_) +
               " features");
    const std::size_t n_means = parts_.transform.feature_means().size();
    if (n_means != 0 && n_means != n_features_)
      fail("transform.feature_means", std::to_string(n_means) + " long", std::to_string(n_features_) + " long");
    const std::size_t n_used = parts_.provenance.usage.size();
    if (n_used != 0 && n_used != n_atoms_)
      fail("usage", std::to_string(n_used) + " long", "empty or " + std::to_string(n_atoms_) + " long");
  }

  ModelParts& parts_;
  std::size_t n_atoms_;
  std::size_t n_features_;
};

}  // namespace

Model::Model(ModelParts parts) {
  PartsChecker(parts).check();
  parts_ = std::make_shared<const ModelParts>(std::move(parts));
}

}  // namespace dualdict
