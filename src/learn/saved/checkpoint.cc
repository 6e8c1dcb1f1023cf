// SPDX-License-Identifier: BSD-3-Clause
#include "learn/saved/checkpoint.h"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/hash.h"
#include "core/options/option_values.h"
#include "dualdict/error.h"
#include "dualdict/version.h"
#include "io/bytes/input_error.h"
#include "learn/saved/checkpoint_header.h"
#include "learn/saved/code_parts.h"
#include "learn/saved/code_tensors.h"
#include "learn/saved/fit_file.h"

namespace dualdict {
namespace {

constexpr const char* kCheckpointFormat = "dualdict-checkpoint";
constexpr const char* kSamples = "fingerprint of the samples";

// These change when a run ends or how fast it goes, but no bit of an iteration.
bool may_differ(std::string_view option) {
  constexpr std::array<std::string_view, 4> kFree{"max-iterations", "time-limit", "threads", "max-memory"};
  return std::find(kFree.begin(), kFree.end(), option) != kFree.end();
}

std::string matrix_digest(const Matrix<double>& matrix) {
  if (matrix.empty()) return "none";
  Hasher hasher;
  hasher.add_field(std::to_string(matrix.cols()));
  hasher.add(matrix.data(), matrix.size() * sizeof(double));
  return hasher.digest();
}

RunIdentity parse_identity(const TensorFile& file, const std::string& path) {
  const auto json = nlohmann::json::parse(metadata_of(file, path, "run"), nullptr, false);
  RunIdentity identity;
  if (!json.is_object()) fail_input(path, "metadata: 'run' is not a JSON object");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) fail_input(path, "metadata: 'run': " + in_quotes(key) + " is not a string");
    identity[key] = value.get<std::string>();
  }
  return identity;
}

std::string shown(const RunIdentity& identity, const std::string& key) {
  const auto found = identity.find(key);
  if (found == identity.end()) return "unknown";
  return found->second.empty() ? "not set" : found->second;
}

// Names every difference of what both runs say of themselves.
void require_same(const std::string& path, const RunIdentity& there, const RunIdentity& here) {
  std::string differences;
  for (const auto& [key, value] : here) {
    const auto found = there.find(key);
    if (found != there.end() && found->second == value) continue;
    differences += (differences.empty() ? "" : "; ") + key + " is " + shown(there, key) + " there and " +
                   shown(here, key) + " here";
  }
  if (!differences.empty())
    fail_input(path, "is the checkpoint of another run: " + differences +
                         "; give the same samples and options, or remove it to start again");
}

}  // namespace

RunIdentity identity_of(std::size_t n_features, const LearnOptions& options, const PreprocessOptions& preprocess) {
  RunIdentity identity;
  for (const OptionInfo& option : learn_option_table())
    if (!may_differ(option.name)) identity["--" + std::string(option.name)] = option_text(options, option);
  identity["number of features"] = std::to_string(n_features);
  identity["initial dictionary"] = matrix_digest(options.initial_dictionary);
  identity["initial dual"] = matrix_digest(options.initial_dual);
  identity["scale"] = number_text(preprocess.scale);
  identity["centring of features"] = preprocess.center_features ? "true" : "false";
  identity["centring of samples"] = preprocess.center_samples ? "true" : "false";
  identity["unit norm"] = preprocess.unit_norm ? "true" : "false";
  return identity;
}

Checkpoint::Checkpoint(const CheckpointOptions& options, RunIdentity identity, Ranks& ranks)
    : ranks_(ranks), options_(options), identity_(std::move(identity)) {
  ranks_.together([this] { open(); });
}

void Checkpoint::open() {
  if (!(options_.seconds >= 0))
    throw Error(ErrorKind::kUsage,
                "seconds between checkpoints: " + number_text(options_.seconds) + " is not allowed: a number >= 0");
  if (options_.path.empty()) {
    if (options_.resume) throw Error(ErrorKind::kUsage, "resuming needs the checkpoint file to go on from");
    return;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(options_.path, ignored)) return;
  if (!options_.resume)
    throw Error(ErrorKind::kUsage,
                options_.path + ": is there already: add --resume to go on from it, or remove it to start again");
  file_ = read_safetensors(options_.path);
  check_header(file_, options_.path, kCheckpointFormat);
  require_same(options_.path, parse_identity(file_, options_.path), identity_);
  if (file_.tensors.empty()) fail_input(options_.path, "holds no tensor");
}

