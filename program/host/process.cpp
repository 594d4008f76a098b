// SPDX-License-Identifier: Apache-2.0
#include "../process.hpp"

#include <csignal>

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../large_stack.hpp"

namespace takt::program {

namespace {

/// Of threads that run nothing of an analysis, and the least for reading a file.
constexpr rlim_t usual_stack = rlim_t{8} << 20;
constexpr rlim_t least_stack = rlim_t{4} << 20;

}  // namespace

void prepare_process() {
  (void)std::signal(SIGXFSZ, SIG_IGN);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // It cannot be written, as a closed one: the lowest number that is free is this one.
    if (fcntl(fd, F_GETFD) < 0) { (void)open("/dev/null", O_RDONLY); }  // NOLINT(*-vararg): of POSIX
  }
}

void on_stack_of_a_program(const std::function<void()>& f) {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least_stack) {
    f();
    return;
  }
#ifdef __GLIBC__
  // Threads of a run get what the limit says, too.
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    if (pthread_attr_setstacksize(&attributes, usual_stack) == 0) { (void)pthread_setattr_default_np(&attributes); }
    (void)pthread_attr_destroy(&attributes);
  }
#endif
  on_large_stack(f);
}

}  // namespace takt::program
