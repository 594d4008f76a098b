// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace takt_test {

/// Whether work in a process of its own ends by the signal of a precondition that does not hold.
template <class Work>
[[nodiscard]] auto breaks_precondition(const Work& work) -> bool {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    static_cast<void>(close(STDERR_FILENO));
    work();
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) { return false; }
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

}  // namespace takt_test
