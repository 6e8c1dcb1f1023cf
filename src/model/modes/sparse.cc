// SPDX-License-Identifier: BSD-3-Clause
// One product, a gain and a threshold for each atom.
#include "model/modes/mode.h"
#include "model/modes/sparse_encoder.h"

namespace dualdict {
namespace {

FittedEncoder fit_to_check(const ModelParts& parts, const SplitSamples& split, ThreadPool& pool) {
  FittedEncoder encoder = fit_sparse(parts, split.fit(), pool);
  complete(parts, split, {}, pool, encoder);
  return encoder;
}

}  // namespace

const Mode& sparse_mode() {
  static const Mode mode = {.info = {.name = "sparse",
                                     .number = "",
                                     .help = "gain and threshold on a corrected product",
                                     .cost = "1",
                                     .takes_tau = true,
                                     .debiased = true,
                                     .no_graph = ""},
                            .needs = {"sparse"},
                            .tensors = {"weights", "gain", "threshold", "growth", "tau_slope"},
                            .has_decoder = true,
                            .fit = fit_to_check,
                            .make_float = make_mode_encoder<SparseEncoder<float>, float>,
                            .make_double = make_mode_encoder<SparseEncoder<double>, double>};
  return mode;
}

}  // namespace dualdict
