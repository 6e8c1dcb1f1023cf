// SPDX-License-Identifier: BSD-3-Clause
// Reads ahead: the next samples are fetched, decoded, checked and preprocessed on a thread of their own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "dualdict/matrix.h"
#include "dualdict/preprocess.h"
#include "dualdict/stream.h"

namespace dualdict {

template <class T>
class BlockReader {
 public:
  // Blocks of `rows` samples, the last one of what is left. Stream and transform outlive the reader.
  BlockReader(SampleStream& stream, const Transform& transform, std::size_t rows);
  // Does not wait for a producer that is silent.
  ~BlockReader();
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  // The next block; without rows at the end, and when `give_up`, asked now and then, says so. Throws what reading
  // threw.
  Matrix<T> next(const std::function<bool()>& give_up);
  // After the last block: why the stream ended before it should, which is told after all whole samples were handed out;
  // empty when it ended well.
  std::string cut() const;

 private:
  void run();
  Matrix<T> read_block(std::size_t first);

  SampleStream& stream_;
  const Transform& transform_;
  std::size_t rows_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Matrix<T>> blocks_;
  std::exception_ptr failure_;
  std::string cut_;
  bool ended_ = false;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace dualdict
