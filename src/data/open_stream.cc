// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "data/image_stream.h"
#include "data/matrix_source.h"
#include "data/patch_source.h"
#include "data/pipe_stream.h"
#include "data/source_stream.h"
#include "dualdict/error.h"
#include "io/bytes/file_reader.h"
#include "io/bytes/input_error.h"
#include "io/matrix/matrix_file.h"

namespace dualdict {
namespace {

constexpr std::size_t kMostFeatures = 100000000;

std::string name_of(const std::vector<std::string>& paths) {
  return paths.size() == 1 ? paths[0] : paths[0] + " and " + std::to_string(paths.size() - 1) + " more";
}

// A file of raw records is a matrix whose header we know.
std::unique_ptr<MatrixFile> open_raw(const std::string& path, const RawRecords& raw) {
  auto bytes = open_bytes(path);
  std::vector<std::byte> start(static_cast<std::size_t>(std::min<std::uint64_t>(kStartBytes, bytes->size())));
  bytes->read(0, start);
  require_raw(path, start);
  const Scalar scalar = raw.type == ElementType::kUint8     ? Scalar::kUint8
                        : raw.type == ElementType::kFloat32 ? Scalar::kFloat32
                                                            : Scalar::kFloat64;
  const std::uint64_t record = raw.n_features * element_size(scalar);
  if (bytes->size() == 0 || bytes->size() % record != 0)
    fail_input(path, "has " + std::to_string(bytes->size()) + " bytes, which is no whole number of records of " +
                         std::to_string(record) + " bytes");
  const MatrixInfo info = matrix_info(path, {bytes->size() / record, raw.n_features}, scalar);
  return std::make_unique<DenseMatrixFile>(std::move(bytes), 0, ElementFormat{scalar, false}, info);
}

}  // namespace

std::size_t SampleStream::skip(std::size_t count) {
  constexpr std::size_t kAtOnce = 256;
  Matrix<float> dropped(std::min(count, kAtOnce), n_features());
  std::size_t done = 0;
  while (done < count) {
    const std::size_t n = read(dropped.view().row_range(0, std::min(kAtOnce, count - done)));
    if (n == 0) break;
    done += n;
  }
  return done;
}

RawRecords parse_raw(std::string_view text, std::size_t n_features) {
  RawRecords raw;
  raw.n_features = n_features;
  const auto colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  bool good = true;
  if (type == "uint8")
    raw.type = ElementType::kUint8;
  else if (type == "float32")
    raw.type = ElementType::kFloat32;
  else if (type == "float64")
    raw.type = ElementType::kFloat64;
  else
    good = false;
  if (colon != std::string_view::npos) {
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + colon + 1, last, raw.n_features);
    good = good && error == std::errc() && end == last;
  }
  if (!good || raw.n_features == 0 || raw.n_features > kMostFeatures ||
      (n_features > 0 && raw.n_features != n_features))
    throw Error(ErrorKind::kUsage, "--raw: " + std::string(text) +
                                       " is not allowed: TYPE:FEATURES with TYPE one of uint8, float32, float64" +
                                       (n_features > 0 ? " and FEATURES, if given, " + std::to_string(n_features)
                                                       : " and FEATURES the numbers of a sample"));
  return raw;
}

std::unique_ptr<SampleStream> open_stream(const std::vector<std::string>& paths, const StreamOptions& options) {
  if (paths.empty()) throw Error(ErrorKind::kUsage, "input: no file given; name at least one");
  const bool has_pipe = std::find(paths.begin(), paths.end(), "-") != paths.end();
  if (has_pipe && (paths.size() > 1 || options.patches))
    throw Error(ErrorKind::kUsage, "-: standard input is the only input of a stream, and no place for images");
  if (has_pipe) return std::make_unique<PipeStream>(STDIN_FILENO, "standard input", options.raw, options.interrupt);
  if (options.patches) {
    check_patches(*options.patches);
    if (options.patches->stride > 0) return std::make_unique<SourceStream>(open_data(paths, {options.patches}));
    return std::make_unique<ImageStream>(find_images(paths), *options.patches, name_of(paths));
  }
  if (!options.raw) return std::make_unique<SourceStream>(open_data(paths));
  std::vector<std::unique_ptr<MatrixFile>> files;
  for (const std::string& path : paths) files.push_back(open_raw(path, *options.raw));
  return std::make_unique<SourceStream>(std::make_unique<MatrixSource>(std::move(files)));
}

}  // namespace dualdict
