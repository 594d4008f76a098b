// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/descriptor.hpp>
#include <takt/systems/shares/run/event_loop.hpp>
#include <takt/systems/shares/run/messages.hpp>
#include <takt/systems/shares/run/path_lock.hpp>
#include <takt/systems/shares/run/seqpacket.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Is where other processes connect: a socket that accepts users by what the system says of them, and removes its file
/// at the end. While it is open it has the lock beside the socket, which it takes before it looks at what is there.
class share_listener {
 public:
  struct accepted_client {
    descriptor socket;
    pid_t process = 0;
  };

  share_listener() noexcept = default;
  share_listener(const share_listener&) = delete;
  auto operator=(const share_listener&) -> share_listener& = delete;
  ~share_listener() { close(); }

  /// Accepts the own user and `users`. False, and errno, when the system refuses.
  [[nodiscard]] auto open(const std::string& path, std::vector<uid_t> users, const event_loop& loop, std::uint64_t tag)
      -> bool {
    path_ = path;
    users_ = std::move(users);
    tag_ = tag;
    if (!lock_.take(path_)) { return false; }
    listener_ = seqpacket::listen(path_, !users_.empty());
    struct stat facts{};
    if (!listener_ || stat(path_.c_str(), &facts) != 0) {
      const int error = errno;
      lock_.release();
      errno = error;
      return false;
    }
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
    lock_.release();
  }

  /// Returns the next process that waits and is permitted; the others get an answer and are refused.
  [[nodiscard]] auto admit(const event_loop& loop) -> std::optional<accepted_client> {
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
        return accepted_client{.socket = std::move(socket), .process = who->process};
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
  path_lock lock_;
  descriptor listener_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  ticks opens_again_ = event_loop::never;
};

/// Is a service's end of a connection to a client. Nothing here waits; what cannot be sent at once stays in an outbox
/// of fixed size.
class share_connection {
 public:
  share_connection() noexcept = default;
  share_connection(descriptor socket, pid_t process, ticks now)
      : socket_{std::move(socket)}, process_{watch(socket_, process)}, heard_{now}, counts_{now} {}

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(socket_); }
  [[nodiscard]] auto socket() const noexcept -> int { return socket_.get(); }
  /// Becomes readable when the process at the other end has ended; -1 where the system cannot tell.
  [[nodiscard]] auto process() const noexcept -> int { return process_.get(); }
  /// Returns when a message came last, or the connection.
  [[nodiscard]] auto heard() const noexcept -> ticks { return heard_; }
  /// Returns since when it has not been registered: from the connection, or from the end of a registration.
  [[nodiscard]] auto counts_from() const noexcept -> ticks { return counts_; }
  void count_from(ticks now) noexcept { counts_ = now; }
  /// Returns why it is to be closed after what is being done, if it is.
  [[nodiscard]] auto doomed() const noexcept -> bool { return doomed_; }
  void doom() noexcept { doomed_ = true; }
  [[nodiscard]] auto backlog() const noexcept -> bool { return waiting_ > 0; }

  /// Returns the next message. `why` is not `none` for what is no message.
  [[nodiscard]] auto take(share_message& out, deny_reason& why, ticks now) -> transfer {
    why = deny_reason::none;
    share_message_buffer bytes{};
    std::size_t length = 0;
    const transfer got = seqpacket::receive(socket_, bytes, length);
    if (got == transfer::done) {
      why = decode(std::span{bytes}.first(length), out);
      heard_ = now;
    } else if (got == transfer::too_large) {
      why = deny_reason::malformed;
    }
    return got;
  }

  /// Sends, or keeps for later. A client that does not read loses updates, which the page has as well, and is closed
  /// once the outbox is full of what it needs.
  void reply(const share_message& m, int file = -1) {
    if (doomed_) { return; }
    if (backlog()) {
      keep(m);
      return;
    }
    const transfer sent = seqpacket::send(socket_, encode(m), file);
    if (sent == transfer::closed) { doomed_ = true; }
    if (sent == transfer::would_block) { keep(m); }
  }
  /// Sends what was kept, as far as possible.
  void flush() {
    while (backlog() && !doomed_) {
      const share_message& m = outbox_[first_];
      const transfer sent = seqpacket::send(socket_, encode(m));
      if (sent == transfer::would_block) { return; }
      if (sent != transfer::done) { doomed_ = true; }
      first_ = (first_ + 1) % outbox_.size();
      --waiting_;
    }
  }
  void close() { *this = share_connection{}; }