std::string Checkpoint::origin() const {
  const std::string& version = metadata_of(file_, options_.path, "version");
  std::string text = "going on from " + options_.path;
  if (version != DUALDICT_VERSION)
    text += ", which dualdict " + version + " wrote: the result may differ in its last bits";
  return text;
}

void Checkpoint::set_samples(std::size_t n_samples, const std::string& fingerprint) {
  identity_["number of samples"] = std::to_string(n_samples);
  identity_[kSamples] = fingerprint;
  if (was_read()) require_same(options_.path, parse_identity(file_, options_.path), identity_);
}

void Checkpoint::read_once(FitState& state, const std::function<void()>& read_codes) {
  ranks_.together([&] {
    read_state(file_, options_.path, state);
    read_codes();
  });
  last_write_ = last_iteration_ = state.seconds;
  file_.tensors.clear();
}

void Checkpoint::restore(FitState& state) {
  read_once(state, [] {});
}

template <class T>
void Checkpoint::restore(FitState& state, const Samples<T>& samples, CodeStore<T>& codes) {
  read_once(state, [&] {
    const SavedParts saved = saved_parts(file_, options_.path, samples.n_all());
    generation_ = saved.generation;
    had_parts_ = saved.n_parts() > 1;
    if (samples.alone() && !had_parts_) return read_codes(file_, options_.path, codes);
    read_parts(file_, options_.path, saved, std::stoull(identity_.at("--seed")), samples, codes);
    if (ranks_.rank() == 0) remove_other_parts(options_.path, saved);
  });
}

bool Checkpoint::is_due(double seconds) {
  if (!is_on()) return false;
  // After a long iteration always: an interrupt in the next one may come too late for its end.
  const bool was_long = seconds - last_iteration_ >= kPatienceSeconds / 2;
  last_iteration_ = seconds;
  return was_long || seconds - last_write_ >= options_.seconds;
}

void Checkpoint::write_file(const FitState& state, const std::function<void(TensorFile&)>& add_codes) {
  ranks_.together([&] {
    if (ranks_.rank() != 0) return;
    TensorFile file;
    add_state(file, state);
    add_codes(file);
    file.metadata["run"] = nlohmann::json(identity_).dump();
    add_header(file, kCheckpointFormat);
    write_safetensors(options_.path, file);
  });
  last_write_ = ranks_.alone() ? state.seconds : last_iteration_;
}

void Checkpoint::write(const FitState& state) {
  if (is_on()) write_file(state, [](TensorFile&) {});
}

template <class T>
void Checkpoint::write(const FitState& state, const Samples<T>& samples, const CodeStore<T>& codes) {
  if (!is_on()) return;
  const SavedParts parts{ranks_.alone() ? std::vector<std::size_t>{0, samples.n_all()} : samples.shard.starts,
                         generation_ + 1};
  // The old file stays true until the new one is there: its codes are kept so long.
  if (!ranks_.alone()) ranks_.together([&] { write_part<T>(options_.path, parts, ranks_.rank(), codes); });
  write_file(state, [&](TensorFile& file) {
    if (ranks_.alone()) add_codes(file, codes);
    add_parts(file, parts);
  });
  if (ranks_.rank() == 0 && (had_parts_ || parts.n_parts() > 1)) remove_other_parts(options_.path, parts);
  generation_ = parts.generation;
  had_parts_ = parts.n_parts() > 1;
}

#define DUALDICT_INSTANTIATE(T)                                                      \
  template void Checkpoint::restore<T>(FitState&, const Samples<T>&, CodeStore<T>&); \
  template void Checkpoint::write<T>(const FitState&, const Samples<T>&, const CodeStore<T>&);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
