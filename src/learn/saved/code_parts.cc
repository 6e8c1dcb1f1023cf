// SPDX-License-Identifier: BSD-3-Clause
#include "learn/saved/code_parts.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/bytes/input_error.h"
#include "learn/saved/checkpoint_header.h"
#include "learn/saved/code_tensors.h"

namespace dualdict {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "dualdict-checkpoint-codes";
constexpr const char* kKey = "parts";

std::string prefix(const std::string& path, std::size_t generation) {
  return path + ".part-" + std::to_string(generation) + "-";
}
std::string part_path(const std::string& path, const SavedParts& parts, std::size_t rank) {
  return prefix(path, parts.generation) + std::to_string(rank);
}

// Where the samples of a part are in the order of all, rising: the order of its codes.
std::vector<std::size_t> places_of_part(const SavedParts& saved, std::size_t part, std::uint64_t seed) {
  Random random(seed, kOrderStream);
  std::vector<std::size_t> places =
      places_of(saved.starts.back(), random, saved.starts[part], saved.starts[part + 1] - saved.starts[part]);
  std::sort(places.begin(), places.end());
  return places;
}

TensorFile open_part(const std::string& path, const SavedParts& saved, std::size_t part) {
  const std::string name = part_path(path, saved, part);
  std::error_code error;
  if (!fs::exists(name, error))
    fail_input(name,
               "is missing: it holds codes that belong to " + path + "; put it back, or remove both to start again");
  TensorFile file = read_safetensors(name);
  check_header(file, name, kFormat);
  return file;
}

// Rows of a store, given in rising order: a block is written when the next one begins.
template <class T>
class RowFiller {
 public:
  explicit RowFiller(CodeStore<T>& codes) : codes_(codes), block_(codes.n_blocks()) {}

  // Where the new elements of a row go.
  MatrixView<T> place(std::size_t row) {
    if (row / kBlockSamples != block_) {
      finish();
      block_ = row / kBlockSamples;
      codes_.read_block(block_, buffer_);
    }
    return buffer_.view().row_range(row % kBlockSamples, 1);
  }
  void finish() {
    if (block_ == codes_.n_blocks()) return;
    const MatrixView<const T> rows = buffer_.view().row_range(0, codes_.block_size(block_));
    codes_.write(codes_.block_start(block_), rows, nonzeros_);
  }

 private:
  CodeStore<T>& codes_;
  std::size_t block_;  // in the buffer; beyond the last: none
  Matrix<T> buffer_;
  SparseRows<T> nonzeros_;
};

}  // namespace

SavedParts saved_parts(const TensorFile& file, const std::string& path, std::size_t n_samples) {
  SavedParts parts{{0, n_samples}, 0};
  const auto found = file.metadata.find(kKey);
  if (found == file.metadata.end()) return parts;
  const auto json = nlohmann::json::parse(found->second, nullptr, false);
  const bool is_list = json.is_array() && json.size() >= 3 &&
                       std::all_of(json.begin(), json.end(), [](const auto& n) { return n.is_number_unsigned(); });
  if (!is_list) fail_input(path, "metadata: 'parts' is not a list of three or more numbers");
  parts.generation = json[0].get<std::size_t>();
  parts.starts.assign(json.begin() + 1, json.end());
  if (parts.starts.front() != 0 || parts.starts.back() != n_samples ||
      !std::is_sorted(parts.starts.begin(), parts.starts.end()))
    fail_input(path, "metadata: 'parts' does not cut the samples into parts");
  return parts;
}

void add_parts(TensorFile& file, const SavedParts& parts) {
  if (parts.n_parts() == 1) return;
  nlohmann::json json{parts.generation};
  for (const std::size_t start : parts.starts) json.push_back(start);
  file.metadata[kKey] = json.dump();
}

template <class T>
void write_part(const std::string& path, const SavedParts& parts, std::size_t rank, const CodeStore<T>& codes) {
  TensorFile file;
  add_codes(file, codes);
  add_header(file, kFormat);
  write_safetensors(part_path(path, parts, rank), file);
}

template <class T>
void read_parts(const TensorFile& file, const std::string& path, const SavedParts& saved, std::uint64_t seed,
                const Samples<T>& samples, CodeStore<T>& codes) {
  const std::size_t first = samples.shard.first;
  const std::size_t last = first + samples.n_samples();
  for (std::size_t part = 0; part < saved.n_parts(); ++part) {
    if (saved.starts[part + 1] <= first || saved.starts[part] >= last) continue;
    CodeStore<T> stored(saved.starts[part + 1] - saved.starts[part], codes.cols());
    const bool inside = saved.n_parts() == 1;
    const TensorFile other = inside ? TensorFile{} : open_part(path, saved, part);
    read_codes(inside ? file : other, inside ? path : part_path(path, saved, part), stored);
    const std::vector<std::size_t> places = places_of_part(saved, part, seed);
    RowFiller<T> filler(codes);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (const std::size_t row = samples.row_of(places[i]); row < samples.n_samples())
        stored.read(i, filler.place(row));
    filler.finish();
  }
}

void remove_other_parts(const std::string& path, const SavedParts& parts) noexcept {
  try {
    const std::string all = fs::path(path + ".part-").filename().string();
    const std::string current = fs::path(prefix(path, parts.generation)).filename().string();
    const fs::path folder = fs::path(path).parent_path();
    std::vector<fs::path> old;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(all) && (parts.n_parts() == 1 || !name.starts_with(current))) old.push_back(entry.path());
    }
    std::error_code ignored;
    for (const fs::path& file : old) fs::remove(file, ignored);
  } catch (...) {
    // A folder that cannot be listed keeps its files: they are not read again.
  }
}

template void write_part<float>(const std::string&, const SavedParts&, std::size_t, const CodeStore<float>&);
template void write_part<double>(const std::string&, const SavedParts&, std::size_t, const CodeStore<double>&);
template void read_parts<float>(const TensorFile&, const std::string&, const SavedParts&, std::uint64_t,
                                const Samples<float>&, CodeStore<float>&);
template void read_parts<double>(const TensorFile&, const std::string&, const SavedParts&, std::uint64_t,
                                 const Samples<double>&, CodeStore<double>&);

}  // namespace dualdict
