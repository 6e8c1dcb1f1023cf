// SPDX-License-Identifier: BSD-3-Clause
// What can be set when learning, and the one table of it that feeds the command line, the docs and Python.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "dualdict/export.h"
#include "dualdict/matrix.h"

namespace dualdict {

// What a code pays for being dense.
enum class Penalty {
  kAuto,  // of learning alone: l0 where nonzeros are wanted and nothing is given that only l1 has, l1 otherwise
  kL1,    // 2 tau/K sum|u|, as in the paper
  kL0,    // a price for every nonzero, the same for all samples
};

enum class Solver {
  kFast,   // coordinate descent for the codes, block coordinate descent for D, the exact dual for C
  kFista,  // the paper's algorithm: accelerated proximal gradient for all three, with a step that converges
};

// Minimises, over D, C and the codes U of all samples x (d features, K atoms),
//   E = 1/d |X - D U|^2 + eta/K |U - C X|^2 + 2 tau/K sum|U| + mu/K |U|^2,   |d_i| <= 1, |c_i| <= 1.
//
// With penalty l0 the codes are greedy ones (solvers/greedy_codes.h): D lowers
//   |X - b - D U|^2 + price |U|_0,   |d_i| = 1,
// and C is the W of the hard codes u_k = z_k where |z_k| > t, z = W (x - b) + c, with a decoder of their own.
struct LearnOptions {
  std::size_t n_atoms = 0;           // K >= 1; required
  Penalty penalty = Penalty::kAuto;  // see resolve_penalty
  std::optional<double> tau;  // >= 0; not given: see `nonzeros`, else a tenth of the mean tau that silences a sample
  std::optional<double> nonzeros;  // 0 < n < K: find the tau that gives n nonzeros per code on average
  // The weight of the second term relative to the first is w = eta d/K: the same w means the same on any data. Give one
  // of them, or neither for w = kDefaultCoding. 0 leaves C out of the loop and fits it once at the end. With an eta
  // that is given codes are made with it after learning too, otherwise with eta = 0.
  std::optional<double> coding;      // w >= 0
  std::optional<double> eta;         // >= 0, of the paper
  double mu = 0.0;                   // >= 0
  double rtol = 1e-4;                // stop when 0 <= (E_H - E_t) / E_H < rtol, E_H the mean of the last H energies
  std::size_t history = 3;           // H >= 1; with fewer energies than H the mean is over those there are
  std::size_t max_iterations = 200;  // >= 1
  // Before the stopping rule may fire: KKT residual <= this * tau/K for every code, or as small as rounding allows, or
  // duality gap <= 0.01 rtol E. D and C: gap <= 0.01 * this * E.
  double inner_tolerance = 1e-3;
  // Every step is that accurate from the first iteration, on all samples, without extrapolation: the paper's algorithm
  // word for word. By default steps are cheap until the stopping rule comes near.
  bool accurate_steps = false;
  Solver solver = Solver::kFast;
  DType dtype = DType::kFloat32;
  std::size_t seed = 0;
  std::size_t n_threads = 0;         // 0: what the affinity mask and the cgroup allow
  bool positive_codes = false;       // U >= 0
  bool positive_dictionary = false;  // D >= 0
  // D stays initial_dictionary, whose atoms are in the ball; C and the codes are learned.
  bool keep_dictionary = false;
  std::size_t replace_below = 1;  // an atom used by fewer samples than this is replaced; 0: never
  double time_limit = 0.0;        // seconds; 0: none
  std::size_t max_memory = 0;     // MiB that learning may need; 0: what this process may still have
  // Starting point, K x d. Empty dictionary: K distinct random samples of unit norm. Empty dual: C = D'.
  Matrix<double> initial_dictionary;
  Matrix<double> initial_dual;
};

// The default of LearnOptions::coding. D is best at 0, codes of one product at .003 to .1, and this costs neither much.
inline constexpr double kDefaultCoding = 0.03;
// The eta that learning uses on samples of that many features.
DUALDICT_API double resolve_eta(const LearnOptions& options, std::size_t n_features);

// The penalty that learning uses, never kAuto.
DUALDICT_API Penalty resolve_penalty(const LearnOptions& options);

// The threads that a number of them stands for: itself, or for 0 what the affinity mask and the cgroup allow, at
// least 1.
DUALDICT_API std::size_t resolve_threads(std::size_t wanted);

// A pointer to one field of LearnOptions.
using OptionField = std::variant<std::size_t LearnOptions::*, double LearnOptions::*, bool LearnOptions::*,
                                 std::optional<double> LearnOptions::*, Penalty LearnOptions::*, Solver LearnOptions::*,
                                 DType LearnOptions::*>;

// One row of the table. The value v of a number obeys min <= v <= max, or min < v when min_excluded.
struct OptionInfo {
  std::string_view name;         // on the command line, without "--"
  std::string_view python_name;  // in Python
  std::string_view symbol;       // in the maths, or empty
  std::string_view help;
  std::string_view group;  // "objective", "stopping", "method", "machine"
  OptionField field;
  double min = 0;
  double max = 0;
  bool min_excluded = false;
  bool required = false;
};

// The table, in the order in which it is shown.
DUALDICT_API std::span<const OptionInfo> learn_option_table();
// The row of a name, or nullptr.
DUALDICT_API const OptionInfo* find_learn_option(std::string_view name);

// The table as one JSON array: of each row its names, symbol, group, rule, help and default (as text; null for none).
DUALDICT_API std::string describe_options_json();

// Sets a field from text, checked against type and range; throws Error(kUsage) that names option, value and rule.
DUALDICT_API void set_option(LearnOptions& options, const OptionInfo& option, std::string_view text);
// The value as text that set_option reads back to the same value; "" for an optional that is not set.
DUALDICT_API std::string option_text(const LearnOptions& options, const OptionInfo& option);
// What is allowed, for people: "a number >= 0", "one of fast, fista".
DUALDICT_API std::string option_rule(const OptionInfo& option);

// Checks every row and the rules between options; throws Error(kUsage).
DUALDICT_API void validate(const LearnOptions& options);

}  // namespace dualdict
