// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/report/explain.hpp>
#include <takt/report/explanation.hpp>
#include <takt/report/run_summary.hpp>
#include <takt/report/table.hpp>
#include <takt/systems/summarize.hpp>

namespace takt::inline TAKT_ABI {

/// Says in words why every task meets or misses its deadline, with all parts of each bound and the plan. Tasks and
/// boards of any kind that `analyze` takes. Pre: the verdict is about these tasks on this board.
template <class Board, class Tasks, std::size_t N, std::size_t V>
void explain(std::ostream& out, const Board& board, const Tasks& tasks, const verdict<ticks, N, V>& v) {
  report::explain(out, report::summarize(board, tasks, v));
  out << report::detail::plan_sentence(v);
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
