// SPDX-License-Identifier: BSD-3-Clause
// The inner loops that decide the speed, as a table of functions for one instruction set, chosen when first used.
//
// Every kernel adds the terms of a sum in the order of their index, one fused multiply-add each, whatever the vector
// width and wherever the element sits in a tile. So a result does not depend on the shape of the batch around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dualdict {

// How a product enters its target.
enum class Into { kSet, kAdd, kSubtract };

// v_j <- gain_j S_t(v_j), t = threshold_j + growth_j * level of the row; never negative when `positive`, and never -0.
template <class T>
struct Shrinkage {
  const T* gain = nullptr;  // null: v stays as it is
  const T* threshold = nullptr;
  const T* growth = nullptr;
  const T* levels = nullptr;
  bool positive = false;

  // That of the rows and columns from these on.
  Shrinkage from(std::size_t row, std::size_t column) const {
    if (gain == nullptr) return *this;
    return {gain + column, threshold + column, growth + column, levels + row, positive};
  }
};

// c (rows x width) = / += / -= a (rows x depth) * panel (depth x width).
template <class T>
struct TileArguments {
  const T* a;  // element (i, k) at a[i * row_stride + k * depth_stride]
  std::size_t row_stride;
  std::size_t depth_stride;
  const T* panel;  // packed: depth x panel_width, zero padded
  std::size_t depth;
  T* c;  // element (i, j) at c[i * c_stride + j]
  std::size_t c_stride;
  std::size_t rows;   // 1 .. tile_rows
  std::size_t width;  // 1 .. panel_width
  Into into;
  Shrinkage<T> shrinkage;  // of c at the end; not with kSubtract
};

// Code kernels work on whole vectors of every instruction set: rows are padded with zeros to a multiple of this.
inline constexpr std::size_t kWidestVector = 16;
inline constexpr std::size_t padded(std::size_t n) {
  return (n + kWidestVector - 1) / kWidestVector * kWidestVector;
}

template <class T>
struct ActiveSetSpace {
  std::size_t limit = 0;           // largest support that the active set may hold; 0: sweeps only
  std::uint32_t* slots = nullptr;  // workspace for `limit` indices
  T* numbers = nullptr;            // workspace of active_workspace(limit, n) elements, for a limit of 0 too
  bool sweeps_first = false;       // from a warm start, sweep as long as making the active set would take
};

// min over u of 1/2 u'Hu - b'u + lambda |u|_1, for one u, with r = b - Hu kept up to date. The scalar reference sweeps
// only; the others may use an active set and reach the same tolerance with fewer operations.
template <class T>
struct DescentArguments {
  const T* gram;  // H, row j at gram + j * gram_stride
  std::size_t gram_stride;
  const T* diagonal;          // H_jj
  const T* inverse_diagonal;  // 1 / H_jj, or 0 where H_jj is 0: such a coordinate never moves
  std::size_t n;              // a multiple of kWidestVector; all that is added for that is zero
  T lambda;
  bool positive;   // u >= 0
  bool from_zero;  // u is zero on entry
  T tolerance;     // done when the KKT residual is at most this
  std::size_t max_sweeps;
  std::uint32_t* list;  // workspace for n indices
  T* u;
  T* r;
  ActiveSetSpace<T> active;
  T relaxation = 1;  // of sweeps, 1 to below 2: how far a coordinate goes, 1 is to its minimiser
};

// Where a coordinate goes in a sweep that is relaxed. Only as long as it stays on its side of zero: there the objective
// is a parabola, lower than it was up to twice as far as its minimiser.
template <class T>
inline T relaxed(T old, T minimiser, T relaxation) {
  const T far = old + relaxation * (minimiser - old);
  return old * minimiser > T{0} && old * far > T{0} ? far : minimiser;
}

// What an active set of up to `limit` of n coordinates needs, whatever the vector width, and before it the bounds of
// the greedy start.
inline constexpr std::size_t active_workspace(std::size_t limit, std::size_t n) {
  return (limit + 10) * (limit + kWidestVector) + 2 * n;
}

template <class T>
struct DescentReport {
  std::size_t sweeps = 0;
  T kkt = 0;  // residual at the end: max |r_j - lambda sign u_j| where u_j != 0, max (|r_j| - lambda)_+ elsewhere
};

