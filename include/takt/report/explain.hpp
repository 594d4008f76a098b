// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/report/explanation.hpp>
#include <takt/report/plan_words.hpp>
#include <takt/report/run_summary.hpp>
#include <takt/report/table.hpp>
#include <takt/systems/summarize.hpp>

namespace takt::inline TAKT_ABI {

namespace report::detail {

/// Returns "Plan: SMs: camera 2; cores: camera 0, lidar 1."; nothing where nothing was decided.
template <std::size_t N, std::size_t V>
[[nodiscard]] auto plan_sentence(const verdict<ticks, N, V>& v) -> std::string {
  const auto names = [&v](std::size_t i) { return v.tasks[i].name; };
  const auto elsewhere = [](const auto& part, auto place) {
    return std::ranges::any_of(part, [&](const auto& x) { return place(x) > 0; });
  };
  std::vector<std::string> parts;
  if (v.tasks.empty()) { return {}; }
  add_share_words(parts, v.plan, names, "SMs", elsewhere(v.plan.shares, [](const sm_share& s) { return s.gpu; }));
  add_place_words(parts, v.plan, names, elsewhere(v.plan.cores, [](std::int32_t core) { return core; }));
  return parts.empty() ? std::string{} : "\nPlan: " + joined(parts, "; ") + ".\n";
}

}  // namespace report::detail

/// Says in words why every task meets or misses its deadline, with all parts of each bound and the plan. Tasks and
/// boards of any kind that `analyze` takes. Pre: the verdict is about these tasks on this board.
template <class Board, class Tasks, std::size_t N, std::size_t V>
void explain(std::ostream& out, const Board& board, const Tasks& tasks, const verdict<ticks, N, V>& v) {
  report::explain(out, report::summarize(board, tasks, v));
  out << report::detail::plan_sentence(v);
}

/// Explains from the verdict alone, which does not know the parts of bounds. The last line says how to get them.
template <std::size_t N, std::size_t V>
void explain(std::ostream& out, const verdict<ticks, N, V>& v) {
  report::explain(out, report::detail::begin_summary(v));
  out << report::detail::plan_sentence(v) << "\nThe parts of bounds are told by explain(out, board, tasks, verdict).\n";
}

/// Explains what a simulation or a run saw of each task beside what is proven. Pre: all are about the same tasks.
template <class Board, class Tasks, std::size_t N, std::size_t V, class Rows, class Visits>
void explain(std::ostream& out, const Board& board, const Tasks& tasks, const verdict<ticks, N, V>& v,
             const observation<Rows, Visits>& seen) {
  const auto proven = report::summarize(board, tasks, v);
  const auto run = report::summarize(seen, proven);
  if (!run.fault.empty()) { out << run.fault << ".\n"; }
  out << report::text_of(report::run_table(run, proven));
  out << name_of(run.status) << "; " << name_of(v.status) << " (" << v.method << ")\n";
}

}  // namespace takt::inline TAKT_ABI
