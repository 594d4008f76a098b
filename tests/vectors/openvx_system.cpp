// SPDX-License-Identifier: Apache-2.0
#include "openvx_system.hpp"

#include <stdexcept>
#include <string>

#include <takt/model/graph/graph_validate.hpp>
#include <takt/report/fault_text.hpp>

namespace takt_vectors {
namespace {

namespace an = takt::analysis;
using node = takt::graph_node<exact>;

[[nodiscard]] auto segment_in(const field& s, const std::string& name) -> node {
  node n;
  n.name = name;
  n.kind = s.at("kind").word<takt::node_kind>({{"cpu", takt::node_kind::processor}, {"gpu", takt::node_kind::kernel}});
  if (n.kind == takt::node_kind::processor) {
    n.wcet = s.at("C").get<exact>();
    return n;
  }
  n.blocks = s.at("B").get<std::int64_t>();
  n.block_threads = s.at("H").get<std::int32_t>();
  n.block_length = block_length_in(s, n.block_threads);
  return n;
}

/// Only a whole node has launch and await nodes, and a limit of parallelism.
[[nodiscard]] auto whole_node_in(const field& given, const std::string& name) -> node {
  node n = segment_in(given, name);
  n.parallelism = given.value("P", takt::unrestricted_parallelism);
  if (n.kind == takt::node_kind::kernel) {
    n.split = given.contains("launch") || given.contains("await");
    n.launch = given.value("launch", exact(0));
    n.await = given.value("await", exact(0));
  }
  return n;
}

void add_nodes(const field& nodes, node_form form, graphs& out) {
  for (const field n : nodes) {
    const std::string& name = n.at("name").text();
    if (form == node_form::whole) {
      nodes.must_fit(out.add_node(whole_node_in(n, name)), max_graph_nodes);
      continue;
    }
    const field segments = n.at("segs");
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const node segment = segment_in(segments.at(i), name);
      nodes.must_fit(i == 0 ? out.add_node(segment) : out.extend_node(segment), max_graph_nodes);
    }
  }
}

/// The first or the last segment of a node of the graph added last.
[[nodiscard]] auto find(const graphs& table, const field& name, bool last) -> std::uint32_t {
  const auto& g = table.graphs.back();
  std::uint32_t found = takt::no_index;
  for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
    if (table.nodes[v].name == name.text() && (last || table.nodes[v].segment == 0)) { found = v; }
  }
  if (found == takt::no_index) { name.refuse("is no node of the graph"); }
  return found;
}

}  // namespace

auto block_length_in(const field& kernel, std::int64_t threads) -> exact {
  if (threads < 1) { kernel.at("H").refuse("is no number of threads"); }
  if (!kernel.contains("L")) { return kernel.at("C").get<exact>() / threads; }
  const auto length = kernel.at("L").get<exact>();
  if (kernel.contains("C") && kernel.at("C").get<exact>() != length * threads) {
    kernel.at("C").refuse("is not L times H");
  }
  return length;
}

void check_status(takt::obstacle status) {
  switch (status) {
    case takt::obstacle::none:
    case takt::obstacle::processors:
    case takt::obstacle::gpu:
    case takt::obstacle::history: return;
    case takt::obstacle::deadline:
    case takt::obstacle::interrupts:
    case takt::obstacle::passes:
    case takt::obstacle::copies:
    case takt::obstacle::tokens:
    case takt::obstacle::overflow:
    case takt::obstacle::invalid_model: break;
  }
  throw std::runtime_error("the analysis answers: " + std::string{name_of(status)});
}

auto graphs_in(const field& input, node_form form) -> std::unique_ptr<graphs> {
  auto out = std::make_unique<graphs>();
  const field all = input.at("dags");
  for (const field d : all) {
    const auto cluster = d.value("cluster", 0);
    if (cluster < 0 || static_cast<std::size_t>(cluster) >= input.at("clusters").size()) {
      d.refuse("is on no cluster of the case");
    }
    all.must_fit(out->add_graph(d.at("name").text(), d.at("T").get<exact>(), cluster), max_graphs);
    add_nodes(d.at("nodes"), form, *out);
    const auto join = [&](const field& e, std::int32_t lag) {
      e.must_fit(out->add_edge(find(*out, e.at(0), true), find(*out, e.at(1), false), lag), max_graph_edges);
    };
    for (const field e : d.at("edges")) { join(e, 0); }
    for (const field e : d.list_or_empty("history")) { join(e, e.at(2).get<std::int32_t>()); }
  }
  if (const auto error = takt::validate(*out)) {
    throw std::invalid_argument(std::string{takt::describe(error.fault).problem});
  }
  return out;
}

auto graph_platform_in(const field& input) -> takt::graph_platform {
  takt::graph_platform out;
  const field clusters = input.at("clusters");
  for (const field m : clusters) {
    clusters.must_fit(out.clusters.try_push_back(m.get<std::int32_t>()), takt::max_clusters);
  }
  out.sms = input.at("gpu").at("g").get<std::int32_t>();
  out.threads_per_sm = input.at("gpu").at("m").get<std::int32_t>();
  out.warp_size = 1;
  return out;
}

auto fine_options_in(const field& input) -> an::fine_options {
  return {.policy = input.word("sched", takt::gel_policy::fair_lateness,
                               {{"GEDF", takt::gel_policy::earliest_deadline},
                                {"GFL", takt::gel_policy::fair_lateness},
                                {"FIFO", takt::gel_policy::first_in_first_out}}),
          .shift = input.value("norm", true) ? an::point_shift::to_zero : an::point_shift::if_negative,
          .kernels = input.word("gpu_bound", an::kernel_bound::separated,
                                {{"thm3", an::kernel_bound::separated},
                                 {"refined", an::kernel_bound::knapsack},
                                 {"best", an::kernel_bound::best}}),
          .launch_jitter = input.value("enqueue_jitter", false)};
}

}  // namespace takt_vectors
