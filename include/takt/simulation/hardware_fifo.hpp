// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/hardware_fifo.hpp>
#include <takt/simulation/calendar.hpp>

namespace takt::inline TAKT_ABI::simulation {

enum class issue_mode : std::uint8_t {
  at_once,         ///< programs hand over all operations at time 0
  one_per_stream,  ///< the next operation of a stream is issued when the one before has ended
};

struct timed_operation {
  std::int32_t stream = 0;
  std::int32_t engine = 0;
  ticks length = 0;
};

struct operation_times {
  ticks start = 0;
  ticks end = 0;

  [[nodiscard]] friend constexpr auto operator==(const operation_times&, const operation_times&) noexcept
      -> bool = default;
};

namespace detail {

template <std::size_t Capacity>
class fifo_run {
 public:
  constexpr fifo_run(std::span<const timed_operation> operations, issue_mode mode) noexcept
      : operations_{operations}, mode_{mode} {
    ends_.fill(never);
  }

  constexpr auto run() noexcept -> bool {
    if (!rank_streams() || !issue_first()) { return false; }
    ticks now = 0;
    for (;;) {
      if (!start_all(now)) { return false; }
      now = earliest_end();
      if (now == never) { return true; }
      complete_all(now);
    }
  }
  [[nodiscard]] constexpr auto times() const noexcept -> const inline_vector<operation_times, Capacity>& {
    return times_;
  }

 private:
  [[nodiscard]] static constexpr auto numbered(std::int32_t i) noexcept -> bool {
    return i >= 0 && static_cast<std::size_t>(i) < Capacity;
  }

  /// Streams in the order in which they appear first. False where there are too many.
  constexpr auto rank_streams() noexcept -> bool {
    for (const timed_operation& o : operations_) {
      bool known = false;
      for (const std::int32_t s : streams_) { known = known || s == o.stream; }
      if (!known && !streams_.try_push_back(o.stream)) { return false; }
    }
    return true;
  }

  constexpr auto issue_first() noexcept -> bool {
    for (const timed_operation& o : operations_) {
      if (o.length < 0 || !numbered(o.stream) || !numbered(o.engine) || !times_.try_push_back({})) { return false; }
    }
    switch (mode_) {
      case issue_mode::at_once:
        for (std::size_t i = 0; i < operations_.size(); ++i) {
          if (!issue(i)) { return false; }
        }
        return true;
      case issue_mode::one_per_stream:
        for (const std::int32_t s : streams_) {
          if (!issue_next(s, 0)) { return false; }
        }
        return true;
    }
    return false;
  }

  constexpr auto issue(std::size_t i) noexcept -> bool {
    return fifo_.issue({static_cast<std::int32_t>(i), operations_[i].stream, operations_[i].engine});
  }
  /// Issues the first operation of the stream from position `from` on, if there is one.
  constexpr auto issue_next(std::int32_t stream, std::size_t from) noexcept -> bool {
    for (std::size_t i = from; i < operations_.size(); ++i) {
      if (operations_[i].stream == stream) { return issue(i); }
    }
    return true;
  }

  constexpr auto start_all(ticks now) noexcept -> bool {
    for (;;) {
      const stream_operation started = fifo_.dispatch();
      if (started == no_operation) { return true; }
      const auto i = static_cast<std::size_t>(started.id);
      ticks end = 0;
      if (!checked_add(now, operations_[i].length, end) || end >= never) { return false; }
      times_[i] = {now, end};
      ends_[static_cast<std::size_t>(started.engine)] = end;
    }
  }

  [[nodiscard]] constexpr auto earliest_end() const noexcept -> ticks {
    ticks earliest = never;
    for (const ticks end : ends_) { earliest = end < earliest ? end : earliest; }
    return earliest;
  }

  constexpr void complete_all(ticks now) noexcept {
    std::array<std::int32_t, Capacity> ended{};
    ended.fill(-1);
    for (std::size_t e = 0; e < Capacity; ++e) {
      if (ends_[e] != now) { continue; }
      ends_[e] = never;
      const stream_operation o = fifo_.complete(static_cast<std::int32_t>(e));
      ended[static_cast<std::size_t>(o.stream)] = o.id;
    }
    switch (mode_) {
      case issue_mode::at_once: return;
      case issue_mode::one_per_stream:
        for (const std::int32_t s : streams_) {
          const std::int32_t last = ended[static_cast<std::size_t>(s)];
          // The queue never holds more than one operation per stream, so there is room.
          if (last >= 0) { static_cast<void>(issue_next(s, static_cast<std::size_t>(last) + 1)); }
        }
        return;
    }
  }

  std::span<const timed_operation> operations_;
  issue_mode mode_;
  hardware_fifo<Capacity> fifo_;
  inline_vector<std::int32_t, Capacity> streams_;
  inline_vector<operation_times, Capacity> times_;
  std::array<ticks, Capacity> ends_{};  ///< by engine
};

}  // namespace detail

/// Returns when operations run that all programs have ready at time 0, by position; the given order is that of issue.
/// Operations that become free to be issued at one instant are issued in the order in which their streams appear first.
/// Nothing when there are more operations than `Capacity`, a stream or engine is not below it, a length is negative,
/// the mode is unknown or the time runs over.
template <std::size_t Capacity = 64>
[[nodiscard]] constexpr auto simulate_hardware_fifo(std::span<const timed_operation> operations,
                                                    issue_mode mode) noexcept
    -> std::optional<inline_vector<operation_times, Capacity>> {
  detail::fifo_run<Capacity> run{operations, mode};
  if (!run.run()) { return std::nullopt; }
  return run.times();
}

}  // namespace takt::inline TAKT_ABI::simulation
