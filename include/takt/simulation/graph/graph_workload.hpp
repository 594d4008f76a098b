// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/rules/block_placement.hpp>

namespace takt::simulation {

/// A piece of a job: CPU time, or a kernel or a copy during which the job suspends.
template <ExactNumber Number>
struct graph_step {
  node_kind kind = node_kind::processor;
  Number length{};  ///< CPU time, time of one block, or time of the copy
  std::int64_t blocks = 0;
  block_footprint block{};
  bool signals = false;       ///< CPU time in which the job hands on its results
  std::uint32_t segment = 0;  ///< in a trace
};

/// Nominal releases of the task follow from its tokens alone.
inline constexpr std::int32_t no_clock = -1;

/// A node as it is scheduled. Its jobs are its chain of steps.
template <ExactNumber Number>
struct graph_task {
  std::uint32_t graph = 0;
  std::size_t first_step = 0;
  std::size_t steps = 0;
  std::int32_t cluster = 0;
  /// So many of the oldest unfinished jobs may run; `unrestricted_parallelism`: all.
  std::int64_t parallelism = unrestricted_parallelism;
  /// Job j is nominally released `offset` after invocation j of this clock. A task without one is so when its tokens
  /// are there, but not before `period` after the nominal release before.
  std::int32_t clock = no_clock;
  Number period{};
  Number offset{};
  fraction_of<Number> priority_point{};  ///< after the nominal release
  bool guarded = false;  ///< its jobs enter their queue in order and `period` apart; only for a single kernel or copy
  bool is_sink = false;  ///< its ends are ends of the graph
};

/// Job j of `to` waits for job j - `lag` of `from`. With `produce` set it waits for tokens instead: each job of `from`
/// adds `produce`, `lag` are there at the start, a job of `to` takes `consume` and starts with at least `threshold`.
struct graph_dependency {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t lag = 0;
  std::int64_t produce = 0;
  std::int64_t consume = 1;
  std::int64_t threshold = 1;
  bool feedback = false;  ///< holds a job back, but does not move its nominal release
};

/// What a graph simulator runs. Tasks stand in the order of their graphs and, inside, in that of their nodes.
template <ExactNumber Number>
struct graph_workload {
  std::vector<std::int32_t> clusters;  ///< CPUs of each
  std::vector<graph_step<Number>> steps;
  std::vector<graph_task<Number>> tasks;
  std::vector<graph_dependency> dependencies;
  std::vector<std::int32_t> clocks;  ///< of each graph, from which its responses count
};

}  // namespace takt::simulation
