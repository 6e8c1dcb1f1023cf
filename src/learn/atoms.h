// SPDX-License-Identifier: BSD-3-Clause
// Unused atoms: found after the code step, replaced by badly reconstructed samples before the dictionary step.
#pragma once

#include <cstddef>
#include <vector>

#include "core/thread_pool.h"
#include "learn/code_store.h"
#include "learn/samples.h"
#include "solvers/objective.h"

namespace dualdict {

// Replaces at most a few times per atom, so that learning ends even when an atom never finds a use.
class AtomReplacer {
 public:
  AtomReplacer(std::size_t n_atoms, std::size_t replace_below) : replaced_(n_atoms), below_(replace_below) {}

  // For each atom i used by fewer than `replace_below` samples: the worst reconstructed non-zero sample x_j (relative
  // error), a different one for each, gets the code |x_j| e_i, and d_i = x_j / |x_j|. Codes, dictionary and moments are
  // changed accordingly. With several ranks `usage` and `moments` are sums over them, and x_j is the worst of all. E
  // may rise. Returns how many were replaced.
  template <class T>
  std::size_t replace(const Samples<T>& samples, const Objective& objective, const std::vector<std::size_t>& usage,
                      ThreadPool& pool, CodeStore<T>& u, Matrix<double>& dictionary, Moments& moments);

  // How often each atom has been replaced.
  std::vector<std::size_t>& replaced() { return replaced_; }

 private:
  std::vector<std::size_t> replaced_;  // times per atom
  std::size_t below_;
};

std::size_t count_dead(const std::vector<std::size_t>& usage);

}  // namespace dualdict
