// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt {

namespace detail {

/// Requests of one context in the order of their arrival.
struct context_request {
  client who = no_client;
  std::uint32_t context = 0;
  ticks left = 0;
  std::int32_t unit = any_unit;
};

}  // namespace detail

/// Units of each task's own, which serve its visits one after the other. The context is the task. Slices are of the
/// unit that a token names, if one does, else of the task's.
template <std::size_t Capacity>
class dedicated_server {
 public:
  constexpr dedicated_server() = default;
  constexpr explicit dedicated_server(std::int32_t /*units*/) noexcept {}

  constexpr void arrive(const visit_request& v) noexcept {
    queue_[count_] = {v.who, v.context, v.length, v.unit};
    since_[count_++] = no_event;
  }
  constexpr void decide(ticks now, const slice_sink& /*sink*/) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (since_[i] == no_event && leads(i)) { since_[i] = now; }
    }
  }
  [[nodiscard]] constexpr auto next() const noexcept -> ticks {
    ticks least = no_event;
    for (std::size_t i = 0; i < count_; ++i) {
      if (since_[i] != no_event && since_[i] + queue_[i].left < least) { least = since_[i] + queue_[i].left; }
    }
    return least;
  }
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    for (std::size_t i = 0; i < count_; ++i) {
      if (since_[i] == no_event || since_[i] + queue_[i].left != now) { continue; }
      const client who = queue_[i].who;
      const bool named = queue_[i].unit != any_unit;
      sink(who, named ? queue_[i].unit : static_cast<std::int32_t>(queue_[i].context), since_[i], now);
      for (std::size_t k = i + 1; k < count_; ++k) {
        queue_[k - 1] = queue_[k];
        since_[k - 1] = since_[k];
      }
      --count_;
      return who;
    }
    return no_client;
  }

 private:
  [[nodiscard]] constexpr auto leads(std::size_t at) const noexcept -> bool {
    for (std::size_t i = 0; i < at; ++i) {
      if (queue_[i].context == queue_[at].context) { return false; }
    }
    return true;
  }

  detail::context_request queue_[Capacity]{};
  ticks since_[Capacity]{};
  std::size_t count_ = 0;
};

/// One unit that gives each context with work its slice in turn. Between two different contexts it needs `switching`.
/// A context that wakes up goes to the tail; one whose slice ends goes there too, behind those that came at that
/// instant. A context that becomes idle gives the rest of its slice away.
template <std::size_t Capacity>
class time_slice_server {
 public:
  constexpr time_slice_server() = default;
  /// Pre: slice >= 1, switching >= 0.
  constexpr time_slice_server(ticks slice, ticks switching) noexcept : slice_{slice}, switching_{switching} {}

  constexpr void arrive(const visit_request& v) noexcept {
    bool awake = false;
    for (std::size_t i = 0; i < count_; ++i) { awake = awake || queue_[i].context == v.context; }
    queue_[count_++] = {v.who, v.context, v.length};
    if (!awake) { turns_[turn_count_++] = v.context; }
  }
  constexpr void decide(ticks now, const slice_sink& sink) {
    if (active_ && expired(now)) { yield(now, sink); }
    if (!active_ && turn_count_ > 0) {
      begin_ = now + (turns_[0] == last_ || last_ == no_context ? 0 : switching_);
      last_ = turns_[0];
      used_ = 0;
      active_ = true;
    }
  }
  [[nodiscard]] constexpr auto next() const noexcept -> ticks {
    if (!active_) { return no_event; }
    const ticks left = queue_[current()].left;
    const ticks rest = slice_ - used_;
    return begin_ + (left < rest ? left : rest);
  }
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    const std::size_t at = current();
    const ticks ran = now - begin_;
    if (queue_[at].left > ran) { return no_client; }  // the slice has ended: `decide` goes on to the next context
    const detail::context_request done = queue_[at];
    sink(done.who, 0, begin_, now);
    for (std::size_t k = at + 1; k < count_; ++k) { queue_[k - 1] = queue_[k]; }
    --count_;
    used_ += ran;
    begin_ = now;
    if (!has_work(done.context)) {
      remove_turn();
      active_ = false;
    }
    return done.who;
  }

 private:
  static constexpr std::uint32_t no_context = 0xFFFF'FFFF;

  [[nodiscard]] constexpr auto expired(ticks now) const noexcept -> bool { return used_ + (now - begin_) >= slice_; }
  [[nodiscard]] constexpr auto current() const noexcept -> std::size_t {
    std::size_t i = 0;
    while (queue_[i].context != turns_[0]) { ++i; }
    return i;
  }
  [[nodiscard]] constexpr auto has_work(std::uint32_t context) const noexcept -> bool {
    for (std::size_t i = 0; i < count_; ++i) {
      if (queue_[i].context == context) { return true; }
    }
    return false;
  }
  constexpr void yield(ticks now, const slice_sink& sink) {
    detail::context_request& r = queue_[current()];
    sink(r.who, 0, begin_, now);
    r.left -= now - begin_;
    const std::uint32_t context = turns_[0];
    remove_turn();
    turns_[turn_count_++] = context;
    active_ = false;
  }
  constexpr void remove_turn() noexcept {
    for (std::size_t k = 1; k < turn_count_; ++k) { turns_[k - 1] = turns_[k]; }
    --turn_count_;
  }

  ticks slice_ = 1;
  ticks switching_ = 0;
  detail::context_request queue_[Capacity]{};
  std::uint32_t turns_[Capacity + 1]{};
  std::size_t count_ = 0;
  std::size_t turn_count_ = 0;
  std::uint32_t last_ = no_context;
  ticks begin_ = 0;
  ticks used_ = 0;
  bool active_ = false;
};

}  // namespace takt
