// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <poll.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/processing_graphs/byte_channels.hpp>
#include <takt/runtime/processing_graphs/graph_memory.hpp>
#include <takt/runtime/processing_graphs/link_status.hpp>
#include <takt/runtime/processing_graphs/transports.hpp>

namespace takt::runtime::detail {

/// The longest sleep without a look around.
inline constexpr ticks link_watch = 50'000'000;

/// Sleeps until a file is ready, for a while at most.
[[nodiscard]] inline auto poll_until(std::span<pollfd> files, ticks until, std::string_view at) noexcept
    -> link_status {
  const ticks left = std::clamp<ticks>(until - now(), 0, link_watch);
  const timespec t{0, static_cast<long>(left)};
  return ppoll(files.data(), files.size(), &t, nullptr) >= 0 || errno == EINTR ? link_status{}
                                                                               : system_error("ppoll", errno, at);
}

template <TokenMonitor Monitor>
[[nodiscard]] auto place_of(const graph_memory<Monitor>& m, const edge_memory& e) -> channel_place {
  return {.graph = std::string{text_of(m.name)},
          .edge = std::string{text_of(e.name)},
          .folder = std::string{text_of(m.folder)},
          .mode = static_cast<mode_t>(m.mode)};
}

/// One end of an edge in the process that uses it.
struct bound_edge {
  std::uint32_t edge = 0;
  bool consumer = false;
  bool complete = false;           ///< of a producer: the tokens of the job are sent
  std::size_t moved = 0;           ///< bytes of the job that were sent, or are received
  std::vector<std::byte> bytes{};  ///< of the job: what it sends, or its threshold
  channel_end channel{};

  [[nodiscard]] auto has_channel() const noexcept -> bool { return !std::holds_alternative<std::monostate>(channel); }
  [[nodiscard]] auto file() const noexcept -> int {
    return std::visit(
        [](const auto& end) {
          if constexpr (std::is_same_v<std::decay_t<decltype(end)>, std::monostate>) {
            return -1;
          } else {
            return end.file();
          }
        },
        channel);
  }

  template <TokenMonitor Monitor>
  [[nodiscard]] auto open(graph_memory<Monitor>& m, ticks until) -> link_status {
    edge_memory& e = m.edges[edge];
    if (!e.has_bytes()) { return {}; }
    bytes.resize(static_cast<std::size_t>((consumer ? e.threshold : e.produce) * e.token_bytes));
    const channel_place place = place_of(m, e);
    const std::int64_t sending = e.sending;
    const bool cut = consumer ? e.with_consumer != 0 : sending != 0 && e.produced != e.produced_by(sending);
    if (cut) { return link_error(link_fault::cut, place.edge); }
    if (const auto* q = std::get_if<message_queue>(&e.over)) {
      return queue_end::open_end(place, consumer, *q, channel.emplace<queue_end>());
    }
    if (std::holds_alternative<stream_socket>(e.over)) {
      // A connection takes its bytes along.
      if (consumer && e.produced != m.nodes[e.to].finished * e.consume) {
        return link_error(link_fault::cut, place.edge);
      }
      return socket_end::open_end(place, consumer, until, channel.emplace<socket_end>());
    }
    if (!std::holds_alternative<named_fifo>(e.over)) { return {}; }
    const std::int64_t room = e.counted() ? (e.threshold - 1 + e.produce) * e.token_bytes : 0;
    return fifo_end::open_end(place, consumer, room, until, channel.emplace<fifo_end>());
  }

