// SPDX-License-Identifier: BSD-3-Clause
// What the fitted encoders are compared with.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "solvers/greedy_coder.h"

namespace dualdict {

// gain S_t(D'x) with one t and one gain for all atoms.
struct ThresholdBaseline {
  double threshold = 0;
  double gain = 0;
};
// The threshold with which `responses` (D'x, n x K) keep `nonzeros` numbers a row on average, and the gain that brings
// the rest nearest to `codes`.
ThresholdBaseline fit_threshold_baseline(const Matrix<double>& responses, const Matrix<double>& codes, double nonzeros,
                                         bool positive);
void apply_threshold_baseline(const ThresholdBaseline& baseline, bool positive, Matrix<double>& responses);

// An orthonormal basis of the space of the samples and the point from which they are written in it.
struct Basis {
  std::vector<double> origin;  // d
  Matrix<double> vectors;      // d x d, a vector a row, the most telling last; of wide samples' spaces a part
};
// The mean and the principal components; of more than 1,024 features the first 256.
Basis pca_basis(MatrixView<const double> samples, ThreadPool& pool);
// The two-dimensional cosine transform of patches; origin 0. Nothing where height * width is not d
// or more than 1,024.
Basis dct_basis(std::size_t height, std::size_t width, std::size_t n_features);

// What some samples look like in a basis.
class BasisErrors {
 public:
  // With the last `n_vectors` alone.
  BasisErrors(const Basis& basis, MatrixView<const double> samples, ThreadPool& pool,
              std::size_t n_vectors = std::numeric_limits<std::size_t>::max());
  // |x - x^| / |x| with the last n vectors of the basis, the same for all samples.
  double leading(std::size_t n) const;
  // The same with as many coefficients a sample on average, the largest of all: one hard threshold.
  double hard(double nonzeros) const;

 private:
  std::vector<double> energy_;   // of the coefficients, by vector
  std::vector<double> removed_;  // [k]: the sum of the k largest squares of coefficients
  double outside_ = 0;           // what no vector of the basis reaches
  double out_of_reach_ = 0;      // the sum of those of the other vectors
  std::size_t n_samples_ = 0;
  double squared_samples_ = 0;  // |x|^2
};

// Samples as atoms, at unit norm and less their mean: a dictionary that nobody learned.
class SampleAtoms {
 public:
  SampleAtoms(MatrixView<const double> samples, std::size_t n_atoms, bool positive, ThreadPool& pool);
  // |x - x^| / |x| of greedy codes whose price gives that many nonzeros on average.
  double error(MatrixView<const double> samples, double nonzeros, ThreadPool& pool) const;

 private:
  std::vector<double> mean_;
  GreedyCoder<float> coder_;
};

}  // namespace dualdict
