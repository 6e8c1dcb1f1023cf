// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/control.h"

namespace dualdict {

bool Control::report(const IterationRecord& record) {
  const auto tell = [&] { return hooks_.on_iteration && hooks_.on_iteration(record) == Action::kStop; };
  if (ranks_.alone()) return tell();
  ranks_.attempt([&] { mine_.stop = tell() || mine_.stop; });
  return agreed_.stop;
}

void Control::agree(const Matrix<double>& dictionary, const Matrix<double>& dual, PassReport& pass, Moments& moments) {
  if (ranks_.alone()) return;
  mine_.seconds = own_seconds();
  mine_.interrupt = interrupt_.is_requested();
  agreed_ = sum_pass(ranks_, dictionary, dual, mine_, pass, moments);
}

}  // namespace dualdict
