// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <concepts>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <takt/report/chrome_trace.hpp>
#include <takt/report/svg_gantt.hpp>
#include <takt/report/trace_names.hpp>
#include <takt/report/trace_view.hpp>
#include <takt/simulation/trace.hpp>

namespace takt::inline TAKT_ABI {

namespace report::detail {

template <class Write>
void write_to(const std::string& file, const Write& write) {
  errno = 0;
  std::ofstream out{file, std::ios::binary};
  if (out) { write(out); }
  if (!out.flush()) { throw std::system_error{errno, std::generic_category(), file}; }
}

/// Holds a trace with the names of what is in it, which it owns.
class named_trace {
 public:
  template <class Board, class Tasks>
  named_trace(const Board& board, const Tasks& tasks, const trace& seen)
      : names_{names_in_trace(board, tasks)}, views_{names_.begin(), names_.end()}, seen_{&seen} {}
  [[nodiscard]] auto view() const -> trace_view { return {seen_->slices(), seen_->marks(), views_, seen_->holds()}; }

 private:
  std::vector<std::string> names_;
  std::vector<std::string_view> views_;
  const trace* seen_;
};

/// Stops compilation where who ran when is not told.
template <class Result>
struct records_who_ran {
  static constexpr bool passed = std::same_as<Result, trace>;
  static_assert(passed,
                "takt: an observation says how long jobs took, and not who ran when; give simulate() or run() a "
                "takt::trace as its recorder, and this call the trace. See docs/errors.md#E117");
};

}  // namespace report::detail

/// Draws what a simulation or a run did: a row for each task and each unit, as SVG. `result` is the trace that it was
/// told to. Error: `std::system_error` where the file cannot be written.
template <class Board, class Tasks, class Result>
void draw(const std::string& file, const Board& board, const Tasks& tasks, const Result& result,
          const report::gantt_options& options = {}, bool /*told*/ = report::detail::records_who_ran<Result>::passed) {
  if constexpr (std::same_as<Result, trace>) {
    const report::detail::named_trace named{board, tasks, result};
    report::detail::write_to(file, [&](std::ostream& out) { report::write_svg_gantt(out, named.view(), options); });
  }
}

/// Writes what a simulation or a run did for https://ui.perfetto.dev. Error: as `draw`.
template <class Board, class Tasks, class Result>
void write_trace(const std::string& file, const Board& board, const Tasks& tasks, const Result& result,
                 bool /*told*/ = report::detail::records_who_ran<Result>::passed) {
  if constexpr (std::same_as<Result, trace>) {
    const report::detail::named_trace named{board, tasks, result};
    report::detail::write_to(file, [&](std::ostream& out) { report::write_chrome_trace(out, named.view()); });
  }
}

}  // namespace takt::inline TAKT_ABI
