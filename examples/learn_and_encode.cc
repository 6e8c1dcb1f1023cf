// SPDX-License-Identifier: BSD-3-Clause
// Learn a dictionary from samples in memory, then code new samples in every mode and see what each costs in accuracy.
#include <cmath>
#include <cstdio>
#include <random>

#include "dualdict/dualdict.h"

namespace {

constexpr std::size_t kFeatures = 16;
constexpr std::size_t kAtoms = 32;

dualdict::Matrix<float> normal_matrix(std::size_t rows, std::size_t cols, std::mt19937& random) {
  std::normal_distribution<float> normal;
  dualdict::Matrix<float> matrix(rows, cols);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = normal(random);
  return matrix;
}

// Each sample is a sum of three hidden atoms with random weights.
dualdict::Matrix<float> planted_samples(std::size_t n, const dualdict::Matrix<float>& atoms, std::mt19937& random) {
  std::normal_distribution<float> weight;
  std::uniform_int_distribution<std::size_t> pick(0, atoms.rows() - 1);
  dualdict::Matrix<float> samples(n, atoms.cols());
  for (std::size_t i = 0; i < n; ++i) {
    for (int used = 0; used < 3; ++used) {
      const float w = weight(random);
      const float* atom = atoms.row(pick(random));
      for (std::size_t j = 0; j < samples.cols(); ++j) samples(i, j) += w * atom[j];
    }
  }
  return samples;
}

double relative_error(const dualdict::Matrix<float>& truth, const dualdict::Matrix<float>& guess) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    difference += std::pow(truth.data()[i] - guess.data()[i], 2);
    norm += std::pow(truth.data()[i], 2);
  }
  return std::sqrt(difference / norm);
}

}  // namespace

int main() {
  std::mt19937 random(1);
  const auto hidden = normal_matrix(kAtoms, kFeatures, random);
  const auto train = dualdict::make_source(planted_samples(4000, hidden, random));
  const auto fresh = planted_samples(500, hidden, random);

  dualdict::LearnOptions options;
  options.n_atoms = kAtoms;
  options.nonzeros = 4;
  const auto [model, summary] = dualdict::learn(*train, options);
  std::printf("%s after %zu iterations, %.1f nonzeros per code\n", dualdict::outcome_name(summary.outcome).data(),
              summary.iterations.size(), summary.nonzeros_per_code);

  for (const char* mode : {"linear", "hard", "topk:4", "greedy", "omp:4"}) {
    const dualdict::Encoder encoder(model, {.mode = mode});
    dualdict::Matrix<float> codes(fresh.rows(), model.n_atoms());
    encoder.encode(fresh, codes);
    dualdict::Matrix<float> decoded(fresh.rows(), fresh.cols());
    encoder.decode(codes, decoded);
    std::printf("%-10s |x - decoded| / |x| = %.3f\n", mode, relative_error(fresh, decoded));
  }
  return 0;
}
