// SPDX-License-Identifier: BSD-3-Clause
#include "images/greedy_filter.h"

#include "linalg/vectors.h"

namespace dualdict {
namespace {

struct GreedyFilterWork {
  GreedyWorkspace<float> codes;
  Matrix<float> u;
};

}  // namespace

GreedyFilter::GreedyFilter(const Matrix<double>& dictionary, double threshold, ThreadPool& pool)
    : price_(threshold * threshold) {
  problem_.assign(dictionary, {}, false, pool);
  atoms_.pack(convert<float>(dictionary).view());
}

void GreedyFilter::apply(MatrixView<float> noisy, MatrixView<const float>, std::span<float> weights,
                         std::any& own) const {
  if (!own.has_value()) own = GreedyFilterWork{{}, Matrix<float>(kFilterRows, problem_.n_atoms)};
  GreedyFilterWork& work = *std::any_cast<GreedyFilterWork>(&own);
  const MatrixView<float> u = work.u.view().row_range(0, noisy.rows);
  greedy_codes<float>(problem_, noisy, {.price = price_, .measure = false}, work.codes, u);
  for (std::size_t i = 0; i < noisy.rows; ++i)
    weights[i] = 1 / (1 + static_cast<float>(count_nonzeros(u.row(i), u.cols)));
  multiply<float>(plain(MatrixView<const float>(u)), atoms_, noisy);
}

}  // namespace dualdict
