// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <takt/analysis/analyze.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/hardware.hpp>
#include <takt/report/observation_summary.hpp>
#include <takt/report/policies/judged_policy.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/graphs/analysis/graph_board.hpp>
#include <takt/systems/graphs/report/summarize.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Names the system of graphs among those that a question may need.
struct graphs_in_words {
  static constexpr std::string_view name = "graphs";
};

/// Says what the method of graphs knows of them; nothing where rules of pools prove more.
template <class Table, class Tasks>
[[nodiscard]] auto method_words(const graph_board& board, const Table& table, const judged_policy<Tasks>& found) ->
    typename judged_policy<Tasks>::explanation {
  auto own = analyze(board, table);
  if (own.method != found.verdict.method) { return {}; }
  take_judged(own, found.verdict);
  return summarize(board, table, own);
}

/// Simulates graphs under the offsets of their bounds.
template <class Table, class Verdict>
[[nodiscard]] auto run_of(const auto& /*policy*/, const auto& /*tasks*/, const hardware& /*on*/,
                          const graph_board& board, const Table& table, const Verdict& v,
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

}  // namespace takt::inline TAKT_ABI::report::detail
