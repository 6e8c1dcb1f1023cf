// SPDX-License-Identifier: BSD-3-Clause
// Results as JSON, with the field names of the structures. NaN becomes null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "dualdict/fields.h"
#include "dualdict/model.h"
#include "dualdict/summary.h"
#include "dualdict/verify.h"

namespace dualdict::cli {

using Json = nlohmann::ordered_json;

// Any record of the library; an IterationRecord is a line of a trace.
template <Record Type>
Json to_json(const Type& record) {
  return as_map(record, [] { return Json::object(); });
}
// What `learn --json` prints.
Json learn_json(const LearnSummary& summary, const Model& model, const std::string& path);
Json verification_json(const Verification& result);
// Text that is not UTF-8 (a file name may be anything) is mended rather than refused.
std::string dump(const Json& json, int indent = -1);

}  // namespace dualdict::cli
