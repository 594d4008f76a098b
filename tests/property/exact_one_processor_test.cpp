// SPDX-License-Identifier: Apache-2.0
// Bounds of one processor against exact worst responses, computed as the published tests say or by running the worst
// releases, in a spelling of their own. Deadlines are the period, before it and after it.
#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include "support/draws.hpp"

namespace {

using takt::ticks;
using takt_tests::draws;
using takt_tests::systems_or;

constexpr std::size_t most_tasks = 5;
using table = takt::visit_table<most_tasks, most_tasks>;
using board = takt::any_stations<1, most_tasks>;

struct task {
  ticks time = 0;
  ticks period = 0;
  ticks deadline = 0;
};
using task_list = std::vector<task>;
/// Worst responses; none where the processor is overloaded.
using worst_list = std::optional<std::vector<ticks>>;

auto divide_up(ticks a, ticks b) -> ticks { return (a + b - 1) / b; }

/// The load beside that of one processor.
auto load_beside_one(const task_list& all) -> std::strong_ordering {
  std::int64_t product = 1;
  for (const task& t : all) { product *= t.period; }
  std::int64_t load = 0;
  for (const task& t : all) { load += product / t.period * t.time; }
  return load <=> product;
}
auto is_overloaded(const task_list& all) -> bool { return load_beside_one(all) > 0; }

/// How long the first `count` tasks keep the processor busy behind a blocker, all released at 0.
auto busy_time(const task_list& all, std::size_t count, ticks blocker) -> ticks {
  ticks now = blocker + 1;
  for (;;) {
    ticks next = blocker;
    for (std::size_t i = 0; i < count; ++i) { next += divide_up(now, all[i].period) * all[i].time; }
    if (next <= now) { return next; }
    now = next;
  }
}

/// Lehoczky 1990: every job of the busy period. The first task is the most important.
auto preemptive_priorities(const task_list& all) -> worst_list {
  if (is_overloaded(all)) { return {}; }
  std::vector<ticks> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ticks worst = 0;
    const ticks jobs = divide_up(busy_time(all, i + 1, 0), all[i].period);
    for (ticks q = 0; q < jobs; ++q) {
      ticks end = (q + 1) * all[i].time;
      for (ticks last = 0; last != end;) {
        last = end;
        end = (q + 1) * all[i].time;
        for (std::size_t k = 0; k < i; ++k) { end += divide_up(last, all[k].period) * all[k].time; }
      }
      worst = std::max(worst, end - q * all[i].period);
    }
    out.push_back(worst);
  }
  return out;
}

/// Davis, Burns, Bril and Lukkien 2007.
auto nonpreemptive_priorities(const task_list& all) -> worst_list {
  if (is_overloaded(all)) { return {}; }
  std::vector<ticks> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ticks blocker = 0;
    for (std::size_t k = i + 1; k < all.size(); ++k) { blocker = std::max(blocker, all[k].time); }
    ticks worst = 0;
    const ticks jobs = divide_up(busy_time(all, i + 1, blocker), all[i].period);
    for (ticks q = 0; q < jobs; ++q) {
      ticks start = blocker + q * all[i].time;
      for (ticks last = -1; last != start;) {
        last = start;
        start = blocker + q * all[i].time;
        for (std::size_t k = 0; k < i; ++k) { start += (last / all[k].period + 1) * all[k].time; }
      }
      worst = std::max(worst, start + all[i].time - q * all[i].period);
    }
    out.push_back(worst);
  }
  return out;
}

struct job {
  ticks release = 0;
  ticks due = 0;
  ticks left = 0;
  bool is_own = false;
};

/// Runs jobs in the order of their deadlines, those of others first among equal ones. When the last own job ends.
/// `from`: before it the processor is taken.
auto end_of_last_own(std::vector<job>& jobs, bool preempts, ticks from) -> ticks {
  std::ranges::sort(jobs, {}, &job::release);
  const auto is_later = [](const job& a, const job& b) {
    return a.due != b.due ? a.due > b.due : a.is_own != b.is_own ? a.is_own : a.release > b.release;
  };
  std::priority_queue<job, std::vector<job>, decltype(is_later)> ready{is_later};
  ticks now = from;
  ticks end = 0;
  for (std::size_t arrived = 0; arrived < jobs.size() || !ready.empty();) {
    if (ready.empty()) { now = std::max(now, jobs[arrived].release); }
    for (; arrived < jobs.size() && jobs[arrived].release <= now; ++arrived) { ready.push(jobs[arrived]); }
    job next = ready.top();
    ready.pop();
    const ticks served =
        preempts && arrived < jobs.size() ? std::min(next.left, jobs[arrived].release - now) : next.left;
    now += served;
    next.left -= served;
    if (next.left > 0) {
      ready.push(next);
    } else if (next.is_own) {
      end = now;
    }
  }
  return end;
}

