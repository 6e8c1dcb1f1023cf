// SPDX-License-Identifier: BSD-3-Clause
// Every row of the table, then the rules between options.
#include <array>
#include <cmath>
#include <type_traits>

#include "core/options/option_values.h"
#include "dualdict/error.h"
#include "dualdict/options.h"

namespace dualdict {
namespace {

void check_value(const OptionInfo& option, std::size_t value) {
  if (!in_range(option, static_cast<double>(value))) refuse_option(option, std::to_string(value));
}
void check_value(const OptionInfo& option, double value) {
  if (!in_range(option, value)) refuse_option(option, number_text(value));
}
void check_value(const OptionInfo& option, const std::optional<double>& value) {
  if (value) check_value(option, *value);
}
void check_value(const OptionInfo&, bool) {}
constexpr int value_count(Penalty) {
  return 3;
}
constexpr int value_count(Solver) {
  return 2;
}
constexpr int value_count(DType) {
  return 2;
}
template <class Enum>
requires std::is_enum_v<Enum>
void check_value(const OptionInfo& option, Enum value) {
  // A number cast to the enumeration may be none of its values.
  if (static_cast<int>(value) < 0 || static_cast<int>(value) >= value_count(value))
    refuse_option(option, std::to_string(static_cast<int>(value)));
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kUsage, message);
}

void check_sparsity(const LearnOptions& options) {
  if (options.tau && options.nonzeros)
    refuse("--tau " + number_text(*options.tau) + " and --nonzeros " + number_text(*options.nonzeros) +
           " exclude each other: give the weight, or the number of nonzeros it should lead to");
  if (options.coding && options.eta)
    refuse("--coding " + number_text(*options.coding) + " and --eta " + number_text(*options.eta) +
           " exclude each other: coding is eta d/K; give one of them");
  if (options.nonzeros && *options.nonzeros >= static_cast<double>(options.n_atoms))
    refuse("--nonzeros: " + number_text(*options.nonzeros) +
           " is not allowed: a number > 0 and below --atoms, which is " + std::to_string(options.n_atoms));
}

// An option that only l1 has, and why.
struct OnlyL1 {
  const char* option;
  bool given;
  const char* why;
};

std::array<OnlyL1, 9> options_of_l1(const LearnOptions& options) {
  return {
      {{"--tau", options.tau.has_value(), "a nonzero costs the price that gives --nonzeros; give that"},
       {"--coding", options.coding.has_value(), "C is learned for hard codes of its own"},
       {"--eta", options.eta.has_value(), "C is learned for hard codes of its own"},
       {"--mu", options.mu > 0, "its codes are not shrunk"},
       {"--positive-dictionary", options.positive_dictionary, "its atoms have both signs"},
       {"--keep-dictionary", options.keep_dictionary, "it learns D"},
       {"--init", !options.initial_dictionary.empty() || !options.initial_dual.empty(), "it races starts of its own"},
       {"--solver fista", options.solver != Solver::kFast, "that is the paper's algorithm, for l1"},
       {"--accurate-steps", options.accurate_steps, "they are the paper's, for l1"}}};
}

void check_l0(const LearnOptions& options) {
  if (options.penalty != Penalty::kL0) return;
  for (const OnlyL1& only : options_of_l1(options))
    if (only.given) refuse(std::string(only.option) + " and --penalty l0 exclude each other: " + only.why);
  if (!options.nonzeros) refuse("--penalty l0: needs --nonzeros, the number that a code should have on average");
}

void check_start(const Matrix<double>& start, const std::string& name, std::size_t n_atoms) {
  if (start.empty()) return;
  if (start.rows() != n_atoms)
    refuse(name + ": " + std::to_string(start.rows()) + " rows are not allowed: one for each of the " +
           std::to_string(n_atoms) + " --atoms");
  for (std::size_t i = 0; i < start.rows(); ++i)
    for (std::size_t j = 0; j < start.cols(); ++j)
      if (!std::isfinite(start(i, j)))
        refuse(name + ": " + number_text(start(i, j)) + " at row " + std::to_string(i) + ", column " +
               std::to_string(j) + " is not allowed: a finite number");
}

// A dictionary that stays must obey the constraints as it is: bringing it into the ball would change it.
void check_kept(const LearnOptions& options) {
  constexpr double kRounding = 1e-5;  // of an atom normalised in float32
  if (!options.keep_dictionary) return;
  if (options.initial_dictionary.empty()) refuse("--keep-dictionary: needs a dictionary to keep: give it with --init");
  if (options.positive_dictionary)
    refuse("--keep-dictionary and --positive-dictionary exclude each other: a kept dictionary is as it is");
  const Matrix<double>& rows = options.initial_dictionary;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double squared = 0;
    for (std::size_t j = 0; j < rows.cols(); ++j) squared += rows(i, j) * rows(i, j);
    if (std::sqrt(squared) > 1 + kRounding)
      refuse("initial dictionary: atom " + std::to_string(i) + " (counted from 0) has norm " +
             number_text(std::sqrt(squared)) +
             "; with --keep-dictionary it must be at most 1: divide the atoms by "
             "their norms");
  }
}

}  // namespace

Penalty resolve_penalty(const LearnOptions& options) {
  if (options.penalty != Penalty::kAuto) return options.penalty;
  if (!options.nonzeros) return Penalty::kL1;
  for (const OnlyL1& only : options_of_l1(options))
    if (only.given) return Penalty::kL1;
  return Penalty::kL0;
}

void validate(const LearnOptions& options) {
  for (const OptionInfo& option : learn_option_table())
    std::visit([&](auto field) { check_value(option, options.*field); }, option.field);
  check_sparsity(options);
  check_l0(options);
  check_start(options.initial_dictionary, "initial dictionary", options.n_atoms);
  check_start(options.initial_dual, "initial dual", options.n_atoms);
  if (!options.initial_dictionary.empty() && !options.initial_dual.empty() &&
      options.initial_dictionary.cols() != options.initial_dual.cols())
    refuse("initial dual: " + std::to_string(options.initial_dual.cols()) +
           " columns are not allowed: as many as the initial dictionary has, " +
           std::to_string(options.initial_dictionary.cols()));
  check_kept(options);
}

}  // namespace dualdict
