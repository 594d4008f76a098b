// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(*-deprecated-headers): kill is POSIX
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <takt/runtime/shares/descriptor.hpp>

namespace takt::runtime::detail {

/// A process as one word: its number (22 bits) and when it started, so that a number that is used again is another
/// process. 0 is none.
using process_word = std::uint64_t;

inline constexpr int start_bits = 42;

[[nodiscard]] constexpr auto process_of(process_word word) noexcept -> pid_t {
  return static_cast<pid_t>(word >> start_bits);
}

/// When a process started, in ticks of the system since it booted; 0 if that cannot be read.
[[nodiscard]] inline auto start_of(pid_t process) noexcept -> std::uint64_t {
  std::array<char, 32> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(process));
  const descriptor file{open(path.data(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 1024> text{};
  if (!file || read(file.get(), text.data(), text.size() - 1) <= 0) { return 0; }
  // The name is in parentheses and may have any character; the start is 20 fields after it.
  const char* at = std::strrchr(text.data(), ')');
  for (int field = 0; at != nullptr && field < 20; ++field) { at = std::strchr(at + 1, ' '); }
  return at == nullptr ? 0 : std::strtoull(at, nullptr, 10) & ((std::uint64_t{1} << start_bits) - 1);
}

[[nodiscard]] inline auto own_word() noexcept -> process_word {
  const pid_t self = getpid();
  return (static_cast<process_word>(self) << start_bits) | start_of(self);
}

/// Whether the process has ended, also if its parent has not asked for it yet. False where that cannot be known.
[[nodiscard]] inline auto has_ended(process_word word) noexcept -> bool {
  const pid_t process = process_of(word);
  const descriptor file{static_cast<int>(syscall(SYS_pidfd_open, process, 0))};
  if (!file) { return errno == ESRCH || (kill(process, 0) != 0 && errno == ESRCH); }
  pollfd what{file.get(), POLLIN, 0};
  if (poll(&what, 1, 0) > 0) { return true; }
  const std::uint64_t start = start_of(process);
  const std::uint64_t claimed = word & ((process_word{1} << start_bits) - 1);
  return start != 0 && claimed != 0 && start != claimed;
}

/// Numbers of processes mean something within one namespace. 0 if it cannot be read.
[[nodiscard]] inline auto pid_namespace() noexcept -> std::uint64_t {
  struct stat facts{};
  return stat("/proc/self/ns/pid", &facts) == 0 ? static_cast<std::uint64_t>(facts.st_ino) : 0;
}

}  // namespace takt::runtime::detail