/// By runs: for a job released at `at`, all others come together at 0 and as often as they may, its own task so that
/// one of its jobs is released at `at`. Of what is due later at most one job runs, which has started just before 0.
auto earliest_deadline(const task_list& all, bool preempts) -> worst_list {
  if (is_overloaded(all)) { return {}; }
  ticks longest = 0;
  for (const task& t : all) { longest = std::max(longest, t.time); }
  const ticks busy = busy_time(all, all.size(), preempts ? 0 : longest);
  std::vector<ticks> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ticks worst = 0;
    for (ticks at = 0; at < busy; ++at) {
      const ticks due = at + all[i].deadline;
      ticks blocker = 0;
      std::vector<job> jobs;
      for (std::size_t k = 0; k < all.size(); ++k) {
        const task& t = all[k];
        if (k != i && t.deadline > due) { blocker = std::max(blocker, t.time); }
        for (ticks r = k == i ? at % t.period : 0; k == i ? r <= at : r < busy && r + t.deadline <= due;
             r += t.period) {
          jobs.push_back({r, r + t.deadline, t.time, k == i});
        }
      }
      worst = std::max(worst, end_of_last_own(jobs, preempts, preempts ? 0 : blocker) - at);
    }
    out.push_back(worst);
  }
  return out;
}

/// Whether the processor may be busy for so long that running all of it takes minutes.
auto is_long_busy(const task_list& all) -> bool {
  constexpr ticks long_time = 1'000;
  ticks now = 1;
  for (ticks last = 0; last != now && now <= long_time;) {
    last = now;
    now = std::ranges::max(all, {}, &task::time).time;
    for (const task& t : all) { now += divide_up(last, t.period) * t.time; }
  }
  return now > long_time;
}

enum class deadlines : std::uint8_t { implicit, constrained, later };

auto random_tasks(draws& d, deadlines kind) -> task_list {
  task_list out;
  const ticks count = d.between(2, static_cast<ticks>(most_tasks));
  for (ticks i = 0; i < count; ++i) {
    task t;
    t.period = d.between(4, 40);
    t.time = std::min(t.period, d.between(1, std::max<ticks>(1, 3 * t.period / (2 * count))));
    switch (kind) {
      case deadlines::implicit: t.deadline = t.period; break;
      case deadlines::constrained: t.deadline = d.between(t.time, t.period); break;
      case deadlines::later: t.deadline = t.period + d.between(1, 3 * t.period); break;
    }
    out.push_back(t);
  }
  return out;
}

auto table_of(const task_list& all, bool limited) -> table {
  table out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(out.add_task({.name = "t",
                          .period = all[i].period,
                          .deadline = all[i].deadline,
                          .limited = limited,
                          .priority = static_cast<std::int32_t>(i)}));
    REQUIRE(out.add_next(0, all[i].time, all[i].time));
  }
  return out;
}

struct rule {
  std::string_view name;
  takt::any_rule<most_tasks> own;
  worst_list (*exact)(const task_list&);
  bool runs_busy_period = false;  ///< the reference runs all of it
  bool takes_full_load = true;    ///< behind a blocker, a load of exactly one never lets the processor become idle
};
const std::array<rule, 4> rules{{
    {"fixed priorities", takt::fixed_priority, preemptive_priorities},
    {"fixed priorities without preemption", takt::nonpreemptive(takt::fixed_priority), nonpreemptive_priorities},
    {"EDF", takt::edf, [](const task_list& all) { return earliest_deadline(all, true); }, true},
    {"EDF without preemption", takt::nonpreemptive(takt::edf),
     [](const task_list& all) { return earliest_deadline(all, false); }, true, false},
}};

}  // namespace

TEST_CASE("one processor is decided exactly, whatever the deadlines are") {
  const std::uint64_t systems = systems_or(60);
  for (const rule& r : rules) {
    board places;
    REQUIRE(places.add(r.own, 1));
    for (const deadlines kind : {deadlines::implicit, deadlines::constrained, deadlines::later}) {
      std::uint64_t schedulable = 0;
      std::uint64_t queueing = 0;
      std::uint64_t seed = 0;
      for (std::uint64_t tried = 0; tried < systems;) {
        draws d{++seed * 31 + static_cast<std::uint64_t>(kind)};
        const task_list all = random_tasks(d, kind);
        if (!r.takes_full_load && load_beside_one(all) == 0) { continue; }
        if (r.runs_busy_period && !is_overloaded(all) && is_long_busy(all)) { continue; }
        ++tried;
        const worst_list exact = r.exact(all);
        CAPTURE(r.name);
        CAPTURE(static_cast<int>(kind));
        CAPTURE(seed);
        bool meets = exact.has_value();
        for (std::size_t i = 0; meets && i < all.size(); ++i) { meets = (*exact)[i] <= all[i].deadline; }
        const auto verdict = takt::analysis::holistic(table_of(all, true), places);
        CHECK(verdict.schedulable() == meets);
        schedulable += meets ? 1U : 0U;
        // Without deadlines to meet there are bounds of all that is not overloaded.
        const auto bounds = takt::analysis::holistic(table_of(all, false), places);
        CHECK(bounds.schedulable() == exact.has_value());
        for (std::size_t i = 0; bounds.schedulable() && exact && i < all.size(); ++i) {
          CHECK(bounds.tasks[i].bound.value == (*exact)[i]);
          queueing += (*exact)[i] > all[i].period ? 1U : 0U;
        }
      }
      CHECK(schedulable > systems / 20);
      if (kind == deadlines::later) { CHECK(queueing > systems / 20); }
    }
  }
}
