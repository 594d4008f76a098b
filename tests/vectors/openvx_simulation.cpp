// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/replay_kernels.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>

#include "openvx_system.hpp"
#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis;
namespace sim = takt::simulation;

/// The spelling of `openvx.json`, where whole numbers are strings too.
[[nodiscard]] auto text(const exact& value) -> json {
  const json written = to_json(value);
  return written.is_string() ? written : json(written.dump());
}

[[nodiscard]] auto run_gpu_sim(const field& input) -> answer {
  const takt::gpu_shape gpu{.sms = input.at("g").get<std::int32_t>(),
                            .each = {.threads = input.at("m").get<std::int64_t>()},
                            .placement = input.word("policy", takt::block_placement::even,
                                                    {{"even", takt::block_placement::even},
                                                     {"first", takt::block_placement::first_fit},
                                                     {"best", takt::block_placement::best_fit}})};
  const bool streams = input.value("per_task_streams", false);
  std::vector<sim::kernel_arrival<exact>> jobs;
  for (const field j : input.at("jobs")) {
    takt::queued_kernel kernel;
    kernel.block.threads = j.at(2).get<std::int64_t>();
    kernel.blocks = j.at(3).get<std::int64_t>();
    const auto task = j.at(1).get<std::int32_t>();
    if (streams) { kernel.stream = task; }
    jobs.push_back({j.at(0).get<exact>(), kernel, j.at(4).get<exact>()});
  }
  const std::span<const sim::kernel_arrival<exact>> arrivals{jobs};
  const auto run = sim::replay_kernels(gpu, arrivals);
  if (run.fault != takt::model_fault::none) { throw std::runtime_error("the simulator refuses the case"); }
  json finish = json::array();
  json response = json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    finish.push_back(text(run.finish[i]));
    response.push_back(text(run.response(arrivals, i)));
  }
  return {{{"finish", finish}, {"response", response}}, {}};
}

[[nodiscard]] auto read_releases(const field& given, std::size_t graphs) -> sim::invocations<exact> {
  if (given.size() != graphs) { given.refuse("does not have a list for each graph"); }
  return given.get<sim::invocations<exact>>();
}

[[nodiscard]] auto run_dag_sim(const field& input) -> answer {
  const auto table = std::make_unique<refined_graphs>(takt::refine(*graphs_in(input, node_form::whole)));
  const an::fine_options analysis = fine_options_in(input);
  const auto platform = graph_platform_in(input);
  const auto timing = std::make_unique<an::timing_of<refined_graphs>>(an::fine_bounds(*table, platform, analysis));
  const auto releases = read_releases(input.at("releases"), table->graphs.size());
  const bool early = input.value("early", false);
  if (!timing->bounded()) { return {{{"analysis", fine_result(input)}, {"sim", nullptr}}, {}}; }

  const std::span<const std::int32_t> clusters{platform.clusters.data(), platform.clusters.size()};
  const auto points = sim::node_points(*table, clusters, analysis.policy);
  const auto work = sim::fine_workload<exact>(*table, clusters, timing->offset, points);
  sim::graph_options options;
  options.gpu = {.sms = platform.sms, .each = {.threads = platform.threads_per_sm}};
  options.early_release = early;
  const auto run = sim::simulate_graphs(work, releases, options);
  if (!run.ok()) { throw std::runtime_error("the simulator refuses the case"); }
  json bounds = json::array();
  json responses = json::array();
  for (std::size_t g = 0; g < table->graphs.size(); ++g) {
    bounds.push_back(text(timing->end_to_end[g]));
    responses.push_back(json::array());
    for (const exact& r : run.responses[g]) { responses.back().push_back(text(r)); }
  }
  return {{{"analysis", bounds}, {"sim", responses}, {"late_predecessors", run.late}}, {}};
}

}  // namespace

void add_openvx_simulation(suite& kinds) {
  kinds["gpu_sim"] = run_gpu_sim;
  kinds["dag_sim"] = run_dag_sim;
}

}  // namespace takt_vectors
