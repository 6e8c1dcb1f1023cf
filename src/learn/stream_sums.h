// SPDX-License-Identifier: BSD-3-Clause
// The sums of a stream that is gone through more than once: each part of it (a chapter) keeps the sums that it left in
// the last pass, and in the next pass new ones take their place piece by piece.
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/objective.h"

namespace dualdict {

class StreamSums {
 public:
  // Chapters for a stream of n_samples: as many as a bounded amount of memory holds, at least 2.
  StreamSums(std::size_t n_samples, std::size_t n_features, std::size_t n_atoms);

  // Before every pass but the first: the sums become those that the chapters hold, without any fading.
  void begin_pass(Moments& total);
  // A piece of the first pass, which `total` has taken in already.
  void add_new(const Moments& piece, std::size_t n);
  // A piece of a later pass: goes into the total, and the share of its chapter's old sums goes out.
  void replace(const Moments& piece, std::size_t n, Moments& total);

 private:
  struct Chapter {
    Matrix<double> uu, ux;
    double sum_abs_codes = 0;
    std::size_t n = 0;
  };
  static void add(double factor, const Chapter& chapter, Moments& total);
  void add_to_new(const Moments& piece, std::size_t n);
  void turn_page();

  std::size_t length_;  // samples of a chapter; a piece that begins in it belongs to it
  std::vector<Chapter> chapters_;
  Chapter now_;         // new sums of the chapter that is being read
  std::size_t at_ = 0;  // its index
  double left_ = 1;     // share of its old sums still in the total
  Matrix<double> xx_;   // sums that no pass changes
  double squared_samples_ = 0;
};

}  // namespace dualdict