 private:
  void keep(const share_message& m) {
    if (m.kind == share_message_kind::update) { return; }
    if (waiting_ == outbox_.size()) {
      doomed_ = true;
      return;
    }
    outbox_[(first_ + waiting_++) % outbox_.size()] = m;
  }
  /// Returns the system's handle on the process that connected; a process number alone could by now be another's.
  [[nodiscard]] static auto watch(const descriptor& socket, pid_t process) -> descriptor {
    constexpr int peer_handle = 77;  // SO_PEERPIDFD, since Linux 6.5
    int fd = -1;
    socklen_t length = sizeof(fd);
    if (getsockopt(socket.get(), SOL_SOCKET, peer_handle, &fd, &length) == 0) { return descriptor{fd}; }
    return descriptor{static_cast<int>(syscall(SYS_pidfd_open, process, 0))};
  }

  descriptor socket_;
  descriptor process_;
  ticks heard_ = 0;
  ticks counts_ = 0;
  bool doomed_ = false;
  std::array<share_message, 8> outbox_{};
  std::size_t first_ = 0;
  std::size_t waiting_ = 0;
};

/// Holds the connections of a service in places of a fixed number, and what its loop waits for on each. Tag 2i is the
/// socket of place i, tag 2i + 1 the end of its process.
class share_connections {
 public:
  share_connections(std::size_t places, const event_loop& loop) : places_(places), loop_{&loop} {}

  [[nodiscard]] auto size() const noexcept -> std::size_t { return places_.size(); }
  [[nodiscard]] auto operator[](std::size_t i) noexcept -> share_connection& { return places_[i]; }
  [[nodiscard]] auto operator[](std::size_t i) const noexcept -> const share_connection& { return places_[i]; }
  [[nodiscard]] auto owns(std::uint64_t tag) const noexcept -> bool { return tag < 2 * places_.size(); }

  /// Accepts a connection, or refuses it when all places are taken.
  void adopt(share_listener::accepted_client accepted_client) {
    const std::size_t i = free_place();
    if (i == places_.size()) { return share_listener::refuse(accepted_client.socket, deny_reason::too_many_clients); }
    places_[i] = share_connection{std::move(accepted_client.socket), accepted_client.process, now()};
    const share_connection& c = places_[i];
    const bool watched =
        loop_->add(c.socket(), 2 * i, EPOLLIN) && (c.process() < 0 || loop_->add(c.process(), 2 * i + 1, EPOLLIN));
    if (!watched) { close(i); }
  }

  void reply(std::size_t i, const share_message& m, int file) {
    const bool had_backlog = places_[i].backlog();
    places_[i].reply(m, file);
    if (!had_backlog && places_[i].backlog()) { watch_for_room(i, true); }
  }
  /// Sends what was kept for a client, as far as possible.
  void flush(std::size_t i) {
    if (!places_[i].backlog()) { return; }
    places_[i].flush();
    if (!places_[i].backlog()) { watch_for_room(i, false); }
  }
  void close(std::size_t i) {
    loop_->remove(places_[i].socket());
    loop_->remove(places_[i].process());
    places_[i].close();
  }

 private:
  [[nodiscard]] auto free_place() const noexcept -> std::size_t {
    const auto found = std::ranges::find_if(places_, [](const share_connection& c) { return !c; });
    return static_cast<std::size_t>(found - places_.begin());
  }
  void watch_for_room(std::size_t i, bool wanted) const noexcept {
    const std::uint32_t what = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
    (void)loop_->change(places_[i].socket(), 2 * i, what);
  }

  std::vector<share_connection> places_;
  const event_loop* loop_;
};

}  // namespace takt::inline TAKT_ABI::runtime
