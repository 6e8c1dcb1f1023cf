// SPDX-License-Identifier: BSD-3-Clause
#include "learn/samples/shared_pass.h"

#include "core/hash.h"
#include "linalg/symmetric.h"

namespace dualdict {
namespace {

// Both directions walk this list: its order is the message's.
template <class Pass, class Sums, class Visit>
void for_each_number(Pass& pass, Sums& moments, const Visit& visit) {
  const std::size_t k = moments.uu.rows();
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = i; j < k; ++j) visit(moments.uu(i, j));
  for (std::size_t i = 0; i < moments.ux.size(); ++i) visit(moments.ux.data()[i]);
  visit(moments.sum_abs_codes);
  visit(pass.n_samples);
  visit(pass.codes.gap);
  visit(pass.codes.sum_abs);
  visit(pass.codes.squared_samples);
  visit(pass.codes.unfinished);
  visit(pass.codes.nonzeros);
  visit(pass.codes.sweeps);
  for (auto& uses : pass.usage) visit(uses);
}

// 32 bits of D and C: a sum of so many is exact for two million ranks.
double digest(const Matrix<double>& dictionary, const Matrix<double>& dual) {
  const std::uint64_t both = mix64(hash64(dictionary.data(), dictionary.size() * sizeof(double))) ^
                             hash64(dual.data(), dual.size() * sizeof(double));
  return static_cast<double>(both >> 32U);
}

}  // namespace

std::vector<double> sums_of_pass(const PassReport& pass, const Moments& moments) {
  std::vector<double> sums;
  sums.reserve(moments.uu.size() + moments.ux.size() + moments.uu.rows() + 16);
  for_each_number(pass, moments, [&](const auto& value) { sums.push_back(static_cast<double>(value)); });
  return sums;
}

void set_sums_of_pass(std::span<const double> sums, PassReport& pass, Moments& moments) {
  const double* from = sums.data();
  for_each_number(pass, moments, [&]<class Value>(Value& value) { value = static_cast<Value>(*from++); });
  mirror_upper(moments.uu);
}

Wishes sum_pass(Ranks& ranks, const Matrix<double>& dictionary, const Matrix<double>& dual, const Wishes& mine,
                PassReport& pass, Moments& moments) {
  pass.usage.resize(moments.uu.rows());  // empty when this rank's pass has failed
  std::vector<double> message = sums_of_pass(pass, moments);
  const std::size_t n_sums = message.size();
  const double mark = digest(dictionary, dual);
  message.insert(message.end(),
                 {ranks.rank() == 0 ? mine.seconds : 0.0, mine.interrupt ? 1.0 : 0.0, mine.stop ? 1.0 : 0.0, mark});
  ranks.sum(message);
  set_sums_of_pass(std::span(message).first(n_sums), pass, moments);
  if (message[n_sums + 3] != mark * static_cast<double>(ranks.size()))
    throw Error(
        ErrorKind::kNumerical,
        "the ranks have come apart: the same step gave them different dictionaries; run them on machines of one "
        "kind and with the same version, and force one kind of kernel where they differ (DUALDICT_KERNELS)");
  return {message[n_sums], message[n_sums + 1] > 0, message[n_sums + 2] > 0};
}

}  // namespace dualdict
