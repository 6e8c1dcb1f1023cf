// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/greedy_fit.h"

#include <algorithm>

#include "model/fit/greedy_dictionary.h"
#include "model/fit/hard_rows.h"
#include "model/fit/hard_state.h"

namespace dualdict {

template <class T>
Matrix<double> fit_greedy(MatrixView<const T> samples, const HardEncoder& encoder, double nonzeros, std::uint64_t seed,
                          ThreadPool& pool) {
  constexpr double kPasses = 4;
  constexpr std::size_t kMostRows = 100000, kFewestBlocks = 20, kCalmShare = 5;
  constexpr std::uint64_t kStream = 120;
  Standard standard = standard_of(samples);
  // Centred as the encoder has it.
  standard.mean = encoder.offset;
  const HardRows rows = standard_rows(samples, standard);
  HardState start(encoder.weights.rows(), encoder.weights.cols());
  start.weights = convert<float>(encoder.weights);
  start.decoder = convert<float>(encoder.decoder);
  start.positive = encoder.positive;
  for (std::size_t k = 0; k < start.n_atoms(); ++k) {
    double bias = encoder.bias[k];
    for (std::size_t f = 0; f < start.n_features(); ++f) bias += encoder.weights(k, f) * encoder.offset[f];
    start.bias[k] = static_cast<float>(bias * standard.scale);
  }
  GreedyDictionaryOptions options;
  options.nonzeros = nonzeros;
  options.positive = encoder.positive;
  options.start = &start;
  GreedyDictionary dictionary(rows, encoder.decoder, options, Random(seed, kStream), pool);
  const double n_rows = kPasses * static_cast<double>(std::min(rows.n, kMostRows));
  const auto n_blocks =
      std::max(kFewestBlocks, static_cast<std::size_t>(n_rows / static_cast<double>(dictionary.block_size())));
  for (std::size_t block = 0; block < n_blocks; ++block) dictionary.step(block + n_blocks / kCalmShare < n_blocks);
  return dictionary.dictionary();
}

template Matrix<double> fit_greedy<float>(MatrixView<const float>, const HardEncoder&, double, std::uint64_t,
                                          ThreadPool&);
template Matrix<double> fit_greedy<double>(MatrixView<const double>, const HardEncoder&, double, std::uint64_t,
                                           ThreadPool&);

}  // namespace dualdict
