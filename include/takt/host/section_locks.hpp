// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <takt/core/index_queue.hpp>
#include <takt/core/number.hpp>
#include <takt/host/job_points.hpp>
#include <takt/host/release_donations.hpp>
#include <takt/host/section_states.hpp>
#include <takt/host/served_visits.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/local_sections.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

inline constexpr std::uint32_t nobody_asks = 0xFFFF'FFFF;
/// The pool of a section that a job goes without.
inline constexpr std::uint32_t no_pool = 0xFFFF'FFFF;

/// Holds what sections hold and wait for, and what jobs pass on from section to section where they nest: the locks over
/// tokens, donation where a lock needs it, and the points of visits. It knows no time but releases. Locks may have
/// members besides: `pool_of(section)`, asked when a section begins, `boosted(pool, section)` of a holder, with
/// `boosts(pool)` where any may be, and `spins(pool)`, true where a job that waits keeps its processor.
template <class Stations, std::size_t N, std::size_t V>
class section_locks {
 public:
  using table_type = visit_table<N, V>;

  constexpr section_locks(const table_type& table, const Stations& stations)
      : table_{&table},
        stations_{&stations},
        locks_{stations.template locks<V>()},
        sections_{table},
        points_{table, stations},
        donations_{table, stations, points_} {
    if (table.sections.empty()) { return; }
    for (std::size_t t = 0; t < stations.token_pools(); ++t) {
      if constexpr (requires { locks_.spins(t); }) { some_spin_ = some_spin_ || locks_.spins(t); }
      if constexpr (requires { locks_.boosts(t); }) { some_raise_ = some_raise_ || locks_.boosts(t); }
      some_raise_ = some_raise_ || stations.token_has_ceiling(t);
      some_inherit_ = some_inherit_ || stations.token_inherits(t);
      lends_ = lends_ || stations.token_donates(t) || some_inherit_ || some_raise_;
    }
    for (std::uint32_t s = 0; s < table.sections.size(); ++s) {
      ceiling_[s] = takt::detail::ceiling_of(table, stations, s);
    }
  }

  // Jobs.

  /// Returns true when the job lends its priority and does nothing until it is freed.
  constexpr auto released(std::uint32_t i, ticks nominal) -> bool {
    if (table_->sections.empty()) { return false; }
    if (donations_.donates()) { stirred_ = detail::every_pool; }
    const priority_point& own = points_.released(i, nominal);
    return donations_.takes_part(i) && donations_.released(i, own);
  }
  /// Pre: the job lends nothing and its sections are over.
  constexpr void completed(std::uint32_t i) {
    TAKT_EXPECTS(sections_.holding(i) == 0 && sections_.waiting(i) == 0);
    if (!donations_.takes_part(i)) { return; }
    stirred_ = detail::every_pool;
    donations_.completed(i);
  }
  /// Returns a job that has its priority back, only once for each; `nobody_asks` if there is none.
  [[nodiscard]] constexpr auto next_freed() -> std::uint32_t { return donations_.next_freed(nobody_asks); }

  /// Returns false while a section that begins behind the visit may not ask for its token.
  [[nodiscard]] constexpr auto may_go_on(std::uint32_t v) const -> bool {
    return !donations_.donates() || may_begin_behind(table_->visits[v]);
  }

