// SPDX-License-Identifier: BSD-3-Clause
#include "model/modes/block_encoder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dualdict/error.h"
#include "linalg/product.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

Objective objective_of(const ModelParts& parts, const ModeSettings& settings) {
  return {.n_features = parts.dictionary.cols(),
          .n_atoms = parts.dictionary.rows(),
          .tau = settings.tau,
          .eta = settings.eta,
          .mu = parts.mu,
          .positive_codes = parts.positive_codes};
}

template <class T>
PackedRight<T> packed_transposed(const Matrix<double>& weights) {
  PackedRight<T> packed;
  packed.pack_transposed(convert<T>(weights).view());
  return packed;
}

// The largest sum of |weights| in a row: how much larger than the largest element of x an element of W x can be.
double largest_row_sum(const Matrix<double>& weights) {
  double largest = 0;
  for (std::size_t j = 0; j < weights.rows(); ++j) largest = std::max(largest, sum_abs(weights.row(j), weights.cols()));
  return largest;
}

template <class T>
MatrixView<T> buffer_rows(Matrix<T>& buffer, std::size_t rows, std::size_t n_atoms) {
  if (buffer.cols() != n_atoms) buffer = Matrix<T>(kBlockSamples, n_atoms);
  return buffer.view().row_range(0, rows);
}

template <class T>
class LinearEncoder final : public BlockEncoder<T> {
 public:
  explicit LinearEncoder(const ModelParts& parts)
      : dual_(packed_transposed<T>(parts.dual)), largest_gain_(largest_row_sum(parts.dual)) {}
  void encode(MatrixView<const T> x, EncodeWorkspace<T>&, MatrixView<T> u) const override {
    multiply<T>(plain(x), dual_, u);
  }
  double largest_gain() const override { return largest_gain_; }

 private:
  PackedRight<T> dual_;
  double largest_gain_;
};

// u_j = g_j S_{t_j (1 + k_j n)}(v_j), in place; n, the level of a sample, is |x| in units of the mean norm.
template <class T>
class Shrink {
 public:
  Shrink(const ModelParts& parts, const FittedEncoder& fitted, double tau_shift)
      : positive_(parts.positive_codes), inverse_mean_norm_(parts.mean_norm > 0 ? 1 / parts.mean_norm : 0.0) {
    for (std::size_t j = 0; j < fitted.gain.size(); ++j) {
      const double threshold = std::max(0.0, fitted.threshold[j] + fitted.tau_slope[j] * tau_shift);
      gain_.push_back(static_cast<T>(fitted.gain[j]));
      threshold_.push_back(static_cast<T>(threshold));
      growth_.push_back(static_cast<T>(threshold * fitted.growth[j]));
    }
  }
  void find_levels(MatrixView<const T> x, std::vector<T>& levels) const {
    const Kernels<T>& kernel = kernels<T>();
    levels.resize(kBlockSamples);
    for (std::size_t i = 0; i < x.rows; ++i)
      levels[i] = static_cast<T>(std::sqrt(kernel.squared_norm(x.row(i), x.cols)) * inverse_mean_norm_);
  }
  Shrinkage<T> at(const std::vector<T>& levels) const {
    return {gain_.data(), threshold_.data(), growth_.data(), levels.data(), positive_};
  }
  // How much larger than their largest element the level of a sample, and than the product a code can be; at least 1.
  double largest_level(std::size_t n_features) const {
    return inverse_mean_norm_ * std::sqrt(static_cast<double>(n_features));
  }
  double largest_gain() const {
    T largest = 1;
    for (const T gain : gain_) largest = std::max(largest, gain);
    return static_cast<double>(largest);
  }

 private:
  bool positive_;
  double inverse_mean_norm_;
  std::vector<T> gain_, threshold_, growth_;
};

template <class T>
class SparseEncoder final : public BlockEncoder<T> {
 public:
  SparseEncoder(const ModelParts& parts, double tau_shift)
      : weights_(packed_transposed<T>(parts.sparse.weights)),
        shrink_(parts, parts.sparse, tau_shift),
        largest_gain_(std::max(shrink_.largest_gain() * largest_row_sum(parts.sparse.weights),
                               shrink_.largest_level(parts.sparse.weights.cols()))) {}
  // Leaves the samples' levels in work.levels.
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    shrink_.find_levels(x, work.levels);
    multiply_and_shrink<T>(plain(x), weights_, shrink_.at(work.levels), Into::kSet, u);
  }
  double largest_gain() const override { return largest_gain_; }

 private:
  PackedRight<T> weights_;
  Shrink<T> shrink_;
  double largest_gain_;
};

