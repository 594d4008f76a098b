// SPDX-License-Identifier: Apache-2.0
// The engine of composed boards and, where jobs are preempted, the simulator of locks see the same on clusters, job by
// job.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/rules/clusters.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/simulation/locking/simulate_locks.hpp>
#include "property/composed_systems.hpp"

namespace {

using composed_systems::draws;
using takt::ticks;

constexpr std::size_t tasks = 6;
constexpr ticks horizon = 400;
using table = takt::visit_table<tasks, tasks>;
using board = takt::any_stations<2, tasks>;

struct independent_tasks {
  table set{};
  board places{};
  std::int32_t clusters = 1;
  std::int32_t processors = 1;  ///< of each
  bool preemptive = true;
  std::array<std::vector<ticks>, tasks> releases{};
};

/// Tasks of one visit each that always take their time, on one or two clusters of one to four processors.
auto random_tasks(std::uint64_t seed) -> independent_tasks {
  draws d{seed};
  independent_tasks out;
  out.clusters = static_cast<std::int32_t>(d.between(1, 2));
  out.processors = static_cast<std::int32_t>(d.between(1, 4));
  const std::array<takt::any_rule<tasks>, 8> rules{takt::fixed_priority,
                                                   takt::clustered(takt::edf, 2),
                                                   takt::g_edf,
                                                   takt::g_fl,
                                                   takt::g_fifo,
                                                   takt::nonpreemptive(takt::fixed_priority),
                                                   takt::nonpreemptive(takt::g_edf),
                                                   takt::nonpreemptive(takt::g_fl)};
  const auto chosen = static_cast<std::size_t>(d.between(0, 7));
  out.preemptive = chosen < 5;
  for (std::int32_t c = 0; c < out.clusters; ++c) { REQUIRE(out.places.add(rules[chosen], out.processors)); }
  const ticks count = d.between(2, tasks);
  for (ticks i = 0; i < count; ++i) {
    const ticks time = d.between(1, 9);
    const ticks period = time + d.between(1, 14);
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = d.between(time, period),
                              .priority = static_cast<std::int32_t>(d.between(0, 3))}));
    REQUIRE(out.set.add_next(static_cast<std::uint32_t>(d.between(0, out.clusters - 1)), time, time));
    auto& releases = out.releases[static_cast<std::size_t>(i)];
    for (ticks at = d.between(0, 10); at <= horizon; at += period + (d.one_in(4) ? d.between(1, 9) : 0)) {
      releases.push_back(at);
    }
  }
  return out;
}

struct as_released {
  const independent_tasks* of;

  auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    const auto& at = of->releases[task];
    if (job >= at.size()) { return horizon + 1; }
    return job == 0 ? at[0] : at[job] - at[job - 1];
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
};

using finishes = std::array<std::vector<ticks>, tasks>;

/// When jobs end: a task has one visit, whose slices add up to its time.
auto by_engine(const independent_tasks& s) -> finishes {
  struct ends {
    const table* set;
    finishes at{};
    std::array<ticks, tasks> served{};
  } heard{&s.set, {}, {}};
  const takt::slice_sink sink{&heard, [](void* context, takt::client who, std::int32_t, ticks from, ticks to) {
                                auto& h = *static_cast<ends*>(context);
                                h.served[who] += to - from;
                                if (h.served[who] == h.set->visits[who].upper) {
                                  h.at[who].push_back(to);
                                  h.served[who] = 0;
                                }
                              }};
  as_released choices{&s};
  takt::host::engine<board, tasks, tasks, as_released> engine{s.set, s.places, choices};
  static_cast<void>(engine.run(horizon, sink));
  return heard.at;
}

auto by_lock_simulator(const independent_tasks& s) -> finishes {
  takt::simulation::lock_workload work;
  for (std::uint32_t i = 0; i < s.set.size(); ++i) {
    const auto& t = s.set.tasks[i];
    const auto& v = s.set.visit(i, 0);
    work.task(static_cast<std::int32_t>(v.station));
    work.execute(v.upper);
    for (const ticks release : s.releases[i]) {
      takt::priority_point point;
      const takt::job_timing timing{v.upper, t.period, t.deadline, static_cast<std::int32_t>(i), t.priority};
      REQUIRE(s.places.point(v.station, timing, release, point));
      work.released(release, point);
    }
  }
  takt::simulation::lock_bank<takt::fifo_mutex<tasks>> no_locks;
  const auto seen = takt::simulation::simulate_locks(
      work, no_locks, {.processors = s.processors, .clusters = s.clusters, .until = horizon});
  REQUIRE_FALSE(seen.error);
  finishes out;
  for (std::size_t i = 0; i < s.set.size(); ++i) {
    const auto& t = work.tasks()[i];
    for (std::size_t j = t.first_job; j < t.first_job + t.job_count; ++j) {
      const ticks at = seen.jobs[j].finish;
      if (at != takt::no_instant && at <= horizon) { out[i].push_back(at); }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the engine and the simulator of locks end every job of independent tasks on clusters at the same instant") {
  std::uint64_t differing = 0;
  std::uint64_t jobs = 0;
  for (std::uint64_t seed = 1; seed <= composed_systems::systems_or(20'000); ++seed) {
    const auto s = random_tasks(seed);
    const auto ours = by_engine(s);
    // That simulator fills a processor that becomes free before it looks at releases of the same instant.
    differing += s.preemptive && ours != by_lock_simulator(s) ? 1U : 0U;
    for (const auto& of_task : ours) { jobs += of_task.size(); }
  }
  MESSAGE(jobs << " jobs");
  CHECK(differing == 0);
}
