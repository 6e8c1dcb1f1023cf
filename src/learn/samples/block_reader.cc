// SPDX-License-Identifier: BSD-3-Clause
#include "learn/samples/block_reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/finite.h"
#include "dualdict/error.h"

namespace dualdict {
namespace {

constexpr std::size_t kDepth = 3;  // blocks that wait to be worked on
constexpr auto kAskEvery = std::chrono::milliseconds(200);

}  // namespace

template <class T>
BlockReader<T>::BlockReader(SampleStream& stream, const Transform& transform, std::size_t rows)
    : stream_(stream), transform_(transform), rows_(rows), thread_([this] { run(); }) {}

template <class T>
BlockReader<T>::~BlockReader() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  stream_.cancel();
  changed_.notify_all();
  thread_.join();
}

template <class T>
Matrix<T> BlockReader<T>::read_block(std::size_t first) {
  Matrix<T> block(rows_, stream_.n_features());
  std::size_t n = 0;
  try {
    while (n < rows_) {
      const std::size_t got = stream_.read(block.view().row_range(n, rows_ - n));
      if (got == 0) break;
      n += got;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    const std::lock_guard lock(mutex_);
    cut_ = error.what();
  }
  if (n < rows_) {
    Matrix<T> last(n, block.cols());
    std::copy_n(block.data(), last.size(), last.data());
    block = std::move(last);
  }
  require_finite<T>(block.view(), stream_.name(), first);
  transform_.apply(block.view());
  return block;
}

template <class T>
void BlockReader<T>::run() {
  std::size_t n_read = 0;
  try {
    for (;;) {
      Matrix<T> block = read_block(n_read);
      n_read += block.rows();
      const bool last = block.rows() < rows_;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return quit_ || blocks_.size() < kDepth; });
      if (block.rows() > 0) blocks_.push_back(std::move(block));
      ended_ = last || quit_;
      changed_.notify_all();
      if (ended_) return;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    ended_ = true;
    changed_.notify_all();
  }
}

template <class T>
Matrix<T> BlockReader<T>::next(const std::function<bool()>& give_up) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kAskEvery, [&] { return ended_ || !blocks_.empty(); }))
    if (give_up()) return {};
  if (blocks_.empty()) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return {};
  }
  Matrix<T> block = std::move(blocks_.front());
  blocks_.pop_front();
  changed_.notify_all();
  return block;
}

template <class T>
std::string BlockReader<T>::cut() const {
  const std::lock_guard lock(mutex_);
  return cut_;
}

template class BlockReader<float>;
template class BlockReader<double>;

}  // namespace dualdict
