// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/checked.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/report/graph_path.hpp>
#include <takt/report/table.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/systems/graphs/analysis/graph_board.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

struct policy_keyword {
  gel_policy policy{};
  std::string_view word{};
};
inline constexpr std::array policy_words{policy_keyword{gel_policy::earliest_deadline, "g-edf"},
                                         policy_keyword{gel_policy::fair_lateness, "g-fl"},
                                         policy_keyword{gel_policy::first_in_first_out, "g-fifo"}};

/// Policies that the file format has no word for are written as the points that they give.
[[nodiscard]] constexpr auto word_of(const gel_policy& policy) noexcept -> std::string_view {
  for (const policy_keyword& known : policy_words) {
    if (known.policy == policy) { return known.word; }
  }
  return "gel";
}

inline void describe_graph_platform(const graph_platform& p, gel_policy policy, verdict_summary& out) {
  std::int32_t cores = 0;
  for (const std::int32_t cpus : p.clusters) { cores += cpus; }
  const auto clusters = static_cast<std::int64_t>(p.clusters.size());
  tree cpus;
  cpus.add("count", cores).add("clusters", clusters).add("policy", word_of(policy));
  tree engines;
  engines.add("count", p.copy_engines).add("policy", "fifo");
  tree gpus{tree::array{}};
  const std::int32_t each = p.clusters.empty() ? 0 : p.clusters[0];
  out.platform_words.push_back(plural(clusters, "cluster") + " of " + plural(each, "core") + " (" +
                               std::string{word_of(policy)} + ")");
  if (p.copy_engines > 0) { out.platform_words.push_back(plural(p.copy_engines, "copy engine") + " (fifo)"); }
  if (p.sms > 0) {
    tree gpu;
    gpu.add("sms", p.sms).add("threads_per_sm", p.threads_per_sm);
    std::string words = "GPU with " + std::to_string(p.sms) + " SMs x " + std::to_string(p.threads_per_sm) + " threads";
    if (p.blocks_per_sm > 0) {
      gpu.add("blocks_per_sm", p.blocks_per_sm);
      words += " in at most " + std::to_string(p.blocks_per_sm) + " blocks";
    }
    if (p.warp_size != usual_warp_size) {
      gpu.add("warp_size", p.warp_size);
      words += ", warps of " + std::to_string(p.warp_size);
    }
    gpus.push(std::move(gpu.add("sharing", "fifo-blocks")));
    out.platform_words.push_back(words + " (fifo-blocks)");
  } else {
    out.platform_words.emplace_back("no GPU");
  }
  out.platform.add("cpus", std::move(cpus)).add("copy_engines", std::move(engines)).add("gpus", std::move(gpus));
}

/// Returns what keeps graphs from having bounds.
template <class Verdict>
[[nodiscard]] auto graph_obstacle(const Verdict& v) -> std::string {
  const auto name = [&v] { return v.where < v.tasks.size() ? std::string{v.tasks[v.where].name} : "A graph"; };
  switch (v.why) {
    case obstacle::none:
    case obstacle::deadline:
    case obstacle::invalid_model: return {};
    case obstacle::processors:
      return "The CPUs of cluster " + std::to_string(v.where == no_index ? 0 : v.where) +
             " can be asked for more time than they have.";
    case obstacle::gpu: return "The blocks of the kernels can ask for more of the GPU than is certain to be used.";
    case obstacle::copies: return "The copies can ask for more time than the copy engines have.";
    case obstacle::tokens: return "Nothing is known of the waits for tokens.";
    case obstacle::history: return name() + " waits for its own past for longer than its period allows.";
    case obstacle::interrupts: return "Interrupts leave no time for jobs on a cluster.";
    case obstacle::passes: return "The bounds still grew when the analysis was ended.";
    case obstacle::overflow: return "What the times add up to overflows 64-bit nanoseconds.";
  }
  return {};
}

template <class Table>
void add_graph_facts(const Table& refined, verdict_summary& out) {
  fact nodes{.head = "nodes"};
  fact period{.head = "period ms"};
  fact at_once{.head = "at once"};
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    const auto& g = refined.graphs[i];
    const auto& bound = out.tasks[i].bound;
    nodes.cells.push_back(std::to_string(g.nodes));
    period.cells.push_back(in_milliseconds(g.period));
    at_once.cells.push_back(bound.exists ? std::to_string(ceil_divide<ticks>(std::max<ticks>(bound.value, 1), g.period))
                                         : "-");
  }
  out.facts = {std::move(nodes), std::move(period), std::move(at_once)};
}

}  // namespace detail

/// Returns a verdict on graphs with its reasons: the nodes on the path that decides each bound. Rows may have been held
/// to deadlines. Pre: `v` is about these graphs on this board.
template <std::size_t MaxN, std::size_t MaxE, std::size_t MaxG, std::size_t N, std::size_t M>
[[nodiscard]] auto summarize(const graph_board& board, const graph_table<ticks, MaxN, MaxE, MaxG>& table,
                             const verdict<ticks, N, M>& v) -> verdict_summary {
  verdict_summary out = detail::begin_summary(v);
  out.subject = "graph";
  out.bounds_late_jobs = true;
  detail::describe_graph_platform(board.sizes, board.policy, out);
  if (out.tasks.empty()) { return out; }
  TAKT_EXPECTS(out.tasks.size() == table.graphs.size());
  const auto refined = refine(table, board.sizes.placement());
  std::vector<tree::array> nodes(out.tasks.size());
  for (std::size_t n = 0; n < v.visits.size(); ++n) {
    const auto& visit = v.visits[n];
    out.visits.push_back(visit_name(v.visits, n, out.tasks[visit.task].name));
    tree node;
    node.add("name", out.visits[n]).add("offset", v.plan.offsets[n]).add("response_bound", visit.response);
    nodes[visit.task].push_back(std::move(node));
  }
  for (std::uint32_t i = 0; i < out.tasks.size(); ++i) { out.tasks[i].parts.add("nodes", std::move(nodes[i])); }
  detail::add_graph_facts(refined, out);
  out.plan = detail::plan_members(v.plan, out);
  if (auto words = detail::graph_obstacle(v); !words.empty()) { out.findings.push_back(std::move(words)); }
  out.assumptions.emplace_back("Invocations of a graph are at least its period apart.");
  out.assumptions.emplace_back("No step, and no block of a kernel, takes longer than its time.");
  out.assumptions.emplace_back("Jobs of a node are enqueued in their order, and at least a period apart.");
  return out;
}

/// Summarizes a verdict on a typed platform.
template <GraphPlatform P, GraphSet T, std::size_t N, std::size_t M>
  requires(!ComposedBoard<P, T>)
[[nodiscard]] auto summarize(const P& platform, const T& graphs, const verdict<ticks, N, M>& v) -> verdict_summary {
  using rule = takt::detail::global_rule_of<P>;
  return summarize(graph_board{graph_platform_of(platform), rule::policy, is_preemptive<rule>},
                   graphs.template flat<ticks>(), v);
}

}  // namespace takt::inline TAKT_ABI::report
