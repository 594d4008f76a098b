// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
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
#include <takt/runtime/descriptor.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/systems/graphs/run/links/graph_memory.hpp>
#include <takt/systems/graphs/run/links/graph_shape.hpp>
#include <takt/systems/graphs/run/links/link_description.hpp>
#include <takt/systems/graphs/run/links/monitors.hpp>
#include <takt/systems/graphs/run/links/shared_memory.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Bounds a sleep: after it the state is checked again.
inline constexpr ticks link_watch = 50'000'000;

/// Sleeps until a file is ready, for a while at most.
[[nodiscard]] inline auto poll_until(std::span<pollfd> files, ticks until, std::string_view at) noexcept
    -> link_status {
  const ticks present = now();
  const ticks left = until <= present ? 0 : std::min(until - present, link_watch);
  const timespec t{0, static_cast<long>(left)};
  return ppoll(files.data(), files.size(), &t, nullptr) >= 0 || errno == EINTR ? link_status{}
                                                                               : system_error("ppoll", errno, at);
}

/// Says where the channel of an edge is in the system.
struct channel_location {
  transport over;
  std::string edge;
  std::string file;   ///< of a FIFO or a socket
  std::string queue;  ///< of a message queue
  mode_t mode = 0600;
  trusted_users trusted;

  channel_location(const graph_shape& graph, const edge_shape& e, trusted_users users)
      : over{e.over},
        edge{text_of(e.name)},
        file{std::string{text_of(graph.folder)} + "/" + std::string{text_of(graph.name)} + "." + edge},
        queue{"/takt." + std::string{text_of(graph.name)} + "." + edge},
        mode{static_cast<mode_t>(graph.mode)},
        trusted{std::move(users)} {}

  [[nodiscard]] auto refused(const char* call) const noexcept -> link_status { return system_error(call, errno, edge); }
  /// Pre: nobody else uses the name. Nothing to remove is no fault.
  [[nodiscard]] auto remove_file(mode_t kind) const -> link_status {
    struct stat facts{};
    if (lstat(file.c_str(), &facts) != 0) { return errno == ENOENT ? link_status{} : refused("lstat"); }
    if ((facts.st_mode & S_IFMT) != kind) { return link_error(link_fault::wrong_kind, edge); }
    if (!trusted.has(facts.st_uid)) { return link_error(link_fault::other_owner, edge); }
    return unlink(file.c_str()) == 0 || errno == ENOENT ? link_status{} : refused("unlink");
  }
  /// Checks whether a file that was opened is of a user whom this one trusts.
  [[nodiscard]] auto check_owner(const descriptor& opened) const -> link_status {
    struct stat facts{};
    if (fstat(opened.get(), &facts) != 0) { return refused("fstat"); }
    return trusted.has(facts.st_uid) ? link_status{} : link_error(link_fault::other_owner, edge);
  }
  /// Checks whether the listener at a socket is a process of such a user.
  [[nodiscard]] auto check_listener(const descriptor& connected) const -> link_status {
    ucred who{};
    socklen_t length = sizeof(who);
    if (getsockopt(connected.get(), SOL_SOCKET, SO_PEERCRED, &who, &length) != 0) { return refused("SO_PEERCRED"); }
    return trusted.has(who.uid) ? link_status{} : link_error(link_fault::other_owner, edge);
  }
  /// Makes what an edge has in the system besides the memory of the graph; sockets are made by their consumers.
  [[nodiscard]] auto make() const -> link_status {
    if (std::holds_alternative<named_fifo>(over)) {
      if (mkfifo(file.c_str(), mode) != 0) { return refused("mkfifo"); }
      return chmod(file.c_str(), mode) == 0 ? link_status{} : refused("chmod");
    }
    const auto* q = std::get_if<message_queue>(&over);
    if (q == nullptr) { return {}; }
    mq_attr sizes{};
    sizes.mq_maxmsg = static_cast<long>(q->messages);
    sizes.mq_msgsize = static_cast<long>(q->message_bytes);
    const descriptor made{mq_open(queue.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode, &sizes)};
    if (!made) { return refused("mq_open"); }
    return fchmod(made.get(), mode) == 0 ? link_status{} : refused("fchmod");
  }
  /// Removes it.
  [[nodiscard]] auto remove() const -> link_status {
    if (has_file(over)) { return remove_file(std::holds_alternative<named_fifo>(over) ? S_IFIFO : S_IFSOCK); }
    if (!std::holds_alternative<message_queue>(over)) { return {}; }
    return mq_unlink(queue.c_str()) == 0 || errno == ENOENT ? link_status{} : refused("mq_unlink");
  }
};

