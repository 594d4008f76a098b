// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/systems/locked_gpus/simulation/run_system.hpp>

namespace {

namespace simulation = takt::simulation;
using takt::ticks;
using takt::host::section_engine;

/// Three tasks on two CPUs and two GPUs with one token each; a unit of state takes one tick per link.
struct example {
  takt::host::gpu_system system;
  std::vector<takt::host::task_releases> releases;

  explicit example(takt::migration_path path) {
    system.processors = 2;
    system.pools.push_back({.sharing_cpus = 2, .tokens = {.gpus = 2, .tokens_per_gpu = 1}});
    system.migration = path;
    system.distances = {0, 1, 1, 0};
    const auto in = section_engine::copy_in;
    const auto out = section_engine::copy_out;
    const auto kernel = section_engine::execution;
    add(1, {{in, 2}, {kernel, 5}, {out, 1}}, 1, 2, 16, 20);
    add(1, {{in, 1}, {kernel, 8}, {out, 1}}, 1, 3, 20, 25);
    add(2, {{in, 2}, {kernel, 6}}, 0, 1, 12, 30);
    releases[2].pop_back();
  }

  [[nodiscard]] auto run() const -> takt::host::gpu_run {
    takt::null_recorder null_sink;
    return simulation::run_gpu_system<4>(system, releases, takt::host::detail::full_work{}, {}, 1, null_sink);
  }

 private:
  void add(ticks before, std::vector<takt::host::section_step> steps, ticks after, ticks state, ticks longest,
           ticks period) {
    const bool saves = system.migration == takt::migration_path::system_memory;
    const std::vector<ticks> moved(saves ? 1 : 0, state);
    const auto number = static_cast<std::int32_t>(system.programs.size());
    system.programs.push_back({.gpu_cluster = 0,
                               .cpu_before = before,
                               .cpu_after = after,
                               .steps = std::move(steps),
                               .state_in = moved,
                               .state_out = moved,
                               .state_peer = {{}, {state}, {}, {}},
                               .longest_section = longest});
    takt::host::task_releases& jobs = releases.emplace_back();
    for (ticks r = 0; r <= 2 * period; r += period) { jobs.push_back({r, {r + period, number}}); }
  }
};

[[nodiscard]] auto finishes(const takt::host::gpu_run& run) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const auto& j : run.locks.jobs) { out.push_back(j.finish); }
  return out;
}

struct logged {
  std::size_t task;
  std::int32_t gpu;
  std::int32_t distance;
  ticks cost;

  friend auto operator==(const logged&, const logged&) -> bool = default;
};
[[nodiscard]] auto log_of(const takt::host::gpu_run& run) -> std::vector<logged> {
  std::vector<logged> out;
  for (const auto& s : run.sections) { out.push_back({s.task, s.gpu, s.distance, s.cost}); }
  return out;
}
[[nodiscard]] auto migrations(const takt::host::gpu_run& run) -> int {
  int n = 0;
  for (const auto& s : run.sections) { n += s.migrated() ? 1 : 0; }
  return n;
}

TEST_CASE("state goes through system memory after every job and back only to another GPU") {
  const auto run = example{takt::migration_path::system_memory}.run();
  CHECK(finishes(run) == std::vector<ticks>{12, 34, 55, 15, 43, 68, 20, 43});
  CHECK(log_of(run) == std::vector<logged>{{0, 0, 0, 10},
                                           {1, 1, 0, 13},
                                           {2, 0, 0, 9},
                                           {0, 1, 1, 12},
                                           {1, 0, 1, 16},
                                           {2, 1, 1, 10},
                                           {0, 0, 1, 12},
                                           {1, 1, 1, 16}});
  CHECK(migrations(run) == 5);
}

TEST_CASE("state goes from GPU to GPU under both copy engines, which are asked for at once") {
  const auto run = example{takt::migration_path::peer_to_peer}.run();
  CHECK(finishes(run) == std::vector<ticks>{10, 32, 52, 12, 40, 62, 17, 41});
  CHECK(migrations(run) == 4);
  const takt::host::detail::engine_layout layout(example{takt::migration_path::peer_to_peer}.system);
  const auto pair = layout.engines(0, section_engine::peer, 1, 0);
  REQUIRE(pair.size() == 2);
  int together = 0;
  for (const auto& a : run.locks.requests) {
    for (const auto& b : run.locks.requests) {
      const bool same = a.job == b.job && a.issued == b.issued && a.released == b.released;
      together += same && a.resource == pair[0] && b.resource == pair[1] ? 1 : 0;
    }
  }
  CHECK(together > 0);
}

TEST_CASE("a section of many chunks asks for the engine once per chunk") {
  example e{takt::migration_path::none};
  e.system.programs.resize(1);
  e.releases.resize(1);
  e.releases[0].resize(1);
  e.system.programs[0].steps.assign(40, {section_engine::copy_in, 3});
  const auto run = e.run();
  CHECK(run.locks.requests.size() == 41);
  CHECK(run.locks.jobs[0].finish == 1 + 40 * 3 + 1);
  CHECK(run.sections[0].cost == 120);
}

TEST_CASE("what locking takes of a CPU is spent around every request") {
  example e{takt::migration_path::none};
  e.system.programs.resize(1);
  e.releases.resize(1);
  e.releases[0].resize(1);
  e.system.costs = {.before_lock = 1, .after_grant = 2, .after_wait = 4, .after_unlock = 8};
  // The token costs 1 + 2 + 8, each of the three steps 15, and the job itself takes 10.
  CHECK(e.run().locks.jobs[0].finish == 10 + 11 + 3 * 15);
}

}  // namespace
