// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/effort.h"

#include <algorithm>
#include <type_traits>

namespace dualdict {

StepEffort effort_of(const LearnOptions& options, Visit visit, bool accurate) {
  // While E falls fast, a few sweeps over every code are enough; full accuracy is bounded only against endless loops.
  // Where sweeps converge slowly, some more of them that go past the minimiser are worth their time: D learns from the
  // codes it gets (docs/maths.md has the numbers). D is far from done when samples are seen for the first time.
  constexpr std::size_t kCheapSweeps = 3, kCheapRelaxedSweeps = 5, kFirstSweeps = 3, kAccurateSweeps = 1000;
  constexpr double kRelaxation = 1.4;
  constexpr std::size_t kCheapFista = 30, kAccurateFista = 2000, kCheapDescent = 8;
  const bool fista = options.solver == Solver::kFista;
  StepEffort effort;
  effort.codes.method = fista ? CodeMethod::kFista : CodeMethod::kDescent;
  effort.codes.tolerance = options.inner_tolerance;
  effort.codes.active_set = accurate;
  effort.codes.max_sweeps =
      accurate ? (fista ? kAccurateFista : kAccurateSweeps) : (fista ? kCheapFista : kCheapSweeps);
  effort.slow_codes = effort.codes;
  if (!accurate) {
    effort.slow_codes.relaxation = kRelaxation;
    if (!fista) effort.slow_codes.max_sweeps = visit == Visit::kFirst ? kFirstSweeps : kCheapRelaxedSweeps;
  }
  // Codes of both signs of a penalty on their count move D far: one pass between blocks is as good as more.
  const std::size_t few_passes = options.penalty == Penalty::kL0 ? 1 : 2;
  effort.dictionary_passes = accurate ? 50 : (visit == Visit::kAll ? 5 : few_passes);
  effort.certify_dictionary = visit == Visit::kAll;
  effort.dual_fista = accurate ? kAccurateFista : kCheapFista;
  effort.dictionary_fista = accurate || fista ? effort.dual_fista : 0;
  effort.dual_descent = accurate ? kAccurateFista : kCheapDescent;
  return effort;
}

template <class T>
CodeOptions final_codes(const LearnOptions& options) {
  // Without coding term and with atoms close to each other descent is slow; double asks for ten digits of E.
  constexpr bool kSingle = std::is_same_v<T, float>;
  CodeOptions codes;
  codes.tolerance = std::min(kSingle ? 1e-5 : 1e-9, options.inner_tolerance);
  codes.max_sweeps = kSingle ? 2000 : 20000;
  return codes;
}

double step_tolerance(const LearnOptions& options, double energy) {
  constexpr double kStepGap = 1e-2;  // relative to E, as a share of the inner tolerance
  return kStepGap * options.inner_tolerance * energy;
}

template CodeOptions final_codes<float>(const LearnOptions&);
template CodeOptions final_codes<double>(const LearnOptions&);

}  // namespace dualdict