// The sparse code that feeds back keeps the thresholds it was fitted with: the stored quantiles are those of its sum.
template <class T>
class CorrectedEncoder final : public BlockEncoder<T> {
 public:
  CorrectedEncoder(const ModelParts& parts, double tau_shift)
      : first_(parts, 0.0),
        weights_(packed_transposed<T>(parts.corrected.weights)),
        feedback_(packed_transposed<T>(parts.corrected.feedback)),
        shrink_(parts, parts.corrected, tau_shift),
        largest_gain_(shrink_.largest_gain() * (largest_row_sum(parts.corrected.weights) +
                                                largest_row_sum(parts.corrected.feedback) * first_.largest_gain())) {}
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    constexpr std::size_t kPart = 128;  // rows whose first code is still in the cache when it feeds back
    for (std::size_t row = 0; row < x.rows; row += kPart) {
      const std::size_t n = std::min(kPart, x.rows - row);
      encode_part(x.row_range(row, n), work, u.row_range(row, n));
    }
  }
  double largest_gain() const override { return largest_gain_; }

 private:
  void encode_part(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const {
    const MatrixView<T> first = buffer_rows(work.scratch, x.rows, u.cols);
    first_.encode(x, work, first);
    multiply<T>(plain(x), weights_, u);
    const Shrinkage<T> shrinkage = shrink_.at(work.levels);
    if (!multiply_if_sparse<T>(first, feedback_, Into::kAdd, work.used, u, shrinkage))
      multiply_and_shrink<T>(plain<T>(first), feedback_, shrinkage, Into::kAdd, u);
  }

  SparseEncoder<T> first_;
  PackedRight<T> weights_;
  PackedRight<T> feedback_;
  Shrink<T> shrink_;
  double largest_gain_;
};

// H = D'D/d + (eta + mu)/K I.
Matrix<double> gram_of(const ModelParts& parts, const Objective& objective) {
  Matrix<double> gram = multiply_transposed<double>(parts.dictionary.view(), parts.dictionary.view());
  for (std::size_t i = 0; i < gram.size(); ++i) gram.data()[i] /= objective.d();
  for (std::size_t j = 0; j < gram.rows(); ++j) gram(j, j) += objective.ridge();
  return gram;
}

// lambda_max(H). D D' and D'D have the same nonzero eigenvalues: the smaller matrix of the two tells.
double largest_curvature(const ModelParts& parts, const Objective& objective) {
  const MatrixView<const double> atoms = parts.dictionary.view();
  const Matrix<double> square =
      atoms.cols < atoms.rows ? transposed_multiply<double>(atoms, atoms) : multiply_transposed<double>(atoms, atoms);
  return largest_eigenvalue(square) / objective.d() + objective.ridge();
}

// u <- S_{lambda/L}(u + (b - H u)/L): with L >= lambda_max(H) no step raises the energy.
template <class T>
class RefineEncoder final : public BlockEncoder<T> {
 public:
  RefineEncoder(const ModelParts& parts, const ModeSettings& settings)
      : first_(parts, settings.tau_shift), steps_(settings.refine_steps), positive_(parts.positive_codes) {
    const Objective objective = objective_of(parts, settings);
    Matrix<double> gram = gram_of(parts, objective);
    Matrix<double> weights(parts.dictionary.rows(), parts.dictionary.cols());
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights.data()[i] = parts.dictionary.data()[i] / objective.d() + objective.coding_weight() * parts.dual.data()[i];
    const double curvature = largest_curvature(parts, objective);
    const double step = curvature > 0 ? 1 / curvature : 0.0;
    // The step goes into both operands: u + step (b - H u) is then a sum of two products.
    for (std::size_t i = 0; i < gram.size(); ++i) gram.data()[i] *= step;
    for (std::size_t i = 0; i < weights.size(); ++i) weights.data()[i] *= step;
    gram_ = packed_transposed<T>(gram);
    weights_ = packed_transposed<T>(weights);
    threshold_ = static_cast<T>(objective.lambda() * step);
  }
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    const MatrixView<T> linear = buffer_rows(work.scratch, x.rows, u.cols);
    const MatrixView<T> moved = buffer_rows(work.moved, x.rows, u.cols);
    first_.encode(x, work, u);
    multiply<T>(plain(x), weights_, linear);
    for (std::size_t step = 0; step < steps_; ++step) {
      for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < u.cols; ++j) moved(i, j) = u(i, j) + linear(i, j);
      multiply_sparse<T>(u, gram_, Into::kSubtract, work.used, moved);
      for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < u.cols; ++j) u(i, j) = soft_threshold(moved(i, j), threshold_, positive_);
    }
  }

 private:
  SparseEncoder<T> first_;
  std::size_t steps_;
  bool positive_;
  PackedRight<T> gram_;
  PackedRight<T> weights_;
  T threshold_ = 0;
};

