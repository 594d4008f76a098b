// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/graph/fine.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/replay_kernels.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis;
namespace sim = takt::simulation;

using described = takt::graph_table<exact, 32, 64, 8>;
using refined = takt::refined_table<described>;

[[nodiscard]] auto number(const json& value) -> exact {
  const auto n = exact_value(value);
  if (!n) { throw std::runtime_error("not a number: " + value.dump()); }
  return *n;
}
[[nodiscard]] auto number_or_zero(const json& object, const char* key) -> exact {
  return object.contains(key) ? number(object.at(key)) : exact{0};
}
/// The spelling of `openvx.json`, where whole numbers are strings too.
[[nodiscard]] auto text(const exact& value) -> json {
  const json written = to_json(value);
  return written.is_string() ? written : json(written.dump());
}

[[nodiscard]] auto read_placement(const json& input) -> takt::block_placement {
  const auto policy = input.value("policy", std::string{"even"});
  return policy == "first"  ? takt::block_placement::first_fit
         : policy == "best" ? takt::block_placement::best_fit
                            : takt::block_placement::even;
}

[[nodiscard]] auto run_gpu_sim(const json& input) -> answer {
  const sim::gpu_shape gpu{.sms = input.at("g").get<std::int32_t>(),
                           .each = {.threads = input.at("m").get<std::int64_t>()},
                           .placement = read_placement(input)};
  const bool streams = input.value("per_task_streams", false);
  std::vector<sim::kernel_arrival<exact>> jobs;
  for (const json& j : input.at("jobs")) {
    takt::queued_kernel kernel;
    kernel.block.threads = j[2].get<std::int64_t>();
    kernel.blocks = j[3].get<std::int64_t>();
    if (streams) { kernel.stream = j[1].get<std::int32_t>(); }
    jobs.push_back({number(j[0]), kernel, number(j[4])});
  }
  const std::span<const sim::kernel_arrival<exact>> arrivals{jobs};
  const auto run = sim::replay_kernels(gpu, arrivals);
  if (run.fault != sim::graph_run_fault::none) { throw std::runtime_error("the simulator refuses the case"); }
  json finish = json::array();
  json response = json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    finish.push_back(text(run.finish[i]));
    response.push_back(text(run.response(arrivals, i)));
  }
  return {{{"finish", finish}, {"response", response}}, {}};
}

void read_node(const json& n, described& out) {
  takt::graph_node<exact> node;
  node.name = n.at("name").get_ref<const std::string&>();
  node.parallelism = n.value("P", std::int64_t{takt::unrestricted_parallelism});
  if (n.at("kind") == "cpu") {
    node.wcet = number(n.at("C"));
  } else {
    node.kind = takt::node_kind::kernel;
    node.blocks = n.at("B").get<std::int64_t>();
    node.block_threads = n.at("H").get<std::int32_t>();
    node.block_length = n.contains("L") ? number(n.at("L")) : exact{number(n.at("C")) / node.block_threads};
    node.split = n.contains("launch") || n.contains("await");
    node.launch = number_or_zero(n, "launch");
    node.await = number_or_zero(n, "await");
  }
  if (!out.add_node(node)) { throw std::runtime_error("more nodes than the adapter has room for"); }
}

[[nodiscard]] auto read_graphs(const json& input) -> described {
  described out;
  for (const json& g : input.at("dags")) {
    bool room = out.add_graph(g.at("name").get_ref<const std::string&>(), number(g.at("T")), g.value("cluster", 0));
    std::map<std::string, std::uint32_t> position;
    for (const json& n : g.at("nodes")) {
      position[n.at("name").get<std::string>()] = static_cast<std::uint32_t>(out.nodes.size());
      read_node(n, out);
    }
    const auto at = [&](const json& name) { return position.at(name.get<std::string>()); };
    for (const json& e : g.at("edges")) { room = room && out.add_edge(at(e[0]), at(e[1])); }
    for (const json& e : g.value("history", json::array())) {
      room = room && out.add_edge(at(e[0]), at(e[1]), e[2].get<std::int32_t>());
    }
    if (!room) { throw std::runtime_error("more graphs or edges than the adapter has room for"); }
  }
  return out;
}

[[nodiscard]] auto read_options(const json& input) -> an::fine_options {
  const auto order = input.value("sched", std::string{"GFL"});
  const auto bound = input.value("gpu_bound", std::string{"thm3"});
  an::fine_options o;
  o.policy = order == "GEDF"   ? takt::gel_policy::earliest_deadline
             : order == "FIFO" ? takt::gel_policy::first_in_first_out
                               : takt::gel_policy::fair_lateness;
  o.shift = input.value("norm", true) ? an::point_shift::to_zero : an::point_shift::if_negative;
  o.kernels = bound == "thm3"      ? an::kernel_bound::separated
              : bound == "refined" ? an::kernel_bound::knapsack
                                   : an::kernel_bound::best;
  o.launch_jitter = input.value("enqueue_jitter", false);
  return o;
}

[[nodiscard]] auto run_dag_sim(const json& input) -> answer {
  const auto table = std::make_unique<refined>(takt::refine(read_graphs(input)));
  const an::fine_options analysis = read_options(input);
  takt::graph_platform platform;
  for (const json& cpus : input.at("clusters")) {
    static_cast<void>(platform.clusters.push_back(cpus.get<std::int32_t>()));
  }
  platform.sms = input.at("gpu").at("g").get<std::int32_t>();
  platform.threads_per_sm = input.at("gpu").at("m").get<std::int32_t>();
  const auto timing = std::make_unique<an::timing_of<refined>>(an::fine_bounds(*table, platform, analysis));
  if (!timing->bounded()) { throw std::runtime_error("a system without bounds"); }

  const std::span<const std::int32_t> clusters{platform.clusters.data(), platform.clusters.size()};
  const auto points = sim::node_points(*table, clusters, analysis.policy);
  const auto work = sim::fine_workload<exact>(*table, clusters, timing->offset, points);
  sim::invocations<exact> releases;
  for (const json& graph : input.at("releases")) {
    releases.emplace_back();
    for (const json& r : graph) { releases.back().push_back(number(r)); }
  }
  sim::graph_options options;
  options.gpu = {.sms = platform.sms, .each = {.threads = platform.threads_per_sm}};
  options.early_release = input.value("early", false);
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