  [[nodiscard]] constexpr auto sections_of(std::uint32_t task) const noexcept { return sections_.of(task); }
  [[nodiscard]] constexpr auto holds(std::size_t s) const noexcept -> bool { return sections_.holds(s); }
  [[nodiscard]] constexpr auto is_idle(std::size_t s) const noexcept -> bool { return sections_.is_idle(s); }
  /// Pre: it is idle.
  constexpr void ask(std::uint32_t s) {
    TAKT_EXPECTS(is_idle(s));
    sections_.ask(s);
    asked_.push(s);
  }
  /// Pre: it holds a token.
  constexpr void release(std::uint32_t s) {
    TAKT_EXPECTS(holds(s));
    const visit_section& x = table_->sections[s];
    const std::uint32_t pool = sections_.pool(s);
    stir(s);
    sections_.release(s);
    const request_id next = locks_.release(pool, static_cast<request_id>(s));
    if (donates(s) && !has_request(x.task)) { donations_.request_completed(x.task); }
    note_grant(next);
    find_inheritors(s);
  }
  /// Returns false for a section that a job goes without.
  [[nodiscard]] constexpr auto is_needed(std::uint32_t s) const -> bool {
    if constexpr (requires { locks_.pool_of(std::uint32_t{}); }) { return locks_.pool_of(s) != no_pool; }
    return true;
  }
  /// Returns whether the job of a task has asked for a token that it has not got.
  [[nodiscard]] constexpr auto waits(std::uint32_t i) const noexcept -> bool { return sections_.waiting(i) > 0; }
  [[nodiscard]] constexpr auto asks(std::uint32_t i) const noexcept -> bool { return sections_.asking(i) > 0; }
  /// Returns whether it holds any.
  [[nodiscard]] constexpr auto holds_some(std::uint32_t i) const noexcept -> bool { return sections_.holding(i) > 0; }
  /// Returns the job's own point or a better one, on whatever station the job of task i is.
  [[nodiscard]] constexpr auto effective(std::uint32_t i) const -> priority_point {
    priority_point best = lowest_priority;
    take_job(best, i, points_.assigned_station(i));
    for (std::uint32_t h = sections_.of(i).first; h < sections_.of(i).end; ++h) {
      take_raised(best, h);
      take_inheritors(best, h, points_.assigned_station(i), table_->sections.size());
    }
    return best;
  }

  // Waiting on processors.

  /// Calls f for each visit that keeps its processor from now on while it waits, only once.
  template <class F>
  constexpr void spin(const F& f) {
    if constexpr (requires { locks_.spins(std::size_t{}); }) {
      for (std::size_t k = 0; some_spin_ && k < sections_.waiting().size(); ++k) {
        const visit_section& x = table_->sections[sections_.waiting()[k]];
        const auto p = static_cast<std::uint32_t>(std::countr_zero(x.visits));
        const std::uint32_t v = table_->tasks[x.task].first_visit + p;
        if (spins_[v] || !locks_.spins(sections_.pool(sections_.waiting()[k])) ||
            waits_elsewhere(sections_.waiting()[k])) {
          continue;
        }
        spins_[v] = true;
        stirred_ = detail::every_pool;
        f(v);
      }
    }
  }
  /// Returns true, once, for a visit that no longer keeps its processor.
  [[nodiscard]] constexpr auto stops_spinning(std::uint32_t v) -> bool {
    const bool spun = spins_[v];
    spins_[v] = false;
    if (spun) {
      left(v);
      stirred_ = detail::every_pool;
    }
    return spun;
  }
  /// Returns the pool of the token that the visit got last, where it lies in several sections.
  [[nodiscard]] constexpr auto unit_of(std::uint32_t v) const -> std::int32_t {
    return sections_.latest_pool(table_->visits[v]);
  }
  /// Returns a section that holds its token from now on, only once for each; `nobody_asks` if there is none. Requests
  /// are issued in the order in which they came, behind what has been released.
  [[nodiscard]] constexpr auto next_granted() -> std::uint32_t {
    while (granted_.size() == 0) {
      std::size_t at = 0;
      while (at < asked_.size() && !may_issue(asked_[at])) { ++at; }
      if (at == asked_.size()) { return nobody_asks; }
      issue(asked_.take(at));
    }
    return granted_.take(0);
  }

  constexpr void entered(std::uint32_t v, const priority_point& p) {
    if (!table_->sections.empty() && stations_->inherits(table_->visits[v].station)) { served_.entered(v, p); }
  }
  constexpr void left(std::uint32_t v) { served_.left(v); }

