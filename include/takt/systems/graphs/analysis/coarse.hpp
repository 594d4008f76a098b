// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/block_queue/outstanding_jobs.hpp>
#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>
#include <takt/analysis/methods/gel/compliant_vector.hpp>
#include <takt/analysis/methods/gel/devi_anderson.hpp>
#include <takt/core/choice.hpp>
#include <takt/core/exact.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/graphs/analysis/offsets.hpp>
#include <takt/systems/graphs/analysis/timing.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says what becomes one sequential task: its next job starts after this one, and it counts as running while it waits
/// for the GPU.
enum class graph_grain : std::uint8_t {
  node,   ///< a run-time node, with all segments of its chain
  graph,  ///< all of a graph
};
[[nodiscard]] constexpr auto last_of(graph_grain) noexcept -> graph_grain { return graph_grain::graph; }

/// Says where the bounds of kernels inside a sequential task come from.
enum class coarse_kernel_bound : std::uint8_t {
  separated,    ///< Yang et al. 2018, theorem 3, over all kernels
  one_at_once,  ///< of each sequential task at most one kernel is not complete; never above the other
};
[[nodiscard]] constexpr auto last_of(coarse_kernel_bound) noexcept -> coarse_kernel_bound {
  return coarse_kernel_bound::one_at_once;
}

/// Says which bound of sequential tasks under G-EDF is used.
enum class sequential_bound : std::uint8_t { devi_anderson, compliant_vector };
[[nodiscard]] constexpr auto last_of(sequential_bound) noexcept -> sequential_bound {
  return sequential_bound::compliant_vector;
}

struct coarse_options {
  graph_grain grain = graph_grain::node;
  coarse_kernel_bound kernels = coarse_kernel_bound::one_at_once;  ///< and of copies on engines
  sequential_bound tasks = sequential_bound::devi_anderson;
};
[[nodiscard]] constexpr auto choices_known(const coarse_options& o) noexcept -> bool {
  return is_known(o.grain) && is_known(o.kernels) && is_known(o.tasks);
}

/// Says why sequential tasks have no bound.
enum class overload : std::uint8_t {
  none,
  one_task,  ///< one needs more than a processor
  cluster,   ///< all of a cluster need more than it has
};

/// Holds sequential tasks as the nodes of `table`, in the order of their owners, and their bounds.
template <ExactNumber Number, std::size_t N, std::size_t E, std::size_t G>
struct coarse_timing {
  graph_table<Number, N, E, G> table;
  graph_timing<Number, N, G> timing;
  overload reason = overload::none;
};

namespace detail {

/// Returns whether each run-time node is a task, rather than each graph.
[[nodiscard]] constexpr auto by_node(graph_grain grain) noexcept -> bool {
  switch (grain) {
    case graph_grain::node: return true;
    case graph_grain::graph: return false;
  }
  return false;
}

template <class Number, std::size_t Max>
[[nodiscard]] constexpr auto coarse_responses(const task_rows<block_kernel<Number>, Max>& queue, const block_gpu& gpu,
                                              coarse_kernel_bound which) -> block_bounds<Number, Max> {
  switch (which) {
    case coarse_kernel_bound::separated: return separated_enqueue_response(queue, gpu, per_job_streams);
    case coarse_kernel_bound::one_at_once: return owner_response(queue, gpu);
  }
  return block_bounds<Number, Max>::failed(block_status::invalid_model);
}

template <class Number, std::size_t Max>
[[nodiscard]] constexpr auto sequential_responses(const task_rows<gel_task<Number>, Max>& tasks,
                                                  std::int32_t processors, sequential_bound which)
    -> gel_bounds<Number, Max> {
  switch (which) {
    case sequential_bound::devi_anderson:
      return devi_anderson(tasks, processors, devi_form::mixed, devi_quotient::not_negative);
    case sequential_bound::compliant_vector:
      return sequential_response(tasks, processors, gel_policy::earliest_deadline);
  }
  return gel_bounds<Number, Max>::unknown_choice();
}

/// Sets the times that nodes of a kind spend in the queue that they share.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto set_queue_times(const graph_table<Number, N, E, G>& table, node_kind kind,
                                             const block_gpu& gpu, std::int32_t warp_size,
                                             const coarse_options& options, std::array<Number, N>& times)
    -> block_status {
  task_rows<block_kernel<Number>, N> queue;
  std::array<std::size_t, N> at{};
  for (std::size_t v = 0; v < table.nodes.size(); ++v) {
    const auto& n = table.nodes[v];
    if (!uses_queue(n, kind)) { continue; }
    auto k = queue_entry(table, v, warp_size);
    k.owner = static_cast<std::int32_t>(by_node(options.grain) ? n.owner : n.graph);
    at[v] = queue.size();
    static_cast<void>(queue.add(k));
  }
  if (queue.size() == 0) { return block_status::bounded; }
  const auto bounds = coarse_responses(queue, gpu, options.kernels);
  for (std::size_t v = 0; bounds.bounded() && v < table.nodes.size(); ++v) {
    if (uses_queue(table.nodes[v], kind)) { times[v] = bounds.responses[at[v]]; }
  }
  return bounds.status;
}

