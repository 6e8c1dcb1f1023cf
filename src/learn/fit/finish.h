// SPDX-License-Identifier: BSD-3-Clause
// The end of a fit: exact codes for the final D and C, what they measure, the encoders, the model.
#pragma once

#include <optional>
#include <string>

#include "core/thread_pool.h"
#include "dualdict/learn.h"
#include "learn/fit/control.h"
#include "learn/fit/state.h"
#include "learn/samples/code_store.h"
#include "learn/samples/samples.h"

namespace dualdict {

// What the model says of where it came from.
struct FitOrigin {
  std::string name;
  SampleShape shape;
  Transform transform;
  const DataSource* validation = nullptr;
  std::optional<Penalty> given_penalty{};  // where the options have what it led to
};

// `samples` are all of them, with the codes that learning left, or those that a stream has kept, without. The summary
// says how learning ended. The sums of the state become those of the samples. An interrupt before every sample is
// coded leaves the codes of samples in memory as they are, and those that a stream kept become fewer.
template <class T>
LearnResult finish_fit(FitState& state, Samples<T>& samples, CodeStore<T>& codes, LearnSummary summary,
                       const FitOrigin& origin, Control& control, ThreadPool& pool);

// The samples that a stream has kept, on each rank its share.
template <class T>
Samples<T> kept_samples(const FitState& state, std::size_t seed, bool hasty, Ranks& ranks);

}  // namespace dualdict
