// SPDX-License-Identifier: BSD-3-Clause
#include "learn_report.h"

#include "output.h"
#include "printable.h"
#include "text.h"

namespace dualdict::cli {

std::string energy_text(const Energy& energy) {
  return short_number(energy.total()) + " = " + short_number(energy.reconstruction) + " reconstruction + " +
         short_number(energy.coding) + " coding + " + short_number(energy.l1) + " l1 + " + short_number(energy.l2) +
         " l2" + (energy.l0 > 0 ? " + " + short_number(energy.l0) + " l0" : "");
}

namespace {

// Where tau came from, when it was not given.
std::string tau_origin(const LearnSummary& summary) {
  if (summary.given.tau) return "";
  if (summary.given.nonzeros) return ", found for --nonzeros " + short_number(*summary.given.nonzeros);
  return ", the default: a tenth of the mean tau that silences a sample";
}

// What the terms of E were weighed with: of penalty l0 the price of a nonzero alone.
std::string weights_text(const LearnResult& result) {
  const LearnSummary& summary = result.summary;
  const ModelParts& parts = result.model.parts();
  if (parts.penalty == Penalty::kL0) {
    const FittedEncoder* greedy = parts.find_encoder("greedy");
    if (greedy == nullptr || greedy->levels.empty()) return "";
    return "  weights    a nonzero costs " + short_number(greedy->levels(0, 1)) +
           " of |x - D u|^2, found for --nonzeros " + short_number(summary.used.nonzeros.value_or(0)) + "\n";
  }
  return "  weights    tau " + short_number(summary.tau) + tau_origin(summary) + " (all codes are zero from tau " +
         short_number(summary.tau_max) + "), coding eta d/K = " + short_number(summary.coding_weight) + " (eta " +
         short_number(summary.used.eta.value_or(0)) + "), threshold tau d/K = " + short_number(summary.threshold) +
         "\n";
}

}  // namespace

std::string closing_summary(const LearnResult& result, const std::string& path) {
  const LearnSummary& summary = result.summary;
  const std::string model = shell_word(path);
  std::string text = std::string(outcome_name(summary.outcome)) + " after " + std::to_string(summary.n_iterations) +
                     " iterations, " + duration(summary.seconds) + ": " + one_line(summary.message) + "\n";
  text += "  E          " + energy_text(summary.energy) + "\n";
  text += "  codes      " + short_number(summary.nonzeros_per_code) + " nonzeros of " +
          std::to_string(result.model.n_atoms()) + " per code, relative duality gap " +
          short_number(summary.duality_gap) + "\n";
  text += "  atoms      " + (summary.dead_atoms ? std::to_string(*summary.dead_atoms) + " dead, " : "") +
          std::to_string(summary.replaced_atoms) + " replaced on the way\n";
  text += weights_text(result);
  text += encoding_text(result.model.parts().provenance.encoding);
  if (!summary.advice.empty()) text += "Note: " + one_line(summary.advice) + ".\n";
  text += "Saved " + one_line(path) + ". What to try next:\n";
  text += "  dualdict info " + model + "\n";
  text += "  dualdict mosaic " + model + " -o atoms.png\n";
  text += "  dualdict report " + model + " -o page.html\n";
  text += "  dualdict encode " + model + " INPUT -o codes.npy\n";
  return text;
}

}  // namespace dualdict::cli
