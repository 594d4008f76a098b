// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <unistd.h>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// A file descriptor, closed at the end of its scope.
class descriptor {
 public:
  descriptor() noexcept = default;
  /// Takes ownership; -1 is none.
  explicit descriptor(int fd) noexcept : fd_{fd} {}
  descriptor(const descriptor&) = delete;
  auto operator=(const descriptor&) -> descriptor& = delete;
  descriptor(descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  auto operator=(descriptor&& other) noexcept -> descriptor& {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~descriptor() { reset(); }

  [[nodiscard]] auto get() const noexcept -> int { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  void reset() noexcept {
    if (const int fd = std::exchange(fd_, -1); fd >= 0) { (void)close(fd); }
  }

 private:
  int fd_ = -1;
};

}  // namespace takt::inline TAKT_ABI::runtime
