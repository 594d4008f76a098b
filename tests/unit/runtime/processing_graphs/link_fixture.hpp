// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/systems/graphs/run/links/shared_graph.hpp>

namespace link_test {

using namespace takt::runtime;
using takt::ticks;

/// Long enough that only what hangs reaches it.
inline auto soon() -> ticks { return now() + ticks{60} * 1'000'000'000; }
/// Long enough to fall asleep in.
inline auto shortly() -> ticks { return now() + 5'000'000; }

/// A name of this process, and the graph of it is gone at the end of the scope.
template <takt::runtime::detail::TokenMonitor Monitor = system_monitor>
class named {
 public:
  explicit named(const std::string& what) : name_{what + "-" + std::to_string(getpid())} {}
  named(const named&) = delete;
  auto operator=(const named&) -> named& = delete;
  ~named() {
    if (getpid() == owner_) { (void)shared_graph<Monitor>::remove(name_); }
  }
  [[nodiscard]] auto get() const -> const std::string& { return name_; }

 private:
  std::string name_;
  pid_t owner_ = getpid();
};

inline auto folder() -> std::string { return std::filesystem::temp_directory_path().string(); }

/// A process that does this and ends with the number it gives. Pre: this one has no other threads.
class process {
 public:
  template <class Work>
  explicit process(Work work) : id_{fork()} {
    if (id_ == 0) { _exit(work()); }
  }
  process(const process&) = delete;
  auto operator=(const process&) -> process& = delete;
  ~process() { (void)end(SIGKILL); }
  /// What it gave; -1 when it was ended by a signal.
  auto end(int signal = 0) -> int {
    const pid_t id = std::exchange(id_, -1);
    if (id <= 0) { return -1; }
    if (signal != 0) { (void)kill(id, signal); }
    int status = 0;
    while (waitpid(id, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] auto word() const -> takt::runtime::detail::process_word {
    return (static_cast<takt::runtime::detail::process_word>(id_) << takt::runtime::detail::start_bits) |
           takt::runtime::detail::start_of(id_);
  }
  /// Ended, but not asked for: as it is for everybody but its parent.
  void kill_only() const {
    (void)kill(id_, SIGKILL);
    siginfo_t what{};
    while (waitid(P_PID, static_cast<id_t>(id_), &what, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
  }

 private:
  pid_t id_;
};

/// The byte at a place of an endless stream, so that one that is lost, doubled or moved shows.
inline auto byte_at(std::int64_t place) -> std::byte {
  const auto mixed = static_cast<std::uint64_t>(place + 1) * 0x9e37'79b9'7f4a'7c15U;
  return static_cast<std::byte>(mixed >> 56);
}
inline void fill(std::span<std::byte> bytes, std::int64_t from) {
  for (std::size_t i = 0; i < bytes.size(); ++i) { bytes[i] = byte_at(from + static_cast<std::int64_t>(i)); }
}
inline auto in_order(std::span<const std::byte> bytes, std::int64_t from) -> bool {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != byte_at(from + static_cast<std::int64_t>(i))) { return false; }
  }
  return true;
}

}  // namespace link_test
