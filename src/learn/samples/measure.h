// SPDX-License-Identifier: BSD-3-Clause
// E of given D, C and codes, measured from the residuals themselves: no cancellation.
#pragma once

#include "core/thread_pool.h"
#include "learn/samples/code_store.h"
#include "learn/samples/samples.h"
#include "solvers/objective.h"

namespace dualdict {

template <class T>
Energy measure_energy(const Samples<T>& samples, const Objective& objective, const Matrix<double>& dictionary,
                      const Matrix<double>& dual, const CodeStore<T>& u, ThreadPool& pool);

}  // namespace dualdict
