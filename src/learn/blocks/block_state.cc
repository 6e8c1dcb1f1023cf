// SPDX-License-Identifier: BSD-3-Clause
#include "learn/blocks/block_state.h"

#include <algorithm>
#include <numeric>

#include "core/random.h"
#include "io/bytes/input_error.h"
#include "learn/saved/checkpoint_header.h"
#include "learn/saved/fit_file.h"

namespace dualdict {
namespace {

constexpr const char* kStateFormat = "dualdict-block-fit";
constexpr const char* kStateName = "the state of a fit by blocks";
constexpr std::uint64_t kGroupStream = 3;  // of random numbers
constexpr std::size_t kGroups = 8;
constexpr std::size_t kFewestGroups = 4;

// The blocks that have samples, in a random order that is drawn once.
std::vector<std::size_t> shuffled_blocks(const BlockState& state) {
  std::vector<std::size_t> order = Random(state.run.options.seed, kGroupStream).permutation(state.sizes.size());
  std::erase_if(order, [&](std::size_t block) { return state.sizes[block] == 0; });
  return order;
}

std::size_t n_groups(std::size_t n_blocks) {
  return n_blocks < kFewestGroups ? 0 : std::min(n_blocks, kGroups);
}

const Tensor& tensor_of(const TensorFile& file, const char* name) {
  const Tensor* tensor = file.find(name);
  if (tensor == nullptr) fail_input(kStateName, "tensor " + in_quotes(name) + " is missing");
  return *tensor;
}

std::vector<double> open_numbers(const OpenIteration& open) {
  return {open.energy,
          open.retreats ? 1.0 : 0.0,
          open.was_accurate ? 1.0 : 0.0,
          open.record.tau,
          open.record.extrapolated ? 1.0 : 0.0,
          open.record.energy_before_codes};
}

void read_open(const TensorFile& file, OpenIteration& open) {
  const std::vector<double> numbers = to_vector(tensor_of(file, "open.numbers"));
  if (numbers.size() != 6) fail_input(kStateName, "tensor 'open.numbers' must hold 6 numbers");
  open.energy = numbers[0];
  open.retreats = numbers[1] != 0;
  open.was_accurate = numbers[2] != 0;
  open.record.tau = numbers[3];
  open.record.extrapolated = numbers[4] != 0;
  open.record.energy_before_codes = numbers[5];
  open.dictionary = to_matrix(tensor_of(file, "open.dictionary"));
  open.dual = to_matrix(tensor_of(file, "open.dual"));
}

}  // namespace

WarmUpSchedule block_schedule(const BlockState& state) {
  const std::size_t groups = n_groups(shuffled_blocks(state).size());
  if (groups == 0) return {};
  return {(state.n_all + groups - 1) / groups, groups};
}

std::vector<std::size_t> blocks_of(const BlockState& state) {
  std::vector<std::size_t> blocks(state.sizes.size());
  std::iota(blocks.begin(), blocks.end(), std::size_t{0});
  if (state.phase != BlockPhase::kWarmUp) return blocks;
  const std::vector<std::size_t> order = shuffled_blocks(state);
  const std::size_t n = order.size();
  const std::size_t groups = n_groups(n);
  const std::size_t group = state.fit.fading.step % groups;
  blocks.assign(order.begin() + static_cast<std::ptrdiff_t>(n * group / groups),
                order.begin() + static_cast<std::ptrdiff_t>(n * (group + 1) / groups));
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

std::string to_bytes(const BlockState& state) {
  TensorFile file;
  RunOptions run = state.run;
  run.n_features = state.fit.dictionary.cols();
  add_run(file, run);
  file.metadata["message"] = state.summary.message;
  const std::vector<double> numbers{static_cast<double>(state.phase), static_cast<double>(state.summary.outcome)};
  file.tensors.push_back(make_tensor("blocks.numbers", numbers, DType::kFloat64));
  const std::vector<double> sizes(state.sizes.begin(), state.sizes.end());
  file.tensors.push_back(make_tensor("blocks.sizes", sizes, DType::kFloat64));
  if (!state.fit.stream.feature_means.empty() && run.n_features == 0)
    file.tensors.push_back(make_tensor("blocks.means", state.fit.stream.feature_means, DType::kFloat64));
  if (run.n_features > 0) add_state(file, state.fit);
  if (!state.open.dictionary.empty()) {
    file.tensors.push_back(make_tensor("open.numbers", open_numbers(state.open), DType::kFloat64));
    file.tensors.push_back(make_tensor("open.dictionary", state.open.dictionary.view(), DType::kFloat64));
    file.tensors.push_back(make_tensor("open.dual", state.open.dual.view(), DType::kFloat64));
  }
  return to_bytes(std::move(file), kStateFormat);
}

BlockState read_block_state(std::string_view bytes) {
  const TensorFile file = from_bytes(bytes, kStateName, kStateFormat);
  BlockState state;
  state.run = read_run(file, kStateName);
  const std::vector<double> numbers = to_vector(tensor_of(file, "blocks.numbers"));
  if (numbers.size() != 2) fail_input(kStateName, "tensor 'blocks.numbers' must hold 2 numbers");
  state.phase = static_cast<BlockPhase>(numbers[0]);
  state.summary.outcome = static_cast<Outcome>(numbers[1]);
  state.summary.message = metadata_of(file, kStateName, "message");
  for (const double size : to_vector(tensor_of(file, "blocks.sizes"))) {
    state.sizes.push_back(static_cast<std::size_t>(size));
    state.n_all += state.sizes.back();
  }
  if (state.run.n_features > 0) state.fit = read_fit(file, kStateName, state.run);
  if (const Tensor* means = file.find("blocks.means")) state.fit.stream.feature_means = to_vector(*means);
  if (file.find("open.numbers") != nullptr) read_open(file, state.open);
  return state;
}

}  // namespace dualdict
