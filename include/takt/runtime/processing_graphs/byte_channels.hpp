// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/processing_graphs/link_description.hpp>
#include <takt/runtime/processing_graphs/link_status.hpp>
#include <takt/runtime/processing_graphs/transports.hpp>
#include <takt/runtime/shares/descriptor.hpp>

namespace takt::runtime::detail {

/// How many bytes went, or why none did: EAGAIN when the channel is full or empty.
struct moved_bytes {
  std::size_t bytes = 0;
  int error = 0;
};

[[nodiscard]] inline auto moved(ssize_t result) noexcept -> moved_bytes {
  return result > 0 ? moved_bytes{static_cast<std::size_t>(result), 0} : moved_bytes{0, result == 0 ? EAGAIN : errno};
}

/// Where the channel of an edge is in the system.
struct channel_place {
  std::string graph;
  std::string edge;
  std::string folder;
  mode_t mode = 0600;

  [[nodiscard]] auto file() const -> std::string { return folder + "/" + graph + "." + edge; }
  [[nodiscard]] auto queue() const -> std::string { return "/takt." + graph + "." + edge; }
};

/// One end of a channel.
class fifo_end {
 public:
  /// Both ends have it open for both directions, so that it keeps its bytes while either is there, and neither is ended
  /// by a signal. A producer waits until a consumer has opened it. `room` bytes will fit.
  [[nodiscard]] static auto open_end(const channel_place& place, bool consumer, std::int64_t room, ticks until,
                                     fifo_end& out) -> link_status {
    const std::string path = place.file();
    while (!consumer) {
      const descriptor probe{open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)};
      if (probe) { break; }
      if (errno != ENXIO && errno != EINTR) { return system_error("open", errno, place.edge); }
      if (now() >= until) { return link_error(link_fault::time_limit, place.edge, ENXIO, "open"); }
      sleep_until(now() + 1'000'000);
    }
    out.file_ = descriptor{open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)};
    struct stat facts{};
    if (!out.file_ || fstat(out.file_.get(), &facts) != 0) { return system_error("open", errno, place.edge); }
    if (!S_ISFIFO(facts.st_mode)) { return link_error(link_fault::wrong_kind, place.edge); }
    // Pages of a pipe may be half empty, and at either end nearly so.
    const std::int64_t size = 2 * (room + 4096);
    const int had = fcntl(out.file_.get(), F_GETPIPE_SZ);
    if (had < size &&
        (size > std::numeric_limits<int>::max() || fcntl(out.file_.get(), F_SETPIPE_SZ, static_cast<int>(size)) < 0)) {
      return system_error("F_SETPIPE_SZ", size > std::numeric_limits<int>::max() ? EINVAL : errno, place.edge);
    }
    return {};
  }
  [[nodiscard]] auto send(std::span<const std::byte> bytes) const noexcept -> moved_bytes {
    return moved(write(file_.get(), bytes.data(), bytes.size()));
  }
  [[nodiscard]] auto receive(std::span<std::byte> bytes) const noexcept -> moved_bytes {
    return moved(read(file_.get(), bytes.data(), bytes.size()));
  }
  [[nodiscard]] auto file() const noexcept -> int { return file_.get(); }
  [[nodiscard]] static auto holds() noexcept -> bool { return false; }

 private:
  descriptor file_;
};

/// Messages are as long as one fits, and the rest of one that was received in part waits here.
class queue_end {
 public:
  [[nodiscard]] static auto open_end(const channel_place& place, bool consumer, const message_queue& q, queue_end& out)
      -> link_status {
    out.file_ = descriptor{mq_open(place.queue().c_str(), (consumer ? O_RDONLY : O_WRONLY) | O_NONBLOCK | O_CLOEXEC)};
    if (!out.file_) { return system_error("mq_open", errno, place.edge); }
    out.message_.resize(static_cast<std::size_t>(q.message_bytes));
    return {};
  }
  [[nodiscard]] auto send(std::span<const std::byte> bytes) const noexcept -> moved_bytes {
    const std::size_t length = std::min(bytes.size(), message_.size());
    // NOLINTNEXTLINE(*-reinterpret-cast): bytes
    const int result = mq_send(file_.get(), reinterpret_cast<const char*>(bytes.data()), length, 0);
    return result == 0 ? moved_bytes{length, 0} : moved_bytes{0, errno};
  }
  [[nodiscard]] auto receive(std::span<std::byte> bytes) noexcept -> moved_bytes {
    if (!holds()) {
      // NOLINTNEXTLINE(*-reinterpret-cast): bytes
      const ssize_t got = mq_receive(file_.get(), reinterpret_cast<char*>(message_.data()), message_.size(), nullptr);
      if (got <= 0) { return moved(got); }
      at_ = 0;
      end_ = static_cast<std::size_t>(got);
    }
    const std::size_t length = std::min(bytes.size(), end_ - at_);
    std::memcpy(bytes.data(), message_.data() + at_, length);
    at_ += length;
    return {length, 0};
  }
  [[nodiscard]] auto file() const noexcept -> int { return file_.get(); }
  /// Whether it has bytes that the system has no more.
  [[nodiscard]] auto holds() const noexcept -> bool { return at_ < end_; }

