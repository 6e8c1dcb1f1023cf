// SPDX-License-Identifier: BSD-3-Clause
// The samples that hard and greedy codes are judged on: learned from some images, tested on others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dualdict/matrix.h"

namespace dualdict::bench {

struct Task {
  std::string name;
  Matrix<float> learn;
  Matrix<float> test;
  std::size_t n_atoms = 200;
  std::vector<double> nonzeros;
  bool centred_error = false;  // |x - xhat|^2 / |x - mean|^2, else |x - xhat| / |x|
};

// patches: 12 x 12, grey / 125, each less its mean; 240 images of Berkeley to learn, 60 others to test, 7/40/69
// nonzeros. digits: MNIST 0:45000 and 45000:48000, 13/53. sentences: gloss vectors, 70,000 and the next 3,000, K =
// 1,024, 32. With "-choice" after the name the tests are taken from the part to learn, and other counts: to choose
// constants by.
Task make_task(const std::string& folder, const std::string& name);

}  // namespace dualdict::bench
