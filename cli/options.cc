// SPDX-License-Identifier: BSD-3-Clause
// dualdict options: the option table for people, and as the page docs/options.md.
#include "dualdict/options.h"

#include <memory>
#include <vector>

#include "command.h"
#include "output.h"
#include "table_flags.h"
#include "text.h"

namespace dualdict::cli {
namespace {

constexpr const char* kOptionsExamples =
    "Examples:\n"
    "  dualdict options\n"
    "  dualdict options --json\n"
    "  dualdict options --markdown\n";

std::string default_text(const OptionInfo& row) {
  if (row.required) return "required";
  const std::string text = option_text(LearnOptions{}, row);
  return text.empty() ? "not set" : text;
}

std::string as_text() {
  std::vector<std::vector<std::string>> rows{{"option", "symbol", "default", "allowed", "what it does"}};
  for (const OptionInfo& row : learn_option_table())
    rows.push_back({"--" + std::string(row.name), std::string(row.symbol), default_text(row), option_rule(row),
                    std::string(row.help)});
  return align(rows, 5, "");
}

std::string as_markdown() {
  std::string text =
      "# Options of learning\n\n"
      "After this page you can set every option of `dualdict learn`, of `LearnOptions` in C++ and of the estimator in\n"
      "Python, and say what each one does to the result. The page is printed by `dualdict options --markdown`.\n\n"
      "Learning minimises, over the dictionary D, its dual C and the codes U of the samples X (d features, K "
      "atoms),\n\n"
      "    E = 1/d |X - D U|^2 + eta/K |U - C X|^2 + 2 tau/K sum|U| + mu/K |U|^2,    |d_i| <= 1, |c_i| <= 1\n";
  std::string_view group;
  for (const OptionInfo& row : learn_option_table()) {
    if (row.group != group) {
      group = row.group;
      text += "\n## " + group_title(group) +
              "\n\n| option | in Python | symbol | default | allowed | what it does |\n|---|---|---|---|---|---|\n";
    }
    text += "| `--" + std::string(row.name) + "` | `" + std::string(row.python_name) + "` | " +
            std::string(row.symbol) + " | " + default_text(row) + " | " + option_rule(row) + " | " +
            std::string(row.help) + " |\n";
  }
  return text;
}

}  // namespace

Command add_options(CLI::App& root) {
  CLI::App* app = root.add_subcommand("options", "List every option of learn: default, range, meaning");
  const auto markdown = std::make_shared<bool>(false);
  const auto json = std::make_shared<bool>(false);
  app->footer(kOptionsExamples);
  CLI::Option* as_page = app->add_flag("--markdown", *markdown, "as the page docs/options.md");
  app->add_flag("--json", *json, "as JSON, for programs")->excludes(as_page);
  return {app, [markdown, json] {
            write_stdout(*json ? describe_options_json() + "\n" : *markdown ? as_markdown() : as_text());
            return 0;
          }};
}

}  // namespace dualdict::cli
