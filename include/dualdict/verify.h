// SPDX-License-Identifier: BSD-3-Clause
// An independent check of a model: plain double-precision loops that share no code with the learner.
#pragma once

#include <cstddef>
#include <memory>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/model.h"
#include "dualdict/summary.h"

namespace dualdict {

struct Verification {
  Energy energy;           // of the model's D and C and the exact codes of all samples
  double duality_gap = 0;  // relative, of the codes found here
  // In units of tau/K; with penalty l0 what a move of one coefficient would still take off the cost, in prices.
  double max_kkt_residual = 0;
  double nonzeros_per_code = 0;
  double max_atom_norm = 0;
  double max_filter_norm = 0;
  double tau_max = 0;
  std::size_t n_samples = 0;

  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("energy", self.energy);
    visit("duality_gap", self.duality_gap);
    visit("max_kkt_residual", self.max_kkt_residual);
    visit("nonzeros_per_code", self.nonzeros_per_code);
    visit("max_atom_norm", self.max_atom_norm);
    visit("max_filter_norm", self.max_filter_norm);
    visit("tau_max", self.tau_max);
    visit("n_samples", self.n_samples);
  }
};

// A model made ready to be checked on samples as they come. Codes every sample from zero by plain coordinate descent to
// a relative gap of 1e-9 and measures.
class DUALDICT_API Verifier {
 public:
  explicit Verifier(const Model& model, std::size_t n_threads = 0);
  ~Verifier();
  Verifier(Verifier&&) noexcept;
  Verifier& operator=(Verifier&&) noexcept;

  void add(const DataSource& data);
  // Of all samples that were added so far, as if they had come at once.
  Verification result() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// That of the samples of one source.
DUALDICT_API Verification verify(const Model& model, const DataSource& data, std::size_t n_threads = 0);

}  // namespace dualdict
