// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/report/format_duration.hpp>
#include <takt/report/job_span.hpp>
#include <takt/report/svg.hpp>
#include <takt/report/time_axis.hpp>
#include <takt/report/trace_view.hpp>

namespace takt::report {

/// What of a trace to draw, and how wide.
struct gantt_options {
  std::string_view title = {};
  ticks from = 0;
  ticks to = 0;  ///< where `to` is not after `from`, the window ends with the trace, late deadlines aside
  std::int32_t width = 1200;
};

namespace detail {

class gantt_writer {
 public:
  gantt_writer(std::ostream& out, const trace_view& trace, const gantt_options& options)
      : svg_{out},
        trace_{trace},
        options_{options},
        units_{units_of(trace)},
        tasks_{task_count(trace)},
        jobs_{jobs_of(trace)},
        axis_{options.from, window_end(trace, options), label_width(),
              std::max(200.0, options.width - label_width() - right_margin)} {}

  void write() {
    place_legend();
    lay_out_rows();
    begin();
    write_header();
    write_grid();
    for (std::uint32_t t = 0; t < tasks_; ++t) { write_task_row(t); }
    for (std::size_t u = 0; u < units_.size(); ++u) { write_unit_row(u); }
    svg_.raw("</svg>\n");
  }

 private:
  static constexpr double margin = 16;
  static constexpr double right_margin = 28;
  static constexpr double row_height = 34;
  static constexpr double heading_height = 24;
  static constexpr double legend_line = 22;
  static constexpr double column = 7.4;  ///< pixels per character of 12 px text, rather too many than too few
  static constexpr std::size_t longest_name = 22;

  struct legend_entry {
    double x = 0;
    double y = 0;
    std::string text;
  };

  /// A deadline shows where it lengthens the picture by no more than a quarter.
  [[nodiscard]] static auto window_end(const trace_view& trace, const gantt_options& options) -> ticks {
    if (options.to > options.from) { return options.to; }
    ticks end = options.from + 1;
    for (const slice& s : trace.slices) { end = std::max(end, s.end); }
    for (const mark& m : trace.marks) { end = m.what == mark_kind::deadline ? end : std::max(end, m.time); }
    const ticks most = end + (end - options.from) / 4;
    ticks last = end;
    for (const mark& m : trace.marks) { last = m.time <= most ? std::max(last, m.time) : last; }
    return last;
  }
  [[nodiscard]] auto label_width() const -> double {
    std::size_t most = 8;
    for (std::uint32_t t = 0; t < tasks_; ++t) { most = std::max(most, columns(trace_.name_of(t))); }
    for (const track& unit : units_) { most = std::max(most, unit_name(unit).size()); }
    return margin + 12 + column * static_cast<double>(std::min(most, longest_name)) + 12;
  }

  void place_legend() {
    double x = margin;
    double y = options_.title.empty() ? 22 : 54;
    const auto place = [&](std::string text) {
      const double width = 26 + column * static_cast<double>(columns(text)) + 14;
      if (x > margin && x + width > options_.width - margin) {
        x = margin;
        y += legend_line;
      }
      legend_.push_back({x, y, std::move(text)});
      x += width;
    };
    for (std::uint32_t t = 0; t < tasks_; ++t) { place(elided(trace_.name_of(t), longest_name)); }
    for (const char* text : {"release", "deadline", "deadline missed", "time after a deadline"}) { place(text); }
    top_ = y + 18;
  }
  void lay_out_rows() {
    double y = top_;
    if (tasks_ > 0) {
      headings_.emplace_back(y, "jobs");
      y += heading_height;
    }
    for (std::uint32_t t = 0; t < tasks_; ++t, y += row_height) { rows_.push_back(y); }
    std::string group;
    for (const track& unit : units_) {
      if (group_name(unit) != group) {
        group = group_name(unit);
        headings_.emplace_back(y, group);
        y += heading_height;
      }
      rows_.push_back(y);
      y += row_height;
    }
    bottom_ = y + 4;
  }

  void begin() {
    const std::string width = pixels(options_.width);
    const std::string height = pixels(bottom_ + 48);
    svg_.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
             "\" viewBox=\"0 0 " + width + ' ' + height +
             "\" font-family=\"system-ui, 'DejaVu Sans', Helvetica, Arial, sans-serif\" font-size=\"12\" "
             "fill=\"#222\">\n");
    svg_.raw(
        "<defs><pattern id=\"late\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fbd5d5\"/>"
        "<rect width=\"2.5\" height=\"6\" fill=\"#d00000\"/></pattern>"
        "<pattern id=\"stripes\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(-45)\"><rect width=\"3\" height=\"8\" fill=\"#fff\" fill-opacity=\"0.55\"/>"
        "</pattern></defs>\n");
    svg_.rectangle(0, 0, options_.width, bottom_ + 48, "fill=\"#fff\"");
  }

