// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace takt_tests {

/// The number that the system has for the calling thread.
[[nodiscard]] inline auto own_thread() -> pid_t { return static_cast<pid_t>(syscall(SYS_gettid)); }

/// Whether the system has suspended a thread of this process: it waits for something. No thread has the number 0.
[[nodiscard]] inline auto is_asleep(pid_t thread) -> bool {
  std::ifstream file{"/proc/self/task/" + std::to_string(thread) + "/stat"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto name_end = text.rfind(')');
  return name_end != std::string::npos && text.compare(name_end, 3, ") S") == 0;
}

}  // namespace takt_tests
