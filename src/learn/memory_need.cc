// SPDX-License-Identifier: BSD-3-Clause
#include "learn/memory_need.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/memory.h"
#include "dualdict/error.h"
#include "learn/fit/result_size.h"
#include "learn/samples/code_pass.h"
#include "model/fit/step_fit.h"
#include "solvers/code_step.h"
#include "solvers/dual_step.h"

namespace dualdict {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr double kDouble = sizeof(double);
constexpr double kPerThread = 1 * kMebibyte;  // stack in use and small things
constexpr double kProgram = 8 * kMebibyte;    // everything that does not grow

// Elements of XX', or of what stands for it: never d^2 where samples are fewer than features.
double second_moments(double n, double d) {
  return is_wide(static_cast<std::size_t>(n), static_cast<std::size_t>(d)) ? n * d : d * d;
}

// Elements of what its spectrum is made of and kept as, while the steps of C are taken.
double spectrum(double n, double d) {
  constexpr double kWhole = kWholeSpectrum, kTopVectors = 6 * 224;
  if (is_wide(static_cast<std::size_t>(n), static_cast<std::size_t>(d)))
    return 2 * n * d + (n <= kWhole ? 6 * n * n : kTopVectors * d);
  return d <= kWhole ? 7 * d * d : 2 * d * d + kTopVectors * d;
}

// What fits `corrected`, in elements: sums over samples of all pairs of features or, where those are more and wide,
// sums over features of all pairs of samples.
double regression(double n_fit, double d, double k) {
  if (d > static_cast<double>(kWideFeatures) && n_fit < d + k) return 4 * n_fit * n_fit + 2 * k * (d + k);
  return 8 * (k + d) * (k + d);
}

// Of many atoms with penalty l0: nothing but a few times D, and codes of some samples.
double many_atoms_work(const FitSize& size) {
  const auto n = static_cast<double>(size.n_samples);
  const auto k = static_cast<double>(size.n_atoms);
  const auto d = static_cast<double>(size.n_features);
  const auto threads = static_cast<double>(size.n_threads);
  // D, W and V in double and single precision, their moments, their best, the model's own and those that are measured;
  // a checkpoint holds them once more as they are and as a file.
  const double small = (size.checkpoint ? 250 : 140) * k * d;
  // Those that judge, those that levels are set on and those that the modes are measured on, with dense codes; before,
  // those that W is regressed on.
  const double held_out = size.unseen || size.n_samples < kFewestToHoldOut ? n : n / 5;
  const auto some = [&](double responses) { return std::min(held_out, std::max(500.0, responses / k)); };
  constexpr double kJudged = 1 << 23, kLevels = 1 << 24, kMeasured = 3e6, kRegression = 1 << 23, kBlock = 4096;
  const double most = std::max({some(kJudged) * (8 * k + 12 * d), some(kLevels) * 8 * k,
                                some(kMeasured) * (64 * k + 48 * d), std::min(kRegression, n * k) * 12});
  const double blocks = kBlock * d * 12 + threads * (256 * (k * 12 + d * 16) + 2 * kMebibyte);
  constexpr double kMostKept = 16384 + 8000;  // samples in the end, once more
  return 4 * kProgram + small + most + blocks + std::min(n, kMostKept) * 8 * d;
}

}  // namespace

MemoryNeed memory_need(const FitSize& size) {
  const auto n = static_cast<double>(size.n_samples);
  const auto d = static_cast<double>(size.n_features);
  const auto k = static_cast<double>(size.n_atoms);
  const auto threads = static_cast<double>(size.n_threads);
  const double element = size.dtype == DType::kFloat32 ? sizeof(float) : sizeof(double);
  const auto block = std::min(static_cast<double>(kBlockSamples), n);
  const auto most_blocks = [&](double count) { return std::min(count * block, n); };  // in samples
  // A nonzero with its column.
  const double nonzero = element + sizeof(std::uint32_t);
  const auto active = static_cast<double>(active_workspace(std::min(size.n_atoms, kActiveLimit), size.n_atoms));
  // Codes with their start, residual, lead and nonzeros; the active set; a tile of products.
  const double per_thread = block * 5 * k * element + block * k * nonzero + active * element + kPerThread;
  // What has a row for every atom is packed for whole vectors.
  constexpr double kPacked = 16;
  const double atoms = std::ceil(k / kPacked) * kPacked * d;
  // Second moments, sums of codes, D and C, the code problem.
  const double small = (second_moments(n, d) + 8 * k * k + 5 * atoms) * kDouble;
  const double wave_codes = std::min(std::max(static_cast<double>(kWaveBytes) / element, block * k), (n + block) * k);
  const double wave = wave_codes * (2 * element + nonzero) + most_blocks(32) * d * element +
                      (is_wide(size.n_samples, size.n_features) ? 0 : most_blocks(16) * 2 * d * kDouble);
  // A block of samples of every thread; D and C with their momentum.
  const double loop = wave + threads * block * 2 * d * element + (spectrum(n, d) + 11 * atoms) * kDouble +
                      (size.checkpoint ? n * k * (element + sizeof(float)) : 0);
  const double n_fit = std::min(n, static_cast<double>(fit_samples(size.n_features)));
  const double n_measured = std::min(size.unseen || size.n_samples < kFewestToHoldOut ? n : n / 4,
                                     static_cast<double>(measure_samples(size.n_atoms, size.n_features)));
  // To fit: exact codes, sparse codes and those that a decoder is fitted to; what codes decode to for every step; a
  // block of atoms.
  const double to_fit = n_fit * (4 * k + 4.5 * d + 10 * std::min(k, static_cast<double>(kFitBlockAtoms)));
  const double to_measure = n_fit * (2 * k + 2 * d) + n_measured * (6 * k + 8 * d);
  // And the six tensors of the model, the copies that are measured, and their encoders.
  const double encoders = (std::max(to_fit, to_measure) + regression(n_fit, d, k) + 22 * atoms) * kDouble;
  const bool more_pairs = size.sums_pairs && is_wide(size.n_samples, size.n_features);
  MemoryNeed need;
  need.samples = n * d * element + n * kDouble;
  if (size.many_atoms) {
    need.work = many_atoms_work(size);
    return need;
  }
  need.codes = n * k * element;
  // The codes are let go before the encoders are fitted.
  need.work = kProgram + threads * per_thread + small + std::max(loop, encoders - need.codes) +
              (more_pairs ? 5 * d * d * kDouble : 0);
  return need;
}

void require_memory(const MemoryNeed& need, std::size_t max_memory) {
  MemoryLimit limit{static_cast<double>(max_memory) * kMebibyte, "--max-memory"};
  if (max_memory == 0) limit = available_memory();
  if (need.total() <= limit.bytes) return;
  const auto mebibytes = [](double bytes) { return std::ceil(bytes / kMebibyte); };
  std::ostringstream message;
  message.precision(12);
  message << "learning needs up to " << mebibytes(need.total()) << " MiB (" << mebibytes(need.samples)
          << " for the samples, " << mebibytes(need.codes) << " for the codes, " << mebibytes(need.work)
          << " to work with), " << limit.source << " leaves " << std::floor(limit.bytes / kMebibyte)
          << " MiB: take fewer samples or atoms, --dtype float32, or a higher --max-memory if you know better";
  throw Error(ErrorKind::kMemory, message.str());
}

}  // namespace dualdict
