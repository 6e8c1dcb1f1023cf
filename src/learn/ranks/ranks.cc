// SPDX-License-Identifier: BSD-3-Clause
#include "learn/ranks/ranks.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "core/interrupt.h"

namespace dualdict {
namespace {

// The status of a rank in a message: one count for each kind of error, and one for an interrupt.
constexpr std::array<ErrorKind, 6> kKinds{ErrorKind::kUsage, ErrorKind::kInput,  ErrorKind::kNumerical,
                                          ErrorKind::kWrite, ErrorKind::kMemory, ErrorKind::kRank};
constexpr std::size_t kInterrupted = kKinds.size();
constexpr std::size_t kStatus = kKinds.size() + 1;

std::size_t slot_of(const std::exception_ptr& failure) {
  ErrorKind kind = ErrorKind::kNumerical;
  try {
    std::rethrow_exception(failure);
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const Error& error) {
    kind = error.kind();
  } catch (const std::bad_alloc&) {
    kind = ErrorKind::kMemory;
  } catch (...) {
    // Nothing more is known of it; its own rank throws it as it is.
  }
  return static_cast<std::size_t>(std::find(kKinds.begin(), kKinds.end(), kind) - kKinds.begin());
}

}  // namespace

void Ranks::keep(std::exception_ptr failure) {
  // An error outranks an interrupt; the first error is the cause of later ones.
  if (!failure_ || slot_of(failure_) == kInterrupted) failure_ = std::move(failure);
}

void Ranks::sum(std::span<double> values) {
  if (alone()) return;
  agreed_ = false;
  message_.assign(values.begin(), values.end());
  message_.resize(values.size() + kStatus, 0.0);
  if (failure_) message_[values.size() + slot_of(failure_)] = 1;
  communicator_.sum(message_);
  std::copy_n(message_.begin(), values.size(), values.begin());
  const double* status = message_.data() + values.size();
  const bool any = std::any_of(status, status + kStatus, [](double count) { return count > 0; });
  if (!any) return;
  agreed_ = true;
  const std::exception_ptr mine = std::exchange(failure_, nullptr);
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (status[i] == 0) continue;
    if (mine && slot_of(mine) != kInterrupted) std::rethrow_exception(mine);
    throw OtherRankFailed(kKinds[i]);
  }
  throw Interrupted{};
}

void Ranks::require_same(std::uint32_t value, const char* what) {
  double total = value;
  sum(std::span(&total, 1));
  if (total == static_cast<double>(value) * static_cast<double>(size())) return;
  // Every rank comes here unless its own value happens to be the mean of all; abandon_unless_agreed() reaches that one.
  throw Error(ErrorKind::kUsage, what);
}

Shard Ranks::shard(std::size_t n_samples) {
  std::vector<double> counts(size());
  counts[rank()] = static_cast<double>(n_samples);
  sum(counts);
  Shard shard;
  shard.starts.push_back(0);
  for (const double count : counts) shard.starts.push_back(shard.starts.back() + static_cast<std::size_t>(count));
  shard.first = shard.starts[rank()];
  shard.total = shard.starts.back();
  return shard;
}

std::uint64_t Ranks::sum_bits(std::uint64_t value) {
  if (alone()) return value;
  std::array<double, 4> pieces{};
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = static_cast<double>((value >> (16 * i)) & 0xffffU);
  sum(pieces);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) total += static_cast<std::uint64_t>(pieces[i]) << (16 * i);
  return total;
}

void Ranks::abandon_unless_agreed() noexcept {
  if (alone() || agreed_) return;
  int code = 4;
  try {
    throw;
  } catch (const Error& error) {
    constexpr std::array<int, 6> kCodes{2, 3, 4, 5, 6, 7};
    code = kCodes[static_cast<std::size_t>(error.kind())];
  } catch (const std::bad_alloc&) {
    code = 6;
  } catch (...) {
    // The default.
  }
  communicator_.abandon(code);
}

}  // namespace dualdict
