// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/allocation/policies/on_clusters.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/policies/overlapping_graphs.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/policies/whole_gpu.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/graphs/plans/judge.hpp>

// One queue of blocks on clusters, judged by the published method of graphs whose jobs overlap.

namespace takt::inline TAKT_ABI {

namespace detail {

/// Returns a board with one queue for all copies. Where two engines serve a direction each, every copy waits for some
/// of those that it waits for with one queue, and for no others.
[[nodiscard]] constexpr auto with_one_engine(const hardware& board) -> hardware {
  hardware out = board;
  if (out.copy_engines > 1) { out.copy_engines = 1; }
  return out;
}

/// Jobs of a visit may overlap. The plan says how long after its job's release a visit is released, and how many jobs
/// of it can be under way at a time: `graphs_on_board` is what runs under it.
struct known_pipelines {
  using method = analysis::overlapping_nodes_method<true>;
  static constexpr bool counts_late_jobs = true;
  template <GlobalRule CpuRule>
  [[nodiscard]] static constexpr auto judge(const fifo_blocks_policy& /*policy*/, const CpuRule& cpus,
                                            const auto& tasks, const hardware& board) {
    const std::int32_t cluster_size = detail::cluster_of(cpus, board.processors);
    const auto placed = detail::on_clusters(tasks, board, cluster_size);
    auto out = judge_graphs(placed, detail::with_one_engine(board), cpus, cluster_size);
    detail::name_cores<CpuRule>(tasks, placed, cluster_size, out);
    return out;
  }
  /// Judges under offsets and numbers of jobs at a time.
  template <GlobalRule CpuRule>
  [[nodiscard]] static constexpr auto judge_under(const fifo_blocks_policy& /*policy*/, const CpuRule& cpus,
                                                  const auto& tasks, const hardware& board, const auto& given) {
    const std::int32_t cluster_size = detail::cluster_of(cpus, board.processors);
    const auto placed = detail::on_clusters(tasks, board, cluster_size);
    auto p = given;
    p.cores.clear();  // those of the tasks
    auto out = judge_graphs(placed, detail::with_one_engine(board), cpus, cluster_size, p);
    detail::name_cores<CpuRule>(tasks, placed, cluster_size, out);
    return out;
  }
  template <GlobalRule CpuRule, class F>
  [[nodiscard]] static constexpr auto with_board(const fifo_blocks_policy& /*policy*/, const CpuRule& cpus,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    const std::int32_t cluster_size = detail::cluster_of(cpus, board.processors);
    const auto graphs =
        graphs_of(detail::on_clusters(tasks, board, cluster_size), detail::with_one_engine(board), cpus, cluster_size);
    if (!graphs.error) { f(graphs.board, graphs.table); }
    return graphs.error;
  }
};

}  // namespace detail

/// Asks the published method of graphs where it is in a list of judges.
struct graph_judges {
  template <class Policy, class CpuRule>
  struct under {};
};

/// Points that are given one by one are those of nodes whose jobs overlap. Under other global rules the policy is asked
/// as `overlapping_graphs_policy` where jobs overlap.
template <GlobalRule CpuRule>
  requires is_preemptive<CpuRule> && (!detail::orders_jobs<CpuRule>)
struct graph_judges::under<fifo_blocks_policy, CpuRule> : detail::known_pipelines {};

template <GlobalRule CpuRule>
  requires is_preemptive<CpuRule>
struct graph_judges::under<overlapping_graphs_policy, CpuRule> : detail::known_pipelines {};

}  // namespace takt::inline TAKT_ABI
