// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/start_orthonormal.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linalg/kernels/l0_kernels.h"
#include "linalg/parallel_product.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"
#include "model/fit/atom_lists.h"
#include "solvers/hard_codes.h"

namespace dualdict {
namespace {

constexpr std::size_t kCovarianceRows = 20000;
constexpr std::size_t kRotationBlock = 2048;
constexpr std::size_t kRotationPart = 128;
// Of random numbers.
constexpr std::uint64_t kPrincipalStream = 101, kFillStream = 102, kRotateStream = 103;

// X X' over rows of the samples.
Matrix<double> covariance(const HardRows& rows, std::uint64_t seed, ThreadPool& pool) {
  RowOrder order(rows.n, seed, kPrincipalStream);
  std::vector<std::size_t> drawn;
  Matrix<double> sum(rows.n_features, rows.n_features);
  const std::size_t n = std::min(rows.n, kCovarianceRows);
  for (std::size_t first = 0; first < n; first += kRotationBlock) {
    Matrix<float> block(std::min(kRotationBlock, n - first), rows.n_features);
    read_block(rows, order, pool, drawn, block);
    const Matrix<double> wide = convert<double>(block);
    add_transposed_product(wide.view(), wide.view(), sum.view(), pool);
  }
  return sum;
}

// Takes the components along the rows [0, n) of `basis`, which are orthonormal, out of v, twice for rounding; what is
// left of its length.
double orthogonalise(const Matrix<double>& basis, std::size_t n, double* v) {
  for (int time = 0; time < 2; ++time)
    for (std::size_t i = 0; i < n; ++i) {
      const double along = dot(basis.row(i), v, basis.cols());
      for (std::size_t f = 0; f < basis.cols(); ++f) v[f] -= along * basis(i, f);
    }
  return norm(v, basis.cols());
}

// The polar factor of s, (s s')^-1/2 s. Directions that s lacks are completed from the rows of `span`, which are
// orthonormal and as many as those of s: an atom that nobody used would vanish otherwise.
Matrix<double> polar_factor(const Matrix<double>& s, const Matrix<double>& span, ThreadPool& pool) {
  constexpr double kLost = 1e-10;  // of the largest eigenvalue
  const std::size_t n = s.rows();
  const SymmetricEigen eigen = symmetric_eigen(parallel_gram(s.view(), pool));
  Matrix<double> right = parallel_product(eigen.vectors.view(), s.view(), pool);  // rows: lengths sqrt(value)
  Matrix<double> basis(n, s.cols());
  std::size_t found = 0;
  std::vector<std::size_t> place(n), lost;
  for (std::size_t i = n; i-- > 0;) {
    const double length = norm(right.row(i), s.cols());
    if (!(eigen.values[i] > kLost * eigen.values[n - 1]) || !(length > 0)) {
      lost.push_back(i);
      continue;
    }
    for (std::size_t f = 0; f < s.cols(); ++f) basis(found, f) = right(i, f) / length;
    place[i] = found++;
  }
  std::size_t candidate = 0;
  for (const std::size_t i : lost) {
    constexpr double kEnough = 1e-3;
    double length = 0;
    for (; candidate < n && !(length > kEnough); ++candidate) {
      std::copy_n(span.row(candidate), s.cols(), basis.row(found));
      length = orthogonalise(basis, found, basis.row(found));
    }
    for (std::size_t f = 0; f < s.cols(); ++f) basis(found, f) = length > kEnough ? basis(found, f) / length : 0.0;
    place[i] = found++;
  }
  Matrix<double> ordered(n, s.cols());
  for (std::size_t i = 0; i < n; ++i) std::copy_n(basis.row(place[i]), s.cols(), ordered.row(i));
  return parallel_product(transpose<double>(eigen.vectors.view()).view(), ordered.view(), pool);
}

// U X' of hard codes of the block, U = hard(P X) with the block's own threshold for the count.
class RotationSums {
 public:
  RotationSums(std::size_t n_rows, std::size_t n_atoms, std::size_t n_features)
      : responses_(n_rows, n_atoms),
        sorted_(n_rows, n_atoms),
        lists_((n_rows + kRotationPart - 1) / kRotationPart),
        sums_(n_atoms, n_features),
        nothing_(n_atoms) {}

