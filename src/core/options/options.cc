// SPDX-License-Identifier: BSD-3-Clause
// Options to and from text, row by row.
#include "dualdict/options.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/options/option_values.h"
#include "dualdict/error.h"

namespace dualdict {
namespace {

template <class Enum>
struct Named {
  std::string_view name;
  Enum value;
};
constexpr std::array<Named<Penalty>, 3> kPenalties{
    {{"auto", Penalty::kAuto}, {"l1", Penalty::kL1}, {"l0", Penalty::kL0}}};
constexpr std::array<Named<Solver>, 2> kSolvers{{{"fast", Solver::kFast}, {"fista", Solver::kFista}}};
constexpr std::array<Named<DType>, 2> kDTypes{{{"float32", DType::kFloat32}, {"float64", DType::kFloat64}}};

constexpr const auto& names_of(Penalty) {
  return kPenalties;
}
constexpr const auto& names_of(Solver) {
  return kSolvers;
}
constexpr const auto& names_of(DType) {
  return kDTypes;
}

template <class Number>
Number parse_number(const OptionInfo& option, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse_option(option, text);
  if (!in_range(option, static_cast<double>(value))) refuse_option(option, text);
  return value;
}

void assign(const OptionInfo& option, std::string_view text, std::size_t& field) {
  field = parse_number<std::size_t>(option, text);
}
void assign(const OptionInfo& option, std::string_view text, double& field) {
  field = parse_number<double>(option, text);
}
void assign(const OptionInfo& option, std::string_view text, std::optional<double>& field) {
  if (text.empty())
    field.reset();
  else
    field = parse_number<double>(option, text);
}
void assign(const OptionInfo& option, std::string_view text, bool& field) {
  if (text != "true" && text != "false") refuse_option(option, text);
  field = text == "true";
}
template <class Enum>
requires std::is_enum_v<Enum>
void assign(const OptionInfo& option, std::string_view text, Enum& field) {
  for (const auto& named : names_of(Enum{})) {
    if (named.name != text) continue;
    field = named.value;
    return;
  }
  refuse_option(option, text);
}

std::string text_of(std::size_t value) {
  return std::to_string(value);
}
std::string text_of(double value) {
  return number_text(value);
}
std::string text_of(const std::optional<double>& value) {
  return value ? number_text(*value) : "";
}
std::string text_of(bool value) {
  return value ? "true" : "false";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string text_of(Enum value) {
  for (const auto& named : names_of(Enum{}))
    if (named.value == value) return std::string(named.name);
  return "unknown";
}

std::string range_rule(const OptionInfo& option, const std::string& kind) {
  std::string rule = kind;
  rule += (option.min_excluded ? " > " : " >= ") + number_text(option.min);
  if (option.max < std::numeric_limits<double>::max()) rule += " and <= " + number_text(option.max);
  return rule;
}
template <class Enum>
std::string names_rule() {
  std::string rule = "one of ";
  for (const auto& named : names_of(Enum{})) {
    if (rule.back() != ' ') rule += ", ";
    rule += named.name;
  }
  return rule;
}

}  // namespace

bool in_range(const OptionInfo& option, double value) {
  if (!std::isfinite(value)) return false;
  return (option.min_excluded ? value > option.min : value >= option.min) && value <= option.max;
}

void refuse_option(const OptionInfo& option, std::string_view text) {
  const std::string shown = text.empty() ? "an empty value" : std::string(text);
  throw Error(ErrorKind::kUsage,
              "--" + std::string(option.name) + ": " + shown + " is not allowed: " + option_rule(option));
}

double resolve_eta(const LearnOptions& options, std::size_t n_features) {
  if (options.eta) return *options.eta;
  if (n_features == 0) return 0;
  return options.coding.value_or(kDefaultCoding) * static_cast<double>(options.n_atoms) /
         static_cast<double>(n_features);
}

std::string number_text(double value) {
  // Whole numbers in full, as people write them; the rest in the shortest form that reads back to the same bits.
  std::array<char, 32> buffer{};
  const bool whole = std::floor(value) == value && std::fabs(value) < 1e16;
  const auto result = whole ? std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::fixed)
                            : std::to_chars(buffer.begin(), buffer.end(), value);
  std::string text(buffer.data(), result.ptr);
  // 1e-04 into 1e-4.
  if (const auto e = text.find('e'); e != std::string::npos && e + 2 < text.size() && text[e + 2] == '0')
    text.erase(e + 2, 1);
  return text;
}

void set_option(LearnOptions& options, const OptionInfo& option, std::string_view text) {
  std::visit([&](auto field) { assign(option, text, options.*field); }, option.field);
}

std::string option_text(const LearnOptions& options, const OptionInfo& option) {
  return std::visit([&](auto field) { return text_of(options.*field); }, option.field);
}

std::string option_rule(const OptionInfo& option) {
  return std::visit(
      [&]<class Value>(Value LearnOptions::*) -> std::string {
        if constexpr (std::is_same_v<Value, std::size_t>)
          return range_rule(option, "a whole number");
        else if constexpr (std::is_same_v<Value, bool>)
          return "true or false";
        else if constexpr (std::is_enum_v<Value>)
          return names_rule<Value>();
        else
          return range_rule(option, "a number");
      },
      option.field);
}

}  // namespace dualdict
