// SPDX-License-Identifier: Apache-2.0
// The engine of composed boards and the clusters of graphs see the same on clusters, job by job.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/rules/clusters.hpp>
#include <takt/simulation/graph/cpu_cluster.hpp>
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

/// On the processors of graphs: what ends first, then releases, then who goes next.
auto by_cpu_clusters(const independent_tasks& s) -> finishes {
  using clusters = takt::simulation::cpu_cluster<ticks>;
  std::vector<clusters> all(static_cast<std::size_t>(s.clusters),
                            clusters{static_cast<std::size_t>(s.processors), s.preemptive});
  finishes out;
  std::array<bool, tasks> pending{};
  const auto next_of = [&](std::size_t i) { return out[i].size() + (pending[i] ? 1U : 0U); };
  for (ticks now = 0; now <= horizon;) {
    for (auto& c : all) {
      c.complete_due(
          now, [](std::size_t, std::size_t, ticks) {},
          [&](std::size_t i) {
            out[i].push_back(now);
            pending[i] = false;
          });
    }
    for (std::uint32_t i = 0; i < s.set.size(); ++i) {
      const auto& t = s.set.tasks[i];
      const auto& v = s.set.visit(i, 0);
      const std::size_t job = next_of(i);
      if (pending[i] || job >= s.releases[i].size() || s.releases[i][job] > now) { continue; }
      takt::priority_point point;
      const takt::job_timing timing{v.upper, t.period, t.deadline, static_cast<std::int32_t>(i), t.priority};
      REQUIRE(s.places.point(v.station, timing, s.releases[i][job], point));
      pending[i] = true;
      all[v.station].ask({{.priority = takt::rational{point.point}, .graph = i}, i, v.upper});
    }
    ticks next = horizon + 1;
    for (auto& c : all) {
      REQUIRE(c.dispatch(now, [](std::size_t, std::size_t, ticks) {}));
      ticks end = 0;
      if (c.next_end(end)) { next = std::min(next, end); }
    }
    for (std::size_t i = 0; i < s.set.size(); ++i) {
      if (!pending[i] && next_of(i) < s.releases[i].size()) { next = std::min(next, s.releases[i][next_of(i)]); }
    }
    now = next;
  }
  return out;
}

}  // namespace

TEST_CASE("the engine and the clusters of graphs end every job of independent tasks on clusters at the same instant") {
  std::uint64_t differing = 0;
  std::uint64_t jobs = 0;
  for (std::uint64_t seed = 1; seed <= composed_systems::systems_or(20'000); ++seed) {
    const auto s = random_tasks(seed);
    const auto ours = by_engine(s);
    differing += ours != by_cpu_clusters(s) ? 1U : 0U;
    for (const auto& of_task : ours) { jobs += of_task.size(); }
  }
  MESSAGE(jobs << " jobs");
  CHECK(differing == 0);
}
