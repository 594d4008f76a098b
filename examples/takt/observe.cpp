// SPDX-License-Identifier: Apache-2.0
#include "observe.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <takt/report/chrome_trace.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/svg_gantt.hpp>

#include "failure.hpp"
#include "text_file.hpp"

namespace takt::program {

namespace {

constexpr double most_segments = 200e6;
constexpr double most_traced_segments = 2e6;
/// More than this is no picture any more.
constexpr std::int64_t periods_in_picture = 2;

}  // namespace

void require_plan(const task_file& file, const assessment& a) {
  for (std::size_t i = 0; i < file.table.size(); ++i) {
    if (file.table.has_kernel(i) && a.plan.shares[i].sms < 1) {
      throw explain_fault(file, {.fault = model_fault::more_gpu_tasks_than_sms});
    }
  }
}

auto proven_bound(const assessment& a, std::size_t task) -> response_bound<ticks> {
  const auto& t = a.summary.tasks[task];
  return t.meets ? t.bound : response_bound<ticks>{};
}

void require_bearable(const task_file& file, duration horizon, const std::string& option, bool traced) {
  double segments = 0;
  for (const auto& t : file.table.tasks) {
    segments +=
        static_cast<double>(t.segment_count) * static_cast<double>(horizon.count()) / static_cast<double>(t.period);
  }
  const double most = traced ? most_traced_segments : most_segments;
  if (segments > most) {
    const auto fits = static_cast<ticks>(static_cast<double>(horizon.count()) * (most / segments));
    throw input_error{option,
                      fmt::format("{} holds too many segments{}", report::format_duration(horizon.count()),
                                  traced ? " for a trace" : ""),
                      fmt::format("at most about {}", report::format_duration(fits))};
  }
}

void write_trace_files(const trace& recorded, std::span<const std::string_view> names, ticks longest,
                       const std::string& trace_file, const std::string& svg_file, const std::string& title) {
  const report::trace_view view{recorded.slices(), recorded.marks(), names};
  if (!trace_file.empty()) {
    write_file(trace_file, [&view](std::ostream& out) { report::write_chrome_trace(out, view); });
  }
  if (!svg_file.empty()) {
    ticks end = 0;
    for (const mark& m : recorded.marks()) { end = std::max(end, m.time); }
    const report::gantt_options options{.title = title,
                                        .to = std::min(end, (duration{longest} * periods_in_picture).count())};
    write_file(svg_file, [&](std::ostream& out) { report::write_svg_gantt(out, view, options); });
  }
}

void write_trace_files(const trace& recorded, const task_file& file, const std::string& trace_file,
                       const std::string& svg_file, const std::string& title) {
  std::vector<std::string_view> names;
  ticks longest = 0;
  for (const auto& t : file.table.tasks) {
    names.push_back(t.name);
    longest = std::max(longest, t.period);
  }
  write_trace_files(recorded, names, longest, trace_file, svg_file, title);
}

auto written_files(const std::string& trace_file, const std::string& svg_file) -> std::string {
  std::string out;
  if (!trace_file.empty()) { out += fmt::format("trace: {} (open it at https://ui.perfetto.dev)\n", trace_file); }
  if (!svg_file.empty()) { out += fmt::format("picture: {}\n", svg_file); }
  return out;
}

}  // namespace takt::program
