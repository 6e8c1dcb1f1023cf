// SPDX-License-Identifier: BSD-3-Clause
// Numbers for pairs of a sample and an atom, found sample by sample and summed atom by atom: a sum has the order of the
// samples, whichever thread makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dualdict/matrix.h"

namespace dualdict {

// Those of some neighbouring samples. Vectors only grow.
struct SampleLists {
  std::vector<std::size_t> begin;  // of each sample, and the end of the last
  std::vector<std::uint32_t> atom;
  std::vector<float> code;  // 0 where the atom is listed for its pull alone
  std::vector<float> pull;

  void clear();
  // Room for one more sample of up to n entries, which begin at the returned place; end_sample() says how many.
  std::size_t begin_sample(std::size_t n);
  void end_sample(std::size_t n_entries) { begin.push_back(begin.back() + n_entries); }
  std::size_t n_samples() const { return begin.size() - 1; }
};

struct AtomLists {
  std::vector<std::size_t> begin;  // of each atom, and the end of the last
  std::vector<std::uint32_t> sample;
  std::vector<float> value;

  // The entries of all parts, in their order, whose `values` (code or pull) are not zero.
  void assign(const std::vector<SampleLists>& parts, std::vector<float> SampleLists::*values, std::size_t n_atoms);
  std::size_t count(std::size_t atom) const { return begin[atom + 1] - begin[atom]; }
  // out += the sum over the atom's samples of value times their row.
  void add_rows(std::size_t atom, const Matrix<float>& rows, float* out) const;

 private:
  std::vector<std::size_t> next_;
};

}  // namespace dualdict
