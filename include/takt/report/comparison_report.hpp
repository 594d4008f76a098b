// SPDX-License-Identifier: Apache-2.0
#pragma once

// `explain` and `draw` of comparisons.
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>

#include <takt/allocation/compare.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/report/comparison_lines.hpp>
#include <takt/report/comparison_svg.hpp>
#include <takt/report/comparison_table.hpp>
#include <takt/report/draw.hpp>
#include <takt/report/fault_words.hpp>

namespace takt::inline TAKT_ABI {

/// A comparison as a table, with what is missing and why nothing is proven. Pre: it is about these tasks on this board.
template <class Tasks, std::size_t N, std::size_t V, std::size_t Lines>
void explain(std::ostream& out, const hardware& board, const Tasks& tasks, const comparison<N, V, Lines>& c) {
  const auto all = to_runtime_tasks(tasks);
  if (all.error) {
    out << report::explain_fault(all.error) << ".\n";
    return;
  }
  out << report::comparison_text(report::summarize(c, all.tasks, board));
}

/// Draws a comparison: the slack of each task under every policy, as SVG. Error: `std::system_error` where the file
/// cannot be written, `std::invalid_argument` with the reason where the tasks cannot be described.
template <class Tasks, std::size_t N, std::size_t V, std::size_t Lines>
void draw(const std::string& file, const hardware& board, const Tasks& tasks, const comparison<N, V, Lines>& c) {
  const auto all = to_runtime_tasks(tasks);
  if (all.error) { throw std::invalid_argument{report::explain_fault(all.error)}; }
  report::detail::write_to(
      file, [&](std::ostream& out) { report::write_comparison_svg(out, report::summarize(c, all.tasks, board)); });
}

}  // namespace takt::inline TAKT_ABI
