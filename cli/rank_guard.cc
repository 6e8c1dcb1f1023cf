// SPDX-License-Identifier: BSD-3-Clause
#include "rank_guard.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "dualdict/error.h"
#include "errors.h"

namespace dualdict::cli {
namespace {

std::atomic<pid_t> child{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

extern "C" void pass_on(int number) {
  if (child.load() > 0) kill(child.load(), number);
}

void report_loss(int number) {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMIX_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  print_error(std::string("rank ") + (rank != nullptr ? rank : "?") + " was lost: signal " + std::to_string(number) +
              " (" + strsignal(number) + ") ended it; the job ends, go on from its checkpoint");
}

}  // namespace

int guard_rank(const std::function<int()>& work) {
  const pid_t parent = getpid();
  std::fflush(nullptr);
  // Until the child is known, signals wait.
  sigset_t wanted, before;
  sigemptyset(&wanted);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&wanted, number);
  sigprocmask(SIG_BLOCK, &wanted, &before);
  child.store(fork());
  if (child.load() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(exit_code(ErrorKind::kRank));
    setpgid(0, 0);  // a signal to the group reaches the rank once, through its guard
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return work();
  }
  if (child.load() < 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return work();  // no room for a process more: without a guard then
  }
  struct sigaction action {};
  action.sa_handler = pass_on;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaction(number, &action, nullptr);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  int status = 0;
  while (waitpid(child.load(), &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  report_loss(WTERMSIG(status));
  return exit_code(ErrorKind::kRank);
}

}  // namespace dualdict::cli