 private:
  descriptor file_;  // a message queue is a file on Linux
  std::vector<std::byte> message_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

/// The consumer listens; a producer that comes after another is served after it.
class socket_end {
 public:
  [[nodiscard]] static auto open_end(const channel_place& place, bool consumer, ticks until, socket_end& out)
      -> link_status {
    const std::string path = place.file();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) { return system_error("bind", ENAMETOOLONG, place.edge); }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    auto* generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): how the interface is meant
    out = socket_end{};
    descriptor file{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!file) { return system_error("socket", errno, place.edge); }
    if (consumer) {
      if (const link_status s = remove_file(place, S_IFSOCK); !s) { return s; }
      // The mode of the socket is that of the file to come.
      if (fchmod(file.get(), place.mode) != 0 || bind(file.get(), generic, sizeof(address)) != 0 ||
          chmod(path.c_str(), place.mode) != 0 || listen(file.get(), 4) != 0) {
        return system_error("bind", errno, place.edge);
      }
      out.listener_ = std::move(file);
      return {};
    }
    while (connect(file.get(), generic, sizeof(address)) != 0) {
      const int error = errno;
      if (error != ENOENT && error != ECONNREFUSED && error != EAGAIN && error != EINTR) {
        return system_error("connect", error, place.edge);
      }
      if (now() >= until) { return link_error(link_fault::time_limit, place.edge, error, "connect"); }
      sleep_until(now() + 1'000'000);
    }
    out.file_ = std::move(file);
    return {};
  }
  [[nodiscard]] auto send(std::span<const std::byte> bytes) const noexcept -> moved_bytes {
    return moved(::send(file_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  [[nodiscard]] auto receive(std::span<std::byte> bytes) noexcept -> moved_bytes {
    if (!file_) { file_ = descriptor{accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)}; }
    if (!file_) { return {0, errno == ECONNABORTED ? EAGAIN : errno}; }
    const ssize_t got = recv(file_.get(), bytes.data(), bytes.size(), 0);
    if (got == 0 || (got < 0 && errno == ECONNRESET)) {
      file_.reset();
      return {0, EAGAIN};
    }
    return moved(got);
  }
  [[nodiscard]] auto file() const noexcept -> int { return file_ ? file_.get() : listener_.get(); }
  [[nodiscard]] static auto holds() noexcept -> bool { return false; }

  /// Pre: nobody else uses the name. Nothing to remove is no fault.
  [[nodiscard]] static auto remove_file(const channel_place& place, mode_t kind) -> link_status {
    struct stat facts{};
    if (lstat(place.file().c_str(), &facts) != 0) {
      return errno == ENOENT ? link_status{} : system_error("lstat", errno, place.edge);
    }
    if ((facts.st_mode & S_IFMT) != kind) { return link_error(link_fault::wrong_kind, place.edge); }
    return unlink(place.file().c_str()) == 0 || errno == ENOENT ? link_status{}
                                                                : system_error("unlink", errno, place.edge);
  }

 private:
  descriptor listener_;
  descriptor file_;
};

using channel_end = std::variant<std::monostate, fifo_end, queue_end, socket_end>;

/// Removes what an edge has in the system beside the memory of the graph.
struct remove_channel {
  const channel_place& place;

  [[nodiscard]] auto operator()(const event_tokens& /*nothing*/) const -> link_status { return {}; }
  [[nodiscard]] auto operator()(const shared_ring& /*nothing*/) const -> link_status { return {}; }
  [[nodiscard]] auto operator()(const named_fifo& /*file*/) const -> link_status {
    return socket_end::remove_file(place, S_IFIFO);
  }
  [[nodiscard]] auto operator()(const message_queue& /*name*/) const -> link_status {
    return mq_unlink(place.queue().c_str()) == 0 || errno == ENOENT ? link_status{}
                                                                    : system_error("mq_unlink", errno, place.edge);
  }
  [[nodiscard]] auto operator()(const stream_socket& /*file*/) const -> link_status {
    return socket_end::remove_file(place, S_IFSOCK);
  }
};

/// Makes what an edge has in the system; sockets are made by their consumers.
struct make_channel {
  const channel_place& place;

  [[nodiscard]] auto operator()(const named_fifo& /*file*/) const -> link_status {
    const std::string path = place.file();
    if (mkfifo(path.c_str(), place.mode) != 0) { return system_error("mkfifo", errno, place.edge); }
    return chmod(path.c_str(), place.mode) == 0 ? link_status{} : system_error("chmod", errno, place.edge);
  }
  [[nodiscard]] auto operator()(const message_queue& q) const -> link_status {
    mq_attr sizes{};
    sizes.mq_maxmsg = static_cast<long>(q.messages);
    sizes.mq_msgsize = static_cast<long>(q.message_bytes);
    const descriptor made{mq_open(place.queue().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, place.mode, &sizes)};
    if (!made) { return system_error("mq_open", errno, place.edge); }
    return fchmod(made.get(), place.mode) == 0 ? link_status{} : system_error("fchmod", errno, place.edge);
  }
  template <class Other>
  [[nodiscard]] auto operator()(const Other& /*nothing*/) const -> link_status {
    return {};
  }
};

}  // namespace takt::runtime::detail
