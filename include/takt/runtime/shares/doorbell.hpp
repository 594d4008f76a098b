// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

#include <takt/runtime/shares/descriptor.hpp>

namespace takt::runtime {

/// Wakes a thread that waits for several files at once, of which this is one.
class doorbell {
 public:
  doorbell() noexcept : file_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}

  /// False when the system had none to give.
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(file_); }
  [[nodiscard]] auto file() const noexcept -> int { return file_.get(); }
  void ring() const noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(file_.get(), &one, sizeof(one));
  }
  void silence() const noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(file_.get(), &count, sizeof(count));
  }

 private:
  descriptor file_;
};

}  // namespace takt::runtime
