// SPDX-License-Identifier: BSD-3-Clause
#include "table_flags.h"

#include <variant>

#include "dualdict/error.h"
#include "dualdict/modes.h"

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

}  // namespace

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
            (info.name == "sparse"   ? " (default)"
             : info.name == "greedy" ? " (default for models of --penalty l0)"
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
