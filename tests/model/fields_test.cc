// SPDX-License-Identifier: BSD-3-Clause
// The lists of fields are complete, and what documents them or reads them elsewhere knows every one.
#include "dualdict/fields.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "dualdict/model.h"
#include "dualdict/verify.h"

namespace dualdict {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Record auto& record) {
  return as_map(record, [] { return Json::object(); });
}

std::string project_file(const std::string& path) {
  std::ifstream file(std::string(DUALDICT_GOLDEN) + "/../../" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_words(const Json& record, const std::string& text, const std::string& before, const std::string& after) {
  for (const auto& [name, value] : record.items()) {
    if (value.is_object())
      expect_words(value, text, before, after);
    else
      EXPECT_NE(text.find(before + name + after), std::string::npos) << name;
  }
}

TEST(Fields, ARecordIsAMapOfItsFields) {
  IterationRecord record;
  record.iteration = 3;
  record.energy = {.reconstruction = 1, .coding = 2, .l1 = 4, .l2 = 8};
  record.accurate = true;
  const Json json = json_of(record);
  EXPECT_EQ(json.at("iteration"), 3);
  EXPECT_EQ(json.at("energy").at("total"), 15.0);
  EXPECT_EQ(json.at("energy").at("l1"), 4.0);
  EXPECT_EQ(json.at("accurate"), true);
  LearnSummary summary;
  summary.outcome = Outcome::kTimeLimit;
  EXPECT_EQ(json_of(summary).at("outcome"), "TIME_LIMIT");
}

// All members of a trivially copyable record: writing to every listed field changes every byte but padding, so that a
// field that is not listed leaves its bytes.
template <class Type>
std::size_t bytes_of_fields() {
  std::size_t bytes = 0;
  Type record;
  Type::for_each_field(record, [&]<class Value>(const char*, Value& value) { bytes += sizeof(value); });
  return bytes;
}

TEST(Fields, NoMemberIsLeftOut) {
  EXPECT_EQ(bytes_of_fields<Energy>(), sizeof(Energy));
  EXPECT_EQ(bytes_of_fields<Verification>(), sizeof(Verification));
  EXPECT_EQ(bytes_of_fields<EncodingRow>(), sizeof(EncodingRow));
  // Its three flags are padded to eight bytes each.
  EXPECT_EQ(bytes_of_fields<IterationRecord>(), sizeof(IterationRecord) - 21);
}

TEST(Fields, TheTraceIsDocumentedAndKnownToThePage) {
  const Json record = json_of(IterationRecord{});
  expect_words(record, project_file("docs/formats.md"), "`", "`");
  expect_words(record, project_file("web/src/report.ts"), "\"", "\"");
}

TEST(Fields, TheEncodingTableIsKnownToThePage) {
  expect_words(json_of(EncodingRow{}), project_file("web/src/report.ts"), "", ": ");
  expect_words(json_of(EncodingTable{}), project_file("web/src/report.ts"), "", ": ");
}

}  // namespace
}  // namespace dualdict
