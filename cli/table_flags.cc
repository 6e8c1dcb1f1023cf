// SPDX-License-Identifier: BSD-3-Clause
#include "table_flags.h"

#include <charconv>
#include <type_traits>
#include <variant>

#include "dualdict/error.h"
#include "dualdict/modes.h"
#include "text.h"

namespace dualdict::cli {
namespace {

// What follows the flag in the help.
std::string value_name(const OptionInfo& row) {
  if (std::holds_alternative<std::size_t LearnOptions::*>(row.field)) return row.name == "atoms" ? "K" : "n";
  if (std::holds_alternative<Penalty LearnOptions::*>(row.field) ||
      std::holds_alternative<Solver LearnOptions::*>(row.field) ||
      std::holds_alternative<DType LearnOptions::*>(row.field))
    return "NAME";
  return "x";
}

std::string flag_help(const OptionInfo& row) {
  std::string text(row.help);
  if (std::holds_alternative<bool LearnOptions::*>(row.field)) return text;
  text += " (" + option_rule(row);
  const std::string value = option_text(LearnOptions{}, row);
  if (row.required)
    text += "; required";
  else if (!value.empty())
    text += "; default " + value;
  return text + ")";
}

template <class Number>
CLI::Option* add_ranged(CLI::App& app, const std::string& name, Number& field, const std::string& help, Number min,
                        Number max) {
  constexpr bool is_whole = std::is_same_v<Number, std::size_t>;
  const auto shown = [](double value) {
    return is_whole ? std::to_string(static_cast<std::size_t>(value)) : short_number(value);
  };
  const std::string rule = std::string(is_whole ? "a whole number" : "a number") +
                           " >= " + shown(static_cast<double>(min)) + " and <= " + shown(static_cast<double>(max));
  const auto set = [&field, name, rule, min, max](const std::string& text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= min && value <= max))
      throw Error(ErrorKind::kUsage,
                  name + ": " + (text.empty() ? "an empty value" : text) + " is not allowed: " + rule);
    field = value;
  };
  return app.add_option_function<std::string>(name, set, help)->type_name(is_whole ? "n" : "x");
}

}  // namespace

CLI::Option* add_count(CLI::App& app, const std::string& name, std::size_t& field, const std::string& help,
                       std::size_t min, std::size_t max) {
  return add_ranged(app, name, field, help, min, max);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, double& field, const std::string& help, double min,
                        double max) {
  return add_ranged(app, name, field, help, min, max);
}

std::string group_title(std::string_view group) {
  if (group == "objective") return "What is learned";
  if (group == "stopping") return "When learning stops";
  if (group == "method") return "How it is learned";
  if (group == "machine") return "Precision and threads";
  return std::string(group);
}

CLI::Option* add_table_flag(CLI::App& app, LearnOptions& options, const OptionInfo& row, const std::string& help) {
  const std::string name = "--" + std::string(row.name);
  const std::string text = help.empty() ? flag_help(row) : help;
  const auto set = [&options, &row, name](const std::string& value) {
    if (value.empty()) throw Error(ErrorKind::kUsage, name + ": an empty value is not allowed: " + option_rule(row));
    set_option(options, row, value);
  };
  CLI::Option* flag = nullptr;
  if (std::holds_alternative<bool LearnOptions::*>(row.field))
    flag = app.add_flag_callback(
        name, [set] { set("true"); }, text);
  else
    flag = app.add_option_function<std::string>(name, set, text)->type_name(value_name(row));
  return flag->group(group_title(row.group));
}

CLI::Option* add_mode_option(CLI::App& app, std::string& mode, const std::string& help) {
  std::string text = help + ":";
  for (const ModeInfo& info : mode_table())
    text += (&info == &mode_table().front() ? " " : "; ") + mode_form(info) + ", " + std::string(info.help) +
            (info.name == "sparse"   ? " (default for models of --tau)"
             : info.name == "greedy" ? " (default for models of --nonzeros)"
                                     : "");
  const auto set = [&mode](const std::string& value) {
    parse_mode(value);
    mode = value;
  };
  return app.add_option_function<std::string>("--mode", set, text)->type_name("MODE");
}

void add_debias_flag(CLI::App& app, std::optional<bool>& debias) {
  std::string text = "least squares with the dictionary on the support of each code, or not; default yes for";
  for (const ModeInfo& info : mode_table())
    if (info.debiased) text += " " + std::string(info.name);
  app.add_flag_callback(
      "--debias", [&debias] { debias = true; }, text);
  app.add_flag_callback(
      "--no-debias", [&debias] { debias = false; },
      "codes as the mode makes them; decode with what is fitted to those");
}

}  // namespace dualdict::cli
