// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/block_queue/multi_resource.hpp>
#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>
#include <takt/analysis/methods/gel/gel_bounds.hpp>
#include <takt/analysis/methods/gel/overlapping.hpp>
#include <takt/analysis/methods/gel/restricted_parallelism.hpp>
#include <takt/core/choice.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/systems/graphs/analysis/offsets.hpp>
#include <takt/systems/graphs/analysis/timing.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says where the bounds of kernels come from.
enum class kernel_bound : std::uint8_t {
  separated,  ///< Yang et al. 2018, theorem 3
  knapsack,   ///< the same with what can be carried in
  best,       ///< the least that is known, per kernel
};
[[nodiscard]] constexpr auto last_of(kernel_bound) noexcept -> kernel_bound { return kernel_bound::best; }

struct fine_options {
  gel_policy policy = gel_policy::fair_lateness;
  point_shift shift = point_shift::to_zero;
  kernel_bound kernels = kernel_bound::best;
  bool launch_jitter = false;  ///< kernels are enqueued when their launch ends, and no guard keeps them apart
  bool preemptive = true;      ///< CPU nodes; without it a bound is known for nodes whose jobs may overlap freely
};
[[nodiscard]] constexpr auto choices_known(const fine_options& o) noexcept -> bool {
  return is_known(o.shift) && is_known(o.kernels);
}

namespace detail {

/// Room for the sequential tasks that a few nodes of limited distance stand for.
inline constexpr std::size_t spare_tasks = 16;

template <class Number>
[[nodiscard]] constexpr auto needs_cpu(const graph_node<Number>& n) -> bool {
  return n.kind == node_kind::processor && Number(0) < n.wcet;
}

template <class Number>
[[nodiscard]] constexpr auto uses_queue(const graph_node<Number>& n, node_kind kind) -> bool {
  return n.kind == kind && (kind == node_kind::kernel || Number(0) < n.wcet);
}

[[nodiscard]] constexpr auto obstacle_of(gel_status s, obstacle unbounded) -> obstacle {
  switch (s) {
    case gel_status::bounded: return obstacle::none;
    case gel_status::task_overload:
    case gel_status::cluster_overload: return unbounded;
    case gel_status::overflow: return obstacle::overflow;
    case gel_status::invalid_model: return obstacle::invalid_model;
  }
  return obstacle::invalid_model;
}

[[nodiscard]] constexpr auto obstacle_of(block_status s, obstacle unbounded) -> obstacle {
  switch (s) {
    case block_status::bounded: return obstacle::none;
    case block_status::overflow: return obstacle::overflow;
    case block_status::invalid_model: return obstacle::invalid_model;
    case block_status::load_exceeds_capacity:
    case block_status::other_resource_binds:
    case block_status::not_proven: return unbounded;
  }
  return obstacle::invalid_model;
}

template <class Number, std::size_t Max>
[[nodiscard]] constexpr auto cpu_bounds(const task_rows<gel_task<Number>, Max>& tasks, std::int32_t processors,
                                        const fine_options& options, bool limited) -> gel_bounds<Number, Max> {
  if (!options.preemptive) {
    return analysis::non_preemptive_response(tasks, processors, options.policy, options.shift);
  }
  return limited ? slot_response(tasks, processors, options.policy, options.shift)
                 : overlapping_response(tasks, processors, options.policy, options.shift);
}

/// Bounds responses of the CPU nodes of one cluster. A node of limited distance P is P sequential tasks of period P T.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto set_cpu_responses(const graph_table<Number, N, E, G>& table, std::int32_t cluster,
                                               std::int32_t processors, const fine_options& options,
                                               graph_timing<Number, N, G>& timing) -> obstacle {
  task_rows<gel_task<Number>, N + spare_tasks> tasks;
  std::array<std::size_t, N> first{};
  bool limited = false;
  for (std::size_t v = 0; v < table.nodes.size(); ++v) {
    const auto& n = table.nodes[v];
    const auto& g = table.graphs[n.graph];
    if (g.cluster != cluster || !needs_cpu(n)) { continue; }
    gel_task<Number> t{.name = n.name,
                       .wcet = n.wcet,
                       .period = g.period,
                       .deadline = g.period,
                       .point = n.point,
                       .parallelism = n.parallelism};
    std::int64_t copies = 1;
    limited = limited || n.parallelism != unrestricted_parallelism;
    switch (n.limit) {
      case job_limit::slots: break;
      case job_limit::distance:
        if (n.parallelism == unrestricted_parallelism) { break; }
        copies = n.parallelism;
        t.parallelism = 1;
        if (!takt::detail::multiply_exactly(g.period, Number(copies), t.period)) { return obstacle::overflow; }
        break;
    }
    first[v] = tasks.size();
    for (std::int64_t c = 0; c < copies; ++c) {
      if (!tasks.add(t)) { return obstacle::overflow; }
    }
  }
  if (tasks.size() == 0) { return obstacle::none; }
  if (limited && !options.preemptive) { return obstacle::processors; }
  const auto bounds = cpu_bounds(tasks, processors, options, limited);
  if (!bounds.bounded()) { return obstacle_of(bounds.status, obstacle::processors); }
  for (std::size_t v = 0; v < table.nodes.size(); ++v) {
    if (table.graphs[table.nodes[v].graph].cluster == cluster && needs_cpu(table.nodes[v])) {
      timing.response[v] = bounds.tasks[first[v]].response;
    }
  }
  return obstacle::none;
}

