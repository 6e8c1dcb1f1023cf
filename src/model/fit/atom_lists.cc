// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/atom_lists.h"

#include <algorithm>
#include <cmath>

#include "linalg/kernels/kernels.h"

namespace dualdict {

void SampleLists::clear() {
  begin.assign(1, 0);
}

std::size_t SampleLists::begin_sample(std::size_t n) {
  const std::size_t at = begin.back();
  const std::size_t end = at + n + kWidestVector;  // list_nonzeros may write so far
  if (atom.size() < end) {
    const std::size_t size = std::max(end, 2 * atom.size());
    atom.resize(size);
    code.resize(size);
    pull.resize(size);
  }
  return at;
}

void AtomLists::assign(const std::vector<SampleLists>& parts, std::vector<float> SampleLists::*values,
                       std::size_t n_atoms) {
  begin.assign(n_atoms + 1, 0);
  for (const SampleLists& part : parts)
    for (std::size_t e = 0; e < part.begin.back(); ++e) begin[part.atom[e] + 1] += (part.*values)[e] != 0.0F ? 1 : 0;
  for (std::size_t k = 0; k < n_atoms; ++k) begin[k + 1] += begin[k];
  if (sample.size() < begin.back()) {
    sample.resize(2 * begin.back());
    value.resize(2 * begin.back());
  }
  next_.assign(begin.begin(), begin.end());
  std::size_t first = 0;
  for (const SampleLists& part : parts) {
    for (std::size_t i = 0; i < part.n_samples(); ++i)
      for (std::size_t e = part.begin[i]; e < part.begin[i + 1]; ++e) {
        if ((part.*values)[e] == 0.0F) continue;
        const std::size_t place = next_[part.atom[e]]++;
        sample[place] = static_cast<std::uint32_t>(first + i);
        value[place] = (part.*values)[e];
      }
    first += part.n_samples();
  }
}

void AtomLists::add_rows(std::size_t atom, const Matrix<float>& rows, float* out) const {
  kernels<float>().add_rows({.factors = value.data() + begin[atom],
                             .rows = sample.data() + begin[atom],
                             .count = count(atom),
                             .sign = 1,
                             .matrix = rows.data(),
                             .stride = rows.cols(),
                             .out = out,
                             .n = rows.cols()});
}

}  // namespace dualdict
