// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/board_misses.hpp>
#include <takt/analysis/must_miss.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/policies/sharing_policy.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Returns proofs of misses under a policy with nothing left open, a rule of processors, and every plan.
template <class Boards, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto misses_under(const P& policy, const CpuRule& rule, const runtime_task_set<N, V, R, S>& all,
                                          const hardware& board) -> proven_misses<ticks, N> {
  analysis::board_limits limits = analysis::detail::limits_beside(rule, board.processors);
  limits.spins = keeps_processor<P>();
  limits.kernels = kernels_at_once(policy);
  bool is_known = true;
  for (const gpu_hardware& gpu : board.gpus) { is_known = is_known && missing_fact(policy, gpu).empty(); }
  if constexpr (orders_jobs<CpuRule>) {
    if (is_known && is_of_pools(policy, rule)) {
      analysis::detail::note_parts(Boards::template make<V>(policy, board, rule), limits);
    }
  }
  return analysis::detail::misses_within<CpuRule>(limits, all, board);
}

/// Returns proofs of misses that hold whatever the policy is.
template <RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto misses_beside(const CpuRule& rule, const runtime_task_set<N, V, R, S>& all,
                                           const hardware& board) -> proven_misses<ticks, N> {
  return analysis::detail::misses_within<CpuRule>(analysis::detail::limits_beside(rule, board.processors), all, board);
}

}  // namespace takt::inline TAKT_ABI::detail
