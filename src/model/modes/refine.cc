// SPDX-License-Identifier: BSD-3-Clause
// Proximal gradient steps from the sparse code.
#include "dualdict/encode.h"
#include "linalg/product.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"
#include "model/modes/mode.h"
#include "model/modes/sparse_encoder.h"

namespace dualdict {
namespace {

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
      : first_(parts, *parts.find_encoder("sparse"), settings.tau_shift),
        steps_(settings.number),
        positive_(parts.positive_codes) {
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

}  // namespace

double refine_curvature(const Model& model, double eta) {
  ModeSettings settings;
  settings.eta = eta;
  return largest_curvature(model.parts(), objective_of(model.parts(), settings));
}

const Mode& refine_mode() {
  static const Mode mode = {.info = {.name = "refine",
                                     .number = "steps",
                                     .help = "k proximal steps from the sparse code",
                                     .cost = "1 and k steps",
                                     .takes_tau = true,
                                     .debiased = true,
                                     .takes_eta = true,
                                     .needs_sample = true,
                                     .no_graph = "",
                                     .usual_number = 3},
                            .needs = {"sparse"},
                            .measured = {1, 3},
                            .make_float = make_mode_encoder<RefineEncoder<float>, float>,
                            .make_double = make_mode_encoder<RefineEncoder<double>, double>};
  return mode;
}

}  // namespace dualdict
