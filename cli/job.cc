// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include <dlfcn.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <system_error>

#include "dualdict/error.h"
#include "dualdict/summary.h"
#include "errors.h"
#include "signals.h"

namespace dualdict::cli {
namespace {

constexpr const char* kLibrary = "libdualdict_mpi.so";
constexpr const char* kFunction = "dualdict_make_mpi_communicator";

std::size_t count_in(const char* name) {
  const char* text = std::getenv(name);
  std::size_t count = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), count);
  return count;
}

// By its full path, beside the library of the same build: never one that an environment variable leads to.
std::string mpi_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&outcome_name), &info) == 0 || info.dli_fname == nullptr) return kLibrary;
  std::error_code error;
  const auto library = std::filesystem::canonical(info.dli_fname, error);
  return error ? kLibrary : (library.parent_path() / kLibrary).string();
}

Communicator* load_communicator(std::size_t n_ranks) {
  // For good: MPI does not like to be unloaded. With its symbols for all: it loads parts of its own that need them.
  void* library = dlopen(mpi_library().c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw Error(ErrorKind::kUsage,
                "started as one of " + std::to_string(n_ranks) +
                    " ranks, but the MPI part of dualdict cannot be loaded (" + dlerror() +
                    "): install MPI (Debian: libopenmpi-dev) and build again, or run without mpirun");
  void* const function = dlsym(library, kFunction);
  if (function == nullptr)
    throw Error(ErrorKind::kUsage, std::string(kLibrary) + ": has no " + kFunction + ": it is of another version");
  return reinterpret_cast<Communicator* (*)()>(function)();
}

// Numbers of errors as the ranks tell each other: 1 + the kind, above them an interrupt.
constexpr double kInterruptedCode = 100;

double code_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return 1 + static_cast<double>(error.kind());
  } catch (const Interrupted&) {
    return kInterruptedCode;
  } catch (const std::bad_alloc&) {
    return 1 + static_cast<double>(ErrorKind::kMemory);
  } catch (...) {
    return 1 + static_cast<double>(ErrorKind::kNumerical);
  }
}

}  // namespace

std::size_t launched_ranks() {
  // Open MPI; MPICH and srun with PMI; srun with PMIx.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const std::size_t count = count_in(name)) return count;
  if (std::getenv("PMIX_RANK") != nullptr)
    if (const std::size_t count = count_in("SLURM_NTASKS")) return count;
  return 1;
}

Job::Job() {
  const std::size_t n_ranks = launched_ranks();
  if (n_ranks > 1) communicator_.reset(load_communicator(n_ranks));
}

void Job::together(const std::function<void()>& work) const {
  if (size() == 1) return work();
  std::exception_ptr failure;
  double code = 0;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
    code = code_of(failure);
  }
  communicator_->max(std::span(&code, 1));
  if (failure) std::rethrow_exception(failure);
  if (code == kInterruptedCode) throw Interrupted(interrupt_exit_code());
  if (code > 0) throw OtherRankFailed(static_cast<ErrorKind>(static_cast<int>(code) - 1));
}

}  // namespace dualdict::cli
