// SPDX-License-Identifier: BSD-3-Clause
// The long forms of the promises about numbers. Each counts its cases and says what failed.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace dualdict {

class Tally {
 public:
  // Of all cases only every `stride`-th is run.
  explicit Tally(std::size_t stride) : stride_(stride) {}

  // Whether the next case is among those to run.
  bool next() { return seen_++ % stride_ == 0; }
  void add(bool ok, const std::string& what) {
    ++cases_;
    if (ok) return;
    ++failures_;
    if (failures_ <= 20) std::fprintf(stderr, "failed: %s\n", what.c_str());
  }
  std::size_t cases() const { return cases_; }
  std::size_t failures() const { return failures_; }

 private:
  std::size_t stride_;
  std::size_t seen_ = 0;
  std::size_t cases_ = 0;
  std::size_t failures_ = 0;
};

void every_flipped_bit(Tally& tally);           // P5
void every_corner(Tally& tally);                // P9
void no_step_raises_energy(Tally& tally);       // P10
void saved_rows_in_the_ball(Tally& tally);      // P11
void gaps_bound_what_is_missing(Tally& tally);  // P12
void verify_agrees(Tally& tally);               // P12, the command `verify`
void scaling_by_powers_of_two(Tally& tally);    // P13
void every_magnitude(Tally& tally);             // P14
void ill_conditioned(Tally& tally);             // P15
void every_thread_count(Tally& tally);          // P17
void code_of_any_batch(Tally& tally);           // P19
void many_encoding_threads(Tally& tally);       // P27

}  // namespace dualdict
