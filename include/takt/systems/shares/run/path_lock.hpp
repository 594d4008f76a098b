// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <takt/runtime/descriptor.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Is a lock of the system on the file `PATH.lock`, for one holder in all processes, until the end of its scope or of
/// the process. It makes the file, and removes it while it still has the lock.
class path_lock {
 public:
  path_lock() noexcept = default;
  path_lock(const path_lock&) = delete;
  auto operator=(const path_lock&) -> path_lock& = delete;
  ~path_lock() { release(); }

  /// Locks without waiting. False, and errno: EADDRINUSE when it is held, or the file is of another user or no regular
  /// one.
  [[nodiscard]] auto take(const std::string& path) -> bool {
    release();
    std::string name = path + ".lock";
    for (;;) {
      descriptor file{open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
      if (!file) { return false; }
      struct stat facts{};
      if (fstat(file.get(), &facts) != 0) { return false; }
      const bool own = S_ISREG(facts.st_mode) && facts.st_uid == geteuid();
      if (!own || flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (own && errno == EINTR) { continue; }
        errno = EADDRINUSE;
        return false;
      }
      // The one before may have removed it in between: then the name is another file, or none.
      if (fstat(file.get(), &facts) != 0) { return false; }
      if (facts.st_nlink == 0) { continue; }
      file_ = std::move(file);
      name_ = std::move(name);
      return true;
    }
  }
  void release() noexcept {
    if (!file_) { return; }
    (void)unlink(name_.c_str());
    // Not by closing alone: a process that was forked in the meantime has the file, too.
    (void)flock(file_.get(), LOCK_UN);
    file_.reset();
  }

 private:
  descriptor file_;
  std::string name_;
};

}  // namespace takt::inline TAKT_ABI::runtime
