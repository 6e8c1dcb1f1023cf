// SPDX-License-Identifier: BSD-3-Clause
#include "learn/memory_need.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "dualdict/error.h"
#include "io/temporary_folder.h"
#include "learn/fit_case.h"

namespace dualdict {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// What a fit adds to the peak of a process of its own.
double measured_need(const FitSize& size) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const TemporaryFolder folder;
    const Matrix<double> samples = planted_samples(size.n_samples, size.n_features, 8, 1);
    LearnOptions options = small_options(size.n_atoms, 0.5, Solver::kFast, size.dtype);
    options.n_threads = size.n_threads;
    options.max_iterations = 2;
    options.max_memory = 1000000;
    if (size.many_atoms) {
      options.penalty = Penalty::kL0;
      options.tau.reset();
      options.nonzeros = 4;
    }
    LearnContext context;
    if (size.checkpoint) context.checkpoint = {folder.path("c"), 0, false};
    const double before = peak_bytes();
    fit(samples, options, context);
    const double need = peak_bytes() - before;
    if (write(ends[1], &need, sizeof need) != sizeof need) _exit(1);
    std::filesystem::remove_all(folder.path());
    _exit(0);
  }
  close(ends[1]);
  double need = -1;
  EXPECT_EQ(read(ends[0], &need, sizeof need), static_cast<ssize_t>(sizeof need));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return need;
}

// With penalty l0: without codes of all samples and sums of pairs of atoms.
FitSize size_of_many_atoms(bool checkpoint) {
  FitSize size{2000, 96, 2000, 1, DType::kFloat32, checkpoint};
  size.many_atoms = true;
  return size;
}

TEST(MemoryNeed, IsAnUpperBoundThatIsNotFarOff) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer takes memory of its own";
#endif
  for (const FitSize& size :
       {FitSize{8000, 32, 64, 2, DType::kFloat32, false}, FitSize{8000, 32, 64, 2, DType::kFloat32, true},
        FitSize{3000, 200, 16, 1, DType::kFloat64, false}, FitSize{1000, 64, 300, 2, DType::kFloat64, false},
        FitSize{4000, 64, 128, 2, DType::kFloat32, true}, FitSize{40, 8000, 24, 2, DType::kFloat32, false},
        FitSize{300, 1500, 8, 2, DType::kFloat32, false}, size_of_many_atoms(false), size_of_many_atoms(true)}) {
    const double need = memory_need(size).total();
    const double measured = measured_need(size);
    const std::string which = std::to_string(size.n_samples) + " x " + std::to_string(size.n_features) + ", " +
                              std::to_string(size.n_atoms) + " atoms: need " + std::to_string(need / kMebibyte) +
                              ", measured " + std::to_string(measured / kMebibyte);
    EXPECT_LE(measured, need) << which;
    EXPECT_LE(need, 1.5 * measured + 40 * kMebibyte) << which;
  }
}

TEST(MemoryNeed, AboveTheLimitNothingIsStarted) {
  LearnOptions options = small_options(12, 0.1);
  options.max_memory = 1;
  bool started = false;
  LearnContext context;
  context.hooks.on_message = [&](const std::string&) { started = true; };
  try {
    fit(planted_samples(100, 10, 12, 1), options, context);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMemory);
    EXPECT_NE(std::string(error.what()).find("--max-memory leaves 1 MiB"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(started);
}

TEST(MemoryNeed, HugeSizesAreRefusedWithoutOverflow) {
  const std::size_t huge = std::size_t{1} << 62;
  const MemoryNeed need = memory_need({huge, huge, 1000000, 1, DType::kFloat64, true});
  EXPECT_GT(need.total(), 1e30);
  try {
    require_memory(need, 0);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMemory);
  }
}

}  // namespace
}  // namespace dualdict
