// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI {

/// Says where the job of a task stands in a line, and for how long it has run since it was put there.
struct queue_position {
  priority_point point{};
  ticks used = 0;
};

/// Equal units with one line, the least point first. A job that has run for a slice since it was put in line goes to
/// its end when it would go on. That instant is its new point: round robin if points are instants. Contexts are tasks.
/// Cost: a pass over clients per call and unit.
template <std::size_t Capacity>
class turn_server {
 public:
  constexpr turn_server() = default;
  /// `places`, one per context, outlive it. Pre: units, slice >= 1.
  constexpr turn_server(std::int32_t units, ticks slice, queue_position* places) noexcept
      : units_{units}, slice_{slice}, places_{places} {
    TAKT_EXPECTS(units >= 1 && slice >= 1);
  }

  /// Pre: fewer than `Capacity` are here.
  constexpr void arrive(const visit_request& v) noexcept {
    TAKT_EXPECTS(count_ < Capacity);
    all_[count_++] = {v.point, v.point, v.length, v.who, v.context, no_event, 0, false, false};
  }
  constexpr void reprioritize(client who, const priority_point& p) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (all_[i].who == who) { all_[i].point = p; }
    }
  }
  constexpr void decide(ticks now, const slice_sink& sink) {
    choose_best();
    bool steps = false;  // those of an instant come before anybody goes on
    for (std::size_t i = 0; i < count_; ++i) {
      request& r = all_[i];
      if (r.runs() && !r.best) { stop(r, now, sink); }
      r.late = r.best && !r.runs() && is_used_up(r);
      steps = steps || (r.best && r.left == 0);
      if (r.late) { again_ = now; }
    }
    if (again_ == now && !steps) {
      for (std::size_t i = 0; i < count_; ++i) {
        if (all_[i].late) { put_in_line(all_[i], now); }
      }
      return;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (!all_[i].best || all_[i].runs() || all_[i].late) { continue; }
      all_[i].unit = free_unit();
      all_[i].since = now;
    }
  }
  [[nodiscard]] constexpr auto next() const noexcept -> ticks {
    ticks least = again_;
    for (std::size_t i = 0; i < count_; ++i) {
      const ticks end = all_[i].runs() ? all_[i].since + turn_of(all_[i]) : no_event;
      least = end < least ? end : least;
    }
    return least;
  }
  /// Returns a client that ends now, or `no_client` where only turns end or begin.
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    again_ = no_event;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!all_[i].runs() || all_[i].since + turn_of(all_[i]) != now) { continue; }
      stop(all_[i], now, sink);
      if (all_[i].left > 0) { continue; }
      const client who = all_[i].who;
      all_[i] = all_[--count_];
      return who;
    }
    return no_client;
  }
  constexpr void holders(const holder_sink& to) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (all_[i].runs()) { to(all_[i].who, all_[i].unit); }
    }
  }
  /// Calls f(who, left, runs) for each client here; f may change what it has left.
  template <class F>
  constexpr void for_each(ticks now, const F& f) {
    for (std::size_t i = 0; i < count_; ++i) {
      const ticks served = all_[i].runs() ? now - all_[i].since : 0;
      all_[i].left -= served;
      f(all_[i].who, all_[i].left, all_[i].runs());
      all_[i].left += served;
    }
  }
  constexpr void finish(client who, ticks now, const slice_sink& sink) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (all_[i].who != who) { continue; }
      if (all_[i].runs()) { stop(all_[i], now, sink); }
      all_[i] = all_[--count_];
      return;
    }
  }

 private:
  struct request {
    priority_point point{};
    priority_point base{};
    ticks left = 0;
    client who = no_client;
    std::uint32_t context = 0;
    ticks since = no_event;  ///< it has run for, without a break
    std::int32_t unit = 0;
    bool best = false;  ///< among so many as there are units
    bool late = false;  ///< has run for its slice, and would go on

    [[nodiscard]] constexpr auto runs() const noexcept -> bool { return since != no_event; }
    [[nodiscard]] constexpr auto takes_turns() const noexcept -> bool { return left > 0 && left < spinning_time; }
  };

  [[nodiscard]] constexpr auto is_used_up(const request& r) const -> bool {
    return r.takes_turns() && places_[r.context].used >= slice_;
  }
  [[nodiscard]] constexpr auto turn_of(const request& r) const -> ticks {
    const ticks rest = slice_ - places_[r.context].used;
    return r.takes_turns() && rest < r.left ? rest : r.left;
  }
  constexpr void put_in_line(request& r, ticks now) {
    places_[r.context] = {{now, r.base.tie}, 0};
    if (r.point == r.base) { r.point = places_[r.context].point; }
    r.base = places_[r.context].point;
  }
  constexpr void stop(request& r, ticks now, const slice_sink& sink) {
    sink(r.who, r.unit, r.since, now);
    if (r.takes_turns()) { places_[r.context].used += now - r.since; }
    if (r.left < spinning_time) { r.left -= now - r.since; }
    r.since = no_event;
  }
  /// Marks the best ones, as many as there are units.
  constexpr void choose_best() {
    for (std::size_t i = 0; i < count_; ++i) { all_[i].best = true; }
    for (std::size_t more = count_; more > static_cast<std::size_t>(units_); --more) {
      std::size_t last = count_;
      for (std::size_t i = 0; i < count_; ++i) {
        if (all_[i].best && (last == count_ || goes_first(last, i))) { last = i; }
      }
      all_[last].best = false;
    }
  }
  /// Of equal points, a spinning client goes behind a holder that has its point from it.
  [[nodiscard]] constexpr auto goes_first(std::size_t k, std::size_t i) const -> bool {
    if (all_[k].point != all_[i].point) { return all_[k].point < all_[i].point; }
    const bool spins = all_[k].left >= spinning_time;
    return spins == (all_[i].left >= spinning_time) ? k < i : !spins;
  }
  [[nodiscard]] constexpr auto free_unit() const -> std::int32_t {
    return least_free_unit(count_, [this](std::size_t k) { return all_[k].runs() ? all_[k].unit : unassigned_unit; });
  }

  std::int32_t units_ = 1;
  ticks slice_ = 1;
  queue_position* places_ = nullptr;
  ticks again_ = no_event;  ///< a client has a new place, and others may have better ones
  std::size_t count_ = 0;
  request all_[Capacity]{};
};

}  // namespace takt::inline TAKT_ABI
