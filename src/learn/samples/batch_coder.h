// SPDX-License-Identifier: BSD-3-Clause
// What makes the codes of a pass, sample by sample: a way for each penalty, and for each effort.
#pragma once

#include <cstddef>
#include <vector>

#include "core/thread_pool.h"
#include "solvers/code_problem.h"
#include "solvers/code_step.h"

namespace dualdict {

template <class T>
class BatchCoder {
 public:
  virtual ~BatchCoder() = default;
  // By one of the pool's workers, several at once: the codes of these samples in the place of those before. The code of
  // a sample depends on it and on the code before alone. report.sum_abs is what the penalty counts.
  virtual CodeReport code(std::size_t worker, MatrixView<const T> x, MatrixView<T> u) = 0;
};

// The paper's penalty: descent or FISTA from the codes before.
template <class T>
class L1Coder final : public BatchCoder<T> {
 public:
  explicit L1Coder(std::size_t n_workers) : work_(n_workers) {}
  CodeProblem<T>& problem() { return problem_; }
  void set_options(const CodeOptions& options) { options_ = options; }
  CodeReport code(std::size_t worker, MatrixView<const T> x, MatrixView<T> u) override {
    return code_step<T>(problem_, x, options_, work_[worker], u);
  }

 private:
  CodeProblem<T> problem_;
  CodeOptions options_;
  std::vector<CodeWorkspace<T>> work_;
};

}  // namespace dualdict
