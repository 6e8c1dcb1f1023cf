// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/greedy_coder.h"

namespace dualdict {

template <class T>
void GreedyCoder<T>::assign(const Matrix<double>& dictionary, std::span<const double> bias, bool positive,
                            ThreadPool& pool) {
  if (codes_by_rounds(dictionary.rows(), dictionary.cols(), positive)) {
    if (!std::holds_alternative<RoundsProblem<T>>(problem_)) problem_.template emplace<RoundsProblem<T>>();
  } else if (!std::holds_alternative<GreedyProblem<T>>(problem_)) {
    problem_.template emplace<GreedyProblem<T>>();
  }
  std::visit([&](auto& problem) { problem.assign(dictionary, bias, positive, pool); }, problem_);
}

template <class T>
GreedyCodeReport GreedyCoder<T>::codes(MatrixView<const T> x, double price, GreedyCoderWorkspace<T>& work,
                                       MatrixView<T> u, bool measure) const {
  if (const auto* moves = std::get_if<GreedyProblem<T>>(&problem_))
    return greedy_codes<T>(*moves, x, {.price = price, .measure = measure}, work.moves, u);
  return rounds_codes<T>(std::get<RoundsProblem<T>>(problem_), x, {.price = price}, work.rounds, u);
}

template <class T>
FoundPrice GreedyCoder<T>::price_for(MatrixView<const T> x, double nonzeros, ThreadPool& pool, std::size_t most) const {
  if (const auto* moves = std::get_if<GreedyProblem<T>>(&problem_))
    return price_for_nonzeros<T>(*moves, x, nonzeros, {}, pool, most);
  return price_for_nonzeros<T>(std::get<RoundsProblem<T>>(problem_), x, nonzeros, {}, pool, most);
}

template <class T>
std::size_t GreedyCoder<T>::n_atoms() const {
  if (const auto* moves = std::get_if<GreedyProblem<T>>(&problem_)) return moves->n_atoms;
  return std::get<RoundsProblem<T>>(problem_).n_atoms();
}

template class GreedyCoder<float>;
template class GreedyCoder<double>;

}  // namespace dualdict
