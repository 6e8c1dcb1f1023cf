// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "dualdict/error.h"
#include "dualdict/report.h"
#include "io/bytes/file_reader.h"
#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

using Json = nlohmann::ordered_json;

std::string read_text(const std::string& path) {
  const auto bytes = open_bytes(path);
  std::string text(static_cast<std::size_t>(bytes->size()), '\0');
  bytes->read(0, std::as_writable_bytes(std::span<char>(text)));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

// The lines without their ends; nothing after the last end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

// A field that is absent or null (NaN in the trace) counts as 0.
double number(const Json& json, const char* name) {
  const auto field = json.find(name);
  if (field == json.end() || field->is_null()) return 0;
  return field->get<double>();
}
std::size_t count(const Json& json, const char* name) {
  const double value = number(json, name);
  return value >= 0 && value < 9e15 ? static_cast<std::size_t>(value) : 0;
}

IterationRecord record_of(const Json& json) {
  const Json& energy = json.at("energy");
  IterationRecord record;
  record.iteration = json.at("iteration").get<std::size_t>();
  record.seconds = number(json, "seconds");
  record.energy = {.reconstruction = number(energy, "reconstruction"),
                   .coding = number(energy, "coding"),
                   .l1 = number(energy, "l1"),
                   .l2 = number(energy, "l2")};
  record.tau = number(json, "tau");
  record.relative_change = number(json, "relative_change");
  record.nonzeros_per_code = number(json, "nonzeros_per_code");
  record.dead_atoms = count(json, "dead_atoms");
  record.replaced_atoms = count(json, "replaced_atoms");
  record.duality_gap = number(json, "duality_gap");
  record.dictionary_change = number(json, "dictionary_change");
  record.dual_change = number(json, "dual_change");
  const auto accurate = json.find("accurate");
  record.accurate = accurate != json.end() && accurate->is_boolean() && accurate->get<bool>();
  return record;
}

}  // namespace

std::vector<IterationRecord> read_trace(const std::string& path) {
  const std::string text = read_text(path);
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<IterationRecord> records;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find_first_not_of(" \t") == std::string_view::npos) continue;
    const Json json = Json::parse(lines[i], nullptr, false);
    const bool cut_off = i + 1 == lines.size() && !text.ends_with('\n');
    if (json.is_discarded() && cut_off) break;
    try {
      if (json.is_discarded())
        fail_input(path, "line " + std::to_string(i + 1) + " is no JSON: " + in_quotes(lines[i]));
      records.push_back(record_of(json));
    } catch (const Json::exception&) {
      fail_input(path, "line " + std::to_string(i + 1) + " is no record of an iteration, as `dualdict learn --trace` " +
                           "writes them: " + in_quotes(lines[i]));
    }
  }
  return records;
}

std::vector<std::string> read_names(const std::string& path) {
  const std::string text = read_text(path);
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(text)) names.emplace_back(line);
  return names;
}

}  // namespace dualdict
