// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/code_problem.h"

#include <algorithm>

#include "linalg/parallel_product.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// lambda_max(C'C), from the smaller of the two Gram matrices.
double squared_operator_norm(const Matrix<double>& c, ThreadPool& pool) {
  return largest_eigenvalue(c.rows() <= c.cols() ? parallel_gram(c.view(), pool)
                                                 : transposed_multiply<double>(c.view(), c.view()));
}

// a A + b B
template <class T>
Matrix<T> combined(double a, const Matrix<double>& first, double b, const Matrix<double>& second) {
  Matrix<T> sum(first.rows(), first.cols());
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum.data()[i] = static_cast<T>(a * first.data()[i] + b * second.data()[i]);
  return sum;
}

// H^+ W, K x d: the code of a sample when nothing makes it sparse.
Matrix<double> closed_form(const Matrix<double>& gram, const Matrix<double>& weights, double& smallest_curvature) {
  constexpr double kCut = 1e-12;
  const SymmetricEigen eigen = symmetric_eigen(gram);
  const double largest = std::max(0.0, eigen.values.back());
  Matrix<double> rotated = multiply<double>(eigen.vectors.view(), weights.view());
  smallest_curvature = largest;
  for (std::size_t i = 0; i < rotated.rows(); ++i) {
    const bool keep = eigen.values[i] > kCut * largest;
    if (keep) smallest_curvature = std::min(smallest_curvature, eigen.values[i]);
    for (std::size_t j = 0; j < rotated.cols(); ++j) rotated(i, j) = keep ? rotated(i, j) / eigen.values[i] : 0.0;
  }
  return transposed_multiply<double>(eigen.vectors.view(), rotated.view());
}

}  // namespace

template <class T>
void CodeProblem<T>::assign(const Objective& objective_in, const Matrix<double>& dictionary, const Matrix<double>& dual,
                            ThreadPool& pool) {
  objective = objective_in;
  lambda = static_cast<T>(objective.lambda());
  const std::size_t n_atoms = objective.n_atoms;
  const double inverse = 1 / objective.d();
  Matrix<double> h = parallel_gram(dictionary.view(), pool);
  if (gram.rows() != n_atoms) gram = Matrix<T>(n_atoms, padded(n_atoms));
  for (std::size_t i = 0; i < n_atoms; ++i) {
    double* row = h.row(i);
    for (std::size_t j = 0; j < n_atoms; ++j) row[j] *= inverse;
    row[i] += objective.ridge();
    std::transform(row, row + n_atoms, gram.row(i), [](double value) { return static_cast<T>(value); });
  }
  diagonal.assign(gram.cols(), T{0});
  inverse_diagonal.assign(gram.cols(), T{0});
  for (std::size_t j = 0; j < n_atoms; ++j) {
    diagonal[j] = gram(j, j);
    inverse_diagonal[j] = gram(j, j) > T{0} ? T{1} / gram(j, j) : T{0};
  }
  packed_gram.pack(MatrixView<const T>(gram.data(), n_atoms, n_atoms, gram.cols()));
  weights.pack_transposed(combined<T>(inverse, dictionary, objective.coding_weight(), dual).view());
  squared_scale = 1 / objective.d();
  if (objective.eta > 0) squared_scale += objective.coding_weight() * squared_operator_norm(dual, pool);
  smallest_curvature = objective.ridge();
  constexpr double kGoodPart = 0.1;
  sweeps_fast =
      smallest_curvature > kGoodPart * static_cast<double>(*std::max_element(diagonal.begin(), diagonal.end()));
  has_direct = objective.tau == 0 && !objective.positive_codes;
  if (has_direct) {
    const Matrix<double> w = combined<double>(inverse, dictionary, objective.coding_weight(), dual);
    direct.pack_transposed(convert<T>(closed_form(h, w, smallest_curvature)).view());
  }
}

template <class T>
void CodeProblem<T>::find_largest_curvature() {
  Matrix<double> h(gram.rows(), gram.rows());
  for (std::size_t i = 0; i < h.rows(); ++i) std::copy_n(gram.row(i), h.cols(), h.row(i));
  largest_curvature = largest_eigenvalue(h);
}

template struct CodeProblem<float>;
template struct CodeProblem<double>;

}  // namespace dualdict
