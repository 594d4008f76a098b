// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <takt/allocation/policies/known_under.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/hardware.hpp>
#include <takt/report/observation_summary.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/tags.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/simulate.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/locked_gpus/simulation/simulate.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/method_words.hpp>
#include <takt/systems/policies.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Simulates graphs under the offsets of their bounds.
template <class Table, class Verdict>
[[nodiscard]] auto run_of(const graph_board& board, const Table& table, const Verdict& v,
                          const simulation_options& options, const optional_trace& recorder) -> observation_summary {
  observation_summary out;
  const auto own = analyze(board, table);
  if (!own.bounded()) {
    out.because = "the graphs have no bounds, from which the offsets of their nodes would follow.";
    return out;
  }
  std::vector<duration> deadlines;
  for (const auto& t : v.tasks) { deadlines.push_back(duration{t.limited ? t.deadline : 0}); }
  simulation_options how = options;
  how.deadlines = deadlines;
  return observation_summary_of(
      simulation::simulate_planned_graphs(table, board.sizes, board.policy, board.preemptive, own.plan, how, recorder));
}
/// Simulates sections of locked GPUs.
template <class Table, class Verdict>
[[nodiscard]] auto run_of(const gpusync_board<>& board, const Table& table, const Verdict& /*v*/,
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
/// Simulates applications on shares.
template <class P, class Table, class Verdict>
[[nodiscard]] auto run_of(const P& platform, const Table& table, const Verdict& /*v*/,
                          const simulation_options& options, const optional_trace& recorder) -> observation_summary {
  const auto seen = takt::simulate(platform, table, options, recorder);
  observation_summary out = observation_summary_of(seen);
  if constexpr (requires { seen.effort.share_changes; }) {
    const auto& effort = seen.effort;
    out.notes.push_back("decisions: " + std::to_string(effort.operations) + " of the whole set, " +
                        std::to_string(effort.refusals) + " refused a job, " + std::to_string(effort.share_changes) +
                        " shares changed");
  }
  return out;
}
/// Simulates chains on a board that takes the priorities of a plan.
template <class Policy, class Tasks, class Run>
void with_ranks(const Policy& policy, const Tasks& tasks, const hardware& board, const Run& run) {
  using ranked = known_under<Policy, std::remove_const_t<decltype(fixed_priority)>, published_judges>;
  static_cast<void>(ranked::with_board(policy, fixed_priority, tasks, board, run));
}

}  // namespace detail

/// Simulates tasks as the published method of a policy sees them, which may know rules that boards of pools do not
/// have. Chains: with the priorities of the plan. `kept` may be null.
template <class Policy, class Rule, std::size_t N, std::size_t V, class Tasks>
[[nodiscard]] auto simulate_method(const Policy& policy, const Rule& rule, const verdict<ticks, N, V>& v,
                                   const Tasks& tasks, const hardware& board, const simulation_options& options,
                                   trace* kept) -> observation_summary {
  observation_summary out;
  optional_trace recorder{kept};
  const auto run = [&](const auto& platform, const auto& table) {
    if constexpr (!KnownComposition<std::remove_cvref_t<decltype(platform)>>) {
      out = detail::run_of(platform, table, v, options, recorder);
    } else {
      const auto p = detail::chain_plan(platform, table, v);
      detail::with_ranks(policy, tasks, board, [&](const auto& by_rank, const auto& chains) {
        out = observation_summary_of(takt::simulate(by_rank, chains, p, options, recorder));
      });
    }
  };
  if (const auto unread = known_under<Policy, Rule, published_judges>::with_board(policy, rule, tasks, board, run)) {
    out.seen.error = unread;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
