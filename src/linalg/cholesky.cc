// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dualdict/error.h"
#include "linalg/product.h"

namespace dualdict {
namespace {

constexpr std::size_t kBlock = 192;  // order of a diagonal block: nearly all of the work is products of this depth
constexpr std::size_t kRows = 96;    // of a product in one task

template <class T>
MatrixView<T> part(MatrixView<T> a, std::size_t row, std::size_t n_rows, std::size_t column, std::size_t n_columns) {
  return {a.data + row * a.stride + column, n_rows, n_columns, a.stride};
}

template <class Work>
void for_row_ranges(std::size_t n_rows, ThreadPool& pool, const Work& work) {
  pool.run((n_rows + kRows - 1) / kRows, [&](std::size_t task, std::size_t worker) {
    const std::size_t first = task * kRows;
    work(first, std::min(kRows, n_rows - first), worker);
  });
}

// a = U'U, block row by block row. The diagonal blocks of U are needed only by their inverses: with these a triangular
// solve is a product.
class Factor {
 public:
  Factor(Matrix<double> a, ThreadPool& pool) : upper_(std::move(a)), pool_(pool), copies_(pool.size()) {
    for (std::size_t first = 0; first < upper_.rows(); first += kBlock) {
      invert_diagonal(first);
      finish_rows(first);
    }
  }

  void solve(MatrixView<double> b) {
    for (std::size_t k = 0; k < inverses_.size(); ++k) {  // y U = b
      const std::size_t first = k * kBlock;
      const std::size_t after = first + size_of(first);
      right_.pack(inverses_[k].view());
      rest_.pack(part<const double>(upper_.view(), first, size_of(first), after, upper_.rows() - after));
      eliminate(b, first, after);
    }
    for (std::size_t k = inverses_.size(); k-- > 0;) {  // x U' = y
      const std::size_t first = k * kBlock;
      right_.pack_transposed(inverses_[k].view());
      rest_.pack_transposed(part<const double>(upper_.view(), 0, first, first, size_of(first)));
      eliminate(b, first, 0);
    }
  }

 private:
  std::size_t size_of(std::size_t first) const { return std::min(kBlock, upper_.rows() - first); }

  void invert_diagonal(std::size_t first) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using Strided = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;
    const auto n = static_cast<Eigen::Index>(size_of(first));
    const Eigen::OuterStride<> stride(static_cast<Eigen::Index>(upper_.cols()));
    const Eigen::LLT<RowMajor, Eigen::Upper> factor(Strided(upper_.row(first) + first, n, n, stride));
    if (factor.info() != Eigen::Success)
      throw Error(ErrorKind::kNumerical, "a " + std::to_string(upper_.rows()) + " x " + std::to_string(upper_.rows()) +
                                             " matrix is not positive definite");
    Matrix<double>& inverse = inverses_.emplace_back(size_of(first), size_of(first));
    Eigen::Map<RowMajor>(inverse.data(), n, n) = factor.matrixU().solve(RowMajor::Identity(n, n));
  }

  // The block row right of the diagonal, and what it takes from the rows below.
  void finish_rows(std::size_t first) {
    const std::size_t n = size_of(first);
    const std::size_t after = first + n;
    const std::size_t n_after = upper_.rows() - after;
    const MatrixView<double> rows = part(upper_.view(), first, n, after, n_after);
    rest_.pack(rows);
    const MatrixView<const double> inverse = inverses_.back().view();
    for_row_ranges(n, pool_, [&](std::size_t row, std::size_t count, std::size_t) {
      multiply<double>(transposed(part(inverse, 0, n, row, count)), rest_, rows.row_range(row, count), Into::kSet);
    });
    rest_.pack(rows);
    for_row_ranges(n_after, pool_, [&](std::size_t row, std::size_t count, std::size_t) {
      multiply<double>(transposed<double>(part(rows, 0, n, row, count)), rest_,
                       part(upper_.view(), after + row, count, after, n_after), Into::kSubtract, row);
    });
  }

  // The columns of b that begin with `first` are multiplied by right_, and what they make with rest_ is taken from
  // those that begin with `others`.
  void eliminate(MatrixView<double> b, std::size_t first, std::size_t others) {
    const std::size_t n = size_of(first);
    for_row_ranges(b.rows, pool_, [&](std::size_t row, std::size_t count, std::size_t worker) {
      const MatrixView<double> solved = part(b, row, count, first, n);
      copies_[worker] = convert<double>(solved);
      multiply<double>(plain<double>(copies_[worker].view()), right_, solved, Into::kSet);
      if (rest_.cols() > 0)
        multiply<double>(plain<double>(solved), rest_, part(b, row, count, others, rest_.cols()), Into::kSubtract);
    });
  }

  Matrix<double> upper_;
  ThreadPool& pool_;
  std::vector<Matrix<double>> inverses_;
  std::vector<Matrix<double>> copies_;  // of what a product replaces, one for each worker
  PackedRight<double> right_;
  PackedRight<double> rest_;
};

}  // namespace

void solve_positive_definite(Matrix<double> a, MatrixView<double> b, ThreadPool& pool) {
  Factor(std::move(a), pool).solve(b);
}

}  // namespace dualdict
