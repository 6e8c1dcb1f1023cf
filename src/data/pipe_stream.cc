// SPDX-License-Identifier: BSD-3-Clause
#include "data/pipe_stream.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "io/bytes/input_error.h"
#include "io/matrix/matrix_file.h"
#include "io/matrix/npy_header.h"

namespace dualdict {
namespace {

constexpr int kPollMilliseconds = 200;  // how soon an interrupt ends a wait
constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr std::size_t kLongestHeader = std::size_t{1} << 16;

Scalar scalar_of(ElementType type) {
  if (type == ElementType::kUint8) return Scalar::kUint8;
  return type == ElementType::kFloat32 ? Scalar::kFloat32 : Scalar::kFloat64;
}

}  // namespace

void require_raw(const std::string& name, std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text.starts_with("\x93NUMPY"))
    fail_input(name, "begins as an npy file, whose header is no samples; leave --raw out");
}

PipeStream::PipeStream(int descriptor, std::string name, const std::optional<RawRecords>& raw,
                       const std::atomic<bool>* interrupt)
    : descriptor_(descriptor), name_(std::move(name)), raw_(raw.has_value()), interrupt_(interrupt) {
  if (!raw_) {
    read_header();
    if (n_features_ == 0 && !ended_) return;  // interrupted: read() will say so
    if (n_features_ == 0) fail_input(name_, "is empty");
    return;
  }
  n_features_ = raw->n_features;
  format_ = {scalar_of(raw->type), std::endian::native == std::endian::big};
}

PipeStream::Wait PipeStream::wait_for_bytes(bool forever) const {
  for (;;) {
    if (cancelled_.load() || (interrupt_ != nullptr && interrupt_->load())) return Wait::kInterrupted;
    pollfd wanted{descriptor_, POLLIN, 0};
    const int n = poll(&wanted, 1, forever ? kPollMilliseconds : 0);
    if (n > 0) return Wait::kReady;
    if (n < 0 && errno != EINTR) fail_input(name_, std::string("cannot be waited for: ") + std::strerror(errno));
    if (n == 0 && !forever) return Wait::kEnd;
  }
}

PipeStream::Wait PipeStream::fill(std::size_t wanted, bool all) {
  if (buffer_.size() < wanted) buffer_.resize(wanted);
  while (used_ < wanted && !ended_) {
    const Wait wait = wait_for_bytes(all);
    if (wait == Wait::kInterrupted) return wait;
    if (wait == Wait::kEnd) return Wait::kReady;  // a pause, and what there is will do
    const ssize_t n = ::read(descriptor_, buffer_.data() + used_, wanted - used_);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) fail_input(name_, std::string("cannot be read: ") + std::strerror(errno));
    if (n == 0) ended_ = true;
    used_ += static_cast<std::size_t>(n);
  }
  return used_ >= wanted ? Wait::kReady : Wait::kEnd;
}

void PipeStream::drop(std::size_t n_bytes) {
  std::memmove(buffer_.data(), buffer_.data() + n_bytes, used_ - n_bytes);
  used_ -= n_bytes;
}

bool PipeStream::read_header() {
  constexpr std::size_t kPreamble = 12;  // magic, version, and a length of two or four bytes
  const auto cut = [&] {
    fail_input(name_, "ends within the header of an npy array, after " + std::to_string(used_) + " bytes of it");
  };
  const Wait first = fill(1, true);
  if (first != Wait::kReady) return false;
  if (const Wait wait = fill(kPreamble, true); wait == Wait::kInterrupted) return false;
  if (used_ < kPreamble) cut();
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(buffer_[i]); };
  if (std::memcmp(buffer_.data(), "\x93NUMPY", 6) != 0)
    fail_input(name_, n_read_ == 0 ? "does not begin as an npy array; give --raw TYPE for records without a header"
                                   : "has something that is no npy array after sample " + std::to_string(n_read_));
  const std::size_t length = byte(8) + (byte(9) << 8U) + (byte(6) > 1 ? (byte(10) << 16U) + (byte(11) << 24U) : 0);
  if (length > kLongestHeader)
    fail_input(name_, "the header of an npy array has " + std::to_string(length) + " bytes, at most " +
                          std::to_string(kLongestHeader) + " are allowed");
  const std::size_t offset = (byte(6) > 1 ? 12 : 10) + length;
  if (const Wait wait = fill(offset, true); wait == Wait::kInterrupted) return false;
  if (used_ < offset) cut();
  const MemoryBytes bytes(name_, nullptr, std::span<const std::byte>(buffer_.data(), offset));
  const NpyHeader header = read_npy_header(bytes);
  if (header.fortran_order)
    fail_input(name_, "an array in Fortran order cannot be read as a stream; save it in C order");
  const MatrixInfo info = matrix_info(name_, header.dims, header.format.scalar);
  if (n_features_ != 0 && info.cols != n_features_)
    fail_input(name_, "the array after sample " + std::to_string(n_read_) + " has " + std::to_string(info.cols) +
                          " features per sample, those before have " + std::to_string(n_features_) +
                          "; all must have the same number");
  n_features_ = info.cols;
  shape_ = info.shape;
  format_ = header.format;
  n_left_ = info.rows;
  drop(offset);
  return true;
}

template <class T>
std::size_t PipeStream::read_rows(MatrixView<T> out) {
  if (!raw_ && n_left_ == 0 && !read_header()) return 0;
  const std::size_t size = record_bytes();
  std::size_t wanted = std::clamp<std::size_t>(kMostBytes / size, 1, out.rows);
  if (!raw_) wanted = std::min(wanted, n_left_);
  if (fill(size, true) == Wait::kInterrupted) return 0;
  if (fill(wanted * size, false) == Wait::kInterrupted) return 0;
  const std::size_t n = std::min(wanted, used_ / size);
  if (n == 0 && used_ > 0)
    fail_input(name_, "ends within sample " + std::to_string(n_read_) + " (counted from 0): " + std::to_string(used_) +
                          " of its " + std::to_string(size) + " bytes are there; those before it are whole");
  if (n == 0 && !raw_)
    fail_input(name_, "ends after sample " + std::to_string(n_read_) + ", but its header declares " +
                          std::to_string(n_left_) + " more: it was cut");
  if (raw_ && n_read_ == 0) require_raw(name_, std::span<const std::byte>(buffer_.data(), used_));
  for (std::size_t i = 0; i < n; ++i) convert_elements(format_, buffer_.data() + i * size, n_features_, out.row(i));
  drop(n * size);
  n_read_ += n;
  if (!raw_) n_left_ -= n;
  return n;
}

template std::size_t PipeStream::read_rows<float>(MatrixView<float>);
template std::size_t PipeStream::read_rows<double>(MatrixView<double>);

}  // namespace dualdict
