// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include <takt/analysis/judge_known.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/core/value_list.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/chain_board.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu_variant.hpp>
#include <takt/systems/rtgpu/plans/chain_policies.hpp>
#include <takt/systems/rtgpu/plans/judge.hpp>
#include <takt/systems/rtgpu/plans/methods.hpp>

namespace takt::inline TAKT_ABI {

/// Judges tasks with SMs of their own under one published analysis, and the rules that it is about. `Spins`: jobs keep
/// their processors. `search`: as `judge_chains` takes it.
template <class GpuRule, bool Spins = false, class Search = search_by>
struct analysis_policy {
  static constexpr std::string_view name = "federated";
  static constexpr bool is_judged_alone = true;
  static constexpr bool keeps_processor = Spins;
  /// Says whether boards of pools have these rules.
  static constexpr bool has_board = detail::Federated<GpuRule>;
  static constexpr bool decides_shares = !detail::SerializedWholeGpu<GpuRule>;

  std::string_view analysis{};
  analysis::rtgpu_variant variant{};
  Search search{};

  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) {
    return pool(sms_of(gpu), federated_rule<detail::shares_physical_sms<GpuRule>()>{});
  }
};

/// Returns all of them. `Virtual`: SMs of two tasks may be one physical SM.
template <bool Virtual, class Search = search_by>
[[nodiscard]] constexpr auto analysis_policies(const Search& search = {}) {
  using own = federated_rule<Virtual>;
  return list_of(analysis_policy<own, false, Search>{"rtgpu-best", analysis::rtgpu_best, search},
                 analysis_policy<own, false, Search>{"rtgpu", analysis::rtgpu_published, search},
                 analysis_policy<own, false, Search>{"rtgpu-sharper", analysis::rtgpu_sharper, search},
                 analysis_policy<serialized_rule<own>, false, Search>{"self-suspension", {}, search},
                 analysis_policy<own, true, Search>{"busy-waiting", {}, search},
                 analysis_policy<serialized_rule<detail::whole_gpu_rule>, false, Search>{"enhanced-mpcp", {}, search});
}

template <bool Spins, class GpuRule, class Search, FixedPriority CpuRule>
struct rtgpu_judges::under<analysis_policy<GpuRule, Spins, Search>, CpuRule> {
  using policy_type = analysis_policy<GpuRule, Spins, Search>;
  using cpu_rule = std::conditional_t<Spins, busy_waiting_rule<CpuRule>, CpuRule>;
  using method = chain_board<cpu_rule, copies_beside<cpu_rule, GpuRule>, GpuRule>;

  [[nodiscard]] static constexpr auto judge(const policy_type& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                            const hardware& board) {
    if constexpr (analysis::detail::HasMethodOptions<analysis::method_of<method, chain_methods>>) {
      return judge_chains(tasks, board, cpu_rule{}, GpuRule{}, policy.search, policy.variant).verdict;
    } else {
      return judge_chains(tasks, board, cpu_rule{}, GpuRule{}, policy.search).verdict;
    }
  }
  [[nodiscard]] static constexpr auto judge_under(const policy_type& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                                  const hardware& board, const auto& plan) {
    if constexpr (analysis::detail::HasMethodOptions<analysis::method_of<method, chain_methods>>) {
      return detail::judge_planned_chains(tasks, board, cpu_rule{}, GpuRule{}, plan, policy.variant).verdict;
    } else {
      return detail::judge_planned_chains(tasks, board, cpu_rule{}, GpuRule{}, plan).verdict;
    }
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const policy_type& /*policy*/, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return detail::with_chains(tasks, board, cpu_rule{}, GpuRule{}, f);
  }
};

}  // namespace takt::inline TAKT_ABI
