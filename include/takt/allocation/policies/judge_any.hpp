// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/allocation/policies/judge.hpp>
#include <takt/analysis/any_board.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/policies/sharing_policy.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Units of a resource that `hardware::own` names.
struct own_units_resource {
  std::int32_t count = 1;

  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return count > 0 && count <= max_units; }
};

}  // namespace detail

/// Most pools of a board: processors, copy engines, GPUs and resources of one's own.
inline constexpr std::size_t most_pools = 2 + max_gpus + max_own_resources;
/// A board of any hardware under any policy, for tasks with at most so many visits.
template <std::size_t Visits>
using any_policy_board = any_board<most_pools, Visits>;

/// Returns the board under a policy, at run time: all its GPUs, and resources of one's own in the order of the
/// processors without preemption, or FIFO. Pools of which the hardware has none are left out. Pre: no fact is missing.
template <std::size_t Visits, SharingPolicy P, RuleTag CpuRule>
[[nodiscard]] auto any_board_of(const P& policy, const hardware& board, const CpuRule& rule)
    -> any_policy_board<Visits> {
  any_policy_board<Visits> out;
  if constexpr (keeps_processor<P>()) { out.keep_processors(); }
  if (board.processors > 0) { static_cast<void>(out.add(pool(processors(board.processors), rule))); }
  if (board.copy_engines > 0) {
    static_cast<void>(out.add(pool(copy_engines(board.copy_engines), copy_rule_of(policy, rule))));
  }
  for (const gpu_hardware& gpu : board.gpus) { static_cast<void>(out.add(policy.gpu_pool(gpu, rule))); }
  for (const own_hardware& own : board.own) {
    static_cast<void>(out.add(pool(detail::own_units_resource{own.count}, device_rule(rule))));
  }
  return out;
}

namespace detail {

struct any_boards {
  template <std::size_t Visits, class P, class CpuRule>
  [[nodiscard]] static auto make(const P& policy, const hardware& board, const CpuRule& rule) {
    return any_board_of<Visits>(policy, board, rule);
  }
};

}  // namespace detail

/// Does as `judge` for any hardware, at run time: what it is made of is instantiated once for all policies and rules.
/// `decided`: what the search leaves as it is.
template <class Judges = methods<>, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R,
          std::size_t S>
[[nodiscard]] auto judge_at_run_time(const P& policy, const CpuRule& rule, const runtime_task_set<N, V, R, S>& all,
                                     const hardware& board, std::int32_t rounds = default_share_rounds,
                                     const decided_plan<N, V>& decided = {}) -> policy_verdict<P, N, V> {
  return detail::judge_on<detail::any_boards, Judges>(policy, rule, all, board, rounds, decided);
}

/// Does as `factor_permille` for any hardware, at run time.
template <class Judges = methods<>, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R,
          std::size_t S>
[[nodiscard]] auto factor_at_run_time(const policy_verdict<P, N, V>& found, const CpuRule& rule,
                                      const runtime_task_set<N, V, R, S>& all, const hardware& board,
                                      std::int32_t rounds = 0) -> std::int64_t {
  return detail::factor_on<detail::any_boards, Judges>(found, rule, all, board, rounds);
}

}  // namespace takt::inline TAKT_ABI
