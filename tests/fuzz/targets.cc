// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/targets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "dualdict/error.h"
#include "io/image/image_decode.h"
#include "io/matrix/csv_reader.h"
#include "io/matrix/idx_reader.h"
#include "io/matrix/npy_reader.h"
#include "io/matrix/npz_reader.h"
#include "io/matrix/open_matrix.h"
#include "io/tensors/safetensors.h"
#include "learn/fit/start.h"
#include "learn/saved/code_tensors.h"
#include "learn/saved/fit_file.h"
#include "model/file/model_file.h"

namespace dualdict {
namespace {

// A finding: what is read must keep its own rules.
void require(bool ok) {
  if (!ok) std::abort();
}

// Runs a reader; an Error(kInput) that names the file is a proper end.
template <class Read>
void expect_result_or_error(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kInput);
    require(error.what()[0] != '\0');
  }
}

std::shared_ptr<const ByteSource> in_memory(std::span<const std::byte> bytes) {
  return make_memory_bytes("fuzzed", std::vector<std::byte>(bytes.begin(), bytes.end()));
}

// The first and the last rows of the matrix, in both precisions.
void read_ends(const MatrixFile& matrix) {
  const MatrixInfo& info = matrix.info();
  require(info.rows > 0 && info.cols > 0);
  if (info.cols > 1000000) return;  // a sparse matrix may be wide without being large
  const std::size_t count = std::min<std::size_t>(info.rows, 3);
  for (const std::size_t first : {std::size_t{0}, info.rows - count}) {
    Matrix<float> single(count, info.cols);
    matrix.read(first, single.view());
    Matrix<double> twice(count, info.cols);
    matrix.read(first, twice.view());
  }
}

template <std::unique_ptr<MatrixFile> (*Read)(std::shared_ptr<const ByteSource>)>
void run_matrix(std::span<const std::byte> bytes) {
  expect_result_or_error([&] { read_ends(*Read(in_memory(bytes))); });
}

template <Image (*Decode)(ImageBytes, const std::string&, bool)>
void run_image(std::span<const std::byte> bytes) {
  if (bytes.size() < 3) return;
  expect_result_or_error([&] {
    const ImageBytes content(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    const bool grey = bytes.size() % 2 == 0;
    const Image image = Decode(content, "fuzzed", grey);
    require(image.channels == 3 || image.channels == 1);
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
      require(image.pixels.data()[i] >= 0 && image.pixels.data()[i] <= 255);
  });
}

// With its checksum made right, so that what lies behind it is reached too.
void run_model(std::span<const std::byte> bytes) {
  expect_result_or_error([&] {
    TensorFile file = read_safetensors(*in_memory(bytes));
    file.metadata["checksum"] = model_checksum(file);
    const Model model = from_tensor_file(file, "fuzzed");
    require(model.n_atoms() > 0 && model.n_features() > 0);
    for (std::size_t i = 0; i < model.dictionary().size(); ++i) require(std::isfinite(model.dictionary().data()[i]));
  });
}

// The state of a small fit: the sizes of the seed that tests/fuzz/make_corpus.py makes.
void run_checkpoint(std::span<const std::byte> bytes) {
  constexpr std::size_t kSamples = 12;
  constexpr std::size_t kFeatures = 3;
  constexpr std::size_t kAtoms = 4;
  expect_result_or_error([&] {
    const TensorFile file = read_safetensors(*in_memory(bytes));
    LearnOptions options;
    options.n_atoms = kAtoms;
    options.penalty = Penalty::kL1;
    FitState state = empty_state<float>(options, kFeatures);
    state.tau.search.emplace(2.0);
    CodeStore<float> codes(kSamples, kAtoms);
    read_state(file, "fuzzed", state);
    read_codes(file, "fuzzed", codes);
    require(!state.rule.energies().empty() && state.dictionary.rows() == kAtoms &&
            state.dictionary.cols() == kFeatures);
  });
}

constexpr std::array<FuzzTarget, 10> kTargets{{{"any", run_matrix<open_matrix>},
                                               {"npy", run_matrix<read_npy>},
                                               {"npz", run_matrix<read_npz>},
                                               {"idx", run_matrix<read_idx>},
                                               {"csv", run_matrix<read_csv>},
                                               {"png", run_image<decode_png>},
                                               {"jpeg", run_image<decode_jpeg>},
                                               {"pnm", run_image<decode_pnm>},
                                               {"model", run_model},
                                               {"checkpoint", run_checkpoint}}};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() {
  return kTargets;
}

const FuzzTarget* find_fuzz_target(std::string_view name) {
  const auto found = std::find_if(kTargets.begin(), kTargets.end(), [&](const auto& t) { return t.name == name; });
  return found == kTargets.end() ? nullptr : &*found;
}

}  // namespace dualdict
