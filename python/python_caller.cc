// SPDX-License-Identifier: BSD-3-Clause
#include "python_caller.h"

#include <chrono>
#include <thread>
#include <utility>

namespace nb = nanobind;

namespace dualdict::python {
namespace {

// How soon Ctrl-C is heard.
constexpr std::chrono::milliseconds kPatience(50);

}  // namespace

void PythonCaller::run(const std::function<void()>& work, const std::function<void()>& idle) {
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  });
  for (bool done = false; !done;) {
    const std::function<void()>* request = wait(done);
    try {
      if (request != nullptr && (!interrupt_ || always_)) (*request)();
      if (idle && !interrupt_) idle();
    } catch (nb::python_error& error) {
      keep_raised(nb::borrow(error.value()));
    }
    if (request != nullptr) answer();
    if (PyErr_CheckSignals() != 0) {
      nb::python_error error;
      keep_raised(nb::borrow(error.value()));
    }
  }
  worker.join();
  if (failure_ && raised_.is_none()) std::rethrow_exception(failure_);
}

void PythonCaller::call_always(const std::function<void()>& into_python, const std::function<void()>& otherwise) {
  bool done = false;
  request(
      [&] {
        into_python();
        done = true;
      },
      true);
  if (!done) otherwise();
}

void PythonCaller::request(const std::function<void()>& into_python, bool always) {
  std::unique_lock lock(mutex_);
  always_ = always;
  request_ = &into_python;
  changed_.notify_all();
  changed_.wait(lock, [this] { return request_ == nullptr; });
}

const std::function<void()>* PythonCaller::wait(bool& done) {
  const nb::gil_scoped_release release;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [this] { return done_ || request_ != nullptr; });
  done = done_;
  return request_;
}

void PythonCaller::answer() {
  const std::lock_guard lock(mutex_);
  request_ = nullptr;
  changed_.notify_all();
}

void PythonCaller::keep_raised(nb::object exception) {
  if (raised_.is_none()) raised_ = std::move(exception);
  interrupt_ = true;
}

}  // namespace dualdict::python
