// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program, makes the allocation number DUALDICT_FAIL_ALLOCATION (counted from 1 after main begins)
// fail, or every one from it on when DUALDICT_FAIL_REST is set. With DUALDICT_COUNT_ALLOCATIONS=FILE writes their
// number.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<bool> armed{false};
std::atomic<long> counted{0};
long failing = 0;
bool fail_rest = false;

// Whether this allocation fails.
bool fails() {
  if (!armed.load(std::memory_order_relaxed)) return false;
  const long number = counted.fetch_add(1) + 1;
  const bool now = failing > 0 && (number == failing || (fail_rest && number > failing));
  if (now) errno = ENOMEM;
  return now;
}

void write_count() {
  const char* path = std::getenv("DUALDICT_COUNT_ALLOCATIONS");
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  char text[32];
  const int size = std::snprintf(text, sizeof text, "%ld\n", counted.load());
  if (file < 0 || write(file, text, static_cast<std::size_t>(size)) != size) _exit(99);
  close(file);
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counting_main(int argc, char** argv, char** environment) {
  const char* number = std::getenv("DUALDICT_FAIL_ALLOCATION");
  failing = number == nullptr ? 0 : std::atol(number);
  fail_rest = std::getenv("DUALDICT_FAIL_REST") != nullptr;
  armed = true;
  const int code = real_main(argc, argv, environment);
  armed = false;
  write_count();
  return code;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The names are those of the C library.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

__attribute__((visibility("default"))) void* malloc(std::size_t size) noexcept {
  return fails() ? nullptr : __libc_malloc(size);
}
__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails() ? nullptr : __libc_calloc(count, size);
}
__attribute__((visibility("default"))) void* realloc(void* old, std::size_t size) noexcept {
  return fails() ? nullptr : __libc_realloc(old, size);
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
__attribute__((visibility("default"))) int posix_memalign(void** out, std::size_t alignment,
                                                          std::size_t size) noexcept {
  if (fails()) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

__attribute__((visibility("default"))) int __libc_start_main(Main main, int argc, char** argv, void (*init)(),
                                                             void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counting_main, argc, argv, init, fini, rtld_fini, stack_end);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