template <class Number, std::size_t Max>
[[nodiscard]] constexpr auto kernel_responses(const task_rows<block_kernel<Number>, Max>& kernels, const block_gpu& gpu,
                                              kernel_bound which) -> block_bounds<Number, Max> {
  switch (which) {
    case kernel_bound::separated: return separated_enqueue_response(kernels, gpu, per_job_streams);
    case kernel_bound::knapsack: return knapsack_response(kernels, gpu, per_job_streams);
    case kernel_bound::best: return block_queue_response(kernels, gpu, per_job_streams);
  }
  return block_bounds<Number, Max>::failed(block_status::invalid_model);
}

[[nodiscard]] constexpr auto unbounded_queue(node_kind kind) noexcept -> obstacle {
  switch (kind) {
    case node_kind::kernel: return obstacle::gpu;
    case node_kind::copy: return obstacle::copies;
    case node_kind::processor:
    case node_kind::junction: return obstacle::invalid_model;
  }
  return obstacle::invalid_model;
}

/// Returns a kernel as it is in its queue, on a GPU with warps of so many threads; a copy as one block of one thread.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto queue_entry(const graph_table<Number, N, E, G>& table, std::size_t v,
                                         std::int32_t warp_size) -> block_kernel<Number> {
  const auto& n = table.nodes[v];
  const bool kernel = n.kind == node_kind::kernel;
  block_kernel<Number> k{};
  k.name = n.name;
  k.period = table.graphs[n.graph].period;
  k.length = kernel ? n.block_length : n.wcet;
  k.blocks = kernel ? n.blocks : 1;
  k.threads = kernel ? takt::detail::whole_warps(n.block_threads, warp_size) : 1;
  return k;
}

/// Returns whether a job in a queue may wait for an earlier one of its node, which bounds of queues do not count.
template <class Number>
[[nodiscard]] constexpr auto held_back(const graph_node<Number>& n, const block_kernel<Number>& k,
                                       const Number& response) -> bool {
  if (n.parallelism == unrestricted_parallelism) { return false; }
  Number latest{};
  Number earlier{};
  if (!add_exactly(k.jitter, response, latest)) { return true; }
  return takt::detail::multiply_exactly(k.period, Number(n.parallelism), earlier) && earlier < latest;
}

/// Bounds responses of all nodes of a kind that share one queue: kernels on SMs, or copies on engines.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto set_queue_responses(const graph_table<Number, N, E, G>& table, node_kind kind,
                                                 const block_gpu& gpu, std::int32_t warp_size,
                                                 const fine_options& options, graph_timing<Number, N, G>& timing)
    -> obstacle {
  task_rows<block_kernel<Number>, N> queue;
  std::array<std::size_t, N> at{};
  for (std::size_t v = 0; v < table.nodes.size(); ++v) {
    const auto& n = table.nodes[v];
    if (!uses_queue(n, kind)) { continue; }
    auto k = queue_entry(table, v, warp_size);
    if (options.launch_jitter && kind == node_kind::kernel && v > 0 && table.nodes[v - 1].part == node_part::launch &&
        table.nodes[v - 1].owner == n.owner) {
      k.jitter = timing.response[v - 1];
    }
    at[v] = queue.size();
    static_cast<void>(queue.add(k));
  }
  if (queue.size() == 0) { return obstacle::none; }
  const auto unbounded = unbounded_queue(kind);
  const auto bounds = kernel_responses(queue, gpu, options.kernels);
  if (!bounds.bounded()) { return obstacle_of(bounds.status, unbounded); }
  for (std::size_t v = 0; v < table.nodes.size(); ++v) {
    if (!uses_queue(table.nodes[v], kind)) { continue; }
    timing.response[v] = bounds.responses[at[v]];
    if (held_back(table.nodes[v], queue.tasks[at[v]], timing.response[v])) { return unbounded; }
  }
  return obstacle::none;
}

}  // namespace detail

/// Bounds refined graphs in which every node is a sporadic task of its own whose jobs may overlap: CPU nodes
/// under a global scheduler per cluster, kernels in the block queue, copies on engines that serve them in order.
/// Nodes respond within their bound whatever the offsets; these follow from the bounds. A kernel or copy of
/// limited parallelism P has a bound if it is below P periods. Holds with early releasing of CPU nodes, and of
/// kernels and copies if a guard enqueues the jobs of a node in order and a period apart. Without guard it holds
/// with `launch_jitter`, if no job is released early. Error: `overflow` also where nodes of limited distance
/// stand for more than 16 tasks beyond the nodes; `invalid_model` where an option is unknown. Pre: `validate` and
/// `fits` found nothing; the table is refined. Cost: the analyses of gel/ and block_queue/. Source: Yang et al.
/// 2018.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto fine_bounds(const graph_table<Number, N, E, G>& refined, const graph_platform& platform,
                                         const fine_options& options = {}) -> graph_timing<Number, N, G> {
  graph_timing<Number, N, G> out;
  if (!choices_known(options)) {
    out.status = obstacle::invalid_model;
    return out;
  }
  for (std::uint32_t c = 0; c < platform.clusters.size(); ++c) {
    const auto cluster = static_cast<std::int32_t>(c);
    out.status = detail::set_cpu_responses(refined, cluster, platform.clusters[c], options, out);
    if (!out.bounded()) {
      out.where = c;
      return out;
    }
  }
  const block_gpu gpu{platform.sms, platform.threads_per_sm, platform.blocks_per_sm};
  out.status = detail::set_queue_responses(refined, node_kind::kernel, gpu, platform.warp_size, options, out);
  if (!out.bounded()) { return out; }
  const block_gpu engines{platform.copy_engines, 1};
  out.status = detail::set_queue_responses(refined, node_kind::copy, engines, 1, options, out);
  if (!out.bounded()) { return out; }
  detail::set_all_offsets(refined, out);
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
