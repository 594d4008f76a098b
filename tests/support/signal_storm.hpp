// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <thread>

#include <sys/syscall.h>
#include <unistd.h>

namespace takt_tests {

/// While it lives, threads of this process get signals at random instants, which interrupt the calls of the system that
/// they are in.
class signal_storm {
 public:
  explicit signal_storm(std::uint32_t seed = 1) {
    struct sigaction heard{};
    heard.sa_handler = [](int) { count().fetch_add(1, std::memory_order_relaxed); };  // without SA_RESTART
    sigaction(SIGUSR2, &heard, nullptr);  // for good: signals may still be on their way when the storm is over
    sender_ = std::thread{[this, seed] { send(seed); }};
  }
  signal_storm(const signal_storm&) = delete;
  auto operator=(const signal_storm&) -> signal_storm& = delete;
  ~signal_storm() {
    over_ = true;
    sender_.join();
  }

  /// Of all storms.
  [[nodiscard]] static auto heard() -> std::uint64_t { return count(); }

 private:
  [[nodiscard]] static auto count() -> std::atomic<std::uint64_t>& {
    static std::atomic<std::uint64_t> value = 0;
    return value;
  }
  void send(std::uint32_t seed) {
    std::minstd_rand random{seed};
    const pid_t own = static_cast<pid_t>(syscall(SYS_gettid));
    while (!over_) {
      std::error_code ended;
      for (std::filesystem::directory_iterator t{"/proc/self/task", ended}, end; t != end && !ended;
           t.increment(ended)) {
        const auto thread = static_cast<pid_t>(std::atoi(t->path().filename().c_str()));
        if (thread != own && random() % 2 == 0) { (void)syscall(SYS_tgkill, getpid(), thread, SIGUSR2); }
      }
      // Threads must come to something in between, however many they are.
      std::this_thread::sleep_for(std::chrono::microseconds{500 + random() % 4'000});
    }
  }

  std::atomic<bool> over_ = false;
  std::thread sender_;
};

}  // namespace takt_tests
