// SPDX-License-Identifier: BSD-3-Clause
// P5: every bit of a model and of a checkpoint that is flipped, and every cut, is found.
#include <filesystem>
#include <fstream>
#include <string_view>

#include "dualdict/error.h"
#include "io/temporary_folder.h"
#include "learn/fit_case.h"
#include "learn/ranks/ranks.h"
#include "learn/saved/checkpoint.h"
#include "trust/long_forms.h"

namespace dualdict {
namespace {

template <class Read>
bool is_refused(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kInput;
  }
  return false;
}

void write_at(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

void damage_model(Tally& tally, const std::string& content) {
  std::string damaged = content;
  for (std::size_t bit = 0; bit < 8 * content.size(); ++bit) {
    if (!tally.next()) continue;
    char& byte = damaged[bit / 8];
    byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    tally.add(is_refused([&] { Model::from_bytes(damaged); }), "model: bit " + std::to_string(bit));
    byte = content[bit / 8];
  }
  for (std::size_t size = 0; size < content.size(); ++size) {
    if (!tally.next()) continue;
    const std::string_view start = std::string_view(content).substr(0, size);
    tally.add(is_refused([&] { Model::from_bytes(start); }), "model: cut at " + std::to_string(size));
  }
}

void damage_checkpoint(Tally& tally, const std::string& path, const RunIdentity& identity) {
  std::string content;
  {
    std::ifstream file(path, std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(file), {});
  }
  Ranks alone(nullptr);
  const auto go_on = [&] { Checkpoint({path, 0, true}, identity, alone); };
  if (is_refused(go_on)) tally.add(false, "the checkpoint itself is refused");
  for (std::size_t bit = 0; bit < 8 * content.size(); ++bit) {
    if (!tally.next()) continue;
    const char byte = content[bit / 8];
    write_at(path, bit / 8, static_cast<char>(byte ^ (1 << (bit % 8))));
    tally.add(is_refused(go_on), "checkpoint: bit " + std::to_string(bit));
    write_at(path, bit / 8, byte);
  }
  for (std::size_t size = content.size(); size-- > 0;) {
    if (!tally.next()) continue;
    std::filesystem::resize_file(path, size);
    tally.add(is_refused(go_on), "checkpoint: cut at " + std::to_string(size));
  }
}

}  // namespace

void every_flipped_bit(Tally& tally) {
  const Matrix<double> samples = planted_samples(12, 3, 4, 1);
  const std::unique_ptr<DataSource> data = make_source(samples.view());
  LearnOptions options = small_options(4, 0.1);
  options.max_iterations = 3;
  const TemporaryFolder folder;
  LearnContext context;
  context.checkpoint = {folder.path("c"), 0, false};
  damage_model(tally, learn(*data, options, context).model.to_bytes());
  RunIdentity identity = identity_of(data->n_features(), options, context.preprocess);
  damage_checkpoint(tally, folder.path("c"), identity);
}

}  // namespace dualdict