  void write_header() {
    if (!options_.title.empty()) {
      const auto most = static_cast<std::size_t>(std::max(1.0, (options_.width - 2 * margin) / 11));
      svg_.text(margin, 28, elided(options_.title, most), "font-size=\"18\" font-weight=\"600\"");
    }
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      const legend_entry& e = legend_[i];
      const auto symbol = static_cast<std::uint32_t>(i);
      if (symbol < tasks_) {
        fill_box(symbol, e.x, e.y - 11, 16, 13, {});
      } else if (symbol == tasks_) {
        arrow_up(e.x + 8, e.y + 3, 15, {});
      } else if (symbol == tasks_ + 1) {
        arrow_down(e.x + 8, e.y + 3, 15, {});
      } else if (symbol == tasks_ + 2) {
        badge(e.x + 8, e.y - 4.5, {});
      } else {
        svg_.rectangle(e.x, e.y - 11, 16, 13, "fill=\"url(#late)\"");
      }
      svg_.text(e.x + 23, e.y, e.text);
    }
  }

  void write_grid() {
    for (const double y : rows_) {
      svg_.rectangle(margin, y, axis_.right() - margin, row_height, "fill=\"#f7f8fa\"");
      svg_.path(margin, y + row_height, 'H' + pixels(axis_.right()), "stroke=\"#fff\" stroke-width=\"3\"");
    }
    for (const auto& [y, text] : headings_) {
      svg_.text(margin, y + 17, text, "font-size=\"11\" font-weight=\"600\" letter-spacing=\"0.6\" fill=\"#667\"");
    }
    for (const ticks t : axis_.instants()) {
      const double x = axis_.x(t);
      svg_.path(x, top_, 'V' + pixels(bottom_), "stroke=\"#dfe2e8\" stroke-width=\"1\"");
      svg_.text(x, bottom_ + 17, axis_.label(t), "text-anchor=\"middle\" font-size=\"11\"");
    }
    svg_.path(axis_.left(), bottom_, 'H' + pixels(axis_.right()), "stroke=\"#889\" stroke-width=\"1\"");
    svg_.text((axis_.left() + axis_.right()) / 2, bottom_ + 36, "time in " + std::string{axis_.unit().name},
              "text-anchor=\"middle\" font-size=\"11\" fill=\"#667\"");
    for (std::uint32_t t = 0; t < tasks_; ++t) { label_row(rows_[t], elided(trace_.name_of(t), longest_name)); }
    for (std::size_t u = 0; u < units_.size(); ++u) { label_row(rows_[tasks_ + u], unit_name(units_[u])); }
  }
  void label_row(double y, const std::string& text) { svg_.text(margin + 8, y + row_height / 2 + 4, text); }

  void write_task_row(std::uint32_t task) {
    const double y = rows_[task];
    for (auto at = jobs_.lower_bound({task, 0}); at != jobs_.end() && at->first.first == task; ++at) {
      const auto& [id, j] = *at;
      if (j.released) { write_job(task, id.second, j, y); }
    }
    std::size_t shown = 0;
    for (const mark& m : trace_.marks) {
      shown += m.task == task && m.what == mark_kind::release && axis_.shows(m.time) ? 1U : 0U;
    }
    const bool crowded = static_cast<double>(shown) * 9 > axis_.right() - axis_.left();
    if (!crowded) { write_marks(task, mark_kind::release, y); }
    if (!crowded) { write_marks(task, mark_kind::deadline, y); }
    write_marks(task, mark_kind::miss, y);
  }
  void write_marks(std::uint32_t task, mark_kind what, double y) {
    for (const mark& m : trace_.marks) {
      if (m.task != task || m.what != what || !axis_.shows(m.time)) { continue; }
      const double x = axis_.x(m.time);
      if (what == mark_kind::release) {
        arrow_up(x, y + row_height - 3, row_height - 6, told(m, "released"));
      } else if (what == mark_kind::deadline) {
        arrow_down(x, y + row_height - 3, row_height - 6, told(m, "deadline"));
      } else {
        svg_.path(x, y + 3, 'v' + pixels(row_height - 6), "stroke=\"#d00000\" stroke-width=\"2\"");
        badge(x, y + row_height / 2, told(m, "deadline missed"));
      }
    }
  }

