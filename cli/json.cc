// SPDX-License-Identifier: BSD-3-Clause
#include "json.h"

#include "printable.h"

namespace dualdict::cli {

Json learn_json(const LearnSummary& summary, const Model& model, const std::string& path) {
  Json json = to_json(summary);
  json["n_atoms"] = model.n_atoms();
  json["model"] = path;
  json["encoding"] = Json::parse(describe_json(model)).at("encoding");
  return json;
}

Json verification_json(const Verification& result) {
  Json json = to_json(result);
  // Loading refuses a file whose checksum is wrong, so a verified model has a right one.
  json["checksum_ok"] = true;
  return json;
}

std::string dump(const Json& json, int indent) {
  return printable_json(json.dump(indent, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace dualdict::cli
