// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/l0_fit.h"

#include <utility>

#include "linalg/vectors.h"
#include "model/coding_space.h"
#include "model/fit/greedy_fit.h"
#include "model/fit/levels.h"

namespace dualdict {

template <class T>
HardFitReport fit_l0(MatrixView<const T> samples, MatrixView<const T> held_out, const L0Options& options,
                     ThreadPool& pool, ModelParts& parts) {
  HardFitReport report;
  HardEncoder hard = fit_hard<T>(samples, held_out,
                                 {.n_atoms = options.n_atoms,
                                  .nonzeros = options.nonzeros,
                                  .positive = options.positive_codes,
                                  .seed = options.seed},
                                 pool, report);
  parts.penalty = Penalty::kL0;
  parts.positive_codes = options.positive_codes;
  parts.dictionary = fit_greedy<T>(samples, hard, options.nonzeros, options.seed, pool);
  parts.dual = std::move(hard.weights);
  parts.offset = std::move(hard.offset);

  FittedEncoder one_product;
  one_product.mode = "hard";
  one_product.decoder = std::move(hard.decoder);
  one_product.bias = std::move(hard.bias);
  for (std::size_t k = 0; k < options.n_atoms; ++k)  // of the sample less the offset
    one_product.bias[k] += dot(parts.dual.row(k), parts.offset.data(), parts.offset.size());
  Matrix<double> rest = convert<double>(held_out);
  add_offset(parts, -1, rest.view());
  one_product.levels = hard_levels(parts, one_product.bias, rest.view(), options.nonzeros, pool);
  FittedEncoder greedy;
  greedy.mode = "greedy";
  greedy.levels = greedy_levels(parts, rest.view(), options.nonzeros, pool);
  parts.encoders.clear();
  parts.encoders.push_back(std::move(one_product));
  parts.encoders.push_back(std::move(greedy));
  return report;
}

template HardFitReport fit_l0<float>(MatrixView<const float>, MatrixView<const float>, const L0Options&, ThreadPool&,
                                     ModelParts&);
template HardFitReport fit_l0<double>(MatrixView<const double>, MatrixView<const double>, const L0Options&, ThreadPool&,
                                      ModelParts&);

}  // namespace dualdict