  /// What is there, up to what the job needs.
  [[nodiscard]] auto receive(edge_memory& e) noexcept -> link_status {
    e.with_consumer = 1;
    while (moved < bytes.size()) {
      const moved_bytes got = move([&](auto& end) { return end.receive(std::span{bytes}.subspan(moved)); });
      moved += got.bytes;
      if (got.error == EAGAIN) { break; }
      if (got.error != 0 && got.error != EINTR) { return system_error("read", got.error, text_of(e.name)); }
    }
    forget_if_empty(e);
    return {};
  }
  template <TokenMonitor Monitor>
  void copy_from_ring(graph_memory<Monitor>& m) noexcept {
    edge_memory& e = m.edges[edge];
    const auto* r = std::get_if<shared_ring>(&e.over);
    if (r == nullptr) { return; }
    const auto size = static_cast<std::size_t>(r->capacity);
    const auto at = static_cast<std::size_t>(m.nodes[e.to].finished * e.consume * e.token_bytes) % size;
    const std::size_t first = std::min(bytes.size(), size - at);
    std::memcpy(bytes.data(), m.ring(e) + at, first);
    std::memcpy(bytes.data() + first, m.ring(e), bytes.size() - first);
  }
  /// Puts the bytes of a job on their way. They count once `produced` says so.
  template <TokenMonitor Monitor>
  [[nodiscard]] auto send(graph_memory<Monitor>& m, std::int64_t job, ticks until) -> link_status {
    edge_memory& e = m.edges[edge];
    if (const auto* r = std::get_if<shared_ring>(&e.over)) { return send_to_ring(m, r->capacity, until); }
    if (!has_channel()) { return {}; }
    e.sending = job;
    for (bool past = false; moved < bytes.size();) {
      const moved_bytes went = move([&](auto& end) { return end.send(std::span{bytes}.subspan(moved)); });
      moved += went.bytes;
      if (went.error == 0 || went.error == EINTR) { continue; }
      if (went.error == EPIPE || went.error == ECONNRESET) {
        if (moved == 0) { e.sending = 0; }
        return link_error(link_fault::peer_gone, text_of(e.name), went.error, "send");
      }
      if (went.error != EAGAIN) { return system_error("write", went.error, text_of(e.name)); }
      if (past) { return link_error(link_fault::time_limit, text_of(e.name)); }
      pollfd what{file(), POLLOUT, 0};
      if (const link_status s = poll_until({&what, 1}, until, text_of(e.name)); !s) { return s; }
      past = now() >= until;
    }
    return {};
  }
  /// Pre: the job counts as finished.
  template <TokenMonitor Monitor>
  void end_job(graph_memory<Monitor>& m) noexcept {
    edge_memory& e = m.edges[edge];
    if (!consumer) {
      complete = false;
      moved = 0;
      return;
    }
    if (std::holds_alternative<shared_ring>(e.over) && e.wants_room.exchange(0) != 0) {
      ++e.room;
      futex_wake(&e.room, all_processes);
    }
    if (!has_channel()) { return; }
    const auto taken = static_cast<std::size_t>(e.consume * e.token_bytes);
    std::memmove(bytes.data(), bytes.data() + taken, bytes.size() - taken);
    moved -= taken;
    forget_if_empty(e);
  }

 private:
  template <class Act>
  [[nodiscard]] auto move(Act act) noexcept -> moved_bytes {
    return std::visit(
        [&](auto& end) -> moved_bytes {
          if constexpr (std::is_same_v<std::decay_t<decltype(end)>, std::monostate>) {
            return {0, EBADF};
          } else {
            return act(end);
          }
        },
        channel);
  }
  void forget_if_empty(edge_memory& e) noexcept {
    const auto* q = std::get_if<queue_end>(&channel);
    if (moved == 0 && (q == nullptr || !q->holds())) { e.with_consumer = 0; }
  }
  template <TokenMonitor Monitor>
  [[nodiscard]] auto send_to_ring(graph_memory<Monitor>& m, std::int64_t capacity, ticks until) noexcept
      -> link_status {
    edge_memory& e = m.edges[edge];
    const std::int64_t written = e.produced * e.token_bytes;
    const std::int64_t length = e.produce * e.token_bytes;
    const auto& freed = m.nodes[e.to].finished;
    const auto full = [&] { return written + length - freed * e.consume * e.token_bytes > capacity; };
    for (bool past = false; full(); past = now() >= until) {
      if (past) { return link_error(link_fault::time_limit, text_of(e.name)); }
      const std::uint32_t before = e.room;
      e.wants_room = 1;
      if (full()) { (void)futex_wait(e.room, before, std::min(until, later(now(), link_watch)), all_processes); }
    }
    const auto size = static_cast<std::size_t>(capacity);
    const auto at = static_cast<std::size_t>(written) % size;
    const std::size_t first = std::min(bytes.size(), size - at);
    std::memcpy(m.ring(e) + at, bytes.data(), first);
    std::memcpy(m.ring(e), bytes.data() + first, bytes.size() - first);
    return {};
  }
};

}  // namespace takt::runtime::detail