// What the certificate of one code needs.
struct CodeSums {
  std::size_t nonzeros = 0;
  double abs = 0;    // |u|_1
  double ub = 0;     // u'b
  double ur = 0;     // u'r
  double pull = 0;   // max |r_j|, or max (r_j)_+ for positive codes
  double start = 0;  // max |b_j|, or max (b_j)_+: the pull at a code of zero
  double slack = 0;  // sum of lambda |u_j| - s u_j r_j, s = min(1, lambda / pull)
};

// out += sign * the sum of factor_e times row e of the matrix, over the listed rows in their order: a row of a product
// whose left operand is sparse, with the bits of the dense product.
template <class T>
struct RowsArguments {
  const T* factors;
  const std::uint32_t* rows;
  std::size_t count;
  T sign;  // 1 or -1
  const T* matrix;
  std::size_t stride;
  T* out;
  std::size_t n;
};

// Columns are marked by bits of words.
inline constexpr std::size_t kMarksPerWord = 64;
inline constexpr std::size_t mark_words(std::size_t n_columns) {
  return (n_columns + kMarksPerWord - 1) / kMarksPerWord;
}

// out += or -= left * right for some neighbouring panels of a PackedRight, as many as are summed in registers: n
// columns, at most panels_at_once panels. Only the marked columns of row i of left count: column 64 w + b where bit b
// of used[i * used_stride + w] is set.
template <class T>
struct PanelRowsArguments {
  const T* left;  // element (i, k) at left[i * row_stride + k * depth_stride]
  std::size_t row_stride;
  std::size_t depth_stride;
  std::size_t n_rows;
  const std::uint64_t* used;
  std::size_t used_stride;
  std::size_t n_words;
  Into into;  // kAdd or kSubtract
  const T* panels;
  std::size_t panel_size;  // elements from one panel to the next
  T* out;
  std::size_t out_stride;
  std::size_t n;
  Shrinkage<T> shrinkage;  // of out at the end
};

template <class T>
struct Kernels {
  const char* name;
  std::size_t tile_rows;       // most rows of the left operand that one call of `tile` handles
  std::size_t panel_width;     // how many elements wide a packed panel is
  std::size_t panels_at_once;  // most panels that one call of add_panel_rows handles
  std::size_t cache_bytes;     // of a right operand that stay in the first cache beside the rest of add_panel_rows
  double sparse_share;         // above this share of nonzeros in the left operand the dense product is faster
  void (*tile)(const TileArguments<T>&);
  DescentReport<T> (*descend)(const DescentArguments<T>&);
  void (*add_rows)(const RowsArguments<T>&);
  void (*add_panel_rows)(const PanelRowsArguments<T>&);
  // The nonzeros of a row: columns (rising) and values; how many. Up to kWidestVector elements after them may be
  // written too.
  std::size_t (*list_nonzeros)(const T* row, std::size_t n, std::uint32_t* columns, T* values);
  // Where the nonzeros are: bit b of bits[w] is set when element 64 w + b is one. Words are written as a whole.
  void (*mark_nonzeros)(const T* row, std::size_t n, std::uint64_t* bits);
  // Alone for tests: products shrink on the way, with its bits.
  void (*shrink)(const Shrinkage<T>&, T* row, std::size_t n);
  // max |x_j|; infinite or NaN when an element is.
  T (*largest_magnitude)(const T* x, std::size_t n);
  std::size_t (*count_nonzeros)(const T* x, std::size_t n);
  double (*squared_norm)(const T* x, std::size_t n);
  CodeSums (*summarise)(const T* u, const T* b, const T* r, std::size_t n, T lambda, bool positive);
};

// The table for this CPU. The environment variable DUALDICT_KERNELS=scalar|avx2|avx3|neon forces one (read
// once); a name that this CPU or build does not have is an Error(kUsage).
template <class T>
const Kernels<T>& kernels();

// The reference, and every variant that runs on this CPU (the reference first); for tests.
template <class T>
const Kernels<T>& scalar_kernels();
template <class T>
std::vector<Kernels<T>> all_kernels();

}  // namespace dualdict