/// Says how many bytes went, or why none did: EAGAIN when the channel is full or empty.
struct moved_bytes {
  std::size_t bytes = 0;
  int error = 0;

  explicit moved_bytes(std::size_t length) noexcept : bytes{length} {}
  /// Takes the result of a call of the system.
  explicit moved_bytes(ssize_t result) noexcept
      : bytes{result > 0 ? static_cast<std::size_t>(result) : 0},
        error{result < 0    ? errno
              : result == 0 ? EAGAIN
                            : 0} {}
};

/// Is one end of a channel. A message queue is a file on Linux, too.
class channel_end {
 public:
  /// Both ends of a FIFO have it open for both directions, so that it keeps its bytes while either is there, and
  /// neither is ended by a signal. A producer waits until a consumer has opened it. `room` bytes will fit.
  [[nodiscard]] auto open_fifo(const channel_location& place, bool consumer, std::int64_t room, ticks until)
      -> link_status {
    const auto is_open = [&] {
      return static_cast<bool>(descriptor{open(place.file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)});
    };
    if (!consumer) {
      if (const link_status s = retry("open", place, until, {ENXIO}, is_open); !s) { return s; }
    }
    file_ = descriptor{open(place.file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)};
    struct stat facts{};
    if (!file_ || fstat(file_.get(), &facts) != 0) { return place.refused("open"); }
    if (!S_ISFIFO(facts.st_mode)) { return link_error(link_fault::wrong_kind, place.edge); }
    if (const link_status s = place.check_owner(file_); !s) { return s; }
    // Pages of a pipe may be half empty, and at either end nearly so.
    const std::int64_t size = 2 * (room + 4096);
    if (fcntl(file_.get(), F_GETPIPE_SZ) >= size) { return {}; }
    if (size > std::numeric_limits<int>::max()) { return system_error("F_SETPIPE_SZ", EINVAL, place.edge); }
    return fcntl(file_.get(), F_SETPIPE_SZ, static_cast<int>(size)) < 0 ? place.refused("F_SETPIPE_SZ") : link_status{};
  }
  /// Messages are as long as one fits, and the rest of one that was received in part waits here.
  [[nodiscard]] auto open_queue(const channel_location& place, bool consumer, const message_queue& q) -> link_status {
    file_ = descriptor{mq_open(place.queue.c_str(), (consumer ? O_RDONLY : O_WRONLY) | O_NONBLOCK | O_CLOEXEC)};
    message_.resize(static_cast<std::size_t>(q.message_bytes));
    return file_ ? place.check_owner(file_) : place.refused("mq_open");
  }
  /// The consumer listens; a producer that comes after another is served after it.
  [[nodiscard]] auto open_socket(const channel_location& place, bool consumer, ticks until) -> link_status {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (place.file.size() >= sizeof(address.sun_path)) { return system_error("bind", ENAMETOOLONG, place.edge); }
    std::memcpy(address.sun_path, place.file.c_str(), place.file.size() + 1);
    auto* generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): how the interface is meant
    is_socket_ = true;
    descriptor& file = consumer ? listener_ : file_;
    file = descriptor{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!file) { return place.refused("socket"); }
    if (!consumer) {
      const link_status s = retry("connect", place, until, {ENOENT, ECONNREFUSED, EAGAIN},
                                  [&] { return connect(file.get(), generic, sizeof(address)) == 0; });
      return s ? place.check_listener(file) : s;
    }
    if (const link_status s = place.remove_file(S_IFSOCK); !s) { return s; }
    // The mode of the socket is that of the file to come.
    const bool listens = fchmod(file.get(), place.mode) == 0 && bind(file.get(), generic, sizeof(address)) == 0 &&
                         chmod(place.file.c_str(), place.mode) == 0 && listen(file.get(), 4) == 0;
    return listens ? link_status{} : place.refused("bind");
  }

  [[nodiscard]] auto send(std::span<const std::byte> bytes) const noexcept -> moved_bytes {
    if (is_socket_) { return moved_bytes{::send(file_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL)}; }
    if (message_.empty()) { return moved_bytes{write(file_.get(), bytes.data(), bytes.size())}; }
    const std::size_t length = std::min(bytes.size(), message_.size());
    // NOLINTNEXTLINE(*-reinterpret-cast): bytes
    const ssize_t result = mq_send(file_.get(), reinterpret_cast<const char*>(bytes.data()), length, 0);
    return result == 0 ? moved_bytes{length} : moved_bytes{result};
  }
  [[nodiscard]] auto receive(std::span<std::byte> bytes) noexcept -> moved_bytes {
    if (is_socket_) { return receive_from_socket(bytes); }
    if (message_.empty()) { return moved_bytes{read(file_.get(), bytes.data(), bytes.size())}; }
    if (!holds()) {
      // NOLINTNEXTLINE(*-reinterpret-cast): bytes
      const ssize_t got = mq_receive(file_.get(), reinterpret_cast<char*>(message_.data()), message_.size(), nullptr);
      if (got <= 0) { return moved_bytes{got}; }
      at_ = 0;
      end_ = static_cast<std::size_t>(got);
    }
    const std::size_t length = std::min(bytes.size(), end_ - at_);
    std::memcpy(bytes.data(), message_.data() + at_, length);
    at_ += length;
    return moved_bytes{length};
  }
  /// Returns the file to wait at; -1 if there is none.
  [[nodiscard]] auto file() const noexcept -> int { return file_ ? file_.get() : listener_.get(); }
  /// Returns whether it has bytes that the system no longer has.
  [[nodiscard]] auto holds() const noexcept -> bool { return at_ < end_; }

 private:
  /// Tries until it works, the error is not temporary, or the time is up.
  template <class Try>
  [[nodiscard]] static auto retry(const char* call, const channel_location& place, ticks until,
                                  std::initializer_list<int> passing, Try works) -> link_status {
    while (!works()) {
      const int error = errno;
      if (error != EINTR && std::ranges::find(passing, error) == passing.end()) {
        return system_error(call, error, place.edge);
      }
      if (now() >= until) { return link_error(link_fault::time_limit, place.edge, error, call); }
      sleep_until(now() + 1'000'000);
    }
    return {};
  }
  [[nodiscard]] auto receive_from_socket(std::span<std::byte> bytes) noexcept -> moved_bytes {
    if (!file_) { file_ = descriptor{accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)}; }
    if (!file_ && errno == ECONNABORTED) { errno = EAGAIN; }
    if (!file_) { return moved_bytes{ssize_t{-1}}; }
    const ssize_t got = recv(file_.get(), bytes.data(), bytes.size(), 0);
    if (got > 0 || (got < 0 && errno != ECONNRESET)) { return moved_bytes{got}; }
    file_.reset();  // the producer has gone; the next one may come
    return moved_bytes{ssize_t{0}};
  }

  descriptor file_;
  descriptor listener_;             // of the consumer of a socket
  std::vector<std::byte> message_;  // of a queue
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool is_socket_ = false;
};

