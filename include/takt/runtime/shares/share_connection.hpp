// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/shares/descriptor.hpp>
#include <takt/runtime/shares/local_channel.hpp>
#include <takt/runtime/shares/messages.hpp>
#include <takt/runtime/shares/seqpacket.hpp>

namespace takt::runtime {

/// What a service knows of a client's end of a connection, over a socket or a local link. Nothing here waits; what
/// cannot be sent at once stays in an outbox of fixed size.
class share_connection {
 public:
  share_connection() noexcept = default;
  share_connection(descriptor socket, pid_t process, ticks now)
      : socket_{std::move(socket)}, process_{watch(socket_, process)}, heard_{now} {}
  share_connection(std::shared_ptr<local_link> link, ticks now) noexcept : link_{std::move(link)}, heard_{now} {}

  [[nodiscard]] explicit operator bool() const noexcept { return socket_ || link_ != nullptr; }
  [[nodiscard]] auto is_local() const noexcept -> bool { return link_ != nullptr; }
  [[nodiscard]] auto socket() const noexcept -> int { return socket_.get(); }
  /// Becomes readable when the process at the other end has ended; -1 where the system cannot tell.
  [[nodiscard]] auto process() const noexcept -> int { return process_.get(); }
  /// When a message came last, or the connection.
  [[nodiscard]] auto heard() const noexcept -> ticks { return heard_; }
  /// Why it is to be closed after what is being done, if it is.
  [[nodiscard]] auto doomed() const noexcept -> bool { return doomed_; }
  void doom() noexcept { doomed_ = true; }
  [[nodiscard]] auto backlog() const noexcept -> bool { return waiting_ > 0; }

  /// The next message. `why` is not `none` for what is no message.
  [[nodiscard]] auto take(share_message& out, deny_reason& why, ticks now) -> transfer {
    why = deny_reason::none;
    if (link_) {
      const transfer got = link_->take(out);
      if (got == transfer::done) { heard_ = now; }
      return got;
    }
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

  /// Sends, or keeps for later. A client that does not read loses updates, which the page has as well, and is doomed
  /// once the outbox is full of what it needs.
  void reply(const share_message& m, int file = -1) {
    if (doomed_) { return; }
    if (backlog()) {
      keep(m);
      return;
    }
    const transfer sent = link_ ? link_->reply(m) : seqpacket::send(socket_, encode(m), file);
    if (sent == transfer::closed) { doomed_ = true; }
    if (sent == transfer::would_block) { keep(m); }
  }
  /// Sends what was kept, as far as possible.
  void flush() {
    while (backlog() && !doomed_) {
      const share_message& m = outbox_[first_];
      const transfer sent = link_ ? link_->reply(m) : seqpacket::send(socket_, encode(m));
      if (sent == transfer::would_block) { return; }
      if (sent != transfer::done) { doomed_ = true; }
      first_ = (first_ + 1) % outbox_.size();
      --waiting_;
    }
  }
  void close() {
    if (link_) { link_->close(); }
    *this = share_connection{};
  }

 private:
  void keep(const share_message& m) {
    if (m.kind == share_message_kind::update) { return; }
    if (waiting_ == outbox_.size()) {
      doomed_ = true;
      return;
    }
    outbox_[(first_ + waiting_++) % outbox_.size()] = m;
  }
  /// The system's handle on the process that connected; a process number alone could by now be another's.
  [[nodiscard]] static auto watch(const descriptor& socket, pid_t process) -> descriptor {
    constexpr int peer_handle = 77;  // SO_PEERPIDFD, since Linux 6.5
    int fd = -1;
    socklen_t length = sizeof(fd);
    if (getsockopt(socket.get(), SOL_SOCKET, peer_handle, &fd, &length) == 0) { return descriptor{fd}; }
    return descriptor{static_cast<int>(syscall(SYS_pidfd_open, process, 0))};
  }

  descriptor socket_;
  descriptor process_;
  std::shared_ptr<local_link> link_;
  ticks heard_ = 0;
  bool doomed_ = false;
  std::array<share_message, 8> outbox_{};
  std::size_t first_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace takt::runtime
