// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "dualdict/error.h"
#include "dualdict/summary.h"

namespace dualdict {
namespace {

LearnOptions valid_options() {
  LearnOptions options;
  options.n_atoms = 20;
  return options;
}

std::string refusal(const LearnOptions& options) {
  try {
    validate(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

// The message of the Error(kUsage) that setting the text throws, or "".
std::string refusal(const OptionInfo& option, const std::string& text) {
  LearnOptions options = valid_options();
  const std::string before = option_text(options, option);
  try {
    set_option(options, option, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(option_text(options, option), before) << "a refused value must not be stored";
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_number(const OptionInfo& option) {
  return std::holds_alternative<std::size_t LearnOptions::*>(option.field) || option.max > 0;
}
bool is_count(const OptionInfo& option) {
  return std::holds_alternative<std::size_t LearnOptions::*>(option.field);
}

// Values that the row's own bounds allow.
std::vector<std::string> allowed_texts(const OptionInfo& option) {
  if (std::holds_alternative<bool LearnOptions::*>(option.field)) return {"true", "false"};
  if (std::holds_alternative<Penalty LearnOptions::*>(option.field)) return {"auto", "l1", "l0"};
  if (std::holds_alternative<Solver LearnOptions::*>(option.field)) return {"fast", "fista"};
  if (std::holds_alternative<DType LearnOptions::*>(option.field)) return {"float32", "float64"};
  if (is_count(option)) return {std::to_string(static_cast<std::size_t>(option.min) + 3)};
  return {"0.1", "0.30000000000000004", "1e-20"};
}

TEST(OptionTable, HasEveryFixedNameOnce) {
  const std::set<std::string> fixed{"atoms",
                                    "tau",
                                    "nonzeros",
                                    "coding",
                                    "eta",
                                    "mu",
                                    "rtol",
                                    "history",
                                    "max-iterations",
                                    "inner-tolerance",
                                    "solver",
                                    "dtype",
                                    "seed",
                                    "threads",
                                    "max-memory",
                                    "positive-codes",
                                    "positive-dictionary",
                                    "penalty",
                                    "accurate-steps",
                                    "keep-dictionary",
                                    "replace-below",
                                    "time-limit"};
  std::set<std::string> names, python_names;
  for (const OptionInfo& option : learn_option_table()) {
    names.emplace(option.name);
    python_names.emplace(option.python_name);
    EXPECT_EQ(find_learn_option(option.name), &option);
    EXPECT_FALSE(option.help.empty()) << option.name;
  }
  EXPECT_EQ(names, fixed);
  EXPECT_EQ(python_names.size(), fixed.size());
  EXPECT_EQ(find_learn_option("atom"), nullptr);
}

TEST(OptionTable, GroupsAreTogether) {
  std::vector<std::string> groups;
  for (const OptionInfo& option : learn_option_table())
    if (groups.empty() || groups.back() != option.group) groups.emplace_back(option.group);
  EXPECT_EQ(groups, (std::vector<std::string>{"objective", "stopping", "method", "machine"}));
}

TEST(OptionTable, EveryDefaultIsValidAndReadsBack) {
  const LearnOptions defaults;
  for (const OptionInfo& option : learn_option_table()) {
    const std::string text = option_text(defaults, option);
    if (option.required) {
      EXPECT_NE(refusal(option, text), "") << option.name;
      continue;
    }
    LearnOptions options;
    EXPECT_NO_THROW(set_option(options, option, text)) << option.name;
    EXPECT_EQ(option_text(options, option), text);
  }
  EXPECT_EQ(refusal(valid_options()), "");
}

TEST(OptionTable, EveryAllowedValueMakesTheRoundTrip) {
  for (const OptionInfo& option : learn_option_table()) {
    for (const std::string& text : allowed_texts(option)) {
      LearnOptions options;
      ASSERT_NO_THROW(set_option(options, option, text)) << option.name;
      EXPECT_EQ(option_text(options, option), text) << option.name;
    }
  }
}

TEST(OptionTable, GarbageIsRefusedWithNameValueAndRule) {
  for (const OptionInfo& option : learn_option_table()) {
    for (const std::string text : {"garbage", "1x", " 1", "1 ", "nan", "inf", "-inf", "--", "1e999", "0x10", "TRUE"}) {
      const std::string message = refusal(option, text);
      EXPECT_EQ(message, "--" + std::string(option.name) + ": " + text + " is not allowed: " + option_rule(option));
    }
  }
}

TEST(OptionTable, OutOfRangeIsRefusedWithNameValueAndRule) {
  for (const OptionInfo& option : learn_option_table()) {
    if (!is_number(option)) continue;
    std::vector<std::string> outside;
    if (is_count(option)) {
      outside = {"-1", std::to_string(static_cast<std::size_t>(option.max) + 1), "1.5", "99999999999999999999"};
      if (option.min > 0) outside.push_back(std::to_string(static_cast<std::size_t>(option.min) - 1));
    } else {
      outside = {"-1", "-1e-300"};
      if (option.min_excluded) outside.push_back("0");
      if (option.max < std::numeric_limits<double>::max()) outside.push_back("1.0000000000000002");
    }
    for (const std::string& text : outside) {
      const std::string message = refusal(option, text);
      EXPECT_TRUE(contains(message, "--" + std::string(option.name) + ": " + text)) << option.name << " " << text;
      EXPECT_TRUE(contains(message, option_rule(option))) << message;
    }
  }
}

TEST(OptionTable, BoundsThemselvesAreAllowed) {
  for (const OptionInfo& option : learn_option_table()) {
    if (!is_count(option)) continue;
    LearnOptions options;
    for (const double bound : {option.min, option.max}) {
      const std::string text = std::to_string(static_cast<std::size_t>(bound));
      EXPECT_NO_THROW(set_option(options, option, text)) << option.name;
    }
  }
}

TEST(OptionTable, SaysWhatIsWrongInWords) {
  EXPECT_EQ(refusal(*find_learn_option("tau"), "-1"), "--tau: -1 is not allowed: a number >= 0");
  EXPECT_EQ(refusal(*find_learn_option("solver"), "lars"), "--solver: lars is not allowed: one of fast, fista");
  EXPECT_EQ(refusal(*find_learn_option("atoms"), "0"), "--atoms: 0 is not allowed: a whole number >= 1 and <= 1000000");
  EXPECT_EQ(refusal(*find_learn_option("mu"), ""), "--mu: an empty value is not allowed: a number >= 0");
}

TEST(OptionTable, AnEmptyTextClearsAnOptionalOnly) {
  LearnOptions options = valid_options();
  options.tau = 0.5;
  set_option(options, *find_learn_option("tau"), "");
  EXPECT_FALSE(options.tau.has_value());
}

TEST(Validate, RefusesNaNInEveryNumber) {
  for (const OptionInfo& option : learn_option_table()) {
    LearnOptions options = valid_options();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (const auto* number = std::get_if<double LearnOptions::*>(&option.field))
      options.** number = nan;
    else if (const auto* optional = std::get_if<std::optional<double> LearnOptions::*>(&option.field))
      options.** optional = nan;
    else
      continue;
    EXPECT_TRUE(contains(refusal(options), "--" + std::string(option.name) + ": nan")) << refusal(options);
  }
}

TEST(Validate, RefusesWhatIsSetPastTheTable) {
  for (const OptionInfo& option : learn_option_table()) {
    LearnOptions options = valid_options();
    if (const auto* number = std::get_if<double LearnOptions::*>(&option.field))
      options.** number = -1;
    else if (const auto* count = std::get_if<std::size_t LearnOptions::*>(&option.field))
      options.** count = std::numeric_limits<std::size_t>::max();
    else if (const auto* solver = std::get_if<Solver LearnOptions::*>(&option.field))
      options.** solver = static_cast<Solver>(7);
    else if (const auto* dtype = std::get_if<DType LearnOptions::*>(&option.field))
      options.** dtype = static_cast<DType>(7);
    else
      continue;
    EXPECT_TRUE(contains(refusal(options), "--" + std::string(option.name) + ": ")) << option.name;
  }
}

TEST(Validate, TauAndNonzerosExcludeEachOther) {
  LearnOptions options = valid_options();
  options.tau = 0.1;
  options.nonzeros = 5;
  EXPECT_TRUE(contains(refusal(options), "--tau 0.1 and --nonzeros 5 exclude each other")) << refusal(options);
}

TEST(Validate, CodingAndEtaExcludeEachOther) {
  LearnOptions options = valid_options();
  options.coding = 0.1;
  EXPECT_EQ(refusal(options), "");
  options.eta = 2;
  EXPECT_TRUE(contains(refusal(options), "--coding 0.1 and --eta 2 exclude each other")) << refusal(options);
}

TEST(ResolveEta, IsGivenOrFollowsFromTheWeightOfCoding) {
  LearnOptions options = valid_options();
  EXPECT_DOUBLE_EQ(resolve_eta(options, 60), 0.01);  // .03 K/d
  options.coding = 0.6;
  EXPECT_DOUBLE_EQ(resolve_eta(options, 60), 0.2);
  options.coding.reset();
  options.eta = 7;
  EXPECT_EQ(resolve_eta(options, 60), 7);
}

TEST(Validate, NonzerosStayBelowAtoms) {
  LearnOptions options = valid_options();
  options.nonzeros = 20;
  EXPECT_EQ(refusal(options), "--nonzeros: 20 is not allowed: a number > 0 and below --atoms, which is 20");
  options.nonzeros = 19.5;
  EXPECT_EQ(refusal(options), "");
}

TEST(Validate, StartingMatricesHaveARowPerAtomAndAgree) {
  LearnOptions options = valid_options();
  options.initial_dictionary = Matrix<double>(19, 6);
  EXPECT_TRUE(contains(refusal(options), "initial dictionary: 19 rows"));
  options.initial_dictionary = Matrix<double>(20, 6);
  options.initial_dual = Matrix<double>(21, 6);
  EXPECT_TRUE(contains(refusal(options), "initial dual: 21 rows"));
  options.initial_dual = Matrix<double>(20, 7);
  EXPECT_TRUE(contains(refusal(options), "initial dual: 7 columns"));
  options.initial_dual = Matrix<double>(20, 6);
  EXPECT_EQ(refusal(options), "");
  options.initial_dual(3, 4) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(refusal(options), "initial dual: nan at row 3, column 4"));
}

TEST(Outcome, EveryOneHasItsName) {
  EXPECT_EQ(outcome_name(LearnSummary{}.outcome), "NUMERICAL_FAILURE");
  EXPECT_EQ(outcome_name(Outcome::kConverged), "CONVERGED");
  EXPECT_EQ(outcome_name(Outcome::kIterationLimit), "ITERATION_LIMIT");
  EXPECT_EQ(outcome_name(Outcome::kTimeLimit), "TIME_LIMIT");
  EXPECT_EQ(outcome_name(Outcome::kStopped), "STOPPED");
  EXPECT_EQ(outcome_name(Outcome::kInterrupted), "INTERRUPTED");
  EXPECT_EQ(outcome_name(Outcome::kTrivial), "TRIVIAL");
}

TEST(ResolvePenalty, IsL0WhereNonzerosAreWantedAndNothingIsGivenThatOnlyL1Has) {
  LearnOptions options;
  options.n_atoms = 20;
  EXPECT_EQ(resolve_penalty(options), Penalty::kL1);
  options.nonzeros = 3;
  EXPECT_EQ(resolve_penalty(options), Penalty::kL0);
  options.positive_codes = true;
  options.time_limit = 1;
  EXPECT_EQ(resolve_penalty(options), Penalty::kL0);
  const auto l1 = [&](const auto& change) {
    LearnOptions changed = options;
    change(changed);
    EXPECT_EQ(resolve_penalty(changed), Penalty::kL1);
    changed.penalty = Penalty::kL0;
    EXPECT_EQ(resolve_penalty(changed), Penalty::kL0);
    EXPECT_NE(refusal(changed), "");
  };
  l1([](LearnOptions& o) { o.coding = 0; });
  l1([](LearnOptions& o) { o.eta = 1; });
  l1([](LearnOptions& o) { o.mu = 1; });
  l1([](LearnOptions& o) { o.solver = Solver::kFista; });
  l1([](LearnOptions& o) { o.initial_dictionary = Matrix<double>(20, 3); });
  l1([](LearnOptions& o) { o.tau = 1; });
}

TEST(Validate, RefusesWhatThePenaltyL0HasNoUseFor) {
  LearnOptions options;
  options.n_atoms = 20;
  options.penalty = Penalty::kL0;
  EXPECT_TRUE(contains(refusal(options), "--penalty l0: needs --nonzeros"));
  options.nonzeros = 3;
  EXPECT_EQ(refusal(options), "");
  const auto refused = [&](const std::string& option, const auto& change) {
    LearnOptions changed = options;
    change(changed);
    EXPECT_TRUE(contains(refusal(changed), option + " and --penalty l0 exclude each other")) << refusal(changed);
  };
  refused("--coding", [](LearnOptions& o) { o.coding = 0; });
  refused("--eta", [](LearnOptions& o) { o.eta = 1; });
  refused("--mu", [](LearnOptions& o) { o.mu = 1; });
  refused("--positive-dictionary", [](LearnOptions& o) { o.positive_dictionary = true; });
  refused("--init", [](LearnOptions& o) { o.initial_dictionary = Matrix<double>(20, 3); });
  refused("--solver fista", [](LearnOptions& o) { o.solver = Solver::kFista; });
  refused("--accurate-steps", [](LearnOptions& o) { o.accurate_steps = true; });
  options.nonzeros.reset();
  refused("--tau", [](LearnOptions& o) { o.tau = 1; });
}

}  // namespace
}  // namespace dualdict
