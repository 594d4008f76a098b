// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <takt/rules/locking/as_published.hpp>
#include <takt/simulation/gpusync/run_system.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace simulation = takt::simulation;
using simulation::section_engine;

constexpr std::size_t most_tasks = 16;

[[nodiscard]] auto engine_named(const std::string& name) -> section_engine {
  static const std::map<std::string, section_engine> engines{
      {"ci", section_engine::copy_in}, {"co", section_engine::copy_out}, {"ee", section_engine::execution}};
  return engines.at(name);
}

[[nodiscard]] auto path_named(const std::string& name) -> takt::migration_path {
  static const std::map<std::string, takt::migration_path> paths{{"none", takt::migration_path::none},
                                                                 {"sysmem", takt::migration_path::system_memory},
                                                                 {"p2p", takt::migration_path::peer_to_peer}};
  return paths.at(name);
}

[[nodiscard]] auto program_of(const json& task, const json& config, takt::migration_path path)
    -> simulation::section_program {
  simulation::section_program out{.gpu_cluster = 0,
                                  .cpu_before = task.at("pre").get<takt::ticks>(),
                                  .cpu_after = task.at("post").get<takt::ticks>(),
                                  .longest_section = task.at("L").get<takt::ticks>()};
  for (const json& step : task.at("ops")) {
    out.steps.push_back({engine_named(step.at(0).get<std::string>()), step.at(1).get<takt::ticks>()});
  }
  const auto state = task.at("state").get<takt::ticks>();
  if (path == takt::migration_path::system_memory) {
    out.state_in = {state};
    out.state_out = {state};
  }
  out.state_peer.resize(simulation::distance_limit);
  const json costs = config.value("p2p_cost", json::object());
  for (const auto& [distance, cost] : costs.items()) {
    const auto d = std::stoul(distance);
    if (d < out.state_peer.size()) { out.state_peer[d] = {state * cost.get<takt::ticks>()}; }
  }
  return out;
}

[[nodiscard]] auto system_of(const json& config) -> simulation::gpu_system {
  const bool by_priority = config.value("order", std::string{"fifo"}) == "prio";
  const bool interleaved = config.value("layout", std::string{"block"}) == "interleave";
  simulation::gpu_system out{.processors = config.at("c").get<std::int32_t>(),
                             .copy_engines = config.value("ces", 2),
                             .engines = by_priority ? takt::engine_order::priority : takt::engine_order::first_come,
                             .migration = path_named(config.value("migration", std::string{"none"}))};
  const takt::token_map tokens{.gpus = config.at("g").get<std::int32_t>(),
                               .tokens_per_gpu = config.at("rho").get<std::int32_t>(),
                               .layout = interleaved ? takt::token_layout::interleaved : takt::token_layout::block};
  const bool limited = config.contains("f") && !config.at("f").is_null();
  out.pools.push_back({out.processors, tokens, limited ? config.at("f").get<std::int32_t>() : 0});
  for (const json& row : config.at("dist")) {
    for (const json& distance : row) { out.distances.push_back(distance.get<std::int32_t>()); }
  }
  for (const json& task : config.at("tasks")) { out.programs.push_back(program_of(task, config, out.migration)); }
  return out;
}

[[nodiscard]] auto run_case(const json& input) -> answer {
  const json& config = input.at("cfg");
  const simulation::gpu_system system = system_of(config);
  std::vector<simulation::task_releases> releases;
  std::vector<std::string> names;
  for (const json& task : config.at("tasks")) {
    const auto id = task.at("id").get<std::int32_t>();
    const auto deadline = task.at("d").get<takt::ticks>();
    simulation::task_releases& jobs = releases.emplace_back();
    for (const json& release : task.at("releases")) {
      const auto r = release.get<takt::ticks>();
      names.push_back(std::to_string(1000 * static_cast<std::int64_t>(id) + static_cast<std::int64_t>(jobs.size())));
      jobs.push_back({r, {r + deadline, id}});
    }
  }
  takt::no_trace unheard;
  // As in the vectors, without the last of the repairs in docs/errata.md.
  using rules = takt::as_published::r2dglp_donees_rise;
  const auto run =
      simulation::run_gpu_system<most_tasks, rules>(system, releases, simulation::full_work{}, {}, 1, unheard);
  if (run.locks.error) { throw std::runtime_error(std::string{name_of(run.locks.error.fault)}); }
  json finish = json::object();
  for (std::size_t j = 0; j < names.size(); ++j) {
    const takt::ticks end = run.locks.jobs[j].finish;
    finish[names[j]] = end == takt::no_instant ? json{} : json(end);
  }
  json waits = json::object();
  for (const auto& q : run.locks.requests) {
    if (q.resource == 0) { waits[names[q.job]] = q.blocked; }
  }
  json log = json::array();
  std::int64_t migrations = 0;
  for (const auto& s : run.sections) {
    log.push_back({std::stol(names[s.job]), s.gpu, s.distance, s.cost});
    migrations += s.migrated() && system.migration != takt::migration_path::none ? 1 : 0;
  }
  return {{{"finish", finish}, {"token_log", log}, {"migrations", migrations}, {"token_wait", waits}}, std::nullopt};
}

}  // namespace

void add_gpusync_run(suite& kinds) { kinds["gpusync_run"] = run_case; }

}  // namespace takt_vectors
