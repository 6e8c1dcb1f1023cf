// SPDX-License-Identifier: BSD-3-Clause
#include "audit/assignment.h"

#include <algorithm>
#include <limits>

namespace dualdict {
namespace {

constexpr std::size_t kFree = std::numeric_limits<std::size_t>::max();

// Costs are 1 - gain. Row i is paired with column j at the end where cost_ij - row_i - column_j is zero, and it is
// nowhere negative.
class Pairing {
 public:
  explicit Pairing(const Matrix<float>& gains)
      : gains_(gains),
        column_of_(gains.rows(), kFree),
        row_of_(gains.cols(), kFree),
        row_(gains.rows()),
        column_(gains.cols()),
        distance_(gains.cols()),
        before_(gains.cols()),
        is_done_(gains.cols()) {}

  std::vector<std::size_t> run() {
    take_what_is_clear();
    for (std::size_t i = 0; i < gains_.rows(); ++i)
      if (column_of_[i] == kFree) augment(i);
    return column_of_;
  }

 private:
  double cost(std::size_t i, std::size_t j) const { return 1.0 - static_cast<double>(gains_(i, j)); }

  // Every row's cheapest column, where no row before has it.
  void take_what_is_clear() {
    for (std::size_t i = 0; i < gains_.rows(); ++i) {
      const float* gains = gains_.row(i);
      const auto best = static_cast<std::size_t>(std::max_element(gains, gains + gains_.cols()) - gains);
      row_[i] = cost(i, best);
      if (row_of_[best] != kFree) continue;
      row_of_[best] = i;
      column_of_[i] = best;
    }
  }

  // Dijkstra over reduced costs from a free row to the nearest free column, whose path is turned over.
  void augment(std::size_t start) {
    std::fill(is_done_.begin(), is_done_.end(), false);
    for (std::size_t j = 0; j < gains_.cols(); ++j) {
      distance_[j] = cost(start, j) - row_[start] - column_[j];
      before_[j] = start;
    }
    done_.clear();
    std::size_t end = kFree;
    while (end == kFree) {
      const std::size_t nearest = nearest_open();
      is_done_[nearest] = true;
      done_.push_back(nearest);
      if (row_of_[nearest] == kFree)
        end = nearest;
      else
        relax(row_of_[nearest], distance_[nearest]);
    }
    move_potentials(start, distance_[end]);
    turn_over(start, end);
  }

  std::size_t nearest_open() const {
    std::size_t nearest = kFree;
    for (std::size_t j = 0; j < distance_.size(); ++j)
      if (!is_done_[j] && (nearest == kFree || distance_[j] < distance_[nearest])) nearest = j;
    return nearest;
  }

  void relax(std::size_t row, double reached) {
    const float* gains = gains_.row(row);
    const double base = reached + 1.0 - row_[row];
    for (std::size_t j = 0; j < distance_.size(); ++j) {
      const double through = base - static_cast<double>(gains[j]) - column_[j];
      if (is_done_[j] || !(through < distance_[j])) continue;
      distance_[j] = through;
      before_[j] = row;
    }
  }

  void move_potentials(std::size_t start, double length) {
    row_[start] += length;
    for (const std::size_t j : done_) {
      const double left = length - distance_[j];
      column_[j] -= left;
      if (row_of_[j] != kFree) row_[row_of_[j]] += left;
    }
  }

  void turn_over(std::size_t start, std::size_t end) {
    for (std::size_t j = end;;) {
      const std::size_t row = before_[j];
      row_of_[j] = row;
      std::swap(column_of_[row], j);
      if (row == start) return;
    }
  }

  const Matrix<float>& gains_;
  std::vector<std::size_t> column_of_, row_of_;
  std::vector<double> row_, column_;  // potentials
  std::vector<double> distance_;
  std::vector<std::size_t> before_, done_;
  std::vector<char> is_done_;
};

}  // namespace

std::vector<std::size_t> best_assignment(const Matrix<float>& gains) {
  return Pairing(gains).run();
}

}  // namespace dualdict
