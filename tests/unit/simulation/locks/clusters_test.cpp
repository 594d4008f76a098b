// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/simulation/trace.hpp>

#include "support/traces.hpp"
#include "unit/simulation/locks/fixtures.hpp"

using namespace locking_fixtures;
using takt::job_timing;
using takt::priority_point;

namespace {

using instants = std::vector<ticks>;
using simulator = takt_tests::lock_run<bank>;

/// A task set without locks on four processors: task i in cluster i mod `clusters`.
template <takt::JobPriority Policy>
auto independent_tasks(const std::vector<job_timing>& tasks, const Policy& policy, std::int32_t clusters, ticks horizon)
    -> lock_programs {
  lock_programs w;
  for (const job_timing& t : tasks) {
    w.task(t.task % clusters).execute(t.wcet);
    for (ticks release = 0; release < horizon; release += t.period) {
      priority_point p;
      REQUIRE(policy.point(t, release, p));
      w.released(release, p);
    }
  }
  return w;
}
auto random_tasks(std::uint64_t seed, std::size_t count) -> std::vector<job_timing> {
  takt::random_stream random{seed};
  std::vector<job_timing> out;
  for (std::size_t i = 0; i < count; ++i) {
    const ticks period = random.between(5, 30);
    out.push_back({.wcet = random.between(1, period),
                   .period = period,
                   .deadline = random.between(1, 2 * period),
                   .task = static_cast<std::int32_t>(i)});
  }
  return out;
}

/// Checks at every instant that each cluster runs its most important unfinished jobs, from the trace alone.
void check_schedule(const lock_programs& w, const lock_options& options) {
  takt::trace trace;
  bank none;
  const auto r = simulate_locks(w, none, options, trace);
  const auto ranges = takt_tests::job_ranges(w);
  instants releases;
  std::vector<priority_point> priorities;
  for (const auto& task : w.tasks) {
    for (const auto& job : task.jobs) {
      releases.push_back(job.release);
      priorities.push_back(job.priority);
    }
  }
  std::set<ticks> instants_seen;
  for (const auto& s : trace.slices()) { instants_seen.insert(s.start); }
  for (const ticks now : instants_seen) {
    for (std::int32_t c = 0; c < options.clusters; ++c) {
      std::set<std::size_t> running;
      std::vector<std::size_t> unfinished;
      for (std::size_t t = 0; t < w.tasks.size(); ++t) {
        if (w.tasks[t].cluster != c) { continue; }
        for (std::size_t j = ranges[t].first_job; j < ranges[t].first_job + ranges[t].job_count; ++j) {
          const bool first = j == ranges[t].first_job || r.jobs[j - 1].finish <= now;
          if (releases[j] <= now && r.jobs[j].finish > now && first) { unfinished.push_back(j); }
        }
      }
      for (const auto& s : trace.slices()) {
        const auto first = options.processors * c;
        const bool here = s.where.index >= first && s.where.index < first + options.processors;
        if (s.start <= now && now < s.end && here) { running.insert(ranges[s.task].first_job + s.job); }
      }
      std::ranges::sort(unfinished, {}, [&](std::size_t j) { return priorities[j]; });
      unfinished.resize(std::min(unfinished.size(), static_cast<std::size_t>(options.processors)));
      CHECK(running == std::set<std::size_t>(unfinished.begin(), unfinished.end()));
    }
  }
}

}  // namespace

TEST_CASE("partitioned, clustered and global processors share exactly the jobs of their cluster" *
          takt_tests::traces("GSD-08")) {
  // Four jobs, the first two long: each pair of partitions runs one after the other what a cluster runs side by side.
  const auto workload = [](std::int32_t clusters) {
    lock_programs w;
    for (std::int32_t i = 0; i < 4; ++i) { w.task(i % clusters).execute(i == 0 || i == 2 ? 10 : 1).released(0, {i}); }
    return w;
  };
  bank none;
  CHECK(finishes_of(simulate_locks(workload(2), none, {.processors = 1, .clusters = 2})) == instants{10, 1, 20, 2});
  CHECK(finishes_of(simulate_locks(workload(1), none, {.processors = 2, .clusters = 1})) == instants{10, 1, 11, 11});
  CHECK(finishes_of(simulate_locks(workload(2), none, {.processors = 2, .clusters = 2})) == instants{10, 1, 10, 1});
  CHECK(finishes_of(simulate_locks(workload(1), none, {.processors = 4, .clusters = 1})) == instants{10, 1, 10, 1});
}

