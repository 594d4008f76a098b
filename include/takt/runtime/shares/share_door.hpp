// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/shares/descriptor.hpp>
#include <takt/runtime/shares/event_loop.hpp>
#include <takt/runtime/shares/messages.hpp>
#include <takt/runtime/shares/seqpacket.hpp>

namespace takt::runtime {

/// Where other processes knock: a socket that lets in users by what the system says of them, and removes its file at
/// the end.
class share_door {
 public:
  struct guest {
    descriptor socket;
    pid_t process = 0;
  };

  share_door() noexcept = default;
  share_door(const share_door&) = delete;
  auto operator=(const share_door&) -> share_door& = delete;
  ~share_door() { close(); }

  /// Lets in the own user and `users`. False, and errno, when the system refuses.
  [[nodiscard]] auto open(const std::string& path, std::vector<uid_t> users, const event_loop& loop, std::uint64_t tag)
      -> bool {
    path_ = path;
    users_ = std::move(users);
    tag_ = tag;
    listener_ = seqpacket::listen(path_, !users_.empty());
    struct stat facts{};
    if (!listener_ || stat(path_.c_str(), &facts) != 0) { return false; }
    device_ = facts.st_dev;
    inode_ = facts.st_ino;
    return loop.add(listener_.get(), tag, EPOLLIN);
  }
  void close() {
    struct stat facts{};
    const bool own =
        listener_ && lstat(path_.c_str(), &facts) == 0 && facts.st_dev == device_ && facts.st_ino == inode_;
    if (own) { (void)unlink(path_.c_str()); }
    listener_.reset();
  }

  /// The next of those who wait and are permitted; the others are told and turned away.
  [[nodiscard]] auto admit(const event_loop& loop) -> std::optional<guest> {
    for (int i = 0; i < most_refusals; ++i) {
      descriptor socket = seqpacket::accept(listener_);
      if (!socket) {
        // Without room for files the listener would be ready for ever.
        const bool exhausted = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        if (exhausted && loop.change(listener_.get(), tag_, 0)) { opens_again_ = later(now(), pause); }
        return std::nullopt;
      }
      const auto who = seqpacket::peer_of(socket);
      if (who && (who->user == geteuid() || std::ranges::find(users_, who->user) != users_.end())) {
        return guest{.socket = std::move(socket), .process = who->process};
      }
      refuse(socket, deny_reason::not_permitted);
    }
    return std::nullopt;
  }
  static void refuse(const descriptor& socket, deny_reason why) {
    (void)seqpacket::send(socket, encode({.kind = share_message_kind::deny, .why = why}));
  }
  /// Ends a pause that has been long enough.
  void resume(const event_loop& loop) {
    if (opens_again_ <= now() && loop.change(listener_.get(), tag_, EPOLLIN)) { opens_again_ = event_loop::never; }
  }
  [[nodiscard]] auto opens_again() const noexcept -> ticks { return opens_again_; }

 private:
  static constexpr int most_refusals = 16;
  static constexpr ticks pause = 50'000'000;

  std::string path_;
  std::vector<uid_t> users_;
  std::uint64_t tag_ = 0;
  descriptor listener_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  ticks opens_again_ = event_loop::never;
};

}  // namespace takt::runtime
