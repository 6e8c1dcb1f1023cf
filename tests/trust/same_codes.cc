// SPDX-License-Identifier: BSD-3-Clause
// P19: a sample's code has the same bits alone, in any batch and on any number of threads.
#include <cstring>

#include "dualdict/encode.h"
#include "learn/fit_case.h"
#include "trust/long_forms.h"

namespace dualdict {
namespace {

template <class T>
void compare(Tally& tally, const Encoder& encoder, const Matrix<T>& samples, const Matrix<T>& whole,
             const std::string& where) {
  Random random(samples.rows(), 19);
  Matrix<T> codes(300, whole.cols());
  // Every sample alone, then all of them in batches of random sizes.
  for (const std::size_t largest : {std::size_t{1}, std::size_t{300}})
    for (std::size_t first = 0; first < samples.rows();) {
      const std::size_t n = std::min(1 + random.index(largest), samples.rows() - first);
      encoder.encode(samples.view().row_range(first, n), codes.view().row_range(0, n));
      for (std::size_t i = 0; i < n; ++i) {
        const bool same = std::memcmp(codes.row(i), whole.row(first + i), whole.cols() * sizeof(T)) == 0;
        tally.add(same, where + ", sample " + std::to_string(first + i) + " of a batch of " + std::to_string(n));
      }
      first += n;
    }
}

}  // namespace

void code_of_any_batch(Tally& tally) {
  const Matrix<double> samples = planted_samples(1000, 12, 16, 3);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    LearnOptions learning = small_options(16, 0.1, Solver::kFast, dtype);
    learning.max_iterations = 5;
    const Model model = fit(samples, learning).model;
    for (const char* mode : {"linear", "sparse", "corrected", "refine:3", "exact"})
      for (const bool debias : {false, true})
        for (const std::size_t n_threads : {1U, 3U}) {
          if (!tally.next()) continue;
          EncodeOptions options;
          options.mode = mode;
          options.debias = debias;
          options.n_threads = n_threads;
          const Encoder encoder(model, options);
          const std::string where = std::string(mode) + (debias ? ", debiased" : "");
          const Matrix<float> single = convert<float>(samples);
          Matrix<float> single_codes(samples.rows(), model.n_atoms());
          encoder.encode(single.view(), single_codes.view());
          compare(tally, encoder, single, single_codes, where);
          Matrix<double> codes(samples.rows(), model.n_atoms());
          encoder.encode(samples.view(), codes.view());
          compare(tally, encoder, samples, codes, where);
        }
  }
}

}  // namespace dualdict
