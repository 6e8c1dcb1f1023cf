// SPDX-License-Identifier: BSD-3-Clause
// The code step: for a block of samples, min over U of E with D and C fixed, and the certificate of how near it came.
#pragma once

#include <cstdint>
#include <vector>

#include "dualdict/matrix.h"
#include "linalg/sparse_product.h"
#include "solvers/code_problem.h"

namespace dualdict {

// Samples in a block. It depends on nothing, so that no result depends on the number of threads.
inline constexpr std::size_t kBlockSamples = 256;

// The largest support that coordinate descent finishes by an active set. Beyond it the inverse would leave the cache.
inline constexpr std::size_t kActiveLimit = 256;

enum class CodeMethod {
  kDescent,  // coordinate descent on the Gram matrix; in closed form when tau = 0
  kFista,    // the paper's accelerated proximal gradient
};

struct CodeOptions {
  CodeMethod method = CodeMethod::kDescent;
  // A code is done when its KKT residual is at most this times tau/K (times the largest |b_j| when tau = 0), or at
  // most what rounding leaves, 8 epsilon times the largest |b_j|.
  double tolerance = 1e-3;
  std::size_t max_sweeps = 100;  // or FISTA iterations
  // Descent may finish a code by an active set. Without it a few sweeps improve many codes a little for less.
  bool active_set = true;
  // Of the sweeps, from 1 to below 2: how far a coefficient goes, 1 is to its minimiser. Where atoms resemble each
  // other and sweeps creep, a few that go farther come nearer; the energy falls with every move all the same.
  double relaxation = 1;
};

// Sums over the block's samples.
struct CodeReport {
  double gap = 0;              // duality gaps, in the units of E
  double max_kkt = 0;          // largest KKT residual, in the units of `tolerance`
  std::size_t unfinished = 0;  // codes above their tolerance that rounding would have let improve
  double sum_abs = 0;          // |u|_1
  double squared_samples = 0;  // |x|^2
  double strongest_pull = 0;   // max |b_j|, or max (b_j)_+ for positive codes: lambda that silences every code
  std::size_t nonzeros = 0;
  std::size_t sweeps = 0;
  void add(const CodeReport& other);
};

template <class T>
struct CodeWorkspace {
  // Rows of these three are padded with zeros, as the kernels want it.
  Matrix<T> linear;       // b
  Matrix<T> residual;     // r = b - Hu
  AlignedVector<T> code;  // the one that descent works on
  Matrix<T> lead;         // FISTA's phi, and the codes before the step
  Matrix<T> previous;
  UsedColumns used;  // of the codes before the step
  std::vector<std::uint32_t> list;
  std::vector<std::uint32_t> slots;  // of the active set
  std::vector<T> active;
  std::vector<double> gap;     // of each code, in the units of E
  std::vector<double> energy;  // of each code, without eta/K |C x|^2
  std::vector<double> momentum;
  std::vector<char> done;  // FISTA: this code is finished
  void reserve(std::size_t n_atoms, CodeMethod method);
};

// x: n x d with n <= kBlockSamples; u: n x K, the start on entry, the codes on return. The code of a row depends on
// that row alone. Afterwards work.linear, residual, gap and energy are those of the codes.
template <class T>
CodeReport code_step(const CodeProblem<T>& problem, MatrixView<const T> x, const CodeOptions& options,
                     CodeWorkspace<T>& work, MatrixView<T> u);

// FISTA on the block with a given curvature (the paper's sigma_U): in step 1/curvature, threshold lambda/curvature. It
// converges when curvature >= 3/4 lambda_max(H) and diverges with the paper's own choice; code_step uses lambda_max(H).
// work.linear holds b on entry, work.residual b - Hu on return. Returns the iterations made.
template <class T>
std::size_t codes_by_fista(const CodeProblem<T>& problem, double curvature, const CodeOptions& options,
                           CodeWorkspace<T>& work, MatrixView<T> u);

}  // namespace dualdict
