// SPDX-License-Identifier: Apache-2.0
#include "observe.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include <takt/report/chrome_trace.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/svg_gantt.hpp>
#include <takt/report/trace_queries.hpp>

#include "picture_file.hpp"
#include "terminal.hpp"
#include "text_file.hpp"

namespace takt::program {

namespace {

/// More than this is no picture any more.
constexpr ticks periods_in_picture = 2;

/// From the start of a run or, where bounds were void only later, from a period before that.
[[nodiscard]] auto window_of(const report::observation_summary& seen, ticks period) -> std::array<ticks, 2> {
  const ticks length = periods_in_picture * period;
  const bool has_void = !seen.void_bounds.empty() && seen.void_bounds[0][0] > length;
  const ticks from = has_void ? seen.void_bounds[0][0] - period : 0;
  return {from, from + length};
}

}  // namespace

void require_bearable(const task_set_file& file, duration horizon, const std::string& option, bool traced) {
  const run_size size = file.run_size_until(horizon);
  const double most = traced ? size.most_traced : size.most;
  if (size.events > most) {
    const auto fits = static_cast<ticks>(static_cast<double>(horizon.count()) * (most / size.events));
    throw input_error{option,
                      fmt::format("{} holds too many {}{}", report::format_duration(horizon.count()), size.words,
                                  traced ? " for a trace" : ""),
                      fmt::format("at most about {}", report::format_duration(fits))};
  }
}

auto simulated(const task_set_file& file, const simulation_options& options, const std::string& option, trace* kept)
    -> report::observation_summary {
  report::observation_summary out = file.simulate(options, kept);
  if (out.seen.error.fault == model_fault::time_overflow) {
    throw input_error{
        option, fmt::format("{} is too far away for this simulation", report::format_duration(options.horizon.count())),
        "a shorter time, and shorter periods", true};
  }
  if (out.seen.error) { throw file.refuse(out.seen.error); }
  return out;
}

auto write_pictures(const trace& recorded, const task_set_file& file, const report::verdict_summary& proven,
                    const report::observation_summary& seen, const pictures& to) -> written_files {
  written_files out;
  std::vector<std::string_view> names;
  if (proven.subject == "graph") { names.assign(proven.visits.begin(), proven.visits.end()); }
  if (names.empty()) {
    for (const auto& t : proven.tasks) { names.emplace_back(t.name); }
  }
  const report::trace_view view{recorded.slices(), recorded.marks(), names, recorded.holds(), seen.void_bounds};
  if (!to.trace_file.empty()) {
    out.add(to.trace_file, [&] {
      write_file(to.trace_file, [&view](std::ostream& bytes) { report::write_chrome_trace(bytes, view); });
    });
  }
  if (!to.svg_file.empty()) {
    ticks end = 0;
    for (const ticks t : view.marks | views::times) { end = std::max(end, t); }
    const auto [from, until] = window_of(seen, file.longest_period());
    const report::gantt_options options{.title = file.title(), .from = std::min(from, end), .to = std::min(until, end)};
    out.add(to.svg_file, [&] {
      write_picture(to.svg_file, [&](std::ostream& bytes) { report::write_svg_gantt(bytes, view, options); });
    });
  }
  return out;
}

void print_run(const std::string& head, std::string_view outcome, const report::run_summary& run,
               const report::verdict_summary& proven, const pictures& wanted, const written_files& written) {
  const bool planned = !proven.plan_words.empty();
  say("{}\n{}: {}\n\n", head, planned ? "plan" : "platform",
      planned ? proven.plan_words : report::joined(proven.platform_words));
  say("{}\n", report::text_of(report::run_table(run, proven)));
  say("{}: {}; verdict of the analysis: {} ({})\n", outcome, run.missed() ? "missed" : "no miss",
      name_of(proven.status), proven.method);
  for (const std::string& note : run.notes) { say("  {}\n", note); }
  if (!wanted.trace_file.empty() && !written.has_failed(wanted.trace_file)) {
    say("trace: {} (open it at https://ui.perfetto.dev)\n", one_line(wanted.trace_file, 400));
  }
  if (!wanted.svg_file.empty() && !written.has_failed(wanted.svg_file)) { say("picture: {}\n", wanted.svg_file); }
}

}  // namespace takt::program