TEST_CASE("every cluster shape runs the most important jobs of each policy at every instant" *
          takt_tests::traces("GSD-08 GSD-10")) {
  constexpr ticks horizon = 120;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto tasks = random_tasks(seed, 10);
    for (const std::int32_t processors : {1, 2, 4}) {
      const lock_options options{.processors = processors, .clusters = 4 / processors};
      check_schedule(independent_tasks(tasks, takt::by_period{}, options.clusters, horizon), options);
      check_schedule(independent_tasks(tasks, takt::by_relative_deadline{}, options.clusters, horizon), options);
      check_schedule(independent_tasks(tasks, takt::by_absolute_deadline{}, options.clusters, horizon), options);
      check_schedule(independent_tasks(tasks, takt::by_fair_lateness{processors}, options.clusters, horizon), options);
    }
  }
}

TEST_CASE("a job is ready, scheduled, suspended, waiting or a donor, and absent before and after" *
          takt_tests::traces("GSD-09")) {
  bank b = bank_with(ck_omlp{1});
  lock_programs w;
  w.task().execute(2).lock(0).suspend(2).execute(4).unlock(0).released(1, {2});
  w.task().execute(3).lock(0).execute(1).unlock(0).execute(9).released(5, {1});
  w.task().execute(2).lock(0).execute(1).unlock(0).execute(9).released(1, {3});
  takt::null_recorder null_sink;
  simulator s{w, b, {.donation_at_release = true}, null_sink};
  using states = std::array<job_state, 3>;
  const auto at = [&](ticks t) {
    s.run_until(t);
    return states{s.state_of(0), s.state_of(1), s.state_of(2)};
  };
  CHECK(at(0) == states{job_state::absent, job_state::absent, job_state::absent});
  CHECK(at(1) == states{job_state::scheduled, job_state::absent, job_state::ready});
  CHECK(at(3) == states{job_state::suspended, job_state::absent, job_state::scheduled});
  CHECK(at(5) == states{job_state::scheduled, job_state::donor, job_state::gated});
  CHECK(at(9) == states{job_state::ready, job_state::scheduled, job_state::gated});
  CHECK(s.run().jobs[1].finish == 22);

  bank queue = bank_with(fifo_mutex{});
  lock_programs two;
  two.task().lock(0).suspend(5).unlock(0).released(0, {1});
  two.task().lock(0).suspend(5).unlock(0).released(1, {2});
  simulator waiting{two, queue, {}, null_sink};
  waiting.run_until(1);
  CHECK(waiting.state_of(1) == job_state::waiting);
  waiting.run_until(5);
  CHECK(waiting.state_of(0) == job_state::absent);
  CHECK(waiting.state_of(1) == job_state::suspended);
}

TEST_CASE("a job that cannot be preempted keeps its processor until that part of its program ends" *
          takt_tests::traces("GSD-09")) {
  // A part that cannot be preempted is a section with a lock of its own, whose holder comes before everybody.
  const auto alone = [] { return mutex_with(takt::boost_when_granted{}); };
  lock_programs w;
  w.task().execute(2).lock(0).execute(6).unlock(0).execute(2).released(0, {2});
  w.task().execute(3).released(4, {1});
  bank b = alone();
  const auto r = simulate_locks(w, b);
  CHECK(finishes_of(r) == instants{13, 11});
  CHECK(r.jobs[1].inversion.ready == 4);

  // Before it runs it has no claim.
  lock_programs late;
  late.task().lock(0).execute(6).unlock(0).released(0, {2});
  late.task().execute(3).released(0, {1});
  b = alone();
  CHECK(finishes_of(simulate_locks(late, b)) == instants{9, 3});
}

TEST_CASE("a job that is preempted in the instant of its end notes it when it runs again") {
  bank none;
  lock_programs woken;
  woken.task().execute(1).suspend(4).execute(3).released(0, {1});
  woken.task().execute(4).released(0, {2});
  CHECK(finishes_of(simulate_locks(woken, none)) == instants{8, 8});
}

