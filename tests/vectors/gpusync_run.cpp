// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <takt/report/fault_text.hpp>
#include <takt/rules/locking/as_published.hpp>
#include <takt/systems/locked_gpus/simulation/run_system.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace simulation = takt::simulation;
using takt::host::section_engine;

constexpr std::size_t most_tasks = 64;

[[nodiscard]] auto program_of(const field& task, const field& config, takt::migration_path path)
    -> takt::host::section_program {
  takt::host::section_program out{.gpu_cluster = 0,
                                  .cpu_before = task.at("pre").get<takt::ticks>(),
                                  .cpu_after = task.at("post").get<takt::ticks>(),
                                  .longest_section = task.at("L").get<takt::ticks>()};
  for (const field step : task.at("ops")) {
    const auto engine = step.at(0).word<section_engine>(
        {{"ci", section_engine::copy_in}, {"co", section_engine::copy_out}, {"ee", section_engine::execution}});
    out.steps.push_back({engine, step.at(1).get<takt::ticks>()});
  }
  const auto state = task.at("state").get<takt::ticks>();
  if (path == takt::migration_path::system_memory) {
    out.state_in = {state};
    out.state_out = {state};
  }
  out.state_peer.resize(takt::host::distance_limit);
  for (const auto& [distance, cost] : config.object_or_empty("p2p_cost").members()) {
    const auto d = std::stoul(distance);
    cost.must_fit(d < out.state_peer.size(), out.state_peer.size());
    out.state_peer[d] = {state * cost.get<takt::ticks>()};
  }
  return out;
}

/// Row by row. State that moves from GPU to GPU needs a cost for each distance but that of a GPU to itself.
[[nodiscard]] auto distances_in(const field& config, std::int32_t gpus, takt::migration_path path)
    -> std::vector<std::int32_t> {
  const field rows = config.at("dist");
  if (rows.size() != static_cast<std::size_t>(gpus)) { rows.refuse("does not have a row for each GPU"); }
  std::vector<std::int32_t> out;
  for (const field row : rows) {
    if (row.size() != rows.size()) { row.refuse("does not have a distance to each GPU"); }
    for (const field entry : row) {
      const auto distance = entry.get<std::int32_t>();
      if (distance < 0) { entry.refuse("is no distance"); }
      entry.must_fit(distance < static_cast<std::int32_t>(takt::host::distance_limit), takt::host::distance_limit);
      const bool costs = path == takt::migration_path::peer_to_peer && distance > 0;
      if (costs && !config.object_or_empty("p2p_cost").contains(std::to_string(distance))) {
        entry.refuse("is a distance without a cost in p2p_cost");
      }
      out.push_back(distance);
    }
  }
  return out;
}

[[nodiscard]] auto system_of(const field& config) -> takt::host::gpu_system {
  takt::host::gpu_system out{
      .processors = config.at("c").get<std::int32_t>(),
      .copy_engines = config.value("ces", 2),
      .engines = config.word("order", takt::service_order::first_come,
                             {{"fifo", takt::service_order::first_come}, {"prio", takt::service_order::priority}}),
      .migration = config.word("migration", takt::migration_path::none,
                               {{"none", takt::migration_path::none},
                                {"sysmem", takt::migration_path::system_memory},
                                {"p2p", takt::migration_path::peer_to_peer}})};
  const takt::token_map tokens{
      .gpus = config.at("g").get<std::int32_t>(),
      .tokens_per_gpu = config.at("rho").get<std::int32_t>(),
      .layout = config.word("layout", takt::token_layout::block,
                            {{"block", takt::token_layout::block}, {"interleave", takt::token_layout::interleaved}})};
  if (!tokens.valid()) { config.refuse("has no tokens"); }
  constexpr auto most_tokens = takt::host::detail::most_simulated_tokens;
  config.must_fit(tokens.tokens() <= static_cast<std::int32_t>(most_tokens), most_tokens);
  const auto limit = config.optional<std::int32_t>("f");
  if (limit && *limit < 1) { config.at("f").refuse("is no limit of queues"); }
  out.pools.push_back({out.processors, tokens, limit.value_or(0)});
  out.distances = distances_in(config, tokens.gpus, out.migration);
  const field tasks = config.at("tasks");
  tasks.must_fit(tasks.size() <= most_tasks, most_tasks);
  for (const field task : tasks) { out.programs.push_back(program_of(task, config, out.migration)); }
  return out;
}

[[nodiscard]] auto run_case(const field& input) -> answer {
  const field config = input.at("cfg");
  const takt::host::gpu_system system = system_of(config);
  std::vector<takt::host::task_releases> releases;
  std::vector<std::string> names;
  for (const field task : config.at("tasks")) {
    task.set_aside("p");  // the releases are listed
    const auto id = task.at("id").get<std::int32_t>();
    const auto deadline = task.at("d").get<takt::ticks>();
    takt::host::task_releases& jobs = releases.emplace_back();
    for (const field release : task.at("releases")) {
      const auto r = release.get<takt::ticks>();
      names.push_back(std::to_string(1000 * static_cast<std::int64_t>(id) + static_cast<std::int64_t>(jobs.size())));
      jobs.push_back({r, {r + deadline, id}});
    }
  }
  takt::null_recorder null_sink;
  // As in the vectors, without the last of the repairs in docs/errata.md.
  using rules = takt::as_published::r2dglp_donees_rise;
  const auto run = simulation::run_gpu_system<most_tasks, rules>(system, releases, takt::host::detail::full_work{}, {},
                                                                 1, null_sink);
  if (run.locks.error) { throw std::runtime_error(std::string{describe(run.locks.error.fault).problem}); }
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
