// SPDX-License-Identifier: BSD-3-Clause
// Long work beside the interpreter: signals are heard and callbacks run on the caller's own thread.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace dualdict::python {

// Runs work on a thread of its own while the calling thread waits without the GIL, looks for signals (Ctrl-C) and makes
// the calls into Python that the work asks for. Callbacks so run where the user called, in notebooks too.
class PythonCaller {
 public:
  // With the GIL held. Returns when the work has ended; what it throws is rethrown unless Python raised first.
  // `idle`, if there is one, is called many times a second meanwhile.
  void run(const std::function<void()>& work, const std::function<void()>& idle = nullptr);
  // From the work, without the GIL: makes the call on the thread in run() and waits for it. When the call raises, the
  // exception is kept and the work is asked to end.
  void call(const std::function<void()>& into_python) { request(into_python, false); }
  // The same after Python has raised too: for what others wait for. Throws what `otherwise` throws when it raises.
  void call_always(const std::function<void()>& into_python, const std::function<void()>& otherwise);

  // True once Python has raised: the work should end.
  const std::atomic<bool>& interrupt() const { return interrupt_; }
  // What Python raised (KeyboardInterrupt, or a callback's exception), or None.
  nanobind::object raised() const { return raised_; }

 private:
  void request(const std::function<void()>& into_python, bool always);
  // Waits for the end, a request or a little time; returns the request.
  const std::function<void()>* wait(bool& done);
  void answer();
  void keep_raised(nanobind::object exception);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* request_ = nullptr;
  bool always_ = false;  // made even after Python has raised
  bool done_ = false;
  std::atomic<bool> interrupt_ = false;
  std::exception_ptr failure_;
  nanobind::object raised_ = nanobind::none();
};

}  // namespace dualdict::python
