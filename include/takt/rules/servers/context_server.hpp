// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/time_slices.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Requests of one context in the order of their arrival.
struct context_request {
  client who = no_client;
  std::uint32_t context = 0;
  ticks left = 0;
  std::int32_t unit = unassigned_unit;
};

}  // namespace detail

/// Units of each task's own, which serve its visits one after the other. The context is the task. Slices are of the
/// unit that a token names, if one does, else of the task's.
template <std::size_t Capacity>
class dedicated_server {
 public:
  /// Visits of other tasks never keep one waiting.
  static constexpr bool serves_tasks_apart = true;

  constexpr dedicated_server() = default;
  constexpr explicit dedicated_server(std::int32_t /*units*/) noexcept {}

  /// Pre: fewer than `Capacity` are here.
  constexpr void arrive(const visit_request& v) noexcept {
    TAKT_EXPECTS(count_ < Capacity);
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
      remove(i, now, sink);
      return who;
    }
    return no_client;
  }

  /// Tells each client that is served.
  constexpr void holders(const holder_sink& to) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (since_[i] != no_event) { to(queue_[i].who, unit_of(i)); }
    }
  }
  /// Calls f(who, left, runs) for each client here; f may change what it has left.
  template <class F>
  constexpr void for_each(ticks now, const F& f) {
    for (std::size_t i = 0; i < count_; ++i) {
      const ticks served = since_[i] == no_event ? 0 : now - since_[i];
      queue_[i].left -= served;
      f(queue_[i].who, queue_[i].left, since_[i] != no_event);
      queue_[i].left += served;
    }
  }
  /// `who`, which is served, ends now whatever its length was. `decide` follows.
  constexpr void finish(client who, ticks now, const slice_sink& sink) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (queue_[i].who == who) { return remove(i, now, sink); }
    }
  }

 private:
  [[nodiscard]] constexpr auto unit_of(std::size_t at) const noexcept -> std::int32_t {
    const bool named = queue_[at].unit != unassigned_unit;
    return named ? queue_[at].unit : static_cast<std::int32_t>(queue_[at].context);
  }
  constexpr void remove(std::size_t at, ticks now, const slice_sink& sink) {
    sink(queue_[at].who, unit_of(at), since_[at], now);
    for (std::size_t k = at + 1; k < count_; ++k) {
      queue_[k - 1] = queue_[k];
      since_[k - 1] = since_[k];
    }
    --count_;
  }
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
/// A context that wakes up goes to the tail, and so does one whose slice ends, behind those that came at that instant.
/// Where contexts keep their places, the next turn is that of the next number with work, cyclically. A context that
/// becomes idle gives the rest of its slice away. Its requests are served one after the other.
template <std::size_t Capacity>
class time_slice_server {
 public:
  constexpr time_slice_server() = default;
  /// Pre: slice >= 1, switching >= 0.
  constexpr explicit time_slice_server(const turn_times& turns) noexcept : turn_{turns} {
    TAKT_EXPECTS(turns.slice >= ticks{1} && turns.switching >= ticks{0});
  }

  /// Pre: fewer than `Capacity` are here.
  constexpr void arrive(const visit_request& v) noexcept {
    TAKT_EXPECTS(count_ < Capacity);
    const slice_view seen = slice_view::of(v.view, v.context);
    const bool awake = has_work(seen.context);
    queue_[count_++] = {v.who, seen.context, v.length, seen.slice_or(turn_.slice)};
    if (!awake) { wake(seen.context); }
  }
  constexpr void decide(ticks now, const slice_sink& sink) {
    if (active_ && used_ + (now - begin_) >= queue_[current()].slice) { yield(now, sink); }
    if (!active_ && turn_count_ > 0) {
      begin_ = now + (turns_[0] == last_ || last_ == no_context ? 0 : turn_.switching);
      last_ = turns_[0];
      used_ = 0;
      active_ = true;
    }
  }
  [[nodiscard]] constexpr auto next() const noexcept -> ticks {
    if (!active_) { return no_event; }
    const request& r = queue_[current()];
    const ticks rest = r.slice > used_ ? r.slice - used_ : 0;
    return begin_ + (r.left < rest ? r.left : rest);
  }
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    const std::size_t at = current();
    const ticks ran = now - begin_;
    if (queue_[at].left > ran) { return no_client; }  // the slice has ended: `decide` goes on to the next context
    return end_current(at, ran, now, sink);
  }

  /// Tells the client whose turn it is, from the switch to it on.
  constexpr void holders(const holder_sink& to) const {
    if (active_) { to(queue_[current()].who, 0); }
  }
  /// `who`, which waits or has its turn, ends now whatever its length was. `decide` follows.
  constexpr void finish(client who, ticks now, const slice_sink& sink) {
    for (std::size_t at = 0; at < count_; ++at) {
      if (queue_[at].who != who) { continue; }
      if (active_ && at == current()) {
        static_cast<void>(end_current(at, begin_ < now ? now - begin_ : 0, begin_ < now ? now : begin_, sink));
        return;
      }
      const std::uint32_t context = queue_[at].context;
      remove_request(at);
      std::size_t turn = 0;
      while (turn < turn_count_ && turns_[turn] != context) { ++turn; }
      if (turn < turn_count_ && !has_work(context)) { remove_turn(turn); }
      return;
    }
  }

 private:
  struct request {
    client who = no_client;
    std::uint32_t context = 0;
    ticks left = 0;
    ticks slice = 1;
  };
  static constexpr std::uint32_t no_context = 0xFFFF'FFFF;

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
  constexpr void wake(std::uint32_t context) noexcept {
    std::size_t at = turn_count_++;
    const std::size_t first = active_ ? 1 : 0;
    for (; turn_.keeps_places && at > first && way_to(context) < way_to(turns_[at - 1]); --at) {
      turns_[at] = turns_[at - 1];
    }
    turns_[at] = context;
  }
  /// Returns how many numbers it is from the context that had the last turn, which itself comes last.
  [[nodiscard]] constexpr auto way_to(std::uint32_t context) const noexcept -> std::uint32_t {
    return context - last_ - 1;
  }
  constexpr void yield(ticks now, const slice_sink& sink) {
    request& r = queue_[current()];
    sink(r.who, 0, begin_, now);
    r.left -= now - begin_;
    const std::uint32_t context = turns_[0];
    remove_turn();
    turns_[turn_count_++] = context;
    active_ = false;
  }
  constexpr void remove_turn(std::size_t at = 0) noexcept {
    for (std::size_t k = at + 1; k < turn_count_; ++k) { turns_[k - 1] = turns_[k]; }
    --turn_count_;
  }
  constexpr void remove_request(std::size_t at) noexcept {
    for (std::size_t k = at + 1; k < count_; ++k) { queue_[k - 1] = queue_[k]; }
    --count_;
  }
  /// It has run for so long, up to `now`, and its context goes on if it has more.
  constexpr auto end_current(std::size_t at, ticks ran, ticks now, const slice_sink& sink) -> client {
    const request done = queue_[at];
    sink(done.who, 0, begin_, now);
    remove_request(at);
    used_ += ran;
    begin_ = now;
    if (!has_work(done.context)) {
      remove_turn();
      active_ = false;
    }
    return done.who;
  }

  turn_times turn_{.slice = 1};
  request queue_[Capacity]{};
  std::uint32_t turns_[Capacity + 1]{};
  std::size_t count_ = 0;
  std::size_t turn_count_ = 0;
  std::uint32_t last_ = no_context;
  ticks begin_ = 0;
  ticks used_ = 0;
  bool active_ = false;
};

}  // namespace takt::inline TAKT_ABI