/// Adds the sequential tasks with their times. `queued`: by node, where the time is that of a queue.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto add_sequential_tasks(const graph_table<Number, N, E, G>& table,
                                                  const std::array<Number, N>& queued, graph_grain grain,
                                                  coarse_timing<Number, N, E, G>& out) -> bool {
  for (std::size_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    static_cast<void>(out.table.add_graph(g.name, g.period, g.cluster));
    for (std::size_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
      const auto& n = table.nodes[v];
      const bool begins = v == g.first_node || (by_node(grain) && n.owner != table.nodes[v - 1].owner);
      if (begins) {
        graph_node<Number> task;
        task.name = by_node(grain) ? n.name : g.name;
        task.parallelism = 1;
        static_cast<void>(out.table.add_node(task));
      }
      Number& wcet = out.table.nodes[out.table.nodes.size() - 1].wcet;
      Number own = Number(0) < queued[v] ? queued[v] : n.wcet;
      if (n.kind == node_kind::kernel) {
        if (!add_exactly(own, n.launch, own) || !add_exactly(own, n.await, own)) { return false; }
      }
      if (!add_exactly(wcet, own, wcet)) { return false; }
    }
  }
  return true;
}

template <class Number, std::size_t N, std::size_t E, std::size_t G>
constexpr void add_sequential_edges(const graph_table<Number, N, E, G>& table, coarse_timing<Number, N, E, G>& out) {
  for (std::size_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    auto& record = out.table.graphs[i];
    record.first_edge = static_cast<std::uint32_t>(out.table.edges.size());
    const std::uint32_t first_owner = table.nodes[g.first_node].owner;
    for (std::size_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const auto at = [&](std::uint32_t v) { return record.first_node + (table.nodes[v].owner - first_owner); };
      const graph_edge edge{at(table.edges[e].from), at(table.edges[e].to), table.edges[e].lag};
      bool known = edge.from == edge.to;
      for (std::size_t other = record.first_edge; other < out.table.edges.size(); ++other) {
        known = known || out.table.edges[other] == edge;
      }
      if (!known) {
        // Bound: at most the edges of the table.
        out.table.edges.unchecked_push_back(edge);
        ++record.edges;
      }
    }
  }
}

template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto set_sequential_responses(coarse_timing<Number, N, E, G>& out, std::int32_t cluster,
                                                      std::int32_t processors, sequential_bound bound) -> obstacle {
  const auto& nodes = out.table.nodes;
  const auto counts = [&](std::size_t v) {
    return out.table.graphs[nodes[v].graph].cluster == cluster && Number(0) < nodes[v].wcet;
  };
  task_rows<gel_task<Number>, N> tasks;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    if (!counts(v)) { continue; }
    const Number& period = out.table.period_of(v);
    static_cast<void>(tasks.add({.name = nodes[v].name, .wcet = nodes[v].wcet, .period = period, .deadline = period}));
  }
  if (tasks.size() == 0) { return obstacle::none; }
  const auto bounds = sequential_responses(tasks, processors, bound);
  if (bounds.status == gel_status::task_overload) { out.reason = overload::one_task; }
  if (bounds.status == gel_status::cluster_overload) { out.reason = overload::cluster; }
  if (!bounds.bounded()) { return obstacle_of(bounds.status, obstacle::processors); }
  std::size_t next = 0;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    if (counts(v)) { out.timing.response[v] = bounds.tasks[next++].response; }
  }
  return obstacle::none;
}

}  // namespace detail

