// SPDX-License-Identifier: BSD-3-Clause
// Orthogonal matching pursuit, on the Gram matrix or, of many atoms without a bound of the error, by rounds: k atoms
// for every sample, each the one that what is left resembles most, with least squares on those chosen after every
// choice; fewer where the error is small enough.
#include "dualdict/error.h"
#include "model/modes/mode.h"
#include "solvers/greedy_coder.h"
#include "solvers/pursuit_codes.h"

namespace dualdict {
namespace {

template <class T>
class PursuitEncoder final : public BlockEncoder<T> {
 public:
  PursuitEncoder(const ModelParts& parts, const ModeSettings& settings)
      : dictionary_(settings.max_error > 0 ? convert<T>(parts.dictionary) : Matrix<T>()),
        options_{settings.number, settings.max_error, &dictionary_} {
    if (parts.positive_codes)
      throw Error(ErrorKind::kUsage, "mode omp:" + std::to_string(settings.number) +
                                         ": its codes have both signs, those of the model are >= 0; use greedy");
    by_rounds_ = !(settings.max_error > 0) && codes_by_rounds(parts.dictionary.rows(), parts.dictionary.cols(), false);
    if (by_rounds_)
      rounds_.assign(parts.dictionary, {}, false);
    else
      problem_.assign(parts.dictionary, {}, false);
  }
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    if (by_rounds_) {
      // Until there are so many atoms; at least two rounds, for one would be the code of learning.
      const RoundsOptions options{.rounds = options_.n_nonzeros + 1, .max_nonzeros = options_.n_nonzeros};
      rounds_codes<T>(rounds_, x, options, work.template own<RoundsWorkspace<T>>(), u);
      return;
    }
    pursuit_codes<T>(problem_, x, options_, work.template own<PursuitWorkspace<T>>(), u);
  }

 private:
  bool by_rounds_ = false;
  GreedyProblem<T> problem_;
  RoundsProblem<T> rounds_;
  Matrix<T> dictionary_;
  PursuitOptions<T> options_;
};

}  // namespace

const Mode& omp_mode() {
  static const Mode mode = {.info = {.name = "omp",
                                     .number = "atoms of a code",
                                     .help = "orthogonal matching pursuit, k atoms for every sample",
                                     .cost = "2 and more",
                                     .takes_nonzeros = false,
                                     .takes_max_error = true,
                                     .no_graph = "chooses atoms one after another and cannot be a graph of products",
                                     .usual_number = 10},
                            .make_float = make_mode_encoder<PursuitEncoder<float>, float>,
                            .make_double = make_mode_encoder<PursuitEncoder<double>, double>};
  return mode;
}

}  // namespace dualdict
