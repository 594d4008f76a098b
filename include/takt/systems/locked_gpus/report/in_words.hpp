// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <takt/model/gpu_migration.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/service_order.hpp>
#include <takt/report/observation_summary.hpp>
#include <takt/report/policies/policy_query.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/locked_gpus/report/summarize.hpp>
#include <takt/systems/locked_gpus/report/words.hpp>
#include <takt/systems/locked_gpus/rules/locked_engines.hpp>
#include <takt/systems/locked_gpus/simulation/simulate.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Gives the policies of locked GPUs to questions in words.
struct locked_gpus_in_words {
  static constexpr std::string_view name = "locked_gpus";

  /// Calls f with the tokens of GPUs whose engines have locks. Returns whether the question is about such GPUs.
  template <class Tasks, class F>
  static auto with_policy(const policy_query<Tasks>& q, const F& f) -> bool {
    if (!q.engines) { return false; }
    static_cast<void>(takt::with_policy(published_policies, q.policy, [&](auto policy) {
      if (q.own) { take_values(policy, *q.own); }
      if constexpr (requires { policy.tokens; }) {
        auto locked = with_locked_engines(policy, board_of(*q.engines));
        if (q.own) {
          const std::int32_t tokens = q.own->tokens_per_gpu.value_or(1);
          locked.tokens = tokens == 0 ? any_number_of_tokens : tokens;
        }
        take_parameters(locked, q.chosen);
        f(locked);
      }
    }));
    return true;
  }

  /// Returns the board that is meant, but for what the processors and the policy say.
  [[nodiscard]] static auto board_of(const locked_engine_facts& facts) -> gpusync_board<> {
    gpusync_board<> out;
    gpusync_configuration& shape = out.shape;
    const sharing_rule& rule = facts.rule;
    shape.gpus = facts.gpus;
    shape.gpu_cluster_size = shape.gpus / rule.clusters.value_or(1);
    if (rule.engine_order == "priority") { shape.engines = service_order::priority; }
    if (rule.migration == "peer-to-peer") { shape.migration = migration_path::peer_to_peer; }
    if (rule.migration == "system-memory") { shape.migration = migration_path::system_memory; }
    if (rule.uncontended == "dedicated") { shape.uncontended = uncontended_gpus::dedicated; }
    if (facts.copy_engines) { shape.copy_engines = *facts.copy_engines; }
    if (facts.chunk > 0) { shape.dma_chunk = facts.chunk; }
    out.costs.kinds = facts.copies;
    out.overheads = facts.overheads;
    return out;
  }
};

/// Simulates sections of locked GPUs.
template <class Table, class Verdict>
[[nodiscard]] auto run_of(const auto& /*policy*/, const auto& /*tasks*/, const hardware& /*on*/,
                          const gpusync_board<>& board, const Table& table, const Verdict& /*v*/,
                          const simulation_options& options, const optional_trace& recorder) -> observation_summary {
  gpusync_simulation_options how;
  how.horizon = options.horizon;
  how.releases = options.releases;
  how.execution = options.execution;
  how.seed = options.seed;
  how.offsets = options.offsets;
  how.stalls = options.stalls;
  how.on_late = options.on_late;
  return observation_summary_of(takt::simulate(board, table, how, recorder));
}

}  // namespace takt::inline TAKT_ABI::report::detail
