// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

namespace takt::runtime {

/// Tokens that are counted and carry nothing.
struct event_tokens {
  static constexpr bool carries_bytes = false;
  static constexpr bool has_file = false;
  [[nodiscard]] static constexpr auto counts() noexcept -> bool { return true; }
};

/// Bytes in the memory of the graph. What a consumer had not finished when it was killed is there for the next one.
struct shared_ring {
  std::int64_t capacity = 0;  ///< in bytes

  static constexpr bool carries_bytes = true;
  static constexpr bool has_file = false;
  [[nodiscard]] static constexpr auto counts() noexcept -> bool { return true; }
};

/// A FIFO (mkfifo) in the folder of the graph.
struct named_fifo {
  bool fast = false;  ///< bytes are counted in shared memory, and buffered by the consumer

  static constexpr bool carries_bytes = true;
  static constexpr bool has_file = true;
  [[nodiscard]] constexpr auto counts() const noexcept -> bool { return fast; }
};

/// A POSIX message queue; the system limits both numbers (/proc/sys/fs/mqueue).
struct message_queue {
  std::int64_t messages = 8;
  std::int64_t message_bytes = 1024;
  bool fast = false;  ///< bytes are counted in shared memory, and buffered by the consumer

  static constexpr bool carries_bytes = true;
  static constexpr bool has_file = false;
  [[nodiscard]] constexpr auto counts() const noexcept -> bool { return fast; }
};

/// A stream socket (AF_UNIX) in the folder of the graph. Elliott 2015 has no fast variant of sockets.
struct stream_socket {
  static constexpr bool carries_bytes = true;
  static constexpr bool has_file = true;
  [[nodiscard]] static constexpr auto counts() noexcept -> bool { return false; }
};

/// How the tokens of an edge travel.
using transport = std::variant<event_tokens, shared_ring, named_fifo, message_queue, stream_socket>;

/// Whether tokens are counted in shared memory, so that a consumer waits for its threshold in one sleep.
[[nodiscard]] constexpr auto counts_tokens(const transport& t) noexcept -> bool {
  return std::visit([](const auto& one) { return one.counts(); }, t);
}
[[nodiscard]] constexpr auto carries_bytes(const transport& t) noexcept -> bool {
  return std::visit([](const auto& one) { return one.carries_bytes; }, t);
}
[[nodiscard]] constexpr auto has_file(const transport& t) noexcept -> bool {
  return std::visit([](const auto& one) { return one.has_file; }, t);
}

}  // namespace takt::runtime
