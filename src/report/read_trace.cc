// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "dualdict/error.h"
#include "dualdict/fields.h"
#include "dualdict/report.h"
#include "io/bytes/file_reader.h"
#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

using Json = nlohmann::ordered_json;

std::string read_text(const std::string& path) {
  const auto bytes = open_bytes(path, [](const std::string& name, std::span<const std::byte> start) {
    if (std::find(start.begin(), start.end(), std::byte{0}) != start.end())
      fail_input(name, "is no text: holds a zero byte");
  });
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
struct FieldReader {
  const Json& json;

  template <class Value>
  void operator()(const char* name, Value& value) const {
    const auto field = json.find(name);
    if (field == json.end() || field->is_null()) return;
    if constexpr (Record<Value>)
      Value::for_each_field(value, FieldReader{*field});
    else if constexpr (std::is_same_v<Value, std::size_t>)
      value = to_count(field->template get<double>());
    else
      value = field->template get<Value>();
  }
  static std::size_t to_count(double value) { return value >= 0 && value < 9e15 ? static_cast<std::size_t>(value) : 0; }
};

IterationRecord record_of(const Json& json) {
  static_cast<void>(json.at("iteration"));
  static_cast<void>(json.at("energy"));
  IterationRecord record;
  IterationRecord::for_each_field(record, FieldReader{json});
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
  const bool is_table = path.ends_with(".tsv");
  for (const std::string_view line : lines_of(text))
    names.emplace_back(is_table ? line.substr(line.rfind('\t') + 1) : line);
  return names;
}

}  // namespace dualdict
