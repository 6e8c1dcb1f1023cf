// SPDX-License-Identifier: BSD-3-Clause
// Codes to a wanted duality gap.
#pragma once

#include <cstddef>
#include <vector>

#include "dualdict/matrix.h"
#include "solvers/code_step.h"

namespace dualdict {

template <class T>
struct ExactWorkspace {
  CodeWorkspace<T> step;
  Matrix<T> prediction;  // C x
  Matrix<T> samples;     // of the rows that need another round
  Matrix<T> codes;
  std::vector<std::size_t> rows;
  std::vector<double> gaps;  // of the round before, relative
};

template <class T>
class ExactCoder {
 public:
  ExactCoder(const Objective& objective, const Matrix<double>& dictionary, const Matrix<double>& dual, double gap);

  const CodeProblem<T>& problem() const { return problem_; }

  // x: at most kBlockSamples preprocessed samples; u: their codes, from zero, each with a duality gap of at most `gap`
  // times its share of E where the precision allows: a code whose gap no longer halves is left as it is. Every
  // decision is taken row by row, so a code does not depend on the rows around it.
  void encode(MatrixView<const T> x, ExactWorkspace<T>& work, MatrixView<T> u) const;

 private:
  double relative_gap(const CodeWorkspace<T>& step, std::size_t step_row, const T* prediction) const;

  CodeProblem<T> problem_;
  PackedRight<T> dual_;
  double gap_;
};

}  // namespace dualdict
