// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/expects.hpp>
#include <takt/core/to_index.hpp>

namespace takt::inline TAKT_ABI {

/// An operation on a stream, which keeps its operations in order, for one engine.
struct stream_operation {
  std::int32_t id = 0;
  std::int32_t stream = 0;
  std::int32_t engine = 0;

  [[nodiscard]] friend constexpr auto operator==(const stream_operation&, const stream_operation&) noexcept
      -> bool = default;
};

inline constexpr stream_operation no_operation{-1, -1, -1};

/// The one queue of a GPU without a hardware queue per stream. Only its head can be dispatched, and not before its
/// stream and its engine are idle: until then it stalls everything behind it. Once dispatched, an operation keeps its
/// engine until it ends. Capacity bounds the queue, the streams and the engines. Source: Elliott 2015, section 2.4.4.
template <std::size_t Capacity>
class hardware_fifo {
 public:
  /// False, and no change: the queue is full, or the stream or engine is not below the capacity.
  [[nodiscard]] constexpr auto issue(const stream_operation& o) noexcept -> bool {
    if (size_ == Capacity || !numbered(o.stream) || !numbered(o.engine)) { return false; }
    queue_[(first_ + size_) % Capacity] = o;
    ++size_;
    return true;
  }

  /// Returns the operation that starts now, or `no_operation`. After one has started the next may start too.
  [[nodiscard]] constexpr auto dispatch() noexcept -> stream_operation {
    if (size_ == 0) { return no_operation; }
    const stream_operation head = queue_[first_];
    if (stream_busy_[to_index(head.stream)] || running_[to_index(head.engine)].running) { return no_operation; }
    stream_busy_[to_index(head.stream)] = true;
    running_[to_index(head.engine)] = {head, true};
    queue_[first_] = {};
    first_ = (first_ + 1) % Capacity;
    --size_;
    return head;
  }

  /// Returns the operation that ends now. Pre: the engine runs one.
  constexpr auto complete(std::int32_t engine) noexcept -> stream_operation {
    TAKT_EXPECTS(numbered(engine) && running_[to_index(engine)].running);
    const stream_operation ended = running_[to_index(engine)].operation;
    stream_busy_[to_index(ended.stream)] = false;
    running_[to_index(engine)] = {};
    return ended;
  }

  [[nodiscard]] constexpr auto waiting() const noexcept -> std::size_t { return size_; }
  /// Pre: the engine is below the capacity.
  [[nodiscard]] constexpr auto running(std::int32_t engine) const noexcept -> stream_operation {
    TAKT_EXPECTS(numbered(engine));
    const slot& s = running_[to_index(engine)];
    return s.running ? s.operation : no_operation;
  }

 private:
  struct slot {
    stream_operation operation{};
    bool running = false;
  };

  [[nodiscard]] static constexpr auto numbered(std::int32_t i) noexcept -> bool {
    return i >= 0 && to_index(i) < Capacity;
  }

  std::array<stream_operation, Capacity> queue_{};  ///< a ring
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::array<bool, Capacity> stream_busy_{};
  std::array<slot, Capacity> running_{};  ///< by engine
};

}  // namespace takt::inline TAKT_ABI