/// Is one end of an edge in the process that uses it.
struct bound_edge {
  std::uint32_t edge = 0;
  bool consumer = false;
  bool complete = false;           ///< of a producer: the tokens of the job are sent
  std::size_t moved = 0;           ///< bytes of the job that were sent, or are received
  std::vector<std::byte> bytes{};  ///< of the job: what it sends, or its threshold
  channel_end channel{};

  [[nodiscard]] auto has_channel() const noexcept -> bool { return channel.file() >= 0; }

  template <TokenMonitor Monitor>
  [[nodiscard]] auto open(const attached_graph<Monitor>& g, ticks until) -> link_status {
    const edge_shape& e = g.shape.edges[edge];
    const edge_memory& now_is = g.memory().edges[edge];
    if (!e.has_bytes()) { return {}; }
    bytes.resize(static_cast<std::size_t>((consumer ? e.threshold : e.produce) * e.token_bytes));
    const channel_location place{g.shape, e, g.trusted};
    const std::int64_t sending = now_is.sending;
    const std::int64_t produced = now_is.produced;
    const bool is_socket = std::holds_alternative<stream_socket>(e.over);
    // A connection takes its bytes along.
    const bool all_taken =
        static_cast<std::uint64_t>(produced) * static_cast<std::uint64_t>(e.token_bytes) == g.consumed_bytes(edge);
    const bool cut = consumer ? now_is.with_consumer != 0 || (is_socket && !all_taken)
                              : sending != 0 && produced != e.produced_by(sending);
    if (cut) { return link_error(link_fault::cut, place.edge); }
    if (const auto* q = std::get_if<message_queue>(&e.over)) { return channel.open_queue(place, consumer, *q); }
    if (is_socket) { return channel.open_socket(place, consumer, until); }
    if (!std::holds_alternative<named_fifo>(e.over)) { return {}; }
    const std::int64_t room = e.counted() ? (e.threshold - 1 + e.produce) * e.token_bytes : 0;
    return channel.open_fifo(place, consumer, room, until);
  }

