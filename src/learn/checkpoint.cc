// SPDX-License-Identifier: BSD-3-Clause
#include "learn/checkpoint.h"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/hash.h"
#include "core/option_values.h"
#include "dualdict/error.h"
#include "dualdict/version.h"
#include "io/input_error.h"
#include "learn/state_file.h"
#include "model/model_file.h"

namespace dualdict {
namespace {

constexpr const char* kCheckpointFormat = "dualdict-checkpoint";
constexpr const char* kCheckpointSchema = "1";
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

const std::string& checkpoint_metadata(const TensorFile& file, const std::string& path, const std::string& key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end())
    fail_input(path, "is not a checkpoint of dualdict: its metadata have no " + in_quotes(key));
  return found->second;
}

void check_checkpoint_header(const TensorFile& file, const std::string& path) {
  const std::string& format = checkpoint_metadata(file, path, "format");
  if (format != kCheckpointFormat)
    fail_input(path, "is not a checkpoint of dualdict: format is " + in_quotes(format) + ", not " +
                         in_quotes(kCheckpointFormat));
  const std::string& schema = checkpoint_metadata(file, path, "schema");
  if (schema != kCheckpointSchema)
    fail_input(path, "schema is " + in_quotes(schema) + ", this version of dualdict reads " +
                         in_quotes(kCheckpointSchema) + ": go on with the version that wrote it, or start again");
  const std::string& stored = checkpoint_metadata(file, path, "checksum");
  const std::string found = model_checksum(file);
  if (stored != found)
    fail_input(path, "checksum is " + in_quotes(stored) + ", but the content gives " + in_quotes(found) +
                         ": the file is damaged; remove it to start again");
}

RunIdentity parse_identity(const TensorFile& file, const std::string& path) {
  const auto json = nlohmann::json::parse(checkpoint_metadata(file, path, "run"), nullptr, false);
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

RunIdentity identity_of(const DataSource& data, const LearnOptions& options, const PreprocessOptions& preprocess) {
  RunIdentity identity;
  for (const OptionInfo& option : learn_option_table())
    if (!may_differ(option.name)) identity["--" + std::string(option.name)] = option_text(options, option);
  identity["number of samples"] = std::to_string(data.n_samples());
  identity["number of features"] = std::to_string(data.n_features());
  identity["initial dictionary"] = matrix_digest(options.initial_dictionary);
  identity["initial dual"] = matrix_digest(options.initial_dual);
  identity["scale"] = number_text(preprocess.scale);
  identity["centring of features"] = preprocess.center_features ? "true" : "false";
  identity["centring of samples"] = preprocess.center_samples ? "true" : "false";
  identity["unit norm"] = preprocess.unit_norm ? "true" : "false";
  return identity;
}

Checkpoint::Checkpoint(const CheckpointOptions& options, RunIdentity identity)
    : options_(options), identity_(std::move(identity)) {
  if (!(options.seconds >= 0))
    throw Error(ErrorKind::kUsage,
                "seconds between checkpoints: " + number_text(options.seconds) + " is not allowed: a number >= 0");
  if (options.path.empty()) {
    if (options.resume) throw Error(ErrorKind::kUsage, "resuming needs the checkpoint file to go on from");
    return;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(options.path, ignored)) return;
  if (!options.resume)
    throw Error(ErrorKind::kUsage,
                options.path + ": is there already: add --resume to go on from it, or remove it to start again");
  file_ = read_safetensors(options.path);
  check_checkpoint_header(file_, options.path);
  require_same(options.path, parse_identity(file_, options.path), identity_);
  if (file_.tensors.empty()) fail_input(options.path, "holds no tensor");
}

std::string Checkpoint::origin() const {
  const std::string& version = checkpoint_metadata(file_, options_.path, "version");
  std::string text = "going on from " + options_.path;
  if (version != DUALDICT_VERSION)
    text += ", which dualdict " + version + " wrote: the result may differ in its last bits";
  return text;
}

void Checkpoint::set_samples(const std::string& fingerprint) {
  identity_[kSamples] = fingerprint;
  if (was_read()) require_same(options_.path, parse_identity(file_, options_.path), identity_);
}

template <class T>
void Checkpoint::restore(LearnState<T>& state) {
  read_state(file_, options_.path, state);
  last_write_ = last_iteration_ = state.seconds;
  file_.tensors.clear();
}

bool Checkpoint::is_due(double seconds) {
  if (!is_on()) return false;
  // After a long iteration always: an interrupt in the next one may come too late for its end.
  const bool was_long = seconds - last_iteration_ >= kPatienceSeconds / 2;
  last_iteration_ = seconds;
  return was_long || seconds - last_write_ >= options_.seconds;
}

template <class T>
void Checkpoint::write(const LearnState<T>& state) {
  if (!is_on()) return;
  TensorFile file;
  add_state(file, state);
  file.metadata["format"] = kCheckpointFormat;
  file.metadata["schema"] = kCheckpointSchema;
  file.metadata["version"] = DUALDICT_VERSION;
  file.metadata["run"] = nlohmann::json(identity_).dump();
  file.metadata["checksum"] = model_checksum(file);
  write_safetensors(options_.path, file);
  last_write_ = state.seconds;
}

template void Checkpoint::restore<float>(LearnState<float>&);
template void Checkpoint::restore<double>(LearnState<double>&);
template void Checkpoint::write<float>(const LearnState<float>&);
template void Checkpoint::write<double>(const LearnState<double>&);

}  // namespace dualdict
