// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include <takt/analysis/methods/block_queue/capacity.hpp>
#include <takt/systems/graphs/analysis/buffers.hpp>
#include <takt/systems/graphs/analysis/coarse.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>

#include "openvx_system.hpp"
#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis;
using node = takt::graph_node<exact>;

[[nodiscard]] auto name_of(const node& n) -> std::string {
  switch (n.part) {
    case takt::node_part::launch: return std::string{n.name} + ".launch";
    case takt::node_part::await: return std::string{n.name} + ".await";
    case takt::node_part::source: return "__src";
    case takt::node_part::sink: return "__snk";
    case takt::node_part::whole:
    case takt::node_part::kernel: break;
  }
  return std::string{n.name};
}

[[nodiscard]] auto loads(const refined_graphs& table, const takt::graph_platform& platform, std::uint32_t last)
    -> json {
  json out = json::array();
  for (std::uint32_t c = 0; c <= last && c < platform.clusters.size(); ++c) {
    exact load = 0;
    for (const auto& n : table.nodes) {
      const auto& g = table.graphs[n.graph];
      if (static_cast<std::uint32_t>(g.cluster) == c && n.kind == takt::node_kind::processor) {
        load += n.wcet / g.period;
      }
    }
    if (load > 0) { out.push_back({{"M", platform.clusters[c]}, {"U", to_json(load)}}); }
  }
  return out;
}

/// Null without kernels.
[[nodiscard]] auto gpu_load(const refined_graphs& table, const takt::graph_platform& platform) -> json {
  takt::task_rows<takt::block_kernel<exact>, refined_graphs::max_nodes> kernels;
  exact load = 0;
  for (const auto& n : table.nodes) {
    if (n.kind != takt::node_kind::kernel) { continue; }
    const exact& period = table.graphs[n.graph].period;
    // The table has room for every node.
    static_cast<void>(
        kernels.add({.length = n.block_length, .period = period, .blocks = n.blocks, .threads = n.block_threads}));
    load += n.block_length * n.blocks * n.block_threads / period;
  }
  if (kernels.size() == 0) { return {}; }
  const takt::block_gpu gpu{platform.sms, platform.threads_per_sm};
  return {{"U", to_json(load)}, {"cap", an::thread_capacity(kernels, gpu)}, {"h", an::unit_block_size(kernels, gpu)}};
}

}  // namespace

auto fine_result(const field& input) -> json {
  const auto table = graphs_in(input, node_form::whole);
  const auto platform = graph_platform_in(input);
  const auto refined = std::make_unique<refined_graphs>(takt::refine(*table));
  const auto timing =
      std::make_unique<an::timing_of<refined_graphs>>(an::fine_bounds(*refined, platform, fine_options_in(input)));
  check_status(timing->status);
  const bool cpu_failed = timing->status == takt::obstacle::processors;
  const bool gpu_failed = timing->status == takt::obstacle::gpu;
  const bool history_failed = timing->status == takt::obstacle::history;
  json out{{"schedulable", timing->bounded()},
           {"reason", nullptr},
           {"dags", json::array()},
           {"cpu", loads(*refined, platform, cpu_failed ? timing->where : takt::no_index - 1)}};
  if (cpu_failed) {
    out["reason"] = "cpu cluster " + std::to_string(timing->where);
    return out;
  }
  if (auto gpu = gpu_load(*refined, platform); !gpu.is_null()) { out["gpu"] = gpu; }
  if (gpu_failed) { out["reason"] = "gpu"; }
  if (history_failed) { out["reason"] = "history cycle in dag " + std::to_string(timing->where); }
  if (!timing->bounded() && !history_failed) { return out; }
  const auto sizes = an::buffer_sizes(*refined, *timing);
  const std::size_t shown = history_failed ? timing->where : refined->graphs.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& g = refined->graphs[i];
    json d{{"name", g.name}, {"end_to_end", to_json(timing->end_to_end[i])}};
    d["buffers"]["graph_instances"] = sizes.instances[i];
    for (std::size_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
      const auto name = name_of(refined->nodes[v]);
      d["R"][name] = to_json(timing->response[v]);
      d["Phi"][name] = to_json(timing->offset[v]);
      d["buffers"]["node"][name] = sizes.node_instances[v];
    }
    d["buffers"]["edge"] = json::array();
    for (std::size_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const auto& edge = refined->edges[e];
      d["buffers"]["edge"].push_back(
          {name_of(refined->nodes[edge.from]), name_of(refined->nodes[edge.to]), sizes.edge_places[e]});
    }
    out["dags"].push_back(d);
  }
  return out;
}

