// SPDX-License-Identifier: BSD-3-Clause
// Greedy codes of a pass, on the Gram matrix of the atoms.
#pragma once

#include <vector>

#include "learn/fit/state.h"
#include "learn/samples/batch_coder.h"
#include "solvers/greedy_codes.h"
#include "solvers/hard_codes.h"

namespace dualdict {

// What greedy codes start from.
enum class CodeStart {
  kZero,
  kHard,    // hard codes with fewer nonzeros than wanted
  kBefore,  // the codes before, whose cost is not exceeded
};

template <class T>
class L0Coder final : public BatchCoder<T> {
 public:
  explicit L0Coder(ThreadPool& pool) : pool_(pool), work_(pool.size()) {}
  // For the D, the price and the hard encoder of the state.
  void assign(const FitState& state, CodeStart start);
  CodeReport code(std::size_t worker, MatrixView<const T> x, MatrixView<T> u) override;

 private:
  ThreadPool& pool_;
  CodeStart start_ = CodeStart::kZero;
  double price_ = 0;
  HardProblem<T> hard_;
  GreedyProblem<T> greedy_;
  std::vector<GreedyWorkspace<T>> work_;
};

}  // namespace dualdict
