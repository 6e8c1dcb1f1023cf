// SPDX-License-Identifier: BSD-3-Clause
// Threads, with what long work on them hears and tells.
#pragma once

#include "core/interrupt.h"
#include "core/thread_pool.h"
#include "dualdict/progress.h"

namespace dualdict {

// All outlive it.
struct WatchedPool {
  ThreadPool& pool;
  const Interrupt& interrupt;
  LearnProgress& progress;
};

}  // namespace dualdict
