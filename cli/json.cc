// SPDX-License-Identifier: BSD-3-Clause
#include "json.h"

namespace dualdict::cli {

Json energy_json(const Energy& energy) {
  return {{"total", energy.total()},
          {"reconstruction", energy.reconstruction},
          {"coding", energy.coding},
          {"l1", energy.l1},
          {"l2", energy.l2}};
}

Json iteration_json(const IterationRecord& record) {
  return {{"iteration", record.iteration},
          {"seconds", record.seconds},
          {"energy", energy_json(record.energy)},
          {"nonzeros_per_code", record.nonzeros_per_code},
          {"replaced_atoms", record.replaced_atoms},
          {"dead_atoms", record.dead_atoms},
          {"duality_gap", record.duality_gap},
          {"dictionary_change", record.dictionary_change},
          {"dual_change", record.dual_change},
          {"tau", record.tau},
          {"relative_change", record.relative_change},
          {"accurate", record.accurate}};
}

Json learn_json(const LearnSummary& summary, const Model& model, const std::string& path) {
  return {{"outcome", outcome_name(summary.outcome)},
          {"message", summary.message},
          {"iterations", summary.n_iterations},
          {"seconds", summary.seconds},
          {"reading_seconds", summary.reading_seconds},
          {"energy", energy_json(summary.energy)},
          {"nonzeros_per_code", summary.nonzeros_per_code},
          {"duality_gap", summary.duality_gap},
          {"max_kkt_residual", summary.max_kkt_residual},
          {"replaced_atoms", summary.replaced_atoms},
          {"dead_atoms", summary.dead_atoms},
          {"tau", summary.tau},
          {"tau_max", summary.tau_max},
          {"coding_weight", summary.coding_weight},
          {"threshold", summary.threshold},
          {"n_samples", summary.n_samples},
          {"n_features", summary.n_features},
          {"n_atoms", model.n_atoms()},
          {"model", path},
          {"encoding", Json::parse(describe_json(model)).at("encoding")}};
}

Json verification_json(const Verification& result) {
  return {{"energy", energy_json(result.energy)},
          {"duality_gap", result.duality_gap},
          {"max_kkt_residual", result.max_kkt_residual},
          {"nonzeros_per_code", result.nonzeros_per_code},
          {"max_atom_norm", result.max_atom_norm},
          {"max_filter_norm", result.max_filter_norm},
          {"tau_max", result.tau_max},
          {"n_samples", result.n_samples},
          // Loading refuses a file whose checksum is wrong, so a verified model has a right one.
          {"checksum_ok", true}};
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dualdict::cli
