// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include <takt/analysis/block_queue/capacity.hpp>
#include <takt/analysis/graph/buffers.hpp>
#include <takt/analysis/graph/coarse.hpp>
#include <takt/analysis/graph/fine.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis;

constexpr std::size_t max_nodes = 96;
constexpr std::size_t max_edges = 192;
constexpr std::size_t max_graphs = 12;
using graphs = takt::graph_table<exact, max_nodes, max_edges, max_graphs>;
using refined_graphs = takt::refined_table<graphs>;
using node = takt::graph_node<exact>;

[[nodiscard]] auto number_in(const json& object, const char* name) -> exact {
  const auto value = object.contains(name) ? exact_value(object[name]) : exact(0);
  if (!value) { throw std::runtime_error(std::string{name} + " is no number"); }
  return *value;
}

/// One segment of a node: a whole node of kind `fine`, or one of `segs`.
[[nodiscard]] auto segment_in(const json& s, const std::string& name) -> node {
  node n;
  n.name = name;
  if (s.at("kind") == "cpu") {
    n.wcet = number_in(s, "C");
  } else {
    n.kind = takt::node_kind::kernel;
    n.blocks = s.at("B").get<std::int64_t>();
    n.block_threads = s.at("H").get<std::int32_t>();
    n.block_length = s.contains("L") ? number_in(s, "L") : exact(number_in(s, "C") / n.block_threads);
    n.split = s.contains("launch") || s.contains("await");
    n.launch = number_in(s, "launch");
    n.await = number_in(s, "await");
  }
  n.parallelism = s.value("P", takt::unrestricted_parallelism);
  return n;
}

[[nodiscard]] auto find(const graphs& table, const std::string& name, bool last) -> std::uint32_t {
  const auto& g = table.graphs.back();
  std::uint32_t found = takt::nowhere;
  for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
    if (table.nodes[v].name == name && (last || table.nodes[v].segment == 0)) { found = v; }
  }
  if (found == takt::nowhere) { throw std::runtime_error("unknown node " + name); }
  return found;
}

/// The table keeps views of the names in `input`.
[[nodiscard]] auto graphs_in(const json& input) -> std::unique_ptr<graphs> {
  auto out = std::make_unique<graphs>();
  for (const auto& d : input.at("dags")) {
    bool fits = out->add_graph(d.at("name").get_ref<const std::string&>(), number_in(d, "T"), d.value("cluster", 0));
    for (const auto& n : d.at("nodes")) {
      const auto& name = n.at("name").get_ref<const std::string&>();
      if (!n.contains("segs")) {
        fits = fits && out->add_node(segment_in(n, name));
        continue;
      }
      bool first = true;
      for (const auto& s : n["segs"]) {
        fits = fits && (first ? out->add_node(segment_in(s, name)) : out->extend_node(segment_in(s, name)));
        first = false;
      }
    }
    const auto join = [&](const json& e, std::int32_t lag) {
      fits = fits && out->add_edge(find(*out, e[0], true), find(*out, e[1], false), lag);
    };
    for (const auto& e : d.at("edges")) { join(e, 0); }
    for (const auto& e : d.value("history", json::array())) { join(e, e[2].get<std::int32_t>()); }
    if (!fits) { throw std::length_error("too many nodes"); }
  }
  if (const auto error = takt::validate(*out)) {
    throw std::invalid_argument(std::string{takt::describe(error.fault).problem});
  }
  return out;
}

[[nodiscard]] auto platform_in(const json& input) -> takt::graph_platform {
  takt::graph_platform out;
  for (const auto& m : input.at("clusters")) { out.clusters.push_back(m.get<std::int32_t>()); }
  out.sms = input.at("gpu").at("g").get<std::int32_t>();
  out.threads_per_sm = input.at("gpu").at("m").get<std::int32_t>();
  return out;
}

[[nodiscard]] auto options_in(const json& input) -> an::fine_options {
  const auto order = input.value("sched", std::string{"GFL"});
  const auto bound = input.value("gpu_bound", std::string{"thm3"});
  return {.policy = order == "GEDF"   ? takt::gel_policy::earliest_deadline
                    : order == "FIFO" ? takt::gel_policy::first_in_first_out
                                      : takt::gel_policy::fair_lateness,
          .shift = input.value("norm", true) ? an::point_shift::to_zero : an::point_shift::if_negative,
          .kernels = bound == "thm3"      ? an::kernel_bound::separated
                     : bound == "refined" ? an::kernel_bound::knapsack
                                          : an::kernel_bound::best,
          .launch_jitter = input.value("enqueue_jitter", false)};
}

