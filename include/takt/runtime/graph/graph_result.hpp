// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Times that were seen.
struct observed_times {
  std::int64_t count = 0;
  ticks worst = 0;
  ticks best = 0;
  ticks sum = 0;           ///< stays at the largest value when it would overflow
  std::vector<ticks> all;  ///< only with `keep_responses`

  [[nodiscard]] auto mean() const noexcept -> ticks { return count == 0 ? 0 : sum / count; }
  void add(ticks t, bool keep) {
    best = count == 0 || t < best ? t : best;
    worst = count == 0 || worst < t ? t : worst;
    sum = later(sum, t);
    ++count;
    if (keep) { all.push_back(t); }
  }
};

/// A node of the refined graphs.
struct observed_node {
  std::string name;
  node_part part = node_part::whole;
  std::uint32_t graph = 0;
  std::int64_t instances = 0;
  std::int64_t priority = 0;  ///< the least goes first, where processors go by priority
  observed_times response;    ///< from the nominal release; below 0 for jobs that end before it
  observed_times execution;   ///< from the start to the end, on a processor or in the queue of the GPU or the engines
  bool within_bound = true;   ///< no response was above its expected bound
  std::int64_t late = 0;      ///< jobs whose inputs came after their nominal release
  ticks worst_lateness = 0;
};

/// Holds what a run knows of a graph beyond its row.
struct observed_graph {
  std::int64_t copies = 0;          ///< of its data objects
  ticks worst_release_latency = 0;  ///< from the time of an invocation to its input's call
  std::vector<ticks> responses;     ///< of all invocations, only with `keep_responses`
};

/// `tasks` are the graphs: an invocation is complete when its sinks are, and delivered in order. A graph has no
/// deadline, so none is missed. Visits are the nodes.
struct graph_run_result : run_result {
  std::vector<observed_graph> graphs;  ///< in the given order
  std::vector<observed_node> nodes;    ///< by position in the refined table
  std::optional<graph_overrun> first_overrun;
};

}  // namespace takt::inline TAKT_ABI::runtime
