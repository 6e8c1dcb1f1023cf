// SPDX-License-Identifier: BSD-3-Clause
// The option table as JSON, for front ends in other languages.
#include <nlohmann/json.hpp>
#include <string>

#include "dualdict/options.h"

namespace dualdict {

std::string describe_options_json() {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const LearnOptions defaults;
  for (const OptionInfo& row : learn_option_table()) {
    nlohmann::ordered_json entry;
    entry["name"] = row.name;
    entry["python_name"] = row.python_name;
    entry["symbol"] = row.symbol;
    entry["group"] = row.group;
    entry["required"] = row.required;
    if (const std::string text = option_text(defaults, row); !row.required && !text.empty())
      entry["default"] = text;
    else
      entry["default"] = nullptr;
    entry["rule"] = option_rule(row);
    entry["help"] = row.help;
    rows.push_back(std::move(entry));
  }
  return rows.dump(2);
}

}  // namespace dualdict
