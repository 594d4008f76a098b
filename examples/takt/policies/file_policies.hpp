// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>

#include <takt/allocation/known/policies.hpp>
#include <takt/allocation/known/shares.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/analysis/known/chains/rtgpu_variant.hpp>
#include <takt/core/value_list.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/tags.hpp>

#include "../files/workload_file.hpp"
#include "patient_search.hpp"
#include "published_shapes.hpp"

// Ways of sharing a GPU that a file or an option can ask for, beyond those that have a name of their own.

namespace takt::program {

/// Tasks with SMs of their own under one published analysis, and the rules that it is about. `Spins`: jobs keep their
/// processors.
template <class GpuRule, bool Spins = false>
struct analysis_policy {
  static constexpr std::string_view name = "federated";
  static constexpr bool keeps_processor = Spins;
  /// Whether boards of pools have these rules.
  static constexpr bool has_board = Federated<GpuRule>;
  static constexpr bool decides_shares = !SerializedWholeGpu<GpuRule>;

  std::string_view analysis{};
  analysis::rtgpu_variant variant{};
  search_method search = default_search;

  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) {
    return pool(sms_of(gpu), federated_rule<takt::detail::shares_physical_sms<GpuRule>()>{});
  }
};

template <bool Virtual>
inline constexpr auto analyses =
    list_of(analysis_policy<federated_rule<Virtual>>{"rtgpu-best", analysis::rtgpu_best},
            analysis_policy<federated_rule<Virtual>>{"rtgpu", analysis::rtgpu_published},
            analysis_policy<federated_rule<Virtual>>{"rtgpu-sharper", analysis::rtgpu_sharper},
            analysis_policy<serialized_rule<federated_rule<Virtual>>>{"self-suspension"},
            analysis_policy<federated_rule<Virtual>, true>{"busy-waiting"},
            analysis_policy<serialized_rule<whole_gpu_rule>>{"enhanced-mpcp"});

/// Strict order of gangs.
struct strict_gang : ordered_gang_policy<strict_order> {
  [[nodiscard]] static auto of(const workload_file& file) -> std::optional<strict_gang> {
    const sharing_rule& rule = file.rules.gpus;
    return rule.sharing == name && rule.order == strict.name ? std::optional{strict_gang{}} : std::nullopt;
  }
};

/// Shares that follow the needs of jobs, as a file says it with weights of its tasks.
struct granted_shares : shares_policy {
  const workload_file* file = nullptr;

  [[nodiscard]] static auto of(const workload_file& file) -> std::optional<granted_shares>;
  /// Of the file.
  [[nodiscard]] auto rule() const -> shares_rule;
  [[nodiscard]] auto contention() const -> contention_table<max_tasks>;
};

/// Graphs whose jobs overlap, as the published method of graphs has them.
struct published_graphs : fifo_blocks_policy {
  const workload_file* file = nullptr;

  [[nodiscard]] static auto of(const workload_file& from) -> std::optional<published_graphs> {
    published_graphs out;
    out.file = &from;
    return has_graphs(from) ? std::optional{out} : std::nullopt;
  }
};

/// What a file can say of its own rule, in the order in which it is asked.
inline constexpr auto file_policies = list_of(strict_gang{}, granted_shares{}, published_graphs{});

}  // namespace takt::program

namespace takt {

template <bool Spins, class GpuRule, FixedPriority CpuRule>
struct known_under<program::analysis_policy<GpuRule, Spins>, CpuRule> {
  using policy_type = program::analysis_policy<GpuRule, Spins>;
  using cpu_rule = std::conditional_t<Spins, busy_waiting_rule<CpuRule>, CpuRule>;
  using method = chain_board<cpu_rule, copies_beside<cpu_rule, GpuRule>, GpuRule>;

  [[nodiscard]] static auto judge(const policy_type& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                  const hardware& board) {
    const program::patient_search search{policy.search};
    if constexpr (analysis::HasMethodOptions<method>) {
      return judge_chains(tasks, board, cpu_rule{}, GpuRule{}, search, policy.variant).verdict;
    } else {
      return judge_chains(tasks, board, cpu_rule{}, GpuRule{}, search).verdict;
    }
  }
  template <class F>
  [[nodiscard]] static auto with_board(const policy_type& /*policy*/, const CpuRule& /*cpus*/, const auto& tasks,
                                       const hardware& board, const F& f) -> model_error {
    return with_chains(tasks, board, cpu_rule{}, GpuRule{}, f);
  }
};

template <RuleTag CpuRule>
struct known_under<program::strict_gang, CpuRule> : known_under<ordered_gang_policy<strict_order>, CpuRule> {};

template <GlobalRule CpuRule>
struct known_under<program::published_graphs, CpuRule> : known_under<fifo_blocks_policy, CpuRule> {};

/// No task visits a processor.
template <FixedPriority CpuRule>
struct known_under<program::granted_shares, CpuRule> {
  using method = shares_rule;
  [[nodiscard]] static auto judge(const program::granted_shares& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                  const hardware& board) {
    return judge_shares(tasks, board, policy.rule(), policy.contention());
  }
  template <class F>
  [[nodiscard]] static auto with_board(const program::granted_shares& policy, const CpuRule& /*cpus*/,
                                       const auto& tasks, const hardware& board, const F& f) -> model_error {
    return with_shares(tasks, board, policy.rule(), policy.contention(), [&](const auto& platform, auto table) {
      for (std::size_t i = 0; i < table.size(); ++i) {
        table.tasks[i].priority = policy.file->more[i].weight.value_or(0);
      }
      f(platform, table);
    });
  }
};

}  // namespace takt
