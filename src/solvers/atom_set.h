// SPDX-License-Identifier: BSD-3-Clause
// The set that an atom or a filter lies in: a cone, cut by the unit ball. Another constraint on D is another cone here.
#pragma once

#include <cstddef>

#include "dualdict/matrix.h"
#include "dualdict/options.h"

namespace dualdict {

struct AtomSet {
  bool positive = false;  // the orthant; otherwise all of space

  // Nothing but the ball.
  bool is_ball() const { return !positive; }
  // The nearest point of the cone.
  void into_cone(double* row, std::size_t n) const;
  // A point of the cone that is like this one, to begin with.
  void resemble(double* row, std::size_t n) const;
  // The nearest point of the set. A point inside the ball stays where it is: the constraint is <= 1, not = 1.
  void project(double* row, std::size_t n) const;
  void project(Matrix<double>& rows) const;
  // How far, at most, the convex function with this gradient can still fall within the set: <gradient, row> minus its
  // minimum over the set (the Frank-Wolfe gap).
  double gap(const double* gradient, const double* row, std::size_t n) const;
  double gap(const Matrix<double>& gradient, const Matrix<double>& rows) const;
};

// That of the atoms of D; filters have the ball.
AtomSet atom_set_of(const LearnOptions& options);

}  // namespace dualdict
