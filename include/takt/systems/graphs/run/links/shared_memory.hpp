// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/descriptor.hpp>
#include <takt/systems/graphs/run/links/link_description.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Says whose memory and channels a process uses: those of its effective user, of root, and of others that it names.
class trusted_users {
 public:
  trusted_users() noexcept = default;
  explicit trusted_users(std::span<const uid_t> others) : others_(others.begin(), others.end()) {}

  [[nodiscard]] auto has(uid_t user) const noexcept -> bool {
    return user == geteuid() || user == 0 || std::ranges::find(others_, user) != others_.end();
  }

 private:
  std::vector<uid_t> others_;
};

/// Is named memory of several processes (shm_open) while it is made or opened. Its maker holds a lock of the file,
/// which the system takes back when the maker ends: the next holder sees whether the maker was done.
class shared_memory {
 public:
  shared_memory() noexcept = default;
  shared_memory(const shared_memory&) = delete;
  auto operator=(const shared_memory&) -> shared_memory& = delete;
  ~shared_memory() { unmap(); }

  [[nodiscard]] auto memory() const noexcept -> void* { return memory_; }
  [[nodiscard]] auto bytes() const noexcept -> std::size_t { return bytes_; }

  /// Opens the file of the name, locked, made if there is none and `mode` is not 0. It is empty if it is new, or its
  /// maker ended before it was made large. It belongs to the effective user where it could have been made, and to a
  /// user of `trusted` where not. An owner can take the memory away, or write what it likes.
  [[nodiscard]] auto lock(const std::string& name, mode_t mode, ticks until, const trusted_users& trusted = {})
      -> link_status {
    for (;;) {
      file_ = descriptor{shm_open(name.c_str(), O_RDWR | O_CLOEXEC | (mode != 0 ? O_CREAT : 0), mode)};
      if (!file_) {
        const int error = errno;
        if (error != ENOENT) { return system_error("shm_open", error, name); }
        if (now() >= until) { return link_error(link_fault::missing, name); }
        sleep_until(now() + step);
        continue;
      }
      struct stat facts{};
      if (fstat(file_.get(), &facts) != 0) { return system_error("fstat", errno, name); }
      if (!S_ISREG(facts.st_mode)) { return link_error(link_fault::wrong_kind, name); }
      if (mode != 0 ? facts.st_uid != geteuid() : !trusted.has(facts.st_uid)) {
        return link_error(link_fault::other_owner, name);
      }
      while (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) { return system_error("flock", errno, name); }
        if (now() >= until) { return link_error(link_fault::time_limit, name); }
        sleep_until(now() + step);
      }
      if (fstat(file_.get(), &facts) != 0) { return system_error("fstat", errno, name); }
      // Removed in the meantime: the name is another file, or none.
      if (facts.st_nlink == 0) { continue; }
      bytes_ = static_cast<std::size_t>(facts.st_size);
      return {};
    }
  }
  void unlock() noexcept {
    // Not by closing alone: a process that was forked in the meantime has the file, too.
    if (file_) { (void)flock(file_.get(), LOCK_UN); }
    file_.reset();
  }

  /// Makes zeros of this size, with these rights whatever the mask of the process says. Pre: locked.
  [[nodiscard]] auto resize(std::size_t bytes, mode_t mode, const std::string& name) -> link_status {
    TAKT_EXPECTS(static_cast<bool>(file_));
    if (fchmod(file_.get(), mode) != 0) { return system_error("fchmod", errno, name); }
    if (ftruncate(file_.get(), 0) != 0) { return system_error("ftruncate", errno, name); }
    // Else a full system would end the process at its first access (SIGBUS).
    if (const int error = posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes)); error != 0) {
      return system_error("posix_fallocate", error, name);
    }
    bytes_ = bytes;
    return {};
  }
  /// Pre: locked, not empty.
  [[nodiscard]] auto map(const std::string& name) -> link_status {
    TAKT_EXPECTS(static_cast<bool>(file_) && bytes_ > 0);
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (memory == MAP_FAILED) { return system_error("mmap", errno, name); }
    memory_ = memory;
    return {};
  }
  void unmap() noexcept {
    if (void* memory = std::exchange(memory_, nullptr); memory != nullptr) { (void)munmap(memory, bytes_); }
  }

 private:
  static constexpr ticks step = 1'000'000;

  descriptor file_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace takt::inline TAKT_ABI::runtime::detail
