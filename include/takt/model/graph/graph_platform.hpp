// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/warps.hpp>

namespace takt::inline TAKT_ABI {

inline constexpr std::size_t max_clusters = 32;

/// Holds what graphs run on, as plain values.
struct graph_platform {
  inline_vector<std::int32_t, max_clusters> clusters;  ///< CPUs of each
  std::int32_t sms = 0;                                ///< 0: no GPU
  std::int32_t threads_per_sm = 0;
  std::int32_t blocks_per_sm = 0;  ///< 0: never the reason why a block waits
  std::int32_t warp_size = usual_warp_size;
  std::int32_t copy_engines = 0;
  bool gpus_differ = false;  ///< what is said of one GPU is not true of all

  /// Returns where copies are made here.
  [[nodiscard]] constexpr auto placement() const noexcept -> copy_placement {
    return copy_engines > 0 ? copy_placement::engine : copy_placement::processor;
  }
};

/// The SMs of one GPU as places for blocks of threads, which stay on their SM until they end.
struct block_slots_resource {
  using runs_kernels = void;
  std::int32_t sms = 1;
  std::int32_t threads_per_sm = 1;
  std::int32_t blocks_per_sm = 0;
  std::int32_t warp_size = usual_warp_size;

  [[nodiscard]] constexpr auto valid() const noexcept -> bool {
    return sms > 0 && sms <= max_units && threads_per_sm > 0 && threads_per_sm <= max_units && blocks_per_sm >= 0 &&
           warp_size > 0 && warp_size <= max_units;
  }
  /// Returns the same platform on hardware whose warps have so many threads.
  [[nodiscard]] constexpr auto with_warps_of(std::int32_t threads) const noexcept -> block_slots_resource {
    return {sms, threads_per_sm, blocks_per_sm, threads};
  }
};

/// States so many SMs, each of which holds blocks of up to so many threads together, and at most so many blocks. Leave
/// the last one out only if blocks are so large that the threads are always used up first.
[[nodiscard]] constexpr auto block_slots(std::int32_t sms, std::int32_t threads_per_sm,
                                         std::int32_t blocks_per_sm = 0) noexcept -> block_slots_resource {
  return {.sms = sms, .threads_per_sm = threads_per_sm, .blocks_per_sm = blocks_per_sm};
}

namespace detail {

/// Returns the number of processors, unless the rule says how many a cluster has.
template <class Rule>
[[nodiscard]] constexpr auto cluster_size(std::int32_t processors, const Rule& rule) -> std::int32_t {
  if constexpr (requires { rule.processors; }) {
    return rule.processors;
  } else {
    return processors;
  }
}

/// Returns the CPUs of each cluster. None if clusters do not divide them.
template <class Rule>
[[nodiscard]] constexpr auto clusters_of(std::int32_t processors, const Rule& rule)
    -> inline_vector<std::int32_t, max_clusters> {
  inline_vector<std::int32_t, max_clusters> out;
  const std::int32_t each = cluster_size(processors, rule);
  if (processors < 1 || each < 1 || processors % each != 0 ||
      processors / each > static_cast<std::int32_t>(max_clusters)) {
    return out;
  }
  for (std::int32_t c = 0; c < processors / each; ++c) {
    out.unchecked_push_back(each);  // Bound: max_clusters, above.
  }
  return out;
}

constexpr void note(graph_platform& out, const processors_resource& p, const auto& rule) {
  out.clusters = clusters_of(p.count, rule);
}
constexpr void note(graph_platform& out, const block_slots_resource& g, const auto& /*rule*/) {
  out.gpus_differ =
      out.gpus_differ || (out.sms > 0 && (out.sms != g.sms || out.threads_per_sm != g.threads_per_sm ||
                                          out.blocks_per_sm != g.blocks_per_sm || out.warp_size != g.warp_size));
  out.sms = g.sms;
  out.threads_per_sm = g.threads_per_sm;
  out.blocks_per_sm = g.blocks_per_sm;
  out.warp_size = g.warp_size;
}
constexpr void note(graph_platform& out, const copy_engines_resource& e, const auto& /*rule*/) {
  out.copy_engines = e.count;
}

}  // namespace detail

/// Returns what graphs need to know of a platform of pools; without clusters if these do not divide the processors. Of
/// several GPUs that are alike it says what each of them is. Bounds for the kernels of all graphs on one GPU hold
/// wherever a plan puts each graph: those on other GPUs count as graphs that nobody invokes.
template <class P>
[[nodiscard]] constexpr auto graph_platform_of(const P& platform) -> graph_platform {
  graph_platform out;
  platform.each([&out](const auto& p) { detail::note(out, p.resource, p.rule); });
  return out;
}

/// Returns what is wrong with a platform for graphs, or with the place of `table` on it. Cost: the nodes.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto fits(const graph_table<Number, N, E, G>& table, const graph_platform& platform)
    -> model_error {
  const auto in_range = [](std::int32_t count) { return count > 0 && count <= max_units; };
  if (platform.clusters.empty()) { return {model_fault::platform_size_out_of_range}; }
  for (const std::int32_t cpus : platform.clusters) {
    if (!in_range(cpus)) { return {model_fault::platform_size_out_of_range}; }
  }
  if (platform.gpus_differ) { return {model_fault::gpus_differ}; }
  const bool without_gpu = platform.sms == 0 && platform.threads_per_sm == 0;
  if (!without_gpu && (!in_range(platform.sms) || !in_range(platform.threads_per_sm) || platform.blocks_per_sm < 0 ||
                       !in_range(platform.warp_size))) {
    return {model_fault::platform_size_out_of_range};
  }
  for (std::uint32_t i = 0; i < table.graphs.size(); ++i) {
    if (static_cast<std::size_t>(table.graphs[i].cluster) >= platform.clusters.size()) {
      return {model_fault::cluster_out_of_range, i};
    }
  }
  for (std::uint32_t v = 0; v < table.nodes.size(); ++v) {
    const auto& n = table.nodes[v];
    if (n.kind != node_kind::kernel) { continue; }
    if (without_gpu) { return {model_fault::kernel_without_gpu, n.graph, v}; }
    if (detail::whole_warps(n.block_threads, platform.warp_size) > platform.threads_per_sm) {
      return {model_fault::kernel_shape_out_of_range, n.graph, v};
    }
  }
  return {};
}

}  // namespace takt::inline TAKT_ABI
