// SPDX-License-Identifier: BSD-3-Clause
// The kernels of every instruction set that was compiled and that this CPU has, from the plainest to the best.
#pragma once

#include <vector>

#include "linalg/kernels/kernels.h"

namespace dualdict {

struct SimdTables {
  std::vector<Kernels<float>> floats;
  std::vector<Kernels<double>> doubles;
};

SimdTables simd_tables();

}  // namespace dualdict
