// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <takt/allocation/plan_room.hpp>
#include <takt/analysis/must_miss.hpp>
#include <takt/analysis/task_ranks.hpp>
#include <takt/core/number.hpp>
#include <takt/model/described_tasks.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/units.hpp>

namespace takt::inline v0::detail {

/// What a rule of processors leaves of hardware, whatever the policy.
template <class CpuRule>
[[nodiscard]] constexpr auto limits_beside(const CpuRule& rule, const hardware& board) -> analysis::board_limits {
  return {.processors = board.processors, .named_cores = cluster_of(rule, board.processors) == 1};
}

/// Notes the parts that the GPUs of a board hand out.
template <class Board>
constexpr void note_parts(const Board& board, analysis::board_limits& out) {
  board.each([&](const auto& p) {
    using facts = pool_facts<std::remove_cvref_t<decltype(p)>>;
    if (!facts::runs_kernels(p)) { return; }
    const gpu_record gpu = facts::gpu(p);
    const std::int32_t step = gpu.granularity < 1 ? 1 : gpu.granularity;
    if (facts::hands_sms(p)) {
      out.parts += gpu.budget() / step;
      out.sms_of_part = gpu.virtual_sms(step);
    } else if (facts::hands_percents(p)) {
      out.parts += full_share.percent();
    }
  });
}

/// Proofs of misses under a policy of which nothing is left open, and a rule of processors, under every plan.
template <class Boards, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto misses_under(const P& policy, const CpuRule& rule, const described_tasks<N, V, R, S>& all,
                                          const hardware& board) -> proven_misses<ticks, N> {
  analysis::board_limits limits = limits_beside(rule, board);
  limits.spins = keeps_processor<P>();
  limits.kernels = kernels_at_once(policy);
  bool is_known = true;
  for (const gpu_hardware& gpu : board.gpus) { is_known = is_known && missing_fact(policy, gpu).empty(); }
  if constexpr (orders_jobs<CpuRule>) {
    if (is_known && is_of_pools(policy, rule)) { note_parts(Boards::template make<V>(policy, board, rule), limits); }
  }
  const auto ranks = limits.named_cores ? analysis::ranks_under<CpuRule>(all) : inline_vector<std::int64_t, N>{};
  return analysis::find_proven_misses(all, board, limits, {ranks.data(), ranks.size()});
}

/// The same whatever the policy is.
template <RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto misses_beside(const CpuRule& rule, const described_tasks<N, V, R, S>& all,
                                           const hardware& board) -> proven_misses<ticks, N> {
  const analysis::board_limits limits = limits_beside(rule, board);
  const auto ranks = limits.named_cores ? analysis::ranks_under<CpuRule>(all) : inline_vector<std::int64_t, N>{};
  return analysis::find_proven_misses(all, board, limits, {ranks.data(), ranks.size()});
}

}  // namespace takt::inline v0::detail
