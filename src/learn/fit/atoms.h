// SPDX-License-Identifier: BSD-3-Clause
// Unused atoms: found after the code step, replaced by badly reconstructed samples before the dictionary step.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/thread_pool.h"
#include "learn/fit/state.h"
#include "learn/samples/batch.h"

namespace dualdict {

// For each atom that fewer than `below` samples use (state.atoms.usage, in a stream since atoms were last looked at):
// the worst reconstructed non-zero sample x_j (relative error), a different one for each, gets the code |x_j| e_i, and
// d_i = x_j / |x_j|. Codes u, dictionary and moments are changed accordingly. With several ranks usage and moments are
// sums over them, and x_j is the worst of all those of the batch. At most a few times per atom, so that learning ends
// even when an atom never finds a use. E may rise. Returns how many were replaced.
template <class T>
std::size_t replace_unused(FitState& state, const Batch<T>& batch, std::size_t below, ThreadPool& pool);

// The parts of that, for samples that are elsewhere.
std::vector<std::size_t> unused_atoms(const AtomUse& use, std::size_t below);

struct BadSample {
  double error = 0;
  std::size_t place = 0;  // in the order of all ranks
};
// Of the batch on all ranks, as many as are wanted, in order of falling error; well reconstructed ones are left out.
template <class T>
std::vector<BadSample> worst_samples(const Batch<T>& batch, const Matrix<double>& dictionary, ThreadPool& pool,
                                     std::size_t wanted);

// Sample n takes atom n of the list: atom, moments and counts change, and its code becomes the new one.
template <class T>
void replace_atoms(FitState& state, std::span<const std::size_t> atoms, MatrixView<const T> samples,
                   MatrixView<T> codes);

// Every row that is not zero at length one, as near as T has it.
template <class T>
void make_unit_atoms(Matrix<double>& dictionary);

std::size_t count_dead(const std::vector<std::size_t>& usage);

}  // namespace dualdict
