// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/index_set.hpp>
#include <takt/core/number.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/host/standstill.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// Says how far the jobs of a task are in a run.
struct flow_progress {
  std::uint64_t jobs = 0;    ///< that were started
  ticks nominal = 0;         ///< release of the job under way, or of the next
  ticks release = no_event;  ///< of the next job, if none is under way
  visit_mask done = 0;
  visit_mask may_be_ready = 0;  ///< visits that nobody has looked at since a predecessor ended
  bool under_way = false;
  bool is_pending = false;  ///< or under way: released, and the job before is over
  bool lends = false;
  bool waited = false;  ///< the job under way began after its release, when the one before had ended
  bool missed = false;  ///< its deadline has passed, and somebody has heard of it

  constexpr void start(visit_mask first) noexcept {
    under_way = true;
    missed = false;
    done = 0;
    may_be_ready = first;
    ++jobs;
  }
};

/// Says how far a visit is in the job under way.
struct visit_progress {
  ticks ready = 0;
  ticks length = 0;
  bool waits_for_token = false;
};

/// Returns the first of some instants.
template <class... Times>
[[nodiscard]] constexpr auto first_of(ticks first, Times... others) -> ticks {
  ((first = others < first ? others : first), ...);
  return first;
}

namespace detail {

/// Returns the first jobs of all tasks.
template <class Tasks, class Choices>
constexpr void set_first_releases(const Tasks& all, flow_progress* progress, Choices& choices) {
  if constexpr (TimesJobs<Choices>) {
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      progress[i].nominal = choices.gap(i, 0, all[i].period);
      progress[i].release = progress[i].nominal + choices.delay(i, 0, all[i].period);
    }
  }
}

}  // namespace detail

/// Returns when the next job comes; `no_event` if none does before another one ends.
template <class Tasks>
[[nodiscard]] constexpr auto first_release(const Tasks& all, const flow_progress* progress) -> ticks {
  ticks first = no_event;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!progress[i].under_way && progress[i].release < first) { first = progress[i].release; }
  }
  return first;
}

namespace detail {

/// Counts the jobs that are under way at the end of a run, those that wait behind them, and those whose deadline has
/// passed before their late release. What is released at the end itself and not done there is no job of the run.
template <class Tasks, class Choices, class Result>
constexpr void note_unfinished(const Tasks& all, const flow_progress* progress, Choices& choices, ticks horizon,
                               Result& seen) {
  seen.end = horizon;
  if constexpr (TimesJobs<Choices>) {
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const auto& t = all[i];
      ticks nominal = progress[i].nominal;
      const bool under_way = progress[i].under_way;
      const bool is_held = !under_way && progress[i].release < horizon;  // while all stood still
      bool released = under_way || is_held;
      std::uint64_t job = progress[i].jobs - (under_way ? 1U : 0U);
      seen.tasks[i].released += is_held ? 1U : 0U;
      if (under_way && progress[i].release == horizon && !progress[i].waited) {
        --seen.tasks[i].released;
        released = false;
      }
      const auto is_past = [&] { return t.limited && nominal + t.deadline <= horizon; };
      while (released || is_past()) {
        const bool noted = job + 1 == progress[i].jobs && progress[i].missed;
        if (is_past() && !noted) { note_miss(seen.tasks[i], nominal + t.deadline); }
        nominal = next_nominal(choices, i, ++job, t.period, nominal, horizon, seen.tasks[i]);
        released = released && nominal + choices.delay(i, job, t.period) < horizon;
        seen.tasks[i].released += released ? 1U : 0U;
      }
    }
  }
}

}  // namespace detail

/// Holds visits that end together, where some take a unit for no time. Time goes before steps, steps before starts, and
/// the first in the table goes first. A visit that does not end is served again.
template <std::size_t V>
class ended_visits {
 public:
  constexpr void insert(std::uint32_t v) noexcept { all_.insert(v); }

  /// Calls serve(v) for those that need their units again, and complete(v) for all others.
  template <class Visits, class Locks, class Serve, class Complete>
  constexpr void settle(const Visits& visits, visit_progress* progress, const Locks& locks, const Serve& serve,
                        const Complete& complete) {
    const auto need_of = [&](std::uint32_t v) { return progress[v].length > 0 ? unit_need::time : visits[v].need; };
    unit_need first = unit_need::start;
    for (std::size_t k = 0; k < all_.size(); ++k) { first = need_of(all_[k]) < first ? need_of(all_[k]) : first; }
    bool stepped = false;
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const std::uint32_t v = all_[k];
      const bool waits = first == unit_need::step && (stepped || !locks.may_go_on(v));
      if (need_of(v) != first || waits) {
        serve(v);
        continue;
      }
      stepped = true;
      if (first == unit_need::time && visits[v].need != first) {
        progress[v].length = 0;
        serve(v);
      } else {
        complete(v);
      }
    }
    all_.clear();
  }

 private:
  index_set<V> all_{};
};

}  // namespace takt::inline TAKT_ABI::host
