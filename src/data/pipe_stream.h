// SPDX-License-Identifier: BSD-3-Clause
// Samples out of a pipe: npy arrays one after the other, or raw records.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dualdict/stream.h"
#include "io/bytes/element.h"

namespace dualdict {

// Throws Error(kInput) when what is to be raw records begins as an npy file.
void require_raw(const std::string& name, std::span<const std::byte> start);

class PipeStream final : public SampleStream {
 public:
  // Reads from the descriptor, which stays the caller's. Waits for the header when the records are not raw.
  PipeStream(int descriptor, std::string name, const std::optional<RawRecords>& raw,
             const std::atomic<bool>* interrupt);

  std::size_t n_features() const override { return n_features_; }
  SampleShape sample_shape() const override { return shape_; }
  std::string name() const override { return name_; }
  std::optional<std::size_t> n_samples() const override { return std::nullopt; }
  std::size_t read(MatrixView<float> out) override { return read_rows(out); }
  std::size_t read(MatrixView<double> out) override { return read_rows(out); }
  bool rewind() override { return false; }
  void cancel() override { cancelled_ = true; }

 private:
  enum class Wait { kReady, kEnd, kInterrupted };

  template <class T>
  std::size_t read_rows(MatrixView<T> out);
  // Adds bytes to buffer_ until it holds `wanted`, or what there is when `all` is false and the producer pauses.
  Wait fill(std::size_t wanted, bool all);
  Wait wait_for_bytes(bool forever) const;
  // The header of the next array; false at the end of the stream or when interrupted.
  bool read_header();
  void drop(std::size_t n_bytes);
  std::size_t record_bytes() const { return n_features_ * element_size(format_.scalar); }

  int descriptor_;
  std::string name_;
  bool raw_;
  const std::atomic<bool>* interrupt_;
  std::size_t n_features_ = 0;
  SampleShape shape_;
  ElementFormat format_;
  std::size_t n_left_ = 0;  // of the current array
  std::size_t n_read_ = 0;  // in all
  std::vector<std::byte> buffer_;
  std::size_t used_ = 0;  // bytes in buffer_
  bool ended_ = false;
  std::atomic<bool> cancelled_{false};
};

}  // namespace dualdict
