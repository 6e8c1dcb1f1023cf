// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of hard and greedy codes and of their learning: a table of functions for the instruction set that
// kernels() chose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linalg/kernels/kernels.h"

namespace dualdict {

// One code under a price for every nonzero: min over u of |x - V u|^2 + price |u|_0 with unit atoms, by moves of one
// coefficient to its minimiser or to zero, the one that gains most first. c = V'(x - V u) is kept up to date.
template <class T>
struct GreedyArguments {
  const T* gram;  // V'V, row j at gram + j * gram_stride; a zero atom has a row of zeros
  std::size_t gram_stride;
  std::size_t n;  // a multiple of kWidestVector; all that is added for that is zero
  T price;
  T least_gain;  // >= 0: only moves that gain more are made
  bool positive;
  std::size_t max_moves;
  std::size_t max_nonzeros;
  T* u;
  T* c;
};

struct GreedyReport {
  std::size_t moves = 0;
  std::size_t nonzeros = 0;
  double gain = 0;  // how much the moves took off the cost
};

// What a move of one coefficient can gain, c and u its own: to w = c + u, the minimiser, or to zero. An idle one pays
// `entry`.
template <class T>
inline T greedy_gain(T c, T u, T price, T entry, bool positive) {
  const T w = c + u;
  if (positive && w < T{0}) return c * c + ((u != T{0} ? price : -entry) - w * w);
  const T rest = price - w * w;
  return c * c + (u != T{0} ? (rest > T{0} ? rest : T{0}) : -entry);
}

// Where that move goes.
template <class T>
inline T greedy_target(T w, T price, bool positive) {
  return w * w > price && (!positive || w > T{0}) ? w : T{0};
}

// out_e = <row rows[e] of the matrix, x>.
template <class T>
struct DotsArguments {
  const std::uint32_t* rows;
  std::size_t count;
  const T* matrix;
  std::size_t stride;
  const T* x;
  std::size_t n;
  T* out;
};

// One step of Adam along `direction`, minus the gradient: first <- f first + (1 - f) g, second likewise with g^2, and
// w += rate first / (sqrt(second) + floor). The caller puts the correction of the bias into rate and floor.
template <class T>
struct AdamArguments {
  const T* direction;
  std::size_t n;
  T first_fading;
  T second_fading;
  T rate;
  T floor;
  T* first;
  T* second;
  T* w;
};

template <class T>
struct L0Kernels {
  const char* name;
  GreedyReport (*move_greedily)(const GreedyArguments<T>&);
  // v <- v + bias where that is above the threshold (its magnitude, unless `positive`), 0 elsewhere.
  void (*keep_large)(const T* bias, std::size_t n, T threshold, bool positive, T* row);
  void (*dot_rows)(const DotsArguments<T>&);
  void (*adam_step)(const AdamArguments<T>&);
};

template <class T>
const L0Kernels<T>& l0_kernels();

// The reference, and every variant that runs on this CPU (the reference first); for tests.
template <class T>
const L0Kernels<T>& scalar_l0_kernels();
template <class T>
std::vector<L0Kernels<T>> all_l0_kernels();

}  // namespace dualdict
