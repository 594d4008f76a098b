// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <takt/rules/gel.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace sim = takt::simulation;

[[nodiscard]] auto number(const json& value) -> exact {
  const auto n = exact_value(value);
  if (!n) { throw std::runtime_error("not a number: " + value.dump()); }
  return *n;
}

/// Sequential tasks, each a graph of one node with releases of its own.
[[nodiscard]] auto run_edf(const json& input) -> answer {
  const auto policy =
      input.at("policy") == "fl" ? takt::gel_policy::fair_lateness : takt::gel_policy::earliest_deadline;
  const auto processors = input.at("m").get<std::int32_t>();
  sim::graph_workload<exact> work;
  work.clusters.push_back(processors);
  sim::invocations<exact> releases;
  for (std::size_t i = 0; i < input.at("tasks").size(); ++i) {
    const json& task = input.at("tasks")[i];
    takt::gel_task<exact> t;
    t.wcet = number(task.at("e"));
    t.period = number(task.at("p"));
    t.deadline = number(task.at("d"));
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
    releases.emplace_back();
    for (const json& r : input.at("releases")[i]) { releases.back().push_back(number(r)); }
  }
  const auto run = sim::simulate_graphs(work, releases);
  if (!run.ok()) { throw std::runtime_error("the simulator refuses the case"); }
  json lateness = json::array();
  json response = json::array();
  for (std::size_t i = 0; i < run.tasks.size(); ++i) {
    const auto& t = run.tasks[i];
    response.push_back(to_json(t.response));
    lateness.push_back(t.jobs == 0 ? json{} : to_json(exact{t.response - number(input.at("tasks")[i].at("d"))}));
  }
  return {{{"lateness", lateness}, {"response", response}}, {}};
}

}  // namespace

void add_gpusync_edf(suite& kinds) { kinds["sim_edf"] = run_edf; }

}  // namespace takt_vectors
