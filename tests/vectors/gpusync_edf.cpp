// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <takt/rules/gel.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace sim = takt::simulation;

/// Sequential tasks, each a graph of one node with releases of its own.
[[nodiscard]] auto run_edf(const field& input) -> answer {
  const auto policy = input.at("policy").word<takt::gel_policy>(
      {{"edf", takt::gel_policy::earliest_deadline}, {"fl", takt::gel_policy::fair_lateness}});
  const auto processors = input.at("m").get<std::int32_t>();
  sim::graph_workload<exact> work;
  work.clusters.push_back(processors);
  sim::invocations<exact> releases;
  std::vector<exact> deadlines;
  const field tasks = input.at("tasks");
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const field task = tasks.at(i);
    takt::gel_task<exact> t;
    t.wcet = task.at("e").get<exact>();
    t.period = task.at("p").get<exact>();
    t.deadline = task.at("d").get<exact>();
    work.steps.push_back({.length = t.wcet});
    work.clocks.push_back(static_cast<std::int32_t>(i));
    work.tasks.push_back({.graph = static_cast<std::uint32_t>(i),
                          .first_step = i,
                          .steps = 1,
                          .parallelism = 1,
                          .clock = static_cast<std::int32_t>(i),
                          .period = t.period,
                          .priority_point = takt::relative_point(policy, t, processors),
                          .is_sink = true});
    deadlines.push_back(t.deadline);
    releases.push_back(input.at("releases").at(i).get<std::vector<exact>>());
  }
  const auto run = sim::simulate_graphs(work, releases);
  if (!run.ok()) { throw std::runtime_error("the simulator refuses the case"); }
  json lateness = json::array();
  json response = json::array();
  for (std::size_t i = 0; i < run.tasks.size(); ++i) {
    const auto& t = run.tasks[i];
    response.push_back(to_json(t.response));
    lateness.push_back(t.jobs == 0 ? json{} : to_json(exact{t.response - deadlines[i]}));
  }
  return {{{"lateness", lateness}, {"response", response}}, {}};
}

}  // namespace

void add_gpusync_edf(suite& kinds) { kinds["sim_edf"] = run_edf; }

}  // namespace takt_vectors
