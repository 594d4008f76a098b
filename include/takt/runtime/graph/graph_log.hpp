// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/graph_result.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_watch.hpp>

namespace takt::runtime {

/// What is seen of all nodes of a run, from all threads. Times are those of the clock; those of the result count from
/// the start.
class graph_log {
 public:
  /// With room for `entries` of each kind in the trace; what does not fit is counted.
  graph_log(const graph_layout& laid, const graph_run_options& options, std::size_t entries)
      : laid_{&laid}, options_{&options}, entries_{entries} {
    slices_.reserve(entries);
    marks_.reserve(entries);
    for (const laid_node& n : laid.nodes) {
      observed_node seen;
      seen.name = n.node.name;
      seen.part = n.node.part;
      seen.graph = n.node.graph;
      seen.instances = n.instances;
      seen.priority = std::int64_t{options.base_priority} + n.depth;
      nodes_.push_back(std::move(seen));
    }
    for (const laid_graph& g : laid.graphs) {
      const auto& bound = expected_of(static_cast<std::uint32_t>(rows_.size()));
      observed_task<ticks, std::string> row;
      row.name = g.record.name;
      row.has_bound = bound.exists;
      row.bound = bound.value;
      row.first_visit = g.record.first_node;
      row.visit_count = g.record.nodes;
      rows_.push_back(std::move(row));
      graphs_.push_back({g.copies, 0, {}});
    }
    violations_.resize(rows_.size());
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

  void start_at(ticks start) { start_ = start; }

  /// A job of a node has all its inputs. `released`: when the input of its invocation had been called.
  void eligible(std::uint32_t node, std::int64_t job, ticks since, ticks nominal, ticks released) {
    if (since <= nominal || since <= released) { return; }
    const graph_overrun seen{node, job, since - start_, since - nominal};
    bool tell = false;
    {
      const std::lock_guard lock{mutex_};
      observed_node& n = nodes_[node];
      tell = n.late == 0;
      ++n.late;
      n.worst_lateness = std::max(n.worst_lateness, seen.lateness);
      if (!first_overrun_ || seen.time < first_overrun_->time) { first_overrun_ = seen; }
    }
    if (tell && options_->on_overrun) { options_->on_overrun(seen); }
  }
  void ended(std::uint32_t node, std::int64_t job, ticks nominal, ticks began, ticks end) {
    bool tell = false;
    violation seen;
    {
      const std::lock_guard lock{mutex_};
      observed_node& n = nodes_[node];
      n.response.add(end - nominal, options_->keep_responses);
      n.execution.add(end - began, options_->keep_responses);
      note(mark{mark_kind::release, node, static_cast<std::uint64_t>(job), nominal - start_});
      note(mark{mark_kind::completion, node, static_cast<std::uint64_t>(job), end - start_});
      const std::uint32_t visit = node - rows_[n.graph].first_visit;
      const auto& bound = expected_of(n.graph, visit);
      n.within_bound = n.within_bound && !exceeds(end - nominal, bound);
      seen = {n.graph, visit, static_cast<std::uint64_t>(job), true, end - start_, end - nominal, bound.value};
      tell = exceeds(end - nominal, bound) && is_first(seen);
      if (exceeds(end - nominal, bound)) { note_violation(seen); }
    }
    if (tell && options_->on_violation) { options_->on_violation(seen); }
  }
  void worked(std::uint32_t node, std::int64_t job, const track& where, ticks began, ticks end) {
    const std::lock_guard lock{mutex_};
    if (slices_.size() == entries_) {
      ++lost_;
      return;
    }
    const std::uint32_t segment = laid_->nodes[node].node.segment;
    slices_.push_back({node, segment, static_cast<std::uint64_t>(job), where, began - start_, end - start_});
  }
  void released(std::uint32_t graph, ticks latency) {
    const std::lock_guard lock{mutex_};
    ++rows_[graph].released;
    graphs_[graph].worst_release_latency = std::max(graphs_[graph].worst_release_latency, latency);
  }
  void skipped(std::uint32_t graph) {
    const std::lock_guard lock{mutex_};
    ++rows_[graph].released;
    ++rows_[graph].skipped;
    if (options_->watch != nullptr) { options_->watch->skipped(graph); }
  }
  /// Before the call of the output, which is no part of the graph.
  void delivered(std::uint32_t graph, std::int64_t job, ticks release, ticks end) {
    const ticks response = end - release;
    const auto& bound = expected_of(graph);
    bool tell = false;
    const violation seen{graph, nowhere, static_cast<std::uint64_t>(job), false, end - start_, response, bound.value};
    {
      const std::lock_guard lock{mutex_};
      note_completion(rows_[graph], response);
      if (options_->watch != nullptr) { options_->watch->completed(graph, response); }
      if (options_->keep_responses) { graphs_[graph].responses.push_back(response); }
      tell = exceeds(response, bound) && is_first(seen);
      if (exceeds(response, bound)) { note_violation(seen); }
    }
    if (tell && options_->on_violation) { options_->on_violation(seen); }
  }

  /// Whether nothing more is to be invoked: a violation ends the run, or somebody asked for its end.
  [[nodiscard]] auto is_over() const -> bool { return is_over_ || is_asked_to_stop(*options_); }
  /// An invocation before the end of the run is left out.
  void cut() noexcept { is_cut_ = true; }

  /// Moves what was seen into a result.
  void report(graph_run_result& out) {
    for (const observed_node& n : nodes_) { out.visit_responses.push_back(n.response.worst); }
    for (std::size_t g = 0; g < rows_.size(); ++g) {
      const auto& seen = violations_[g];
      rows_[g].within_bound = !seen.has_value();
      if (seen && (!out.first_violation || seen->time < out.first_violation->time)) { out.first_violation = seen; }
    }
    out.tasks = std::move(rows_);
    out.nodes = std::move(nodes_);
    out.graphs = std::move(graphs_);
    out.first_overrun = first_overrun_;
    out.stopped = is_cut_;
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

  /// Of a node of a graph, or of the graph.
  [[nodiscard]] auto expected_of(std::uint32_t graph, std::uint32_t visit = nowhere) const
      -> const response_bound<ticks>& {
    static constexpr response_bound<ticks> nothing{};
    if (graph >= options_->expected.size()) { return nothing; }
    const expectation& e = options_->expected[graph];
    if (visit == nowhere) { return e.response; }
    return visit < e.visits.size() ? e.visits[visit] : nothing;
  }
  [[nodiscard]] static auto exceeds(ticks response, const response_bound<ticks>& bound) -> bool {
    return bound.exists && response > bound.value;
  }
  /// Keeps what is the first violation of its graph.
  [[nodiscard]] auto is_first(const violation& seen) -> bool {
    auto& first = violations_[seen.task];
    if (first) { return false; }
    first = seen;
    return true;
  }
  void note_violation(const violation& seen) {
    if (options_->watch != nullptr) { options_->watch->violated(seen.task, seen.time); }
    if (ends_run(options_->at_violation)) { is_over_ = true; }
  }
  void note(const mark& m) {
    if (marks_.size() < entries_) {
      marks_.push_back(m);
    } else if (entries_ > 0) {
      ++lost_;
    }
  }

  const graph_layout* laid_;
  const graph_run_options* options_;
  std::size_t entries_;
  ticks start_ = 0;
  inheriting_mutex mutex_;
  std::vector<observed_node> nodes_;
  std::vector<observed_task<ticks, std::string>> rows_;
  std::vector<observed_graph> graphs_;
  std::vector<std::optional<violation>> violations_;  ///< the first of each graph
  std::optional<graph_overrun> first_overrun_;
  std::vector<slice> slices_;
  std::vector<mark> marks_;
  std::uint64_t lost_ = 0;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> is_cut_ = false;
};

}  // namespace takt::runtime