/// Bounds graphs whose run-time nodes, or which as a whole, are sequential tasks under G-EDF. They count their waits
/// for the GPU as execution: the coarse-grained and the monolithic form of Yang et al. 2018. Launching and awaiting a
/// kernel is CPU time as always; a copy is, too, unless the platform has copy engines. A history edge of a task to
/// itself holds by being sequential. The printed use of theorem 3 assumes enqueues a period apart, which a tardy task
/// does not keep. The number is safe all the same, since `one_at_once` is not above it. Error: `invalid_model` where an
/// option is unknown. Pre: `validate` and `fits` found nothing; the table is not refined.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto coarse_bounds(const graph_table<Number, N, E, G>& table, const graph_platform& platform,
                                           const coarse_options& options = {}) -> coarse_timing<Number, N, E, G> {
  coarse_timing<Number, N, E, G> out;
  if (!choices_known(options)) {
    out.timing.status = obstacle::invalid_model;
    return out;
  }
  TAKT_EXPECTS_IN_TESTS(!validate(table) && !takt::fits(table, platform));
  std::array<Number, N> queued{};
  const block_gpu gpu{platform.sms, platform.threads_per_sm, platform.blocks_per_sm};
  const auto kernels = detail::set_queue_times(table, node_kind::kernel, gpu, platform.warp_size, options, queued);
  if (kernels != block_status::bounded) {
    out.timing.status = detail::obstacle_of(kernels, obstacle::gpu);
    return out;
  }
  const block_gpu engines{platform.copy_engines, 1};
  const auto copies = platform.copy_engines > 0
                          ? detail::set_queue_times(table, node_kind::copy, engines, 1, options, queued)
                          : block_status::bounded;
  if (copies != block_status::bounded) {
    out.timing.status = detail::obstacle_of(copies, obstacle::copies);
    return out;
  }
  if (!detail::add_sequential_tasks(table, queued, options.grain, out)) {
    out.timing.status = obstacle::overflow;
    return out;
  }
  if (detail::by_node(options.grain)) { detail::add_sequential_edges(table, out); }
  for (std::uint32_t c = 0; c < platform.clusters.size(); ++c) {
    const auto cluster = static_cast<std::int32_t>(c);
    out.timing.status = detail::set_sequential_responses(out, cluster, platform.clusters[c], options.tasks);
    if (!out.timing.bounded()) {
      out.timing.where = c;
      return out;
    }
  }
  detail::set_all_offsets(out.table, out.timing);
  return out;
}

/// Returns what refining costs, over all nodes, with each kernel as one block (Yang et al. 2018, observation 7). It is
/// (sum of the CPU and block times of `fine` - that of `coarse`) / that of `coarse`. Pre: `coarse` has some time.
template <class FineTable, class CoarseTable>
[[nodiscard]] constexpr auto conversion_overhead(const FineTable& fine, const CoarseTable& coarse)
    -> fraction_of<typename FineTable::number> {
  using number = typename FineTable::number;
  using fraction = fraction_of<number>;
  const auto total = [](const auto& table) {
    fraction sum(0);
    for (std::size_t v = 0; v < table.nodes.size(); ++v) {
      const auto& n = table.nodes[v];
      sum = sum + fraction(n.wcet) + fraction(n.block_length) + fraction(n.launch) + fraction(n.await);
    }
    return sum;
  };
  const fraction before = total(coarse);
  TAKT_EXPECTS(fraction(0) < before);
  return (total(fine) - before) / before;
}

}  // namespace takt::inline TAKT_ABI::analysis
