// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/report/svg.hpp>
#include <takt/report/text.hpp>
#include <takt/report/utf8.hpp>
#include <takt/study/errors.hpp>
#include <takt/study/run.hpp>
#include <takt/study/statistics.hpp>
#include <takt/study/thousandths.hpp>

namespace takt::inline TAKT_ABI::studies {

namespace detail {

// Sizes in pixels.
struct panel_size {
  double width;
  double height;
};
inline constexpr panel_size one_panel{800, 480};
inline constexpr panel_size one_of_several{430, 300};
inline constexpr double left = 75;
inline constexpr double gap_right = 25;
inline constexpr double gap_below = 85;
inline constexpr double title_height = 75;
inline constexpr double legend_row = 22;
inline constexpr double note_line = 18;
inline constexpr double legend_sample = 60;
inline constexpr double letter = 7;
inline constexpr std::size_t legend_columns = 5;
inline constexpr double note_letter = 7;
inline constexpr double title_letter = 0.6;  ///< of its size

inline constexpr std::string_view centred = "text-anchor=\"middle\"";

/// One curve of each title, in the order in which they are drawn first.
[[nodiscard]] inline auto legend_of(const experiment& e) -> std::vector<curve> {
  std::vector<curve> out;
  for (const panel& p : e.panels) {
    for (const curve& c : p.curves) {
      if (std::ranges::find(out, c.title, &curve::title) == out.end()) { out.push_back(c); }
    }
  }
  return out;
}

/// Returns the parameters in lines that fit under the panels.
[[nodiscard]] inline auto notes_of(const settings& s, std::size_t width) -> std::vector<std::string> {
  std::vector<std::string> out{""};
  for (const parameter& p : s.all()) {
    const std::string entry = p.name + " " + p.value;
    const bool fits = out.back().empty() || out.back().size() + entry.size() + 3 <= width;
    if (!fits) { out.emplace_back(); }
    out.back() += (out.back().empty() ? "" : "  ·  ") + entry;
  }
  return out;
}

/// Returns the largest of 1, 2 and 5 times a power of ten of which at least four come to `most`.
[[nodiscard]] inline auto tick_step(double most) -> double {
  double step = std::pow(10.0, std::floor(std::log10(most)));
  for (int i = 0; most / step < 4; ++i) { step /= i % 3 == 1 ? 2.5 : 2; }
  return step;
}

/// As few digits as tell steps apart.
[[nodiscard]] inline auto tick_text(double at, double step) -> std::string {
  return report::fixed(at, std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9));
}

class curves_drawer {
 public:
  curves_drawer(const result& r, std::ostream& out)
      : found_{&r},
        e_{&r.designed},
        legend_{legend_of(*e_)},
        size_{e_->panels.size() > 1 ? one_of_several : one_panel},
        columns_{std::min(e_->panels_per_row, e_->panels.size())},
        width_{as_double(columns_) * (left + size_.width + gap_right)},
        notes_{notes_of(r.used, static_cast<std::size_t>(width_ / note_letter))},
        svg_{out} {
    std::size_t longest = 0;
    for (const curve& c : legend_) { longest = std::max(longest, report::columns(c.title)); }
    const double entry = legend_sample + letter * as_double(longest);
    in_row_ = std::clamp<std::size_t>(static_cast<std::size_t>(width_ / entry), 1, legend_columns);
    legend_top_ = title_height + as_double((e_->panels.size() + columns_ - 1) / columns_) * (size_.height + gap_below);
    const std::size_t rows = (legend_.size() + in_row_ - 1) / in_row_;
    height_ = legend_top_ + as_double(rows) * legend_row + as_double(notes_.size()) * note_line + 25;
    most_x_ = static_cast<double>(e_->levels.back() + e_->levels.front() / 2) / 1000;
    most_y_ = is_share() ? 100 : std::max(largest(), 1e-3) * 1.05;
  }

  void draw() {
    svg_.begin(width_, height_);
    const double fitting = width_ / (title_letter * as_double(std::max<std::size_t>(report::columns(e_->title), 1)));
    svg_.text(width_ / 2, 28, e_->title,
              report::text(centred, " font-size=\"", report::pixels(std::min(16.0, fitting)), "\""));
    for (std::size_t i = 0; i < e_->panels.size(); ++i) { draw_panel(i); }
    draw_legend();
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      svg_.text(width_ / 2, height_ - 12 - note_line * as_double(notes_.size() - 1 - i), notes_[i],
                report::text(centred, " font-size=\"11\" fill=\"#555\""));
    }
    svg_.raw("</svg>\n");
  }

 private:
  [[nodiscard]] static auto as_double(std::size_t n) -> double { return static_cast<double>(n); }
  [[nodiscard]] auto is_share() const -> bool { return e_->measured == measure::sets; }
  [[nodiscard]] auto value(const curve& c, std::size_t level) const -> double {
    const auto count = static_cast<double>(found_->counts.counts(c.series, level)[c.column]);
    const auto sets = static_cast<double>(found_->counts.sets(c.series, level));
    return is_share() ? 100 * count / sets : count / 1000;
  }
  [[nodiscard]] auto largest() const -> double {
    double out = 0;
    for (const panel& p : e_->panels) {
      for (const curve& c : p.curves) {
        for (std::size_t l = 0; l < e_->levels.size(); ++l) { out = std::max(out, value(c, l)); }
      }
    }
    return out;
  }

  [[nodiscard]] auto x(double level) const -> double { return level / most_x_ * size_.width; }
  [[nodiscard]] auto y(double value) const -> double { return size_.height - value / most_y_ * size_.height; }
  [[nodiscard]] auto level(std::size_t l) const -> double { return static_cast<double>(e_->levels[l]) / 1000; }

