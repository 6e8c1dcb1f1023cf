// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace dualdict::cli {

// Runs the work of one of several ranks in a child process and returns its exit code. Should the child be killed (by
// the kernel when memory runs out, say), it says so and returns 7, which makes mpirun end the job at once; should this
// process be killed, the child goes with it. Signals are passed on. No thread may have been started.
int guard_rank(const std::function<int()>& work);

}  // namespace dualdict::cli
