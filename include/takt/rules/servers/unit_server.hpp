// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline v0 {

/// Equal units with one queue, the least point first and among equal points the one that came first. The same object is
/// driven by the simulator, the executor and the exhaustive checker: requests arrive, `decide` follows when all of one
/// instant have, and `fire` takes what ends at the instant that `next` names.
template <bool Preemptive, std::size_t Capacity>
class unit_server {
 public:
  /// No unit is idle while somebody waits, and whoever starts has the least point.
  static constexpr bool starts_least_points = true;

  constexpr unit_server() = default;
  /// Pre: units >= 1.
  constexpr explicit unit_server(std::int32_t units) noexcept : units_{units} {}

  /// Pre: `v.who` neither waits nor runs; v.length > 0.
  constexpr void arrive(const visit_request& v) noexcept {
    // Who spins goes behind a holder that has its point from it.
    const std::uint64_t late = v.length < spinning_time ? 0 : std::uint64_t{1} << 63U;
    waiting_[waiting_count_++] = {v.point, arrivals_++ + late, v.length, v.who, 0, 0};
  }

  /// From now on `who`, which waits or runs, has another point. `decide` follows.
  constexpr void reprioritize(client who, const priority_point& p) noexcept {
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      if (waiting_[i].who == who) { waiting_[i].point = p; }
    }
    for (std::size_t i = 0; i < running_count_; ++i) {
      if (running_[i].who == who) { running_[i].point = p; }
    }
  }

  constexpr void decide(ticks now, const slice_sink& sink) {
    while (waiting_count_ > 0) {
      const std::size_t best = first_waiting();
      if (running_count_ < static_cast<std::size_t>(units_)) {
        start(best, free_unit(), now);
        continue;
      }
      if (!Preemptive) { return; }
      const std::size_t worst = last_running();
      if (!before(waiting_[best], running_[worst])) { return; }
      request displaced = running_[worst];
      sink(displaced.who, displaced.unit, displaced.since, now);
      displaced.left -= now - displaced.since;
      const std::int32_t unit = displaced.unit;
      running_[worst] = running_[--running_count_];
      start(best, unit, now);
      waiting_[waiting_count_++] = displaced;
    }
  }

  [[nodiscard]] constexpr auto next() const noexcept -> ticks {
    ticks least = no_event;
    for (std::size_t i = 0; i < running_count_; ++i) {
      const ticks end = running_[i].since + running_[i].left;
      least = end < least ? end : least;
    }
    return least;
  }

  /// One that ends now. Pre: next() == now.
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    for (std::size_t i = 0; i < running_count_; ++i) {
      const request& done = running_[i];
      if (done.since + done.left != now) { continue; }
      const client who = done.who;
      sink(who, done.unit, done.since, now);
      running_[i] = running_[--running_count_];
      return who;
    }
    return no_client;
  }

  /// Each one that has a unit.
  constexpr void holders(const holder_sink& to) const {
    for (std::size_t i = 0; i < running_count_; ++i) { to(running_[i].who, running_[i].unit); }
  }
  /// f(who, left, runs) of each one that is there, which may change what it has left.
  template <class F>
  constexpr void for_each(ticks now, const F& f) {
    for (std::size_t i = 0; i < waiting_count_; ++i) { f(waiting_[i].who, waiting_[i].left, false); }
    for (std::size_t i = 0; i < running_count_; ++i) {
      const ticks served = now - running_[i].since;
      running_[i].left -= served;
      f(running_[i].who, running_[i].left, true);
      running_[i].left += served;
    }
  }
  /// `who`, which waits or runs, ends now whatever its length was. `decide` follows.
  constexpr void finish(client who, ticks now, const slice_sink& sink) {
    for (std::size_t i = 0; i < running_count_; ++i) {
      if (running_[i].who != who) { continue; }
      sink(who, running_[i].unit, running_[i].since, now);
      running_[i] = running_[--running_count_];
      return;
    }
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      if (waiting_[i].who != who) { continue; }
      waiting_[i] = waiting_[--waiting_count_];
      return;
    }
  }

 private:
  struct request {
    priority_point point{};
    std::uint64_t arrival = 0;
    ticks left = 0;
    client who = no_client;
    ticks since = 0;
    std::int32_t unit = 0;
  };

  [[nodiscard]] static constexpr auto before(const request& a, const request& b) noexcept -> bool {
    return a.point < b.point || (a.point == b.point && a.arrival < b.arrival);
  }
  [[nodiscard]] constexpr auto first_waiting() const noexcept -> std::size_t {
    std::size_t best = 0;
    for (std::size_t i = 1; i < waiting_count_; ++i) { best = before(waiting_[i], waiting_[best]) ? i : best; }
    return best;
  }
  [[nodiscard]] constexpr auto last_running() const noexcept -> std::size_t {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < running_count_; ++i) { worst = before(running_[worst], running_[i]) ? i : worst; }
    return worst;
  }
  [[nodiscard]] constexpr auto free_unit() const noexcept -> std::int32_t {
    return least_free_unit(running_count_, [this](std::size_t i) { return running_[i].unit; });
  }
  constexpr void start(std::size_t at, std::int32_t unit, ticks now) noexcept {
    request& r = running_[running_count_++];
    r = waiting_[at];
    r.unit = unit;
    r.since = now;
    waiting_[at] = waiting_[--waiting_count_];
  }

  std::int32_t units_ = 1;
  std::uint64_t arrivals_ = 0;
  std::size_t waiting_count_ = 0;
  std::size_t running_count_ = 0;
  request waiting_[Capacity]{};
  request running_[Capacity]{};
};

}  // namespace takt::inline v0
