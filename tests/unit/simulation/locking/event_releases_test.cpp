// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/simulation/locking/simulate_locks.hpp>
#include <takt/simulation/trace.hpp>

namespace {

namespace simulation = takt::simulation;
using simulation::event_release;
using simulation::inserted_operations;
using takt::model_error;
using takt::model_fault;
using takt::request_id;
using takt::ticks;
using bank = simulation::lock_bank<takt::fifo_mutex<4>>;

/// The first job of task 0 at instant 2; then each end releases a job of the other task `gap` later.
struct ping_pong {
  ticks gap = 0;
  ticks longer = 0;  ///< what every job runs in front of its program

  static void granted(const simulation::lock_event& /*e*/, inserted_operations& /*front*/) {}
  static void releasing(const simulation::lock_event& /*e*/) {}
  static void started(std::vector<event_release>& out) { out.push_back({0, {2, {0, 0}}}); }
  void began(request_id /*t*/, std::size_t /*job*/, inserted_operations& front) const {
    if (longer > 0) { front.push_back({.time = longer}); }
  }
  void completed(request_id t, std::size_t /*job*/, ticks now, std::vector<event_release>& out) const {
    if (now < 20) { out.push_back({1 - t, {now + gap, {now, 1 - t}}}); }
  }
};
static_assert(simulation::ReleaseHooks<ping_pong> && !simulation::ReleaseHooks<simulation::no_lock_hooks>);

[[nodiscard]] auto two_tasks() -> simulation::lock_workload {
  simulation::lock_workload w;
  w.task().execute(3).released_by_events(3).task().execute(4).released_by_events(3);
  return w;
}
[[nodiscard]] auto run(const simulation::lock_workload& w, ping_pong hooks, simulation::lock_simulation_options o = {})
    -> simulation::lock_result {
  bank locks;
  takt::no_trace unheard;
  return simulate_locks(w, locks, o, unheard, hooks);
}
[[nodiscard]] auto finishes(const simulation::lock_result& r) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const auto& j : r.jobs) { out.push_back(j.finish); }
  return out;
}
constexpr ticks none = takt::no_instant;

TEST_CASE("lock simulator: ends of jobs release jobs, at once or later, and what nobody releases has no finish") {
  CHECK(finishes(run(two_tasks(), {})) == std::vector<ticks>{5, 12, 19, 9, 16, 23});
  CHECK(finishes(run(two_tasks(), {.gap = 5})) == std::vector<ticks>{5, 22, none, 14, none, none});
  CHECK(finishes(run(two_tasks(), {.gap = 1, .longer = 2})) == std::vector<ticks>{7, 20, none, 14, none, none});
}

TEST_CASE("lock simulator: jobs that events release in the past are pending at once, in the order of their task") {
  struct hooks : simulation::no_lock_hooks {
    static void started(std::vector<event_release>& out) { out.push_back({0, {10, {0, 0}}}); }
    static void began(request_id /*t*/, std::size_t /*job*/, inserted_operations& /*front*/) {}
    static void completed(request_id t, std::size_t /*job*/, ticks now, std::vector<event_release>& out) {
      if (t == 0) { out = {{1, {now - 4, {1, 1}}}, {1, {now + 9, {1, 1}}}, {1, {now - 1, {1, 1}}}}; }
    }
  } events;
  simulation::lock_workload w;
  w.task().execute(3).released_by_events(1).task().execute(4).released_by_events(4);
  bank locks;
  takt::no_trace unheard;
  const auto r = simulate_locks(w, locks, {}, unheard, events);
  CHECK(finishes(r) == std::vector<ticks>{13, 17, 26, 30, none});
}

TEST_CASE("lock simulator: an event that releases what is not there stops the run") {
  simulation::lock_workload few;
  few.task().execute(3).released_by_events(1).task().execute(4).released_by_events(1);
  CHECK(run(few, {}).error == model_error{model_fault::unexpected_release, 0, 0});
  CHECK(run(two_tasks(), {.gap = -100}).error.fault == model_fault::unexpected_release);
  CHECK(run(two_tasks(), {.gap = simulation::never}).error.fault == model_fault::unexpected_release);
  simulation::lock_workload timed_after;
  timed_after.task().execute(1).released_by_events(1).released(3, {});
  CHECK(run(timed_after, {}).error.fault == model_fault::releases_descend);
}

TEST_CASE("lock simulator: timed jobs may come before those that events release") {
  simulation::lock_workload w;
  w.task().execute(3).released(1, {0, 0}).released_by_events(1).task().execute(4).released_by_events(1);
  struct hooks : simulation::no_lock_hooks {
    static void started(std::vector<event_release>& out) { out.push_back({1, {0, {5, 1}}}); }
    static void began(request_id /*t*/, std::size_t /*job*/, inserted_operations& /*front*/) {}
    static void completed(request_id t, std::size_t /*job*/, ticks now, std::vector<event_release>& out) {
      if (t == 1) { out.push_back({0, {now, {9, 0}}}); }
    }
  } events;
  bank locks;
  takt::no_trace unheard;
  CHECK(finishes(simulate_locks(w, locks, {}, unheard, events)) == std::vector<ticks>{4, 10, 7});
}

TEST_CASE("lock simulator: a run ends where it is told to, with all that is under way unfinished") {
  const auto r = run(two_tasks(), {}, {.until = 12});
  CHECK(finishes(r) == std::vector<ticks>{5, 12, none, 9, none, none});
  CHECK(r.end == 12);
}

TEST_CASE("lock simulator: slices are round robin, and a job that suspends itself keeps its place and its rest") {
  simulation::lock_workload w;
  w.task().execute(5).released(0, {0, 0}).task().execute(1).suspend(1).execute(3).released(0, {0, 1});
  w.task().execute(2).released(3, {3, 2});
  bank locks;
  takt::trace seen;
  simulation::no_lock_hooks alone;
  const auto r = simulate_locks(w, locks, {.slice = 2}, seen, alone);
  // 0: [0, 2], 1: [2, 3], 0 while 1 is away: [3, 4], 1 has a unit left: [4, 5], 0: [5, 6], 2: [6, 8], then 1 and 0.
  std::vector<std::vector<ticks>> slices;
  for (const auto& s : seen.slices()) { slices.push_back({s.task, s.start, s.end}); }
  CHECK(slices == std::vector<std::vector<ticks>>{
                      {0, 0, 2}, {1, 2, 3}, {0, 3, 4}, {1, 4, 5}, {0, 5, 6}, {2, 6, 8}, {1, 8, 10}, {0, 10, 11}});
  CHECK(finishes(r) == std::vector<ticks>{11, 10, 8});
}

}  // namespace
