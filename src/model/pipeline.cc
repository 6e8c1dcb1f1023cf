// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/pipeline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/finite.h"
#include "core/interrupt.h"
#include "core/thread_pool.h"
#include "dualdict/error.h"
#include "model/block_pipeline.h"

namespace dualdict {
namespace {

constexpr std::size_t kStreamRows = 8192;

// The row in the message is the row in the file, which whoever works on a block cannot know.
template <class T>
void require_finite_block(MatrixView<const T> block, const std::string& name, std::size_t first_row) {
  const NonFinite found = find_non_finite(block);
  if (found.count == 0) return;
  throw Error(ErrorKind::kInput, name + ": " + std::to_string(found.count) + " values in rows " +
                                     std::to_string(first_row) + " to " + std::to_string(first_row + block.rows - 1) +
                                     " are NaN or infinite, the first at row " + std::to_string(first_row + found.row) +
                                     ", column " + std::to_string(found.column) +
                                     " (counted from 0); every value must be finite");
}

// Rows at a time: few enough for a block to stay in its core's cache from reading to writing, many enough for a product
// to be worth its start.
std::size_t block_rows_for(std::size_t n_rows, std::size_t row_bytes) {
  constexpr std::size_t kRows = 256;
  constexpr std::size_t kMostBytes = std::size_t{6} << 20;
  const std::size_t most = std::clamp<std::size_t>(kMostBytes / std::max<std::size_t>(row_bytes, 1), 1, kRows);
  return std::clamp<std::size_t>(n_rows, 1, most);
}

// Turns the source block by block, n x d into n x cols, by `work(in, out)`, and writes the results. Each block is read,
// worked on and checked by one of n_threads threads, so `work` is called by several at once; it must refuse NaN and
// infinities.
template <class T, class Work>
class RowsThrough {
 public:
  RowsThrough(const DataSource& source, MatrixWriter& writer, std::size_t cols, const Work& work)
      : source_(source), writer_(writer), cols_(cols), work_(work) {}

  bool run(std::size_t n_threads, const std::atomic<bool>* interrupt) {
    const Interrupt wish(interrupt);
    block_rows_ = block_rows_for(source_.n_samples(), sizeof(T) * (source_.n_features() + cols_));
    const std::size_t n_blocks = (source_.n_samples() + block_rows_ - 1) / block_rows_;
    n_threads = std::clamp<std::size_t>(n_threads, 1, std::max<std::size_t>(n_blocks, 1));
    in_.assign(n_pipeline_slots(n_threads), Matrix<T>(block_rows_, source_.n_features()));
    out_.assign(in_.size(), Matrix<T>(block_rows_, cols_));
    try {
      run_pipeline(
          n_blocks, n_threads,
          {[&](std::size_t block, std::size_t slot) {
             wish.throw_if_due();
             make(block, slot);
           },
           [&](std::size_t block, std::size_t slot) { writer_.append(MatrixView<const T>(part(out_[slot], block))); }});
      wish.throw_if_due();
    } catch (const Interrupted&) {
      return false;
    }
    writer_.finish();
    return true;
  }

 private:
  MatrixView<T> part(Matrix<T>& slot, std::size_t block) const {
    return slot.view().row_range(0, std::min(block_rows_, source_.n_samples() - block * block_rows_));
  }
  void make(std::size_t block, std::size_t slot) {
    const MatrixView<T> rows = part(in_[slot], block);
    source_.read(block * block_rows_, rows);
    try {
      work_(MatrixView<const T>(rows), part(out_[slot], block));
    } catch (const Error&) {
      require_finite_block<T>(rows, source_.name(), block * block_rows_);
      throw;
    }
  }

  const DataSource& source_;
  MatrixWriter& writer_;
  std::size_t cols_;
  const Work& work_;
  std::size_t block_rows_ = 0;
  std::vector<Matrix<T>> in_, out_;
};

template <class Work>
bool run_through(const DataSource& source, MatrixWriter& writer, const Model& model, std::size_t cols, const Work& work,
                 std::size_t n_threads, const std::atomic<bool>* interrupt) {
  if (model.dtype() == DType::kFloat32)
    return RowsThrough<float, Work>(source, writer, cols, work).run(n_threads, interrupt);
  return RowsThrough<double, Work>(source, writer, cols, work).run(n_threads, interrupt);
}

void require_features(const DataSource& source, std::size_t wanted, const char* what) {
  if (source.n_features() == wanted) return;
  throw Error(ErrorKind::kInput, source.name() + ": " + what + " of " + std::to_string(source.n_features()) +
                                     " numbers are not allowed: the model's have " + std::to_string(wanted));
}

template <class T>
bool hand_out_blocks(SampleStream& stream, const RowsSink<T>& sink, const std::atomic<bool>* interrupt) {
  Matrix<T> block(kStreamRows, stream.n_features());
  const Interrupt wish(interrupt);
  std::size_t first = 0;
  while (const std::size_t n = stream.read(block.view())) {
    const MatrixView<const T> rows(block.view().row_range(0, n));
    require_finite_block(rows, stream.name(), first);
    sink(rows, first);
    first += n;
    if (wish.is_requested()) return false;
  }
  return !wish.is_requested();
}

template <class T>
bool encode_stream(const Encoder& encoder, SampleStream& samples, const RowsSink<T>& sink,
                   const std::atomic<bool>* interrupt) {
  Matrix<T> codes(kStreamRows, encoder.n_atoms());
  const RowsSink<T> encode_rows = [&](MatrixView<const T> rows, std::size_t first) {
    const MatrixView<T> out = codes.view().row_range(0, rows.rows);
    encoder.encode(rows, out);
    sink(out, first);
  };
  return hand_out_blocks(samples, encode_rows, interrupt);
}

}  // namespace

bool encode(const Encoder& encoder, const DataSource& samples, MatrixWriter& codes,
            const std::atomic<bool>* interrupt) {
  require_features(samples, encoder.n_features(), "samples");
  const auto work = [&](auto in, auto out) { encoder.encode(in, out); };
  return run_through(samples, codes, encoder.model(), encoder.n_atoms(), work, encoder.n_threads(), interrupt);
}

bool decode(const Decoder& decoder, const DataSource& codes, MatrixWriter& samples, std::size_t n_threads,
            const std::atomic<bool>* interrupt) {
  require_features(codes, decoder.model().n_atoms(), "codes");
  const auto work = [&](auto in, auto out) { decoder.decode(in, out); };
  return run_through(codes, samples, decoder.model(), decoder.model().n_features(), work, resolve_threads(n_threads),
                     interrupt);
}

bool for_each_block(SampleStream& stream, const RowsSink<float>& sink, const std::atomic<bool>* interrupt) {
  return hand_out_blocks(stream, sink, interrupt);
}
bool for_each_block(SampleStream& stream, const RowsSink<double>& sink, const std::atomic<bool>* interrupt) {
  return hand_out_blocks(stream, sink, interrupt);
}

bool encode(const Encoder& encoder, SampleStream& samples, const RowsSink<float>& codes,
            const std::atomic<bool>* interrupt) {
  return encode_stream(encoder, samples, codes, interrupt);
}
bool encode(const Encoder& encoder, SampleStream& samples, const RowsSink<double>& codes,
            const std::atomic<bool>* interrupt) {
  return encode_stream(encoder, samples, codes, interrupt);
}

}  // namespace dualdict
