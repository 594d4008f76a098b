// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/descriptor.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Says what came of a call on a connection.
enum class transfer : std::uint8_t {
  done,
  too_large,  ///< received: more than the buffer holds, the rest is gone
  would_block,
  closed,  ///< or failed for good
};

/// Says what process is at the other end of a connection, as the system states it.
struct peer_identity {
  uid_t user = 0;
  pid_t process = 0;
};

/// Makes local sockets that keep messages apart (SOCK_SEQPACKET), by the name of a file.
class seqpacket {
 public:
  /// A process that connects needs the right to write the file: the owner alone unless `for_all_users`. An empty one
  /// and errno when the system refuses; EADDRINUSE when a process listens there, or the file is no socket of the own
  /// user. A socket without a listener is replaced. Pre: no other process does so at the same time.
  [[nodiscard]] static auto listen(const std::string& path, bool for_all_users) -> descriptor {
    sockaddr_un address{};
    if (!fill(address, path)) { return {}; }
    if (!make_way(path, address)) { return {}; }
    descriptor out{socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    // On Linux the mode of the socket is that of the file to come, so that it never is open to more than it shall be.
    if (!out || fchmod(out.get(), for_all_users ? 0666 : 0600) != 0 || !bind(out, address) ||
        (for_all_users && chmod(path.c_str(), 0666) != 0) || ::listen(out.get(), SOMAXCONN) != 0) {
      return {};
    }
    return out;
  }
  /// Returns an empty one and errno on failure; ETIMEDOUT when so many wait to be accepted that there is no room until
  /// the instant.
  [[nodiscard]] static auto connect(const std::string& path, ticks give_up = later(now(), 10'000'000'000))
      -> descriptor {
    sockaddr_un address{};
    if (!fill(address, path)) { return {}; }
    descriptor out{socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    while (out) {
      // What a connection waits for room is the limit for sending.
      constexpr ticks longest = 3'600'000'000'000;
      const ticks present = now();
      const ticks left = give_up <= present ? 1'000 : std::clamp<ticks>(give_up - present, 1'000, longest);
      const timeval limit{static_cast<time_t>(left / 1'000'000'000),
                          static_cast<suseconds_t>(left % 1'000'000'000 / 1'000)};
      if (setsockopt(out.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) != 0) { break; }
      if (::connect(out.get(), generic(&address), sizeof(address)) == 0) { return out; }
      if (errno != EINTR && errno != EAGAIN) { break; }
      if (now() >= give_up) {
        errno = ETIMEDOUT;
        break;
      }
    }
    return {};
  }
  /// Returns the next connection that waits, without blocking.
  [[nodiscard]] static auto accept(const descriptor& listener) -> descriptor {
    return descriptor{accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
  }
  /// Both ends of a connection within this process; empty ones and errno on failure.
  [[nodiscard]] static auto pair() -> std::array<descriptor, 2> {
    std::array<int, 2> ends{-1, -1};
    const int result = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());
    return {descriptor{result == 0 ? ends[0] : -1}, descriptor{result == 0 ? ends[1] : -1}};
  }
  [[nodiscard]] static auto peer_of(const descriptor& connection) -> std::optional<peer_identity> {
    ucred who{};
    socklen_t length = sizeof(who);
    if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &who, &length) != 0) { return std::nullopt; }
    return peer_identity{.user = who.uid, .process = who.pid};
  }

  /// Sends one message, with a file to go along if `file` is not -1. Never blocks.
  [[nodiscard]] static auto send(const descriptor& to, std::span<const std::uint8_t> message, int file = -1)
      -> transfer {
    iovec part{const_cast<std::uint8_t*>(message.data()), message.size()};  // NOLINT(*-const-cast): not written
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (file >= 0) {
      header.msg_control = control.data();
      header.msg_controllen = control.size();
      cmsghdr* c = CMSG_FIRSTHDR(&header);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(c), &file, sizeof(int));
    }
    for (;;) {
      const ssize_t sent = sendmsg(to.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) { return static_cast<std::size_t>(sent) == message.size() ? transfer::done : transfer::closed; }
      if (errno != EINTR) { return failure(); }
    }
  }
  /// Receives a message, without blocking: its length in `length`. Files with it are closed unless `file` is given.
  [[nodiscard]] static auto receive(const descriptor& from, std::span<std::uint8_t> buffer, std::size_t& length,
                                    descriptor* file = nullptr) -> transfer {
    iovec part{buffer.data(), buffer.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (file != nullptr) {
      header.msg_control = control.data();
      header.msg_controllen = control.size();
    }
    for (bool was_reset = false;;) {
      const ssize_t got = recvmsg(from.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      if (got < 0 && errno == EINTR) { continue; }
      // Said once, before what the peer had sent, if it left something unread.
      if (got < 0 && errno == ECONNRESET && !was_reset) {
        was_reset = true;
        continue;
      }
      if (got < 0) { return failure(); }
      if (file != nullptr) { *file = file_of(header); }
      length = static_cast<std::size_t>(got);
      if ((header.msg_flags & MSG_TRUNC) != 0) { return transfer::too_large; }
      return got == 0 ? transfer::closed : transfer::done;
    }
  }
  /// Suspends the calling thread until there is something to receive. False: the instant has passed.
  [[nodiscard]] static auto wait(const descriptor& from, ticks deadline) -> bool {
    for (;;) {
      const ticks present = now();
      const ticks left = deadline <= present ? 0 : deadline - present;
      const timespec t{static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
      pollfd what{from.get(), POLLIN, 0};
      const int ready = ppoll(&what, 1, &t, nullptr);
      if (ready > 0) { return true; }
      if (ready == 0 || errno != EINTR) { return false; }
    }
  }

 private:
  [[nodiscard]] static auto generic(sockaddr_un* address) noexcept -> sockaddr* {
    return reinterpret_cast<sockaddr*>(address);  // NOLINT(*-reinterpret-cast): how the interface is meant
  }
  [[nodiscard]] static auto failure() noexcept -> transfer {
    return errno == EAGAIN || errno == EWOULDBLOCK ? transfer::would_block : transfer::closed;
  }
  [[nodiscard]] static auto fill(sockaddr_un& address, const std::string& path) -> bool {
    if (path.empty() || path.size() >= sizeof(address.sun_path)) {
      errno = ENAMETOOLONG;
      return false;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return true;
  }
  [[nodiscard]] static auto bind(const descriptor& fd, sockaddr_un& address) -> bool {
    return ::bind(fd.get(), generic(&address), sizeof(address)) == 0;
  }
  /// Removes a socket of the own user that has no listener.
  [[nodiscard]] static auto make_way(const std::string& path, sockaddr_un& address) -> bool {
    struct stat facts{};
    if (lstat(path.c_str(), &facts) != 0) { return true; }
    const descriptor probe{socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    const bool abandoned = S_ISSOCK(facts.st_mode) && facts.st_uid == geteuid() && probe &&
                           ::connect(probe.get(), generic(&address), sizeof(address)) != 0 && errno == ECONNREFUSED;
    if (abandoned) { return unlink(path.c_str()) == 0; }
    errno = EADDRINUSE;
    return false;
  }
  /// Returns the last file that has come along; others are closed.
  [[nodiscard]] static auto file_of(msghdr& header) -> descriptor {
    descriptor out;
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) { continue; }
      for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= c->cmsg_len; at += sizeof(int)) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c) + at, sizeof(int));
        out = descriptor{fd};
      }
    }
    return out;
  }
};

}  // namespace takt::inline TAKT_ABI::runtime