namespace {

[[nodiscard]] auto reason_of(const an::coarse_timing<exact, max_graph_nodes, max_graph_edges, max_graphs>& c)
    -> std::string {
  switch (c.reason) {
    case an::overload::one_task: return "task utilization";
    case an::overload::cluster: return "total utilization";
    case an::overload::none: break;
  }
  return c.timing.status == takt::obstacle::gpu ? "gpu" : "history cycle";
}

/// The values of each node of a graph, or of the graph if that is the task.
[[nodiscard]] auto per_task(const graphs& table, an::graph_grain grain, std::size_t graph, const auto& value) -> json {
  const auto& g = table.graphs[graph];
  if (grain == an::graph_grain::graph) { return to_json(value(g.first_node)); }
  json out = json::object();
  for (std::size_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
    out[std::string{table.nodes[v].name}] = to_json(value(v));
  }
  return out;
}

[[nodiscard]] auto coarse_answer(const field& input, an::graph_grain grain) -> answer {
  const auto table = graphs_in(input, node_form::segments);
  const bool monolithic = grain == an::graph_grain::graph;
  const auto kernels =
      input.word("coarse_gpu", an::coarse_kernel_bound::separated,
                 {{"thm3", an::coarse_kernel_bound::separated}, {"outstanding", an::coarse_kernel_bound::one_at_once}});
  // Of no use for whole graphs, which the format gives it all the same.
  const auto tasks = input.word(
      "seq_bound", an::sequential_bound::devi_anderson,
      {{"da08", an::sequential_bound::devi_anderson}, {"compliant", an::sequential_bound::compliant_vector}});
  const an::coarse_options options{
      .grain = grain, .kernels = kernels, .tasks = monolithic ? an::sequential_bound::devi_anderson : tasks};
  using timing = an::coarse_timing<exact, max_graph_nodes, max_graph_edges, max_graphs>;
  const auto c = std::make_unique<timing>(an::coarse_bounds(*table, graph_platform_in(input), options));
  check_status(c->timing.status);
  const auto wcet = [&](std::size_t v) { return c->table.nodes[v].wcet; };
  const auto response = [&](std::size_t v) { return c->timing.response[v]; };
  const auto offset = [&](std::size_t v) { return c->timing.offset[v]; };
  json out{{"schedulable", c->timing.bounded()}};
  if (!c->timing.bounded()) { out["reason"] = reason_of(*c); }
  const bool no_times = c->timing.status == takt::obstacle::gpu;
  for (std::size_t i = 0; i < c->table.graphs.size() && !no_times; ++i) {
    const auto& g = c->table.graphs[i];
    if (monolithic || !c->timing.bounded()) {
      out["C"].push_back(per_task(c->table, grain, i, wcet));
      if (c->timing.bounded()) { out["R"].push_back(per_task(c->table, grain, i, response)); }
    } else {
      out["dags"].push_back({{"name", g.name},
                             {"C", per_task(c->table, grain, i, wcet)},
                             {"R", per_task(c->table, grain, i, response)},
                             {"Phi", per_task(c->table, grain, i, offset)},
                             {"end_to_end", to_json(c->timing.end_to_end[i])}});
    }
  }
  return {out, {}};
}

}  // namespace

void add_openvx_graphs(suite& kinds) {
  kinds["fine"] = [](const field& input) { return answer{fine_result(input), {}}; };
  kinds["coarse"] = [](const field& input) { return coarse_answer(input, an::graph_grain::node); };
  kinds["mono"] = [](const field& input) { return coarse_answer(input, an::graph_grain::graph); };
}

}  // namespace takt_vectors
