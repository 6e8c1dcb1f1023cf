// SPDX-License-Identifier: BSD-3-Clause
// Rough products of samples and atoms in bytes, to find which atoms are worth a look: a table of functions for the
// instruction set that kernels() chose, better by dot products of four bytes where the CPU has them (AVX-512 VNNI).
//
// Sums of bytes are exact in 32 bits, so every kernel gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dualdict {

// Atoms go by panels of 16, features by groups of 4: byte ((panel * groups + group) * 16 + atom) * 4 + feature.
inline constexpr std::size_t kScreenPanel = 16;
inline constexpr std::size_t kScreenGroup = 4;
// Elements of atoms are at most this: two of them times 255 are then a 16-bit number, as AVX2 needs it.
inline constexpr int kScreenAtomMost = 63;
// Those of samples, which are kept with kScreenSampleZero added to them.
inline constexpr int kScreenSampleMost = 127;
inline constexpr int kScreenSampleZero = 128;

// out(i, k) = scale_i scale_k sum_f (sample_if - zero) atom_kf
struct ScreenArguments {
  const std::uint8_t* samples;  // rows of 4 groups bytes
  const float* sample_scales;
  std::size_t n_samples;
  std::size_t groups;
  const std::int8_t* atoms;
  const std::int32_t* zeros;  // of each atom, kScreenSampleZero times the sum of its elements
  const float* atom_scales;
  std::size_t n_panels;
  float* out;
  std::size_t out_stride;
};

struct ScreenKernels {
  const char* name;
  void (*screen)(const ScreenArguments&);
  // The places, rising, of elements whose magnitude (themselves, if `positive`) is above the threshold; how many. Up to
  // kScreenPanel places after them may be written too.
  std::size_t (*list_above)(const float* row, std::size_t n, float threshold, bool positive, std::uint32_t* places);
};

const ScreenKernels& screen_kernels();

// The reference, and every variant that runs on this CPU (the reference first); for tests.
const ScreenKernels& scalar_screen_kernels();
std::vector<ScreenKernels> all_screen_kernels();

}  // namespace dualdict
