// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/model/model_error.hpp>

namespace takt {

/// What can be wrong with graphs, or with their place on a platform.
enum class graph_fault : std::uint8_t {
  none,
  no_graph,
  no_node,
  too_large,
  period_not_positive,
  negative_time,
  unknown_node,
  duplicate_name,
  duplicate_edge,
  cycle_without_history,
  lag_not_positive,
  kernel_shape_out_of_range,
  negative_parallelism,
  cluster_out_of_range,
  platform_size_out_of_range,
  kernel_without_gpu,
  amount_out_of_range,
  rates_disagree,
  choice_out_of_range,
  time_overflow,
};

/// Where and what. `node` and `edge` are positions in the whole table; an edge that names an unknown node has its own
/// position.
struct graph_error {
  graph_fault fault = graph_fault::none;
  std::uint32_t graph = nowhere;
  std::uint32_t node = nowhere;
  std::uint32_t edge = nowhere;

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return fault != graph_fault::none; }
  [[nodiscard]] friend constexpr auto operator==(const graph_error&, const graph_error&) noexcept -> bool = default;
};

[[nodiscard]] constexpr auto describe(graph_fault fault) noexcept -> fault_text {
  switch (fault) {
    case graph_fault::none: return {"", "", ""};
    case graph_fault::no_graph: return {"graphs", "there is no graph", "at least one graph"};
    case graph_fault::no_node: return {"nodes", "the graph has no node", "at least one node"};
    case graph_fault::too_large: return {"graphs", "there is more than this program holds", "fewer nodes and edges"};
    case graph_fault::period_not_positive: return {"period", "is not positive", "a time of at least 1ns"};
    case graph_fault::negative_time: return {"", "is negative", "a time of at least 0ns"};
    case graph_fault::unknown_node: return {"edges", "name no node of their graph", "two nodes of the same graph"};
    case graph_fault::duplicate_name: return {"name", "was given before", "a name of its own for each graph and node"};
    case graph_fault::duplicate_edge: return {"edges", "join the same nodes twice", "one edge between two nodes"};
    case graph_fault::cycle_without_history:
      return {"edges", "form a cycle", "no cycle, or a history edge with a lag of at least 1 in it"};
    case graph_fault::lag_not_positive: return {"lag", "is not positive", "1 (the invocation before) or more"};
    case graph_fault::kernel_shape_out_of_range:
      return {"kernel", "has a shape out of range", "at least 1 block of 1 to threads-per-SM threads, and time"};
    case graph_fault::negative_parallelism: return {"parallelism", "is negative", "1 or more jobs at a time"};
    case graph_fault::cluster_out_of_range: return {"cluster", "is not on the platform", "0 to clusters - 1"};
    case graph_fault::platform_size_out_of_range:
      return {"", "is out of range", "1 to 1048576 CPUs, SMs and threads, clusters of one size"};
    case graph_fault::kernel_without_gpu:
      return {"kernel", "needs a GPU, and the platform has none", "a block queue, or no kernels"};
    case graph_fault::amount_out_of_range:
      return {"amounts", "are out of range", "arrivals, produce, consume >= 1 and threshold >= consume"};
    case graph_fault::rates_disagree:
      return {"edges", "bring tokens at different rates to one node", "the same rate over every edge into a node"};
    case graph_fault::choice_out_of_range: return {"", "names no known choice", "one of the named enumerators"};
    case graph_fault::time_overflow:
      return {"", "overflows 64-bit nanoseconds", "times whose sum over the graphs stays below 2^63 ns"};
  }
  return {"", "", ""};
}

namespace detail {

// clang-format off: the compiler shows the line of the call, so each sentence stays on it.
constexpr void refuse(const graph_error& error) noexcept {
  switch (error.fault) {
    case graph_fault::none: return;
    case graph_fault::no_graph:
    case graph_fault::no_node:
      return stop_compilation("takt: there is no graph, or one without nodes; give each graph a node(). See docs/errors.md#E63");
    case graph_fault::too_large:
      return stop_compilation("takt: too many nodes or edges; raise the capacity of the table. See docs/errors.md#E04");
    case graph_fault::period_not_positive:
      return stop_compilation("takt: a period is not positive; give period() at least 1ns. See docs/errors.md#E06");
    case graph_fault::negative_time:
      return stop_compilation("takt: a time is negative; every time is at least 0. See docs/errors.md#E09");
    case graph_fault::unknown_node:
      return stop_compilation("takt: an edge names a node that its graph lacks; name two nodes of the same graph. See docs/errors.md#E60");
    case graph_fault::duplicate_name:
      return stop_compilation("takt: two nodes of a graph, or two graphs, have the same name; give each its own. See docs/errors.md#E61");
    case graph_fault::duplicate_edge:
      return stop_compilation("takt: two edges join the same nodes; keep one of them. See docs/errors.md#E61");
    case graph_fault::cycle_without_history:
      return stop_compilation("takt: the edges of a graph form a cycle; remove one, or make it history(). See docs/errors.md#E62");
    case graph_fault::lag_not_positive:
      return stop_compilation("takt: a history edge has no lag; 1 is the invocation before. See docs/errors.md#E62");
    case graph_fault::kernel_shape_out_of_range:
      return stop_compilation("takt: a kernel has no block, no time, or a block that fits no SM; see grid() and block_length(). See docs/errors.md#E64");
    case graph_fault::negative_parallelism:
      return stop_compilation("takt: a node allows no job at a time; give parallelism() 1 or more. See docs/errors.md#E64");
    case graph_fault::cluster_out_of_range:
      return stop_compilation("takt: a graph is on a CPU cluster that the platform lacks; use on_cluster(0) to on_cluster(clusters - 1). See docs/errors.md#E68");
    case graph_fault::platform_size_out_of_range:
      return stop_compilation("takt: the size of a pool is out of range; at least 1, and clusters divide the processors. See docs/errors.md#E68");
    case graph_fault::kernel_without_gpu:
      return stop_compilation("takt: a graph has a kernel, but the platform has no GPU; add pool(block_slots(...), fifo_blocks(...)). See docs/errors.md#E68");
    case graph_fault::amount_out_of_range:
      return stop_compilation("takt: token amounts are out of range; produce and consume are at least 1, and threshold >= consume. See docs/errors.md#E69");
    case graph_fault::rates_disagree:
      return stop_compilation("takt: two edges bring tokens to a node at different rates; one queue would grow forever. See docs/errors.md#E69");
    case graph_fault::choice_out_of_range:
      return stop_compilation("takt: a choice is none of those that its type names; use one of the enumerators. See docs/errors.md#E76");
    case graph_fault::time_overflow:
      return stop_compilation("takt: times overflow 64-bit nanoseconds; keep their sum below 2^63 ns. See docs/errors.md#E24");
  }
}
// clang-format on

/// As `refusal`, for graphs.
struct graph_refusal {
  graph_error error{};

  constexpr graph_refusal() noexcept = default;
  constexpr explicit graph_refusal(bool /*checked_before*/) noexcept {}
  graph_refusal(const graph_refusal&) = delete;
  auto operator=(const graph_refusal&) -> graph_refusal& = delete;
  constexpr ~graph_refusal() {
    if (std::is_constant_evaluated()) { refuse(error); }
  }
};

}  // namespace detail

}  // namespace takt
