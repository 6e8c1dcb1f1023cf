// SPDX-License-Identifier: BSD-3-Clause
// Momentum between outer iterations: D and C are led a little farther along their last change (Nesterov's weights).
#pragma once

#include "dualdict/matrix.h"

namespace dualdict {

class Extrapolation {
 public:
  // Moves D and C ahead of (D_t, C_t) and remembers these. The first call after a restart moves nothing and says so.
  bool lead(Matrix<double>& dictionary, Matrix<double>& dual);
  // D_t and C_t of the last lead(): what to go back to when E rose.
  const Matrix<double>& dictionary() const { return state_.dictionary; }
  const Matrix<double>& dual() const { return state_.dual; }
  // Forgets the direction. The momentum begins again from this weight: 1 is none, and after each lead it is one half
  // more.
  void restart(double weight = 1);

  struct State {
    Matrix<double> dictionary;
    Matrix<double> dual;
    bool has_direction = false;
    double weight = 1;
  };
  State& state() { return state_; }

 private:
  State state_;
};

}  // namespace dualdict