  /// The time from release to completion; what lies after the deadline stands out.
  void write_job(std::uint32_t task, std::uint64_t number, const job_span& j, double y) {
    if (j.end < axis_.from() || j.release > axis_.to()) { return; }
    const std::string tip = trace_.name_of(task) + ", job " + std::to_string(number) + '\n' + description(j);
    const bool late = j.has_deadline && j.deadline < j.end;
    const ticks in_time = late ? std::max(j.release, j.deadline) : j.end;
    const double left = axis_.x(j.release);
    const std::string fill = "fill=\"" + std::string{task_colour(task).fill} + "\" fill-opacity=\"0.4\"";
    svg_.rectangle(left, y + 10, axis_.x(in_time) - left, row_height - 20, fill, tip);
    if (late && axis_.shows(std::max(in_time, axis_.from()))) {
      const double deadline = axis_.x(in_time);
      svg_.rectangle(deadline, y + 10, axis_.x(j.end) - deadline, row_height - 20, "fill=\"url(#late)\"", tip);
    }
  }

  void write_unit_row(std::size_t u) {
    const double y = rows_[tasks_ + u] + 4;
    for (const slice& s : trace_.slices) {
      const bool outside = s.end <= axis_.from() ? s.start < axis_.from() : s.start >= axis_.to();
      if (outside || !(s.where == units_[u])) { continue; }
      const double x = axis_.x(s.start);
      const double width = std::max(axis_.x(s.end) - x, 0.6);
      const std::string name = trace_.name_of(s.task);
      fill_box(s.task, x, y, width, row_height - 8,
               name + ", job " + std::to_string(s.job) + ", segment " + std::to_string(s.segment) + " (" +
                   std::string{name_of(s.where.where)} + ")\n" + format_duration(s.start) + " to " +
                   format_duration(s.end) + ", " + format_duration(s.end - s.start));
      const std::string numbered = name + ' ' + std::to_string(s.job);
      const auto room = static_cast<std::size_t>(std::max(0.0, (width - 6) / column));
      const std::string& shown = columns(numbered) <= room ? numbered : name;
      if (columns(shown) > room) { continue; }
      svg_.text(x + width / 2, y + row_height / 2, shown,
                task_colour(s.task).dark ? "text-anchor=\"middle\" pointer-events=\"none\" fill=\"#fff\""
                                         : "text-anchor=\"middle\" pointer-events=\"none\"");
    }
  }

  void fill_box(std::uint32_t task, double x, double y, double width, double height, const std::string& tooltip) {
    const std::string border = width > 3 ? " stroke=\"#fff\" stroke-width=\"1\"" : "";
    svg_.rectangle(x, y, width, height, "fill=\"" + std::string{task_colour(task).fill} + '"' + border, tooltip);
    if (colour_round(task) > 0) {
      svg_.rectangle(x, y, width, height, "fill=\"url(#stripes)\" pointer-events=\"none\"");
    }
  }
  [[nodiscard]] auto told(const mark& m, const std::string& event) const -> std::string {
    return trace_.name_of(m.task) + ", job " + std::to_string(m.job) + ": " + event + " at " + format_duration(m.time);
  }
  void arrow_up(double x, double foot, double height, const std::string& tooltip) {
    svg_.path(x, foot, 'v' + pixels(-height) + "m-3.5 5.5l3.5 -5.5l3.5 5.5", arrow_style, tooltip);
  }
  void arrow_down(double x, double foot, double height, const std::string& tooltip) {
    svg_.path(x, foot - height, 'v' + pixels(height) + "m-3.5 -5.5l3.5 5.5l3.5 -5.5", arrow_style, tooltip);
  }
  void badge(double x, double y, const std::string& tooltip) {
    svg_.path(x - 6.5, y, "a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0z",
              "fill=\"#d00000\" stroke=\"#fff\" stroke-width=\"1\"", tooltip);
    svg_.path(x - 2.5, y - 2.5, "l5 5m0 -5l-5 5",
              "fill=\"none\" stroke=\"#fff\" stroke-width=\"1.8\" pointer-events=\"none\"");
  }

  static constexpr std::string_view arrow_style = "fill=\"none\" stroke=\"#222\" stroke-width=\"1.4\"";

  svg_writer svg_;
  trace_view trace_;
  gantt_options options_;
  std::vector<track> units_;
  std::uint32_t tasks_;
  job_spans jobs_;
  time_axis axis_;
  std::vector<legend_entry> legend_;
  std::vector<std::pair<double, std::string>> headings_;
  std::vector<double> rows_;
  double top_ = 0;
  double bottom_ = 0;
};

}  // namespace detail

/// Draws a trace as an SVG Gantt chart. A row per task shows each job from its release (up arrow) to its completion,
/// with its deadline (down arrow) and what came too late; a row per core, copy engine and SM range shows who worked
/// there. Every mark has a tooltip with exact times. The output is the same for the same trace.
inline void write_svg_gantt(std::ostream& out, const trace_view& trace, const gantt_options& options = {}) {
  detail::gantt_writer{out, trace, options}.write();
}

}  // namespace takt::report
