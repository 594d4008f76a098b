// SPDX-License-Identifier: Apache-2.0
#include "observe.hpp"

#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include <takt/report/chrome_trace.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/svg_gantt.hpp>

#include "failure.hpp"
#include "text_file.hpp"

namespace takt::program {

namespace {

/// More than this is no picture any more.
constexpr std::int64_t periods_in_picture = 2;

}  // namespace

void require_ability(const described_file& file, ability wanted) {
  if (file.offers(wanted)) { return; }
  std::vector<std::string_view> commands{"analyze", "explain", "simulate"};
  if (file.offers(ability::run)) { commands.emplace_back("run"); }
  if (file.offers(ability::sensitivity)) { commands.emplace_back("sensitivity"); }
  const std::string_view last = commands.back();
  commands.pop_back();
  const kind_mark mark = file.mark();
  throw input_error{mark.where,
                    fmt::format("\"{}\" is not {} by this program yet", mark.word,
                                wanted == ability::run ? "run on a device" : "scaled"),
                    fmt::format("the commands {} and {}", fmt::join(commands, ", "), last)};
}

void require_bearable(const described_file& file, duration horizon, const std::string& option, bool traced) {
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

void write_trace_files(const trace& recorded, const described_file& file, const std::string& trace_file,
                       const std::string& svg_file) {
  const auto names = file.trace_names();
  const report::trace_view view{recorded.slices(), recorded.marks(), names};
  if (!trace_file.empty()) {
    write_file(trace_file, [&view](std::ostream& out) { report::write_chrome_trace(out, view); });
  }
  if (!svg_file.empty()) {
    ticks end = 0;
    for (const mark& m : recorded.marks()) { end = std::max(end, m.time); }
    const report::gantt_options options{
        .title = file.title(), .to = std::min(end, (duration{file.longest_period()} * periods_in_picture).count())};
    write_file(svg_file, [&](std::ostream& out) { report::write_svg_gantt(out, view, options); });
  }
}

auto written_files(const std::string& trace_file, const std::string& svg_file) -> std::string {
  std::string out;
  if (!trace_file.empty()) { out += fmt::format("trace: {} (open it at https://ui.perfetto.dev)\n", trace_file); }
  if (!svg_file.empty()) { out += fmt::format("picture: {}\n", svg_file); }
  return out;
}

auto setting_text(const described_file& file) -> std::string {
  const std::string plan = file.plan_text();
  return plan.empty() ? "platform: " + file.platform_text() : "plan: " + plan;
}

}  // namespace takt::program
