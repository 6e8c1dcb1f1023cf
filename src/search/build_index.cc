// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "core/interrupt.h"
#include "dualdict/error.h"
#include "io/bytes/durable_file.h"
#include "io/bytes/file_reader.h"
#include "io/bytes/half.h"
#include "linalg/vectors.h"
#include "search/index_file.h"
#include "search/index_model.h"

namespace dualdict {
namespace {

constexpr std::size_t kIndexRows = 1024;  // coded at a time

// A segment's lists begin within 32 bits.
constexpr std::size_t kMostNonzeros = std::size_t{0xffffffff};

// Half precision is what is kept, so its lengths are, too.
void add_code(const float* code, const Matrix<double>& decoder, SegmentCodes& codes) {
  double squared = 0;
  std::vector<double> decoded(decoder.cols());
  for (std::size_t j = 0; j < decoder.rows(); ++j) {
    if (code[j] == 0) continue;
    const std::uint16_t half = float_to_half(code[j]);
    const double kept = static_cast<double>(half_to_float(half));
    if (!std::isfinite(kept))
      throw Error(ErrorKind::kInput, "a code holds " + std::to_string(code[j]) +
                                         ": an index keeps weights below 65504 in half precision; scale the rows");
    if (kept == 0) continue;
    codes.atoms.push_back(static_cast<std::uint16_t>(j));
    codes.weights.push_back(half);
    squared += kept * kept;
    for (std::size_t f = 0; f < decoded.size(); ++f) decoded[f] += kept * decoder(j, f);
  }
  codes.starts.push_back(static_cast<std::uint32_t>(codes.atoms.size()));
  codes.lengths.push_back(static_cast<float>(std::sqrt(squared)));
  codes.decoded_lengths.push_back(static_cast<float>(norm(decoded.data(), decoded.size())));
}

class IndexWriter {
 public:
  IndexWriter(const std::string& path, IndexHeader header) : out_(path), header_(std::move(header)) {}

  // The segments of an index that is there.
  void copy(const ByteSource& bytes, const IndexHeader& old) {
    for (SegmentPlace segment : old.segments) {
      std::vector<std::byte> part(static_cast<std::size_t>(segment.size));
      bytes.read(segment.begin, part);
      out_.append(part);
      segment.begin = place_;
      place_ += segment.size;
      header_.segments.push_back(segment);
    }
    header_.sum_abs = old.sum_abs;
  }

  void add(const Encoder& encoder, const DataSource& rows, const Interrupt& wish) {
    const Matrix<double>& decoder = index_decoder(encoder.model(), header_);
    Matrix<float> samples(std::min(kIndexRows, rows.n_samples()), rows.n_features());
    Matrix<float> coded(samples.rows(), header_.n_atoms);
    for (std::size_t first = 0; first < rows.n_samples(); first += kIndexRows) {
      wish.throw_if_due();
      const std::size_t n = std::min(kIndexRows, rows.n_samples() - first);
      rows.read(first, samples.view().row_range(0, n));
      encoder.encode(MatrixView<const float>(samples.view().row_range(0, n)), coded.view().row_range(0, n));
      for (std::size_t i = 0; i < n; ++i) {
        add_code(coded.row(i), decoder, codes_);
        if (codes_.n_rows() == kSegmentRows || codes_.atoms.size() + coded.cols() > kMostNonzeros) flush();
      }
    }
    wish.throw_if_due();
    flush();
  }

  void finish(const std::vector<std::string>& names) {
    write_end(out_, place_, names, header_);
    out_.commit();
  }

 private:
  void flush() {
    if (codes_.n_rows() > 0) write_segment(out_, place_, codes_, header_);
    codes_ = {};
  }

  DurableFile out_;
  IndexHeader header_;
  std::uint64_t place_ = 0;
  SegmentCodes codes_;
};

void check_rows(const Model& model, const DataSource& rows, const std::vector<std::string>& names) {
  if (model.n_atoms() > kSegmentRows)
    throw Error(ErrorKind::kUsage,
                "an index takes at most 65536 atoms; the model has " + std::to_string(model.n_atoms()));
  if (rows.n_features() != model.n_features())
    throw Error(ErrorKind::kInput, rows.name() + ": rows of " + std::to_string(rows.n_features()) +
                                       " features; the model takes " + std::to_string(model.n_features()));
  if (!names.empty() && names.size() != rows.n_samples())
    throw Error(ErrorKind::kInput, "names: " + std::to_string(names.size()) + " of them for " +
                                       std::to_string(rows.n_samples()) + " rows; give one a row, a line each");
}

IndexHeader header_for(const Model& model, const IndexOptions& options) {
  const std::string mode = options.mode.empty() ? std::string(default_mode(model)) : options.mode;
  if (!parse_mode(mode).info->sparse)
    throw Error(ErrorKind::kUsage, "mode " + mode + ": its codes are dense and make no index; choose a sparse mode");
  IndexHeader header;
  header.model = hash_of(model);
  header.mode = mode;
  header.nonzeros = options.nonzeros;
  header.n_atoms = model.n_atoms();
  header.n_features = model.n_features();
  header.decoded = options.decoded;
  return header;
}

// Rows with and without a name must not mix: nobody could tell whose a name is.
std::vector<std::string> joined_names(const ByteSource& bytes, const IndexHeader& old,
                                      const std::vector<std::string>& names) {
  if (old.n_rows() > 0 && (old.names.n_rows > 0) != !names.empty())
    throw Error(ErrorKind::kInput, bytes.name() + (names.empty() ? ": its rows have names; give names for the new ones"
                                                                 : ": its rows have no names; leave them out"));
  std::vector<std::string> all = read_index_names(bytes, old);
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

}  // namespace

bool build_index(const Model& model, const DataSource& rows, const std::string& path, const IndexOptions& options) {
  check_rows(model, rows, options.names);
  const Interrupt wish(options.interrupt);
  IndexHeader header = header_for(model, options);
  std::optional<FileReader> bytes;
  std::optional<IndexHeader> old;
  if (options.append) {
    bytes.emplace(path);
    old = read_header(*bytes);
    if (old->model != header.model)
      throw Error(ErrorKind::kInput, path + ": was made with another model; append with that one, or make it anew");
    header.mode = old->mode;
    header.nonzeros = old->nonzeros;
    header.tau = old->tau;
    header.level = old->level;
    header.decoded = old->decoded;
  }
  const Encoder encoder = index_encoder(model, header, options.n_threads, &rows);
  try {
    IndexWriter writer(path, header);
    if (old) writer.copy(*bytes, *old);
    writer.add(encoder, rows, wish);
    writer.finish(old ? joined_names(*bytes, *old, options.names) : options.names);
  } catch (const Interrupted&) {
    return false;
  }
  return true;
}

}  // namespace dualdict