  /// Tells servers at which points visits go on.
  template <class Servers>
  constexpr void lend(Servers& servers) {
    if (!lends_) { return; }
    const pool_bits about = points_.change() && have_new_points() ? detail::every_pool : reach(stirred_);
    stirred_ = 0;
    const pool_bits heard = about == 0 ? 0 : raise_waiting(about);
    const auto is_about = [&](std::uint32_t v) {
      return heard == detail::every_pool || (sections_.held(table_->visits[v].task) & heard) != 0;
    };
    served_.settle(
        heard != 0, is_about, [this](std::uint32_t v) { return best_for(v, table_->visits[v].station); },
        [&](std::uint32_t v, const priority_point& p) { servers.reprioritize(table_->visits[v].station, v, p); });
  }

 private:
  [[nodiscard]] constexpr auto donates(std::size_t s) const -> bool {
    return donations_.takes_part(table_->sections[s].task) && stations_->token_donates(table_->sections[s].tokens);
  }
  [[nodiscard]] constexpr auto has_request(std::uint32_t i) const -> bool {
    for (std::uint32_t s = sections_.of(i).first; s < sections_.of(i).end; ++s) {
      const bool open = sections_.waits(s) || sections_.holds(s);
      if (open && table_->sections[s].task == i && donates(s)) { return true; }
    }
    return false;
  }
  [[nodiscard]] constexpr auto may_begin_behind(const visit_record& x) const -> bool {
    const auto own = sections_.of(x.task);
    for (std::uint32_t s = own.first; s < own.end; ++s) {
      const visit_section& section = table_->sections[s];
      if (section.task != x.task || contains(table_->sections[s], x) || !sections_.is_idle(s) || may_issue(s)) {
        continue;
      }
      for (std::uint32_t p = x.position + 1; p < table_->tasks[x.task].visit_count; ++p) {
        const bool begins = (section.visits >> p & 1U) != 0;
        if (begins && (table_->visit(x.task, p).predecessors >> x.position & 1U) != 0) { return false; }
      }
    }
    return true;
  }
  [[nodiscard]] constexpr auto may_issue(std::uint32_t s) const -> bool {
    const visit_section& x = table_->sections[s];
    if (stations_->token_is_local(x.tokens)) { return would_run(s); }
    return !donates(s) || donations_.may_issue(x.task);
  }
  /// Returns whether no job on the processor comes before this one, among those that ask there for sections either.
  [[nodiscard]] constexpr auto would_run(std::uint32_t s) const -> bool {
    const std::uint32_t at = takt::detail::station_of(*table_, table_->sections[s]);
    const priority_point own = points_.on(*table_, table_->sections[s].task, at);
    for (std::size_t k = 0; k < served_.size(); ++k) {
      if (table_->visits[served_[k]].station == at && !(own < best_for(served_[k], at))) { return false; }
    }
    for (std::uint32_t r = 0; r < table_->sections.size(); ++r) {
      const bool asks_too = r != s && sections_.asks(r) && takt::detail::station_of(*table_, table_->sections[r]) == at;
      if (!asks_too) { continue; }
      const priority_point other = points_.on(*table_, table_->sections[r].task, at);
      if (other < own || (other == own && r < s)) { return false; }
    }
    return true;
  }
  constexpr void issue(std::uint32_t s) {
    const visit_section& x = table_->sections[s];
    lock_request q{.priority = points_.on(*table_, x.task, points_.assigned_station(x.task))};
    for (visit_mask own = x.visits; own != 0; own &= own - 1) {
      q.length += table_->visit(x.task, static_cast<std::size_t>(std::countr_zero(own))).upper;
    }
    sections_.wait(s, pool_of(s));
    told_[s] = q.priority;
    if (donates(s)) { donations_.issued(x.task); }
    note_grant(locks_.issue(sections_.pool(s), static_cast<request_id>(s), q));
    find_inheritors(s);
    stir(s);
  }
  /// Marks pools whose change of holder concerns other jobs: those for whose tokens some job waits.
  constexpr void stir(std::uint32_t s) {
    if (donations_.donates()) { stirred_ = detail::every_pool; }
    if (sections_.rivals(s) > 0 || sections_.waiting(table_->sections[s].task) > 0) {
      stirred_ |= bit_of(sections_.pool(s));
    }
  }
  constexpr void note_grant(request_id r) {
    if (r == no_request) { return; }
    const auto s = static_cast<std::uint32_t>(r);
    sections_.hold(s);
    granted_.push(s);
  }
  [[nodiscard]] constexpr auto pool_of(std::uint32_t s) const -> std::uint32_t {
    if constexpr (requires { locks_.pool_of(s); }) { return locks_.pool_of(s); }
    return table_->sections[s].tokens;
  }
  constexpr void take_better(priority_point& best, std::uint32_t task, std::uint32_t station) const {
    const priority_point p = points_.on(*table_, task, station);
    if (p < best) { best = p; }
  }
  /// The best of a job and of those that donate to it.
  constexpr void take_job(priority_point& best, std::uint32_t task, std::uint32_t station) const {
    take_better(best, task, station);
    if (!donations_.takes_part(task)) { return; }
    const request_id donor = donations_.donor_of(task);
    if (donor != no_request) { take_better(best, static_cast<std::uint32_t>(donor), station); }
  }
  /// Returns these pools and those whose holders are concerned, through jobs that hold a token of one and wait for a
  /// token of the other.
  [[nodiscard]] constexpr auto reach(pool_bits about) const -> pool_bits {
    for (pool_bits before = 0; before != about;) {
      before = about;
      for (std::size_t k = 0; k < sections_.waiting().size(); ++k) {
        const std::uint32_t s = sections_.waiting()[k];
        if ((sections_.held(table_->sections[s].task) & about) != 0) { about |= bit_of(sections_.pool(s)); }
      }
    }
    return about;
  }
  /// Returns whether those who are served have new points. One that is not served keeps its point.
  [[nodiscard]] constexpr auto have_new_points() -> bool {
    bool any = false;
    for (std::size_t k = 0; k < served_.size(); ++k) {
      const visit_record& x = table_->visits[served_[k]];
      any = served_.set_base(served_[k], points_.on(*table_, x.task, x.station)) || any;
    }
    return any;
  }
  /// Tells locks the new points of waiting jobs that the pools concern. Returns the pools whose holders are concerned.
  constexpr auto raise_waiting(pool_bits about) -> pool_bits {
    for (std::size_t k = 0; k < sections_.waiting().size(); ++k) {
      const std::uint32_t s = sections_.waiting()[k];
      if ((about & (bit_of(sections_.pool(s)) | sections_.held(table_->sections[s].task))) == 0) { continue; }
      priority_point best = lowest_priority;
      take_waiting(best, s, points_.assigned_station(table_->sections[s].task), table_->sections.size());
      if (best == told_[s]) { continue; }
      about = stirred_ = detail::every_pool;  // it may have another inheritor then
      told_[s] = best;
      locks_.reprioritize(sections_.pool(s), static_cast<request_id>(s), best);
      find_inheritors(s);
    }
    return about;
  }
  /// Its own point, or a better one of a donor, of a job that waits for the token of one of its sections, or a ceiling.
  [[nodiscard]] constexpr auto best_for(std::uint32_t v, std::uint32_t station) const -> priority_point {
    priority_point best = served_.base(v);
    const visit_record& x = table_->visits[v];
    if (donations_.donates()) { take_job(best, x.task, station); }
    const auto own = sections_.of(x.task);
    for (std::uint32_t h = own.first; holds_some(x.task) && h < own.end; ++h) {
      if (!sections_.holds(h) || !contains(table_->sections[h], x)) { continue; }
      take_raised(best, h);
      take_inheritors(best, h, station, table_->sections.size());
    }
    // Who spins above everybody goes behind all who are there and do not.
    if (spins_[v] && best.point == boosted_priority.point) { best.tie = lowest_priority.tie; }
    return best;
  }
  /// Raises `best` to what a section raises its holder to without regard to waiters: a ceiling, or above all jobs.
  constexpr void take_raised(priority_point& best, std::uint32_t h) const {
    if (!some_raise_ || !sections_.holds(h)) { return; }
    if (ceiling_[h] < best) { best = ceiling_[h]; }
    if constexpr (requires { locks_.boosted(std::size_t{}, request_id{}); }) {
      const priority_point raised{boosted_priority.point, static_cast<std::int32_t>(table_->sections[h].task)};
      if (raised < best && locks_.boosted(sections_.pool(h), static_cast<request_id>(h))) { best = raised; }
    }
  }
  /// Takes the best point of those who wait for the token of a section, and of those who wait for them. `depth` ends
  /// circles, which are deadlocks.
  constexpr void take_inheritors(priority_point& best, std::uint32_t held, std::uint32_t station,
                                 std::size_t depth) const {
    if (!some_inherit_ || !sections_.holds(held) || depth == 0 || sections_.rivals(held) == 0) { return; }
    for (std::size_t k = 0; k < sections_.waiting().size(); ++k) {
      const std::uint32_t w = sections_.waiting()[k];
      if (inheritors_[w] == held && !waits_elsewhere(w)) { take_waiting(best, w, station, depth - 1); }
    }
  }
  /// Takes the best point of a job that waits, and of those who wait for what it holds meanwhile.
  constexpr void take_waiting(priority_point& best, std::uint32_t w, std::uint32_t station, std::size_t depth) const {
    const visit_section& x = table_->sections[w];
    take_job(best, x.task, station);
    const auto own = sections_.of(x.task);
    for (std::uint32_t h = own.first; holds_some(x.task) && h < own.end; ++h) {
      const visit_section& held = table_->sections[h];
      if (!sections_.holds(h) || held.task != x.task || (x.visits & ~held.visits) != 0) { continue; }
      take_raised(best, h);
      take_inheritors(best, h, station, depth);
    }
  }
  /// Returns whether an earlier part of the same request waits: only the first that is missing passes priorities on.
  [[nodiscard]] constexpr auto waits_elsewhere(std::uint32_t w) const -> bool {
    const visit_section& x = table_->sections[w];
    for (std::uint32_t s = sections_.of(x.task).first; sections_.waiting(x.task) > 1 && s < w; ++s) {
      const visit_section& other = table_->sections[s];
      if (sections_.waits(s) && other.task == x.task && other.visits == x.visits) { return true; }
    }
    return false;
  }
  /// Something has happened to the lock that a section is about.
  constexpr void find_inheritors(std::uint32_t s) {
    const std::uint32_t pool = sections_.pool(s);
    if (!some_inherit_ || sections_.rivals(s) == 0 || !stations_->token_inherits(pool)) { return; }
    for (std::size_t k = 0; k < sections_.waiting().size(); ++k) {
      const std::uint32_t w = sections_.waiting()[k];
      if (sections_.pool(w) != pool) { continue; }
      request_id at = locks_.inheritor(pool, static_cast<request_id>(w));
      const auto holds = [this](request_id r) { return sections_.holds(static_cast<std::size_t>(r)); };
      for (std::size_t n = table_->sections.size(); n > 0 && at != no_request && !holds(at); --n) {
        at = locks_.inheritor(pool, at);
      }
      inheritors_[w] = at == no_request ? nobody_asks : static_cast<std::uint32_t>(at);
    }
  }

  const table_type* table_;
  const Stations* stations_;
  typename Stations::template locks_type<V> locks_;
  detail::section_states<N, V> sections_;
  detail::job_points<Stations, N> points_;
  detail::release_donations<Stations, N> donations_;
  bool lends_ = false;
  bool some_spin_ = false;
  bool some_raise_ = false;
  bool some_inherit_ = false;
  pool_bits stirred_ = 0;  ///< where something has happened since visits heard of their points
  bool spins_[V]{};
  priority_point told_[V]{};
  priority_point ceiling_[V]{};
  std::uint32_t inheritors_[V]{};  ///< of sections that wait, the one that holds what they wait for
  index_queue<V> asked_{};
  index_queue<V> granted_{};
  detail::served_visits<V> served_{};
};

}  // namespace takt::inline TAKT_ABI::host
