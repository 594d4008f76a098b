// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <range/v3/algorithm/any_of.hpp>
#include <range/v3/iterator/operations.hpp>
#include <range/v3/view/filter.hpp>

#include <takt/report/format_duration.hpp>
#include <takt/report/job_intervals.hpp>
#include <takt/report/svg.hpp>
#include <takt/report/svg_load.hpp>
#include <takt/report/svg_shapes.hpp>
#include <takt/report/text.hpp>
#include <takt/report/time_axis.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/report/trace_rows.hpp>
#include <takt/report/trace_view.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds what of a trace to draw, and how wide.
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
        shapes_{svg_},
        trace_{trace},
        options_{options},
        units_{trace},
        tasks_{task_count(trace)},
        jobs_{views::jobs(trace)},
        work_{trace},
        axis_{options.from, window_end(trace, options.from, options.to), label_width(),
              std::max(200.0, options.width - label_width() - right_margin)} {}

  void write() {
    place_legend();
    lay_out_rows();
    svg_.begin(options_.width, bottom_ + bottom_margin);
    shapes_.define();
    write_header();
    write_grid();
    for (std::uint32_t t = 0; t < tasks_; ++t) { write_task_row(t); }
    write_tokens();
    write_units();
    write_footer();
    svg_.raw("</svg>\n");
  }

 private:
  static constexpr double margin = 16;
  static constexpr double right_margin = 28;
  static constexpr double usual_row = 34;
  static constexpr double low_row = 20;
  static constexpr std::size_t most_usual_rows = 40;
  static constexpr std::uint32_t most_in_legend = 20;
  static constexpr double shared_rows = 4;  ///< the height of a row of blocks, in rows
  static constexpr double heading_height = 24;
  static constexpr double bottom_margin = 62;
  static constexpr double legend_line = 22;
  static constexpr double column = gantt_shapes::column_width;
  static constexpr std::size_t longest_name = 22;

  enum class legend_sign : std::uint8_t { task, release, deadline, missed, late, work, waits, token, is_void };
  struct legend_entry {
    legend_sign sign = legend_sign::task;
    double x = 0;
    double y = 0;
    std::string text;
  };

  [[nodiscard]] auto label_width() const -> double {
    std::size_t most = 8;
    for (std::uint32_t t = 0; t < tasks_; ++t) { most = std::max(most, columns(trace_.name_of(t))); }
    for (const trace_row& r : units_.rows()) { most = std::max(most, columns(r.name)); }
    return margin + 12 + column * static_cast<double>(std::min(most, longest_name)) + 12;
  }

  void place_legend() {
    double x = margin;
    double y = options_.title.empty() ? 22 : 54;
    const auto place = [&](legend_sign sign, std::string text) {
      const double width = 26 + column * static_cast<double>(columns(text)) + 14;
      if (x > margin && x + width > options_.width - margin) {
        x = margin;
        y += legend_line;
      }
      legend_.push_back({sign, x, y, std::move(text)});
      x += width;
    };
    if (tasks_ <= most_in_legend) {
      for (std::uint32_t t = 0; t < tasks_; ++t) { place(legend_sign::task, elided(trace_.name_of(t), longest_name)); }
    }
    // Nodes of graphs may begin before the release that bounds count from.
    const bool is_nominal =
        ranges::any_of(jobs_, [](const traced_job& j) { return j.released && j.start < j.release; });
    place(legend_sign::release, is_nominal ? "nominal release" : "release");
    place(legend_sign::deadline, "deadline");
    place(legend_sign::missed, "deadline missed");
    place(legend_sign::late, "time after a deadline");
    place(legend_sign::work, "at work");
    place(legend_sign::waits, "waits");
    if (!trace_.holds.empty()) { place(legend_sign::token, "waits for a token"); }
    if (!trace_.void_bounds.empty()) { place(legend_sign::is_void, "bounds are void"); }
    top_ = y + 18;
  }
  void lay_out_rows() {
    for (const token_hold& h : trace_.holds) { token_rows_[{h.pool, h.token}] = 0; }
    row_height_ = tasks_ + token_rows_.size() + units_.rows().size() > most_usual_rows ? low_row : usual_row;
    double y = top_;
    const auto head = [&](const std::string& text) {
      headings_.emplace_back(y, text);
      y += heading_height;
    };
    const auto add = [&](double height) {
      rows_.emplace_back(y, height);
      y += height;
      return rows_.size() - 1;
    };
    if (tasks_ > 0) { head("jobs"); }
    for (std::uint32_t t = 0; t < tasks_; ++t) { add(row_height_); }
    if (!token_rows_.empty()) { head("tokens"); }
    for (auto& [token, row] : token_rows_) { row = add(row_height_); }
    std::string group;
    for (const trace_row& r : units_.rows()) {
      if (r.group != group) {
        group = r.group;
        head(group);
      }
      unit_rows_.push_back(add(r.is_shared ? shared_rows * row_height_ : row_height_));
    }
    bottom_ = y + 4;
  }

  void write_header() {
    if (!options_.title.empty()) {
      const auto most = static_cast<std::size_t>(std::max(1.0, (options_.width - 2 * margin) / 11));
      svg_.text(margin, 28, elided(options_.title, most), "font-size=\"18\" font-weight=\"600\"");
    }
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      const legend_entry& e = legend_[i];
      switch (e.sign) {
        case legend_sign::task: shapes_.fill_box(static_cast<std::uint32_t>(i), e.x, e.y - 11, 16, 13, {}); break;
        case legend_sign::release: shapes_.arrow_up(e.x + 8, e.y + 3, 15, {}); break;
        case legend_sign::deadline: shapes_.arrow_down(e.x + 8, e.y + 3, 15, {}); break;
        case legend_sign::missed: shapes_.badge(e.x + 8, e.y - 4.5, {}); break;
        case legend_sign::late: svg_.rectangle(e.x, e.y - 11, 16, 13, "fill=\"url(#late)\""); break;
        case legend_sign::work: svg_.rectangle(e.x, e.y - 9, 16, 9, "fill=\"#667\""); break;
        case legend_sign::waits: svg_.rectangle(e.x, e.y - 9, 16, 9, "fill=\"#667\" fill-opacity=\"0.3\""); break;
        case legend_sign::token: svg_.path(e.x, e.y - 4.5, "h16", gantt_shapes::token_wait); break;
        case legend_sign::is_void: shapes_.shade(e.x, e.y - 11, 16, 13, {}); break;
      }
      svg_.text(e.x + 23, e.y, e.text);
    }
  }

  void write_grid() {
    for (const auto& [y, height] : rows_) {
      svg_.rectangle(margin, y, axis_.right() - margin, height, "fill=\"#f7f8fa\"");
      svg_.path(margin, y + height, 'H' + pixels(axis_.right()), "stroke=\"#fff\" stroke-width=\"3\"");
    }
    for (const auto& [y, text] : headings_) {
      svg_.text(margin, y + 17, text, "font-size=\"11\" font-weight=\"600\" letter-spacing=\"0.6\" fill=\"#667\"");
    }
    for (const auto& [from, to] : trace_.void_bounds) {
      if (to < axis_.from() || from > axis_.to()) { continue; }
      const double x = axis_.x(from);
      shapes_.shade(x, top_, std::max(axis_.x(to) - x, 0.6), bottom_ - top_,
                    text("bounds are void\n", format_duration(from), " to ", format_duration(to)));
    }
    for (const ticks t : axis_.instants()) {
      const double x = axis_.x(t);
      svg_.path(x, top_, 'V' + pixels(bottom_), "stroke=\"#dfe2e8\" stroke-width=\"1\"");
      svg_.text(x, bottom_ + 17, axis_.label(t), "text-anchor=\"middle\" font-size=\"11\"");
    }
    svg_.path(axis_.left(), bottom_, 'H' + pixels(axis_.right()), "stroke=\"#889\" stroke-width=\"1\"");
    svg_.text((axis_.left() + axis_.right()) / 2, bottom_ + 36, "time in " + std::string{axis_.unit().name},
              "text-anchor=\"middle\" font-size=\"11\" fill=\"#667\"");
    for (std::uint32_t t = 0; t < tasks_; ++t) {
      label_row(t, trace_.name_of(t));
      if (tasks_ > most_in_legend) { shapes_.fill_box(t, margin, rows_[t].first + 3, 5, row_height_ - 6, {}); }
    }
    for (const auto& [token, row] : token_rows_) {
      label_row(row, text("pool ", token.first, ", token ", token.second));
    }
    for (std::size_t u = 0; u < unit_rows_.size(); ++u) { label_row(unit_rows_[u], units_.rows()[u].name); }
  }
  void label_row(std::size_t row, const std::string& name) {
    const auto& [y, height] = rows_[row];
    svg_.text(margin + 8, y + height / 2 + 4, elided(name, longest_name));
  }

  void write_task_row(std::uint32_t task) {
    const double y = rows_[task].first;
    auto of_it = jobs_ | views::of_task(task);
    const auto begins = [](const traced_job& j) { return j.released || j.start < j.end; };
    auto shown_jobs = of_it | ranges::views::filter(begins);
    for (const traced_job& j : shown_jobs) { write_stay(j, y); }
    for (const traced_job& j : shown_jobs) { write_work(j, y); }
    auto marks = trace_.marks | views::of_task(task) | views::marks_within(axis_.from(), axis_.to());
    const auto shown = ranges::distance(marks | views::marks_of(mark_kind::release));
    if (static_cast<double>(shown) * 9 > axis_.right() - axis_.left()) {
      crowded_ = true;
    } else {
      for (const mark& m : marks | views::marks_of(mark_kind::release)) {
        shapes_.arrow_up(axis_.x(m.time), y + row_height_ - 3, row_height_ - 6, told(m, "released"));
      }
      for (const mark& m : marks | views::marks_of(mark_kind::deadline)) {
        shapes_.arrow_down(axis_.x(m.time), y + row_height_ - 3, row_height_ - 6, told(m, "deadline"));
      }
    }
    for (const mark& m : marks | views::misses) {
      svg_.path(axis_.x(m.time), y + 3, 'v' + pixels(row_height_ - 6), "stroke=\"#d00000\" stroke-width=\"2\"");
      shapes_.badge(axis_.x(m.time), y + row_height_ / 2, told(m, "deadline missed"));
    }
  }

  /// Draws the time from release to completion, or from the first work if that is earlier; what lies after the deadline
  /// stands out.
  void write_stay(const traced_job& j, double y) {
    const ticks begin = work_of_jobs::begin_of(j);
    if (j.end < axis_.from() || begin > axis_.to()) { return; }
    const std::string tip = trace_.name_of(j.task) + ", job " + std::to_string(j.job) + '\n' + description(j);
    const ticks in_time = j.is_late() ? std::max(begin, j.deadline) : j.end;
    const auto bar = [&](ticks from, ticks to, const std::string& style) {
      svg_.rectangle(axis_.x(from), y + row_height_ * 0.3, axis_.x(to) - axis_.x(from), row_height_ * 0.4, style, tip);
    };
    bar(begin, in_time, gantt_shapes::fill_of(j.task) + " fill-opacity=\"0.3\"");
    if (j.is_late() && axis_.shows(std::max(in_time, axis_.from()))) { bar(in_time, j.end, "fill=\"url(#late)\""); }
  }
  void write_work(const traced_job& j, double y) {
    if (j.end < axis_.from() || work_of_jobs::begin_of(j) > axis_.to()) { return; }
    double drawn = axis_.left();
    for (const job_interval& s : work_.of(j)) {
      if (s.end < axis_.from() || s.start > axis_.to()) { continue; }
      const double x = axis_.x(s.start);
      const double width = std::max(axis_.x(s.end) - x, 0.6);
      switch (s.what) {
        case job_interval::kind::waits: break;
        case job_interval::kind::waits_for_token:
          svg_.path(x, y + row_height_ / 2, 'h' + pixels(width), gantt_shapes::token_wait);
          break;
        case job_interval::kind::works:
          if (x + width < drawn + 0.3) { break; }
          svg_.rectangle(x, y + row_height_ * 0.42, width, row_height_ * 0.16,
                         gantt_shapes::fill_of(j.task) + " pointer-events=\"none\"");
          drawn = std::max(drawn, x + width);
          break;
      }
    }
  }
  void write_tokens() {
    for (const token_hold& h : trace_.holds) {
      if (h.end < axis_.from() || h.start > axis_.to()) { continue; }
      const auto& [y, height] = rows_[token_rows_.at({h.pool, h.token})];
      const double x = axis_.x(h.start);
      const double width = std::max(axis_.x(h.end) - x, 0.6);
      const std::string who = trace_.name_of(h.task);
      shapes_.fill_box(h.task, x, y + 4, width, height - 8,
                       text(who, ", job ", h.job, "\nasked ", format_duration(h.asked), ", holds it ",
                            format_duration(h.start), " to ", format_duration(h.end)));
      write_label(h.task, x, y + height / 2, width, {text(who, " ", h.job), who});
    }
  }

  void write_units() {
    std::vector<double> drawn(unit_rows_.size(), axis_.left() - 1);
    std::map<std::size_t, std::vector<slice>> blocks;
    std::vector<slice> shown;
    for (const slice& s : trace_.slices | views::slices_within(axis_.from(), axis_.to())) { shown.push_back(s); }
    std::ranges::stable_sort(shown, {}, &slice::start);
    for (const slice& s : shown) {
      const auto [row, count] = units_.place_of(s);
      if (units_.rows()[row].is_shared) {
        blocks[row].push_back(s);
        continue;
      }
      // What would be under what is drawn already, of less than a pixel, is no news.
      const double x = axis_.x(s.start);
      const double width = std::max(axis_.x(s.end) - x, 0.6);
      const bool is_hidden = width < 1 && x + width < drawn[row] + 0.2;
      if (!is_hidden) { write_piece(s, row, count, x, width); }
      drawn[row] = std::max(drawn[row], x + width);
    }
    for (const auto& [row, pieces] : blocks) { write_blocks(pieces, row); }
  }
  void write_piece(const slice& s, std::size_t row, std::size_t count, double x, double width) {
    const auto& [y, height] = rows_[unit_rows_[row]];
    const bool is_share = units_.rows()[row].is_share;
    const double room = height - 8;
    const double part = is_share ? room * s.where.percent / 100 : room;
    const std::string name = trace_.name_of(s.task);
    std::string tip = text(name, ", job ", s.job);
    if (is_share) {
      tip += text(", ", int{s.where.percent}, "% of the GPU");
    } else {
      tip += text(", segment ", s.segment, " (", name_of(s.where.where), ")");
    }
    tip += text("\n", format_duration(s.start), " to ", format_duration(s.end), ", ", format_duration(s.end - s.start));
    for (std::size_t r = 0; r < count; ++r) {
      shapes_.fill_box(s.task, x, rows_[unit_rows_[row + r]].first + 4 + room - part, width, part, tip);
    }
    if (is_share) {
      const std::string percent = text(int{s.where.percent}, "%");
      if (part > 14) { write_label(s.task, x, y + 4 + room - part / 2, width, {percent}); }
      return;
    }
    write_label(s.task, x, y + height / 2, width, {text(name, " ", s.job), name});
  }
  void write_blocks(const std::vector<slice>& pieces, std::size_t row) {
    const auto& [y, height] = rows_[unit_rows_[row]];
    const auto columns = static_cast<std::size_t>(axis_.right() - axis_.left());
    const stacked_load load = stacked_load_of(pieces, axis_, columns);
    draw_load(svg_, load, axis_, y + height - 2, height - 8, [this](std::uint32_t t) { return trace_.name_of(t); });
    svg_.text(margin + 8, y + height / 2 + 18, text("up to ", load.peak), "font-size=\"10\" fill=\"#667\"");
  }

  /// Writes what of a trace is drawn, and what is not.
  void write_footer() {
    ticks last = 0;
    for (const slice& s : trace_.slices) { last = std::max(last, s.end); }
    for (const mark& m : trace_.marks) { last = std::max(last, m.time); }
    std::string note;
    if (axis_.to() < last || axis_.from() > 0) {
      note = text("drawn: ", format_duration(axis_.from()), " to ", format_duration(axis_.to()),
                  " of what was recorded until ", format_duration(last));
    }
    if (crowded_) { note += text(note.empty() ? "" : "; ", "rows with too many jobs show no releases and deadlines"); }
    if (!note.empty()) { svg_.text(margin, bottom_ + 54, note, "font-size=\"11\" fill=\"#667\""); }
  }

  void write_label(std::uint32_t task, double x, double middle, double width,
                   std::initializer_list<std::string> texts) {
    if (row_height_ >= usual_row) { shapes_.label(task, x, middle, width, texts); }
  }
  [[nodiscard]] auto told(const mark& m, const std::string& event) const -> std::string {
    return trace_.name_of(m.task) + ", job " + std::to_string(m.job) + ": " + event + " at " + format_duration(m.time);
  }

  svg_writer svg_;
  gantt_shapes shapes_;
  trace_view trace_;
  gantt_options options_;
  trace_rows units_;
  std::uint32_t tasks_;
  job_range jobs_;
  work_of_jobs work_;
  time_axis axis_;
  std::vector<legend_entry> legend_;
  std::vector<std::pair<double, std::string>> headings_;
  std::vector<std::pair<double, double>> rows_;  ///< where each begins, and its height
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> token_rows_;
  std::vector<std::size_t> unit_rows_;
  double row_height_ = usual_row;
  bool crowded_ = false;
  double top_ = 0;
  double bottom_ = 0;
};

}  // namespace detail

/// Draws a trace as an SVG Gantt chart. A row per task shows each job from its release (up arrow) to its completion,
/// where it is at work and where it waits. It also shows the deadline (down arrow) and what came too late. A row per
/// token, core, copy engine and SM range shows who had it. Where blocks share SMs, a row shows how many are at work.
/// Every mark has a tooltip with exact times. The output is the same for the same trace.
inline void write_svg_gantt(std::ostream& out, const trace_view& trace, const gantt_options& options = {}) {
  detail::gantt_writer{out, trace, options}.write();
}

}  // namespace takt::inline TAKT_ABI::report
