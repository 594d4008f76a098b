// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/runtime/graph/graph_plan.hpp>
#include <takt/runtime/graph/graph_result.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::runtime {

/// What is seen of all nodes of a run, from all threads. Times are those of the clock; those of the result count from
/// the start.
class graph_log {
 public:
  /// With room for `entries` of each kind in the trace; what does not fit is counted.
  graph_log(const graph_plan& plan, const graph_run_options& options, std::size_t entries)
      : plan_{&plan}, options_{&options}, entries_{entries} {
    slices_.reserve(entries);
    marks_.reserve(entries);
    for (const planned_node& n : plan.nodes) {
      graph_node_seen seen;
      seen.name = n.node.name;
      seen.part = n.node.part;
      seen.graph = n.node.graph;
      seen.instances = n.instances;
      seen.response.has_bound = plan.has_bounds;
      seen.response.bound = n.response;
      nodes_.push_back(std::move(seen));
    }
    for (const planned_graph& g : plan.graphs) {
      graph_seen seen;
      seen.name = g.record.name;
      seen.copies = g.copies;
      seen.end_to_end.has_bound = plan.has_bounds;
      seen.end_to_end.bound = g.end_to_end;
      graphs_.push_back(std::move(seen));
    }
    if (!options.keep_responses) { return; }
    for (const planned_graph& g : plan.graphs) {
      const auto room = static_cast<std::size_t>(std::min(invocations_of(options, g.record.period), most_kept));
      graphs_[static_cast<std::size_t>(&g - plan.graphs.data())].end_to_end.all.reserve(room);
      for (std::uint32_t v = g.record.first_node; v < g.record.first_node + g.record.nodes; ++v) {
        nodes_[v].response.all.reserve(room);
        nodes_[v].execution.all.reserve(room);
      }
    }
  }

  void start_at(ticks start) { start_ = start; }

  /// A job of a node has all its inputs. `released`: when the input of its invocation had been called.
  void eligible(std::uint32_t node, std::int64_t job, ticks since, ticks nominal, ticks released) {
    if (since <= nominal || since <= released) { return; }
    const graph_overrun seen{node, job, since - start_, since - nominal};
    bool tell = false;
    {
      const std::lock_guard lock{mutex_};
      graph_node_seen& n = nodes_[node];
      tell = n.late == 0;
      ++n.late;
      n.worst_lateness = std::max(n.worst_lateness, seen.lateness);
      if (!first_overrun_ || seen.time < first_overrun_->time) { first_overrun_ = seen; }
    }
    if (tell && options_->on_overrun) { options_->on_overrun(seen); }
  }
  void ended(std::uint32_t node, std::int64_t job, ticks nominal, ticks began, ticks end) {
    const std::lock_guard lock{mutex_};
    nodes_[node].response.add(end - nominal, options_->keep_responses);
    nodes_[node].execution.add(end - began, options_->keep_responses);
    note(mark{mark_kind::release, node, static_cast<std::uint64_t>(job), nominal - start_});
    note(mark{mark_kind::completion, node, static_cast<std::uint64_t>(job), end - start_});
  }
  void worked(std::uint32_t node, std::int64_t job, const track& where, ticks began, ticks end) {
    const std::lock_guard lock{mutex_};
    if (slices_.size() == entries_) {
      ++lost_;
      return;
    }
    const std::uint32_t segment = plan_->nodes[node].node.segment;
    slices_.push_back({node, segment, static_cast<std::uint64_t>(job), where, began - start_, end - start_});
  }
  void released(std::uint32_t graph, ticks latency) {
    const std::lock_guard lock{mutex_};
    graphs_[graph].worst_release_latency = std::max(graphs_[graph].worst_release_latency, latency);
  }
  void skipped(std::uint32_t graph) {
    const std::lock_guard lock{mutex_};
    ++graphs_[graph].skipped;
  }
  /// Before the call of the output, which is no part of the graph.
  void delivered(std::uint32_t graph, ticks response) {
    const std::lock_guard lock{mutex_};
    ++graphs_[graph].delivered;
    graphs_[graph].end_to_end.add(response, options_->keep_responses);
  }

  /// Moves what was seen into a result.
  void report(graph_run_result& out) {
    out.nodes = std::move(nodes_);
    out.graphs = std::move(graphs_);
    out.first_overrun = first_overrun_;
    const auto exceeds = [](const auto& seen) { return !seen.within_bound(); };
    const bool node = std::ranges::any_of(out.nodes, exceeds, &graph_node_seen::response);
    const bool graph = std::ranges::any_of(out.graphs, exceeds, &graph_seen::end_to_end);
    if (node || graph) { out.status = graph_run_status::exceeded; }
  }
  /// Entries that did not fit.
  template <TraceRecorder Recorder>
  auto replay(Recorder& recorder) const -> std::uint64_t {
    for (const slice& s : slices_) { recorder.record(s); }
    for (const mark& m : marks_) { recorder.record(m); }
    return lost_;
  }

 private:
  static constexpr std::int64_t most_kept = std::int64_t{1} << 20;

  void note(const mark& m) {
    if (marks_.size() < entries_) {
      marks_.push_back(m);
    } else if (entries_ > 0) {
      ++lost_;
    }
  }

  const graph_plan* plan_;
  const graph_run_options* options_;
  std::size_t entries_;
  ticks start_ = 0;
  inheriting_mutex mutex_;
  std::vector<graph_node_seen> nodes_;
  std::vector<graph_seen> graphs_;
  std::optional<graph_overrun> first_overrun_;
  std::vector<slice> slices_;
  std::vector<mark> marks_;
  std::uint64_t lost_ = 0;
};

}  // namespace takt::runtime