  const Matrix<float>& of(const Matrix<float>& atoms, const Matrix<float>& x, double nonzeros, ThreadPool& pool) {
    packed_.pack_transposed(atoms.view());
    const auto rows_of = [&](std::size_t part) { return std::min(kRotationPart, x.rows() - part * kRotationPart); };
    pool.run(lists_.size(), [&](std::size_t part, std::size_t) {
      multiply<float>(plain<float>(x.view().row_range(part * kRotationPart, rows_of(part))), packed_,
                      responses_.view().row_range(part * kRotationPart, rows_of(part)));
    });
    sorted_ = responses_;
    const float threshold = threshold_for_nonzeros(sorted_, nonzeros, false);
    pool.run(lists_.size(), [&](std::size_t part, std::size_t) {
      SampleLists& lists = lists_[part];
      lists.clear();
      for (std::size_t i = part * kRotationPart; i < part * kRotationPart + rows_of(part); ++i) {
        l0_kernels<float>().keep_large(nothing_.data(), nothing_.size(), threshold, false, responses_.row(i));
        const std::size_t at = lists.begin_sample(nothing_.size());
        lists.end_sample(kernels<float>().list_nonzeros(responses_.row(i), nothing_.size(), lists.atom.data() + at,
                                                        lists.code.data() + at));
      }
    });
    codes_.assign(lists_, &SampleLists::code, nothing_.size());
    pool.run(nothing_.size(), [&](std::size_t atom, std::size_t) {
      std::fill_n(sums_.row(atom), sums_.cols(), 0.0F);
      codes_.add_rows(atom, x, sums_.row(atom));
    });
    return sums_;
  }

 private:
  Matrix<float> responses_, sorted_;
  std::vector<SampleLists> lists_;
  Matrix<float> sums_;
  AlignedVector<float> nothing_;
  PackedRight<float> packed_;
  AtomLists codes_;
};

}  // namespace

HardState start_principal(const HardRows& rows, std::size_t n_atoms, bool positive, std::uint64_t seed,
                          ThreadPool& pool) {
  Random random(seed, kFillStream);
  HardState state(n_atoms, rows.n_features);
  state.positive = positive;
  const SymmetricEigen eigen = symmetric_eigen(covariance(rows, seed, pool));
  const std::size_t d = rows.n_features;
  for (std::size_t k = 0; k < n_atoms; ++k) {
    float* const atom = state.decoder.row(k);
    const std::size_t component = positive ? k / 2 : k;
    if (component < d) {
      const double sign = positive && k % 2 == 1 ? -1 : 1;
      for (std::size_t f = 0; f < d; ++f) atom[f] = static_cast<float>(sign * eigen.vectors(d - 1 - component, f));
      std::copy_n(atom, d, state.weights.row(k));
      continue;
    }
    rows.read(random.index(rows.n), atom);
    const double length = norm(atom, d);
    for (std::size_t f = 0; f < d; ++f)
      atom[f] = length > 0 ? static_cast<float>(static_cast<double>(atom[f]) / length) : (f == k % d ? 1.0F : 0.0F);
  }
  return state;
}

// What the steps work with.
class Rotation::Block {
 public:
  Block(const HardRows& rows, std::uint64_t seed, std::size_t n_atoms, std::size_t n_steps_done)
      : x(std::min(rows.n, kRotationBlock), rows.n_features),
        order(rows.n, seed, kRotateStream, n_steps_done * x.rows()),
        sums(x.rows(), n_atoms, rows.n_features) {}

  Matrix<float> x;
  RowOrder order;
  RotationSums sums;
  std::vector<std::size_t> drawn;
};

Rotation::Rotation(const HardRows& rows, double nonzeros, std::uint64_t seed, ThreadPool& pool)
    : rows_(rows), nonzeros_(nonzeros), seed_(seed), pool_(pool) {}
Rotation::~Rotation() = default;

bool Rotation::step(RotationState& state, HardState& start) {
  constexpr std::size_t kMostSteps = 200, kFewestSteps = 30, kStepEntries = 4000000;
  constexpr double kFading = 0.9, kGrowing = 0.6, kFirstShare = 0.25, kFewest = 2;
  const std::size_t n = std::min(start.n_atoms(), rows_.n_features);
  // Eigenvalues cost more the more rows there are; the steps that are left do for a start.
  const std::size_t n_steps = std::clamp(kStepEntries / (n * n), kFewestSteps, kMostSteps);
  if (state.step >= n_steps) return false;
  Matrix<float> atoms(n, rows_.n_features);
  std::copy_n(start.weights.data(), atoms.size(), atoms.data());
  if (state.step == 0) {
    state.span = atoms;
    state.sums = Matrix<double>(n, rows_.n_features);
  }
  if (!block_) block_ = std::make_unique<Block>(rows_, seed_, n, state.step);
  const double way = std::min(1.0, static_cast<double>(state.step) / (kGrowing * static_cast<double>(n_steps)));
  const double first = std::min(nonzeros_, std::max(kFewest, kFirstShare * nonzeros_));
  read_block(rows_, block_->order, pool_, block_->drawn, block_->x);
  const double count = first * std::pow(nonzeros_ / first, way);
  const Matrix<float>& added = block_->sums.of(atoms, block_->x, count, pool_);
  for (std::size_t e = 0; e < state.sums.size(); ++e)
    state.sums.data()[e] = kFading * state.sums.data()[e] + static_cast<double>(added.data()[e]);
  atoms = convert<float>(polar_factor(state.sums, convert<double>(state.span), pool_));
  std::copy_n(atoms.data(), atoms.size(), start.weights.data());
  std::copy_n(atoms.data(), atoms.size(), start.decoder.data());
  ++state.step;
  return true;
}

}  // namespace dualdict
