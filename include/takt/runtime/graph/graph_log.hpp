// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/graph/late_job.hpp>
#include <takt/runtime/graph/flat_graphs.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/graph_result.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_watch.hpp>
#include <takt/runtime/trace_buffer.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Holds what is seen of all nodes of a run. Times count from its start. No two calls at a time.
class graph_log {
 public:
  /// Pre: all outlive it.
  graph_log(const graph_layout& laid, const graph_run_options& options, trace_buffer& trace, graph_run_result& out)
      : laid_{&laid},
        options_{&options},
        violations_{options, laid.graphs.size()},
        void_{most_graph_stations},
        trace_{&trace},
        out_{&out} {
    for (const laid_node& n : laid.nodes) {
      observed_node seen;
      seen.name = n.node.name;
      seen.part = n.node.part;
      seen.graph = n.node.graph;
      seen.instances = n.instances;
      seen.priority = n.priority;
      nodes_.push_back(std::move(seen));
    }
    for (const laid_graph& g : laid.graphs) {
      const auto& bound = violations_.bound_of(rows_.size());
      observed_task<ticks, std::string> row;
      row.name = g.record.name;
      row.has_bound = bound.exists;
      row.bound = bound.value;
      row.first_visit = g.record.first_node;
      row.visit_count = g.record.nodes;
      rows_.push_back(std::move(row));
      graphs_.push_back({g.copies, 0, {}});
    }
    if (!options.keep_responses) { return; }
    for (std::size_t i = 0; i < laid.graphs.size(); ++i) {
      const auto& g = laid.graphs[i].record;
      const auto room = static_cast<std::size_t>(std::min(invocations_of(options, g.period), most_kept));
      graphs_[i].responses.reserve(room);
      for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
        nodes_[v].response.all.reserve(room);
        nodes_[v].execution.all.reserve(room);
      }
    }
  }

  /// A job of a node has all that it waits for; its invocation was made when its input had been called. Returns whether
  /// it `comes_late`. A call that took its time alone is no overrun.
  auto eligible(std::uint32_t node, std::int64_t job, const job_inputs& in, ticks nominal) -> bool {
    const bool is_late = comes_late(in, nominal, laid_->graphs[nodes_[node].graph].record.period);
    if (in.since <= nominal || in.since <= in.invoked) { return is_late; }
    const graph_overrun seen{node, job, in.since, in.since - nominal};
    observed_node& n = nodes_[node];
    n.worst_lateness = std::max(n.worst_lateness, seen.lateness);
    if (!first_overrun_ || seen.time < first_overrun_->time) { first_overrun_ = seen; }
    if (n.late++ == 0 && options_->on_overrun) { options_->on_overrun(seen); }
    return is_late;
  }
  /// A job that was to be at its station by its nominal release is there.
  void entered(std::uint32_t station, ticks nominal, ticks now, bool is_late) {
    void_.enters(station);
    if (is_late) {
      void_.late(nominal, now);
    } else if (nominal < now) {
      void_.still_late(now);
    }
  }
  void left(std::uint32_t station, ticks now) { void_.leaves(station, now); }
  void ended(std::uint32_t node, std::int64_t job, ticks nominal, ticks began, ticks end) {
    observed_node& n = nodes_[node];
    n.response.add(end - nominal, options_->keep_responses);
    n.execution.add(end - began, options_->keep_responses);
    trace_->add(mark{mark_kind::release, node, static_cast<std::uint64_t>(job), nominal});
    trace_->add(mark{mark_kind::completion, node, static_cast<std::uint64_t>(job), end});
    const std::uint32_t visit = node - rows_[n.graph].first_visit;
    const violation seen{n.graph, visit, static_cast<std::uint64_t>(job), true, end, end - nominal, 0};
    const auto& bound = violations_.bound_of(n.graph, visit);
    if (violations_.note(bound, seen)) {
      n.within_bound = false;
      void_.late(nominal + bound.value, end);
    }
  }
  void worked(std::uint32_t node, std::int64_t job, const track& where, ticks began, ticks end) {
    const std::uint32_t segment = laid_->nodes[node].node.segment;
    trace_->add(slice{node, segment, static_cast<std::uint64_t>(job), where, began, end});
  }
  void released(std::uint32_t graph, ticks release, ticks latency) {
    ++rows_[graph].released;
    if (latency >= laid_->graphs[graph].record.period) { void_.late(release, release + latency); }
    graphs_[graph].worst_release_latency = std::max(graphs_[graph].worst_release_latency, latency);
  }
  void skipped(std::uint32_t graph) {
    ++rows_[graph].released;
    ++rows_[graph].skipped;
    if (options_->watch != nullptr) { options_->watch->skipped(graph); }
  }
  /// Records the end of an invocation, before the call of the output, which is no part of the graph.
  void delivered(std::uint32_t graph, std::int64_t job, ticks release, ticks end) {
    const ticks response = end - release;
    note_completion(rows_[graph], response);
    if (options_->watch != nullptr) { options_->watch->completed(graph, response); }
    if (options_->keep_responses) { graphs_[graph].responses.push_back(response); }
    const violation seen{graph, no_index, static_cast<std::uint64_t>(job), false, end, response, 0};
    const auto& bound = violations_.bound_of(graph);
    if (violations_.note(bound, seen)) { void_.late(release + bound.value, end); }
  }

  /// Returns whether nothing more is to be invoked, since a violation ends the run.
  [[nodiscard]] auto is_over() const noexcept -> bool { return violations_.is_over(); }

  /// Moves what was seen until `end` into the result. `has_more(graph)`: not all of its invocations were made.
  template <class HasMore>
  void report(ticks end, const HasMore& has_more) {
    graph_run_result& out = *out_;
    out.end = end;
    for (const observed_node& n : nodes_) { out.visit_responses.push_back(n.response.worst); }
    for (std::uint32_t g = 0; g < rows_.size(); ++g) {
      rows_[g].within_bound = !violations_.any_of(g);
      rows_[g].unfinished = rows_[g].released - rows_[g].completed - rows_[g].skipped;
      out.stopped = out.stopped || has_more(g);
    }
    out.first_violation = violations_.first();
    out.tasks = std::move(rows_);
    out.nodes = std::move(nodes_);
    out.graphs = std::move(graphs_);
    out.first_overrun = first_overrun_;
    out.void_bounds = void_.until(end);
  }

 private:
  static constexpr std::int64_t most_kept = std::int64_t{1} << 20;

  const graph_layout* laid_;
  const graph_run_options* options_;
  std::vector<observed_node> nodes_;
  std::vector<observed_task<ticks, std::string>> rows_;
  std::vector<observed_graph> graphs_;
  violation_log violations_;
  host::void_bounds void_;
  std::optional<graph_overrun> first_overrun_;
  trace_buffer* trace_;
  graph_run_result* out_;
};

}  // namespace takt::inline TAKT_ABI::runtime::detail
