// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI {

/// Equal units with one queue, the least point first and among equal points the one that came first. Where units are
/// taken back, a request in a non-preemptive region keeps its unit to the end of that. The region began one tick before
/// a more important one came: the worst instant, and legal once it has run for a tick. Of several less important ones,
/// the least important one in no region goes, or the one that leaves its region first. The simulator, the executor and
/// the exhaustive checker drive the same object. Requests arrive, `decide` follows when all of one instant have, and
/// `fire` takes what ends at the instant that `next` names.
template <bool Preemptive, std::size_t Capacity>
class unit_server {
 public:
  /// No unit is idle while a client waits, and the one that starts has the least point.
  static constexpr bool starts_least_points = true;

  constexpr unit_server() = default;
  /// Pre: units >= 1.
  constexpr explicit unit_server(std::int32_t units) noexcept : units_{units} { TAKT_EXPECTS(units >= 1); }

  /// Pre: fewer than `Capacity` are here, `v.who` is none of them, v.length >= 0.
  constexpr void arrive(const visit_request& v) noexcept {
    TAKT_EXPECTS(v.length >= 0 && waiting_count_ + running_count_ < Capacity);
    TAKT_EXPECTS_IN_TESTS(!is_here(v.who));
    // Who spins goes behind a holder that has its point from it.
    const bool spins = v.length >= spinning_time;
    const std::uint64_t late = spins ? std::uint64_t{1} << 63U : 0;
    request& r = waiting_[waiting_count_++];
    r = {v.point, arrivals_++ + late, v.length, v.who, 0, 0};
    if constexpr (Preemptive) {
      r.region = spins ? 0 : v.region;
      has_regions_ = has_regions_ || r.region > 1;
    }
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
      const std::size_t worst = has_regions_ ? last_outside_regions(best, now) : last_running();
      if (worst == Capacity) { return enter_regions(best, now); }
      if (!before(waiting_[best], running_[worst])) { break; }
      request displaced = running_[worst];
      sink(displaced.who, displaced.unit, displaced.since, now);
      displaced.left -= now - displaced.since;
      displaced.keeps_until = 0;
      const std::int32_t unit = displaced.unit;
      running_[worst] = running_[--running_count_];
      start(best, unit, now);
      waiting_[waiting_count_++] = displaced;
    }
    if (has_regions_) { leave_regions(now); }
  }

  [[nodiscard]] constexpr auto next() const noexcept -> ticks {
    ticks least = no_event;
    for (std::size_t i = 0; i < running_count_; ++i) {
      const ticks end = running_[i].since + running_[i].left;
      least = end < least ? end : least;
      const ticks kept = running_[i].keeps_until;
      least = kept > 0 && kept < least ? kept : least;
    }
    return least;
  }

  /// Returns a client that ends now, or `no_client` where only a region ends. Pre: next() == now.
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    TAKT_EXPECTS_IN_TESTS(next() == now);
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

  /// Tells each client that has a unit.
  constexpr void holders(const holder_sink& to) const {
    for (std::size_t i = 0; i < running_count_; ++i) { to(running_[i].who, running_[i].unit); }
  }
  /// Calls f(who, left, runs) for each client here; f may change what it has left.
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
    ticks region = 0;
    ticks free_from = 0;    ///< since then it runs outside of regions
    ticks keeps_until = 0;  ///< end of the region that it is in; 0: it is in none
  };

  [[nodiscard]] constexpr auto is_here(client who) const noexcept -> bool {
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      if (waiting_[i].who == who) { return true; }
    }
    for (std::size_t i = 0; i < running_count_; ++i) {
      if (running_[i].who == who) { return true; }
    }
    return false;
  }
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
  /// Returns the least important one that runs behind a waiting one and can leave its unit now. A region that ends now
  /// is over. `Capacity`: there is none.
  [[nodiscard]] constexpr auto last_outside_regions(std::size_t best, ticks now) const noexcept -> std::size_t {
    std::size_t worst = Capacity;
    for (std::size_t i = 0; i < running_count_; ++i) {
      const request& r = running_[i];
      const bool inside = r.keeps_until > 0 ? r.keeps_until > now : r.region > 1 && r.free_from < now;
      if (inside || !before(waiting_[best], r)) { continue; }
      worst = worst == Capacity || before(running_[worst], r) ? i : worst;
    }
    return worst;
  }
  /// Each client that runs behind a waiting one is in a region from one tick ago.
  constexpr void enter_regions(std::size_t best, ticks now) noexcept {
    leave_regions(now);
    for (std::size_t i = 0; i < running_count_; ++i) {
      request& r = running_[i];
      if (r.keeps_until > 0 || r.region <= 1 || r.free_from >= now || !before(waiting_[best], r)) { continue; }
      r.keeps_until = r.region == no_event ? no_event : now - 1 + r.region;
    }
  }
  constexpr void leave_regions(ticks now) noexcept {
    for (std::size_t i = 0; i < running_count_; ++i) {
      request& r = running_[i];
      if (r.keeps_until == 0 || r.keeps_until > now) { continue; }
      r.free_from = r.keeps_until;
      r.keeps_until = 0;
    }
  }
  [[nodiscard]] constexpr auto free_unit() const noexcept -> std::int32_t {
    return least_free_unit(running_count_, [this](std::size_t i) { return running_[i].unit; });
  }
  constexpr void start(std::size_t at, std::int32_t unit, ticks now) noexcept {
    request& r = running_[running_count_++];
    r = waiting_[at];
    r.unit = unit;
    r.since = now;
    r.free_from = now;
    waiting_[at] = waiting_[--waiting_count_];
  }

  std::int32_t units_ = 1;
  std::uint64_t arrivals_ = 0;
  std::size_t waiting_count_ = 0;
  std::size_t running_count_ = 0;
  bool has_regions_ = false;
  request waiting_[Capacity]{};
  request running_[Capacity]{};
};

}  // namespace takt::inline TAKT_ABI
