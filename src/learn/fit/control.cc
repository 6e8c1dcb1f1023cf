// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/control.h"

#include <array>
#include <span>

namespace dualdict {

bool Control::report(const IterationRecord& record) {
  const auto tell = [&] { return hooks_.on_iteration && hooks_.on_iteration(record) == Action::kStop; };
  if (ranks_.alone()) return tell();
  ranks_.attempt([&] { mine_.stop = tell() || mine_.stop; });
  return agreed_.stop;
}

void Control::keep_back(const EndSize& size) {
  if (options_.time_limit <= 0) return;
  kept_back_ = seconds_to_keep_back(options_.time_limit, size);
  if (!ranks_.alone()) ranks_.max(std::span(&kept_back_, 1));
  set_end(interrupt_, kept_back_);
}

void Control::agree(const Matrix<double>& dictionary, const Matrix<double>& dual, PassReport& pass, Moments& moments) {
  if (ranks_.alone()) return;
  mine_.seconds = own_seconds();
  mine_.interrupt = interrupt_.is_requested();
  agreed_ = sum_pass(ranks_, dictionary, dual, mine_, pass, moments);
}

void Control::agree() {
  if (ranks_.alone()) return;
  std::array<double, 3> sums{ranks_.rank() == 0 ? own_seconds() : 0.0, interrupt_.is_requested() ? 1.0 : 0.0,
                             mine_.stop ? 1.0 : 0.0};
  ranks_.sum(sums);
  agreed_ = {sums[0], sums[1] > 0, sums[2] > 0};
}

}  // namespace dualdict