TEST_CASE("a job is pending only when the job before it has ended") {
  bank none;
  lock_programs w;
  w.task().execute(7).released(0, {1}).released(5, {2}).released(20, {3});
  w.task().execute(4).released(0, {4});
  const auto r = simulate_locks(w, none, {.processors = 2});
  CHECK(finishes_of(r) == instants{7, 14, 27, 4});
  CHECK(r.jobs[1].inversion.aware == 0);

  // A release at the very completion of the job before is not lost.
  lock_programs touching;
  touching.task().execute(5).released(0, {1}).released(5, {1});
  CHECK(finishes_of(simulate_locks(touching, none)) == instants{5, 10});
}

TEST_CASE("points of all policies, with the task as tie-break" * takt_tests::traces("GSD-10")) {
  const job_timing a{.wcet = 4, .period = 10, .deadline = 8, .task = 0};
  const job_timing b{.wcet = 1, .period = 10, .deadline = 6, .task = 1};
  const auto point = [](const auto& policy, const job_timing& t, ticks release) {
    priority_point p;
    CHECK(policy.point(t, release, p));
    return p;
  };
  CHECK(point(takt::by_period{}, a, 70) == priority_point{10, 0});
  CHECK(point(takt::by_period{}, a, 70) < point(takt::by_period{}, b, 0));
  CHECK(point(takt::by_relative_deadline{}, b, 70) < point(takt::by_relative_deadline{}, a, 0));
  CHECK(point(takt::by_absolute_deadline{}, a, 3) == priority_point{11, 0});
  CHECK(point(takt::by_absolute_deadline{}, a, 3) < point(takt::by_absolute_deadline{}, b, 5));
  CHECK(point(takt::by_absolute_deadline{}, b, 5) < point(takt::by_absolute_deadline{}, a, 4));
  // Y = 3 + 8 - 3/4 * 4 = 8 and 2 + 6 - 3/4 = 29/4, both four times as large.
  CHECK(point(takt::by_fair_lateness{4}, a, 3) == priority_point{32, 0});
  CHECK(point(takt::by_fair_lateness{4}, b, 2) == priority_point{29, 1});
  CHECK(point(takt::by_fair_lateness{1}, a, 3) == point(takt::by_absolute_deadline{}, a, 3));
  CHECK(point(takt::by_fair_lateness{2}, {.wcet = 10, .period = 10, .deadline = 3, .task = 7}, 0) ==
        priority_point{-4, 7});

  constexpr ticks most = std::numeric_limits<ticks>::max();
  priority_point kept{1, 2};
  CHECK_FALSE(takt::by_absolute_deadline::point({.deadline = most}, 1, kept));
  CHECK_FALSE(takt::by_fair_lateness{2}.point({.deadline = most / 2 + 1}, 0, kept));
  CHECK_FALSE(takt::by_fair_lateness{3}.point({.wcet = most / 2 + 1, .deadline = 1}, 0, kept));
  CHECK(kept == priority_point{1, 2});
}

TEST_CASE("the scaled fair-lateness points order jobs as the exact fractions do" * takt_tests::traces("GSD-10")) {
  takt::random_stream random{5};
  for (int i = 0; i < 2000; ++i) {
    const auto processors = static_cast<std::int32_t>(random.between(1, 8));
    const takt::by_fair_lateness policy{processors};
    std::array<job_timing, 2> t{};
    std::array<ticks, 2> release{};
    std::array<priority_point, 2> p{};
    for (std::size_t j = 0; j < 2; ++j) {
      t[j] = {.wcet = random.between(1, 20), .period = 50, .deadline = random.between(1, 40), .task = 0};
      t[j].task = static_cast<std::int32_t>(j);
      release[j] = random.between(0, 30);
      REQUIRE(policy.point(t[j], release[j], p[j]));
    }
    // Y1 < Y2  <=>  (Y1 - Y2) * c < 0, with the fraction taken apart.
    const ticks whole = (release[0] + t[0].deadline) - (release[1] + t[1].deadline);
    const ticks part = t[0].wcet - t[1].wcet;
    const ticks difference = whole * processors - part * (processors - 1);
    CHECK((p[0] < p[1]) == (difference <= 0));
  }
}