  /// Receives what is there, up to what the job needs.
  template <TokenMonitor Monitor>
  [[nodiscard]] auto receive(const attached_graph<Monitor>& g) noexcept -> link_status {
    edge_memory& e = g.memory().edges[edge];
    e.with_consumer = 1;
    while (moved < bytes.size()) {
      const moved_bytes got = channel.receive(std::span{bytes}.subspan(moved));
      moved += got.bytes;
      if (got.error == EAGAIN) { break; }
      if (got.error != 0 && got.error != EINTR) { return system_error("read", got.error, name_in(g)); }
    }
    forget_if_empty(e);
    return {};
  }
  template <TokenMonitor Monitor>
  void copy_from_ring(const attached_graph<Monitor>& g) noexcept {
    const auto* r = std::get_if<shared_ring>(&g.shape.edges[edge].over);
    if (r == nullptr) { return; }
    const auto size = static_cast<std::size_t>(r->capacity);
    const auto at = static_cast<std::size_t>(g.consumed_bytes(edge)) % size;
    const std::size_t first = std::min(bytes.size(), size - at);
    std::memcpy(bytes.data(), g.ring(edge) + at, first);
    std::memcpy(bytes.data() + first, g.ring(edge), bytes.size() - first);
  }
  /// Sends the bytes of a job. They count once `produced` says so.
  template <TokenMonitor Monitor>
  [[nodiscard]] auto send(const attached_graph<Monitor>& g, std::int64_t job, ticks until) -> link_status {
    edge_memory& e = g.memory().edges[edge];
    if (const auto* r = std::get_if<shared_ring>(&g.shape.edges[edge].over)) {
      return send_to_ring(g, r->capacity, until);
    }
    if (!has_channel()) { return {}; }
    e.sending = job;
    for (bool past = false; moved < bytes.size();) {
      const moved_bytes went = channel.send(std::span{bytes}.subspan(moved));
      moved += went.bytes;
      if (went.error == 0 || went.error == EINTR) { continue; }
      if (went.error == EPIPE || went.error == ECONNRESET) {
        if (moved == 0) { e.sending = 0; }
        return link_error(link_fault::peer_gone, name_in(g), went.error, "send");
      }
      if (went.error != EAGAIN) { return system_error("write", went.error, name_in(g)); }
      if (past) { return link_error(link_fault::time_limit, name_in(g)); }
      pollfd what{channel.file(), POLLOUT, 0};
      if (const link_status s = poll_until({&what, 1}, until, name_in(g)); !s) { return s; }
      past = now() >= until;
    }
    return {};
  }
  /// Pre: the job counts as finished.
  template <TokenMonitor Monitor>
  void end_job(const attached_graph<Monitor>& g) noexcept {
    const edge_shape& shape = g.shape.edges[edge];
    edge_memory& e = g.memory().edges[edge];
    if (!consumer) {
      complete = false;
      moved = 0;
      return;
    }
    if (std::holds_alternative<shared_ring>(shape.over) && e.wants_space.exchange(0) != 0) {
      ++e.room;
      futex_wake(&e.room, all_processes);
    }
    if (!has_channel()) { return; }
    const auto taken = static_cast<std::size_t>(shape.consume * shape.token_bytes);
    std::memmove(bytes.data(), bytes.data() + taken, bytes.size() - taken);
    moved -= taken;
    forget_if_empty(e);
  }

 private:
  template <TokenMonitor Monitor>
  [[nodiscard]] auto name_in(const attached_graph<Monitor>& g) const noexcept -> std::string_view {
    return text_of(g.shape.edges[edge].name);
  }
  void forget_if_empty(edge_memory& e) noexcept {
    if (moved == 0 && !channel.holds()) { e.with_consumer = 0; }
  }
  template <TokenMonitor Monitor>
  [[nodiscard]] auto send_to_ring(const attached_graph<Monitor>& g, std::int64_t capacity, ticks until) noexcept
      -> link_status {
    edge_memory& e = g.memory().edges[edge];
    const auto written =
        static_cast<std::uint64_t>(e.produced.load()) * static_cast<std::uint64_t>(g.shape.edges[edge].token_bytes);
    const auto full = [&] {
      return static_cast<std::int64_t>(written + bytes.size() - g.consumed_bytes(edge)) > capacity;
    };
    for (bool past = false; full(); past = now() >= until) {
      if (past) { return link_error(link_fault::time_limit, name_in(g)); }
      const std::uint32_t before = e.room;
      e.wants_space = 1;
      if (full()) { (void)futex_wait(e.room, before, std::min(until, later(now(), link_watch)), all_processes); }
    }
    const auto size = static_cast<std::size_t>(capacity);
    const auto at = static_cast<std::size_t>(written) % size;
    const std::size_t first = std::min(bytes.size(), size - at);
    std::memcpy(g.ring(edge) + at, bytes.data(), first);
    std::memcpy(g.ring(edge), bytes.data() + first, bytes.size() - first);
    return {};
  }
};

}  // namespace takt::inline TAKT_ABI::runtime::detail