template <class T>
class ExactEncoder final : public BlockEncoder<T> {
 public:
  ExactEncoder(const ModelParts& parts, const ModeSettings& settings)
      : coder_(objective_of(parts, settings), parts.dictionary, parts.dual, settings.gap) {}
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    coder_.encode(x, work.exact, u);
  }

 private:
  ExactCoder<T> coder_;
};

template <class T>
class DebiasedEncoder final : public BlockEncoder<T> {
 public:
  DebiasedEncoder(const ModelParts& parts, std::unique_ptr<BlockEncoder<T>> first)
      : first_(std::move(first)), debias_(parts.dictionary, parts.positive_codes) {}
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    first_->encode(x, work, u);
    for (std::size_t i = 0; i < x.rows; ++i) debias_.apply(x.row(i), u.row(i), work.debias);
  }

 private:
  std::unique_ptr<BlockEncoder<T>> first_;
  Debias debias_;
};

void require_fitted(const FittedEncoder& fitted, std::string_view mode) {
  if (!fitted.empty()) return;
  throw Error(ErrorKind::kInput,
              "mode " + std::string(mode) + ": the model has no fitted encoder for it; use mode linear or exact");
}

template <class T>
std::unique_ptr<BlockEncoder<T>> make_plain_encoder(const ModelParts& parts, const ModeSettings& settings) {
  switch (settings.mode) {
    case EncodeMode::kLinear:
      return std::make_unique<LinearEncoder<T>>(parts);
    case EncodeMode::kSparse:
      require_fitted(parts.sparse, "sparse");
      return std::make_unique<SparseEncoder<T>>(parts, settings.tau_shift);
    case EncodeMode::kCorrected:
      require_fitted(parts.sparse, "corrected");
      require_fitted(parts.corrected, "corrected");
      return std::make_unique<CorrectedEncoder<T>>(parts, settings.tau_shift);
    case EncodeMode::kRefine:
      require_fitted(parts.sparse, "refine");
      return std::make_unique<RefineEncoder<T>>(parts, settings);
    case EncodeMode::kExact:
      break;
  }
  return std::make_unique<ExactEncoder<T>>(parts, settings);
}

}  // namespace

double refine_curvature(const Model& model, double eta) {
  ModeSettings settings = default_settings(model.parts(), EncodeMode::kRefine);
  settings.eta = eta;
  return largest_curvature(model.parts(), objective_of(model.parts(), settings));
}

ModeSettings default_settings(const ModelParts& parts, EncodeMode mode) {
  ModeSettings settings;
  settings.mode = mode;
  settings.tau = parts.tau;
  settings.eta = parts.eta;
  return settings;
}

template <class T>
std::unique_ptr<BlockEncoder<T>> make_block_encoder(const ModelParts& parts, const ModeSettings& settings) {
  auto encoder = make_plain_encoder<T>(parts, settings);
  if (settings.debias) encoder = std::make_unique<DebiasedEncoder<T>>(parts, std::move(encoder));
  return encoder;
}

template std::unique_ptr<BlockEncoder<float>> make_block_encoder<float>(const ModelParts&, const ModeSettings&);
template std::unique_ptr<BlockEncoder<double>> make_block_encoder<double>(const ModelParts&, const ModeSettings&);

}  // namespace dualdict