  [[nodiscard]] static auto at(std::string_view command, double x, double y) -> std::string {
    return report::text(command, report::pixels(x), " ", report::pixels(y));
  }
  void line(double x, double y, double dx, double dy, std::string_view colour) {
    svg_.path(x, y, at("l", dx, dy), report::text("fill=\"none\" stroke=\"", colour, "\""));
  }

  void draw_axes(double from, double top, const std::string& title) {
    svg_.text(from + size_.width / 2, top - 12, title, report::text(centred, " font-size=\"13\""));
    const double step_y = is_share() ? 20 : tick_step(most_y_);
    for (int i = 0; i * step_y <= most_y_; ++i) {
      line(from, top + y(i * step_y), size_.width, 0, i == 0 ? "#222" : "#ddd");
      svg_.text(from - 8, top + y(i * step_y) + 4, tick_text(i * step_y, step_y), "text-anchor=\"end\"");
    }
    const double step_x = tick_step(most_x_);
    for (int i = 0; i * step_x <= most_x_; ++i) {
      line(from + x(i * step_x), top, 0, size_.height, i == 0 ? "#222" : "#eee");
      svg_.text(from + x(i * step_x), top + size_.height + 18, tick_text(i * step_x, step_x), centred);
    }
    svg_.text(from + size_.width / 2, top + size_.height + 40, e_->level_title, centred);
    const double label_x = from - 48;
    const double label_y = top + size_.height / 2;
    svg_.text(label_x, label_y, e_->share_title,
              report::text(centred, " transform=\"rotate(-90 ", report::pixels(label_x), " ", report::pixels(label_y),
                           ")\""));
  }
  [[nodiscard]] static auto stroke_of(const curve& c) -> std::string {
    if (c.line == stroke::band) { return R"(fill="none" stroke="#c4c4c4" stroke-width="9")"; }
    const auto colour = report::task_colour(static_cast<std::uint32_t>(c.colour)).fill;
    return report::text("fill=\"none\" stroke=\"", colour, "\" stroke-width=\"2\"",
                        c.line == stroke::dashed ? " stroke-dasharray=\"6 4\"" : "");
  }
  /// Draws the intervals in which the shares are likely to be.
  void draw_intervals(const curve& c, double from, double top) {
    std::string above;
    std::string below;
    double first_y = 0;
    for (std::size_t l = 0; l < e_->levels.size(); ++l) {
      const share_interval i = wilson(found_->counts.counts(c.series, l)[c.column], found_->counts.sets(c.series, l));
      const double at_x = from + x(level(l));
      if (l == 0) { first_y = top + y(100 * i.most); }
      above += at("L", at_x, top + y(100 * i.most));
      below = at("L", at_x, top + y(100 * i.least)) + below;
    }
    svg_.path(from + x(level(0)), first_y, above + below + "Z",
              report::text("fill=\"", report::task_colour(static_cast<std::uint32_t>(c.colour)).fill,
                           "\" fill-opacity=\"0.12\" stroke=\"none\""));
  }
  void draw_curve(const curve& c, double from, double top) {
    std::string points;
    std::string marks;
    for (std::size_t l = 0; l < e_->levels.size(); ++l) {
      const double at_x = from + x(level(l));
      const double at_y = top + y(value(c, l));
      points += at("L", at_x, at_y);
      marks += at("M", at_x - 2.5, at_y) + "a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0";
    }
    svg_.path(from + x(level(0)), top + y(value(c, 0)), points, stroke_of(c), c.title);
    if (c.line == stroke::band) { return; }
    const auto fill = report::task_colour(static_cast<std::uint32_t>(c.colour)).fill;
    svg_.path(from + x(level(0)), top + y(value(c, 0)), marks, report::text("fill=\"", fill, "\""));
  }
  void draw_panel(std::size_t i) {
    const panel& p = e_->panels[i];
    const double from = left + as_double(i % columns_) * (size_.width + left + gap_right);
    const double top = title_height + as_double(i / columns_) * (size_.height + gap_below);
    draw_axes(from, top, p.title);
    for (const curve& c : p.curves) {
      if (is_share() && c.line != stroke::band) { draw_intervals(c, from, top); }
    }
    for (const curve& c : p.curves) { draw_curve(c, from, top); }
  }
  void draw_legend() {
    const double entry = width_ / as_double(in_row_);
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      const double at_x = as_double(i % in_row_) * entry + 20;
      const double at_y = legend_top_ + as_double(i / in_row_) * legend_row + 5;
      svg_.path(at_x, at_y, "l30 0", stroke_of(legend_[i]));
      svg_.text(at_x + 38, at_y + 4, legend_[i].title);
    }
  }

  const result* found_;
  const experiment* e_;
  std::vector<curve> legend_;
  panel_size size_;
  std::size_t columns_;
  double width_;
  std::vector<std::string> notes_;
  std::size_t in_row_ = 1;
  double legend_top_ = 0;
  double height_ = 0;
  double most_x_ = 1;
  double most_y_ = 1;
  report::svg_writer svg_;
};

}  // namespace detail

/// Writes the curves of a study as one SVG element: its panels with axes, what 95 % intervals are around shares, one
/// legend, and the parameters below. Throws `refusal` when there is no curve. Pre: the counts are complete.
inline void write_svg(std::ostream& out, const result& r) {
  TAKT_EXPECTS(r.counts.complete());
  if (detail::legend_of(r.designed).empty()) {
    throw refusal{"panels", "have no curve", "at least one panel with a curve"};
  }
  detail::curves_drawer{r, out}.draw();
}

}  // namespace takt::inline TAKT_ABI::studies