[[nodiscard]] auto name_of(const node& n) -> std::string {
  switch (n.part) {
    case takt::node_part::launch: return std::string{n.name} + ".launch";
    case takt::node_part::await: return std::string{n.name} + ".await";
    case takt::node_part::source: return "__src";
    case takt::node_part::sink: return "__snk";
    default: return std::string{n.name};
  }
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
  takt::block_table<exact, refined_graphs::max_nodes> kernels;
  exact load = 0;
  for (const auto& n : table.nodes) {
    if (n.kind != takt::node_kind::kernel) { continue; }
    const exact& period = table.graphs[n.graph].period;
    kernels.add({.length = n.block_length, .period = period, .blocks = n.blocks, .threads = n.block_threads});
    load += n.block_length * n.blocks * n.block_threads / period;
  }
  if (kernels.size() == 0) { return {}; }
  const takt::block_gpu gpu{platform.sms, platform.threads_per_sm};
  return {{"U", to_json(load)}, {"cap", an::thread_capacity(kernels, gpu)}, {"h", an::unit_block_size(kernels, gpu)}};
}

[[nodiscard]] auto fine_case(const json& input) -> answer {
  const auto table = graphs_in(input);
  const auto platform = platform_in(input);
  const auto refined = std::make_unique<refined_graphs>(takt::refine(*table));
  const auto timing =
      std::make_unique<an::timing_of<refined_graphs>>(an::fine_bounds(*refined, platform, options_in(input)));
  const bool cpu_failed = timing->status == an::graph_status::cpu_unbounded;
  const bool gpu_failed = timing->status == an::graph_status::gpu_unbounded;
  const bool history_failed = timing->status == an::graph_status::history_cycle;
  json out{{"schedulable", timing->bounded()},
           {"reason", nullptr},
           {"dags", json::array()},
           {"cpu", loads(*refined, platform, cpu_failed ? timing->where : takt::nowhere - 1)}};
  if (cpu_failed) {
    out["reason"] = "cpu cluster " + std::to_string(timing->where);
    return {out, {}};
  }
  if (auto gpu = gpu_load(*refined, platform); !gpu.is_null()) { out["gpu"] = gpu; }
  if (gpu_failed) { out["reason"] = "gpu"; }
  if (history_failed) { out["reason"] = "history cycle in dag " + std::to_string(timing->where); }
  if (!timing->bounded() && !history_failed) { return {out, {}}; }
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
  return {out, {}};
}

[[nodiscard]] auto reason_of(const an::coarse_timing<exact, max_nodes, max_edges, max_graphs>& c) -> std::string {
  if (c.reason == an::overload::one_task) { return "task utilization"; }
  if (c.reason == an::overload::cluster) { return "total utilization"; }
  return c.timing.status == an::graph_status::gpu_unbounded ? "gpu" : "history cycle";
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

[[nodiscard]] auto coarse_answer(const json& input, an::graph_grain grain) -> answer {
  const auto table = graphs_in(input);
  const bool monolithic = grain == an::graph_grain::graph;
  const an::coarse_options options{.grain = grain,
                                   .kernels = input.value("coarse_gpu", std::string{"thm3"}) == "thm3"
                                                  ? an::coarse_kernel_bound::separated
                                                  : an::coarse_kernel_bound::one_at_once,
                                   .tasks = monolithic || input.value("seq_bound", std::string{"da08"}) == "da08"
                                                ? an::sequential_bound::devi_anderson
                                                : an::sequential_bound::compliant_vector};
  using timing = an::coarse_timing<exact, max_nodes, max_edges, max_graphs>;
  const auto c = std::make_unique<timing>(an::coarse_bounds(*table, platform_in(input), options));
  const auto wcet = [&](std::size_t v) { return c->table.nodes[v].wcet; };
  const auto response = [&](std::size_t v) { return c->timing.response[v]; };
  const auto offset = [&](std::size_t v) { return c->timing.offset[v]; };
  json out{{"schedulable", c->timing.bounded()}};
  if (!c->timing.bounded()) { out["reason"] = reason_of(*c); }
  const bool no_times = c->timing.status == an::graph_status::gpu_unbounded;
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
  kinds["fine"] = fine_case;
  kinds["coarse"] = [](const json& input) { return coarse_answer(input, an::graph_grain::node); };
  kinds["mono"] = [](const json& input) { return coarse_answer(input, an::graph_grain::graph); };
}

}  // namespace takt_vectors
