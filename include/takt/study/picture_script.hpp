// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <takt/report/text.hpp>
#include <takt/study/errors.hpp>
#include <takt/study/run.hpp>
#include <takt/study/thousandths.hpp>

namespace takt::studies {

namespace detail {

/// Colours that colour-blind people tell apart. Source: Okabe and Ito 2008. Each has a point type of its own too.
inline constexpr std::array<std::string_view, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                         "#E69F00", "#000000", "#56B4E9"};
inline constexpr std::array<int, 7> points{7, 5, 9, 11, 13, 4, 6};

// Sizes in pixels.
inline constexpr double panel_width = 430;
inline constexpr double panel_height = 300;
inline constexpr double left = 75;
inline constexpr double gap_right = 25;
inline constexpr double gap_below = 85;
inline constexpr double title_height = 75;
inline constexpr double legend_row = 22;
inline constexpr double note_line = 18;
inline constexpr double legend_sample = 70;
inline constexpr double letter = 7.5;
inline constexpr std::size_t legend_columns = 5;
inline constexpr std::size_t note_width = 180;

/// Text between single quotes of gnuplot.
[[nodiscard]] inline auto gnuplot_text(std::string_view text) -> std::string {
  std::string out = "'";
  for (const char c : text) { out += c == '\'' ? std::string{"''"} : c == '\n' ? std::string{" "} : std::string{c}; }
  return out + "'";
}

[[nodiscard]] inline auto style_of(const curve& c) -> std::string {
  if (c.line == stroke::band) { return "with lines lc rgb '#c4c4c4' lw 9"; }
  const auto i = static_cast<std::size_t>(c.colour) % colours.size();
  return report::text("with linespoints lc rgb '", colours[i], "' lw 2 dt ", c.line == stroke::solid ? "1" : "(6,4)",
                      " pt ", points[i], " ps 0.7");
}

/// One curve of each title, those of a line style together.
[[nodiscard]] inline auto legend_of(const experiment& e) -> std::vector<curve> {
  std::vector<curve> out;
  for (const panel& p : e.panels) {
    for (const curve& c : p.curves) {
      if (std::ranges::find(out, c.title, &curve::title) == out.end()) { out.push_back(c); }
    }
  }
  return out;
}

/// The parameters in lines that fit under the panels.
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

class picture {
 public:
  explicit picture(const result& r)
      : counts_{r.counts},
        e_{r.designed},
        legend_{legend_of(e_)},
        columns_{std::min(e_.panels_per_row, e_.panels.size())},
        notes_{notes_of(r.used, note_width * columns_ / 3 + 20)},
        width_{as_double(columns_) * (left + panel_width + gap_right)},
        legend_rows_{(legend_.size() + most_in_row() - 1) / most_in_row()},
        below_{as_double(legend_rows_) * legend_row + as_double(notes_.size()) * note_line + 25},
        height_{title_height + as_double((e_.panels.size() + columns_ - 1) / columns_) * (panel_height + gap_below) +
                below_} {}

  [[nodiscard]] auto script(const std::string& path) const -> std::string {
    // An SVG counts fonts in pixels, a PNG in points; the latter is made a bit larger than on the screen.
    const bool png = path.ends_with(".png");
    const double scale = png ? 1.5 : 1;
    const double font = png ? scale * 0.75 : 1;
    const std::string paper = png ? report::text(report::fixed(12 * font, 1), "' linewidth 1.5 pointscale 1.5")
                                  : std::string{"12' background 'white'"};
    std::string out =
        report::text("set terminal ", png ? "pngcairo" : "svg", " size ", report::fixed(width_ * scale, 0), ",",
                     report::fixed(height_ * scale, 0), " font 'DejaVu Sans,", paper, "\nset output ",
                     gnuplot_text(path), "\nset multiplot\n");
    out += report::text("set label 1 ", gnuplot_text(e_.title), " at screen 0.5,", y(height_ - 28), " center font ',",
                        report::fixed(16 * font, 1), "' noenhanced\n");
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      out += report::text("set label ", 2 + i, " ", gnuplot_text(notes_[i]), " at screen 0.5,",
                          y(16 + note_line * as_double(notes_.size() - 1 - i)), " center font ',",
                          report::fixed(11 * font, 1), "' tc rgb '#555555' noenhanced\n");
    }
    out += report::text(e_.measured == measure::sets ? "set yrange [-2:104]\nset ytics 20" : "set yrange [0:*]",
                        "\nset xrange [0:", thousandths_text(e_.levels.back() + e_.levels.front() / 2), R"(]
set grid lc rgb '#dddddd'
set border 3
set tics nomirror out
unset key
)");
    for (std::size_t i = 0; i < e_.panels.size(); ++i) {
      // Labels would be drawn again with every plot.
      out += draw_panel(i) + (i == 0 ? "unset label\n" : "");
    }
    return out + draw_legend() + "unset multiplot\nset output\n";
  }

 private:
  [[nodiscard]] static auto as_double(std::size_t n) -> double { return static_cast<double>(n); }
  /// Columns of the legend: all as wide as the longest title.
  [[nodiscard]] auto most_in_row() const -> std::size_t {
    std::size_t longest = 0;
    for (const curve& c : legend_) { longest = std::max(longest, c.title.size()); }
    const auto fitting = static_cast<std::size_t>(width_ / (legend_sample + letter * as_double(longest)));
    return std::clamp<std::size_t>(fitting, 1, legend_columns);
  }
  /// As parts of the width and the height.
  [[nodiscard]] auto x(double pixels) const -> std::string { return report::fixed(pixels / width_, 5); }
  [[nodiscard]] auto y(double pixels) const -> std::string { return report::fixed(pixels / height_, 5); }
  [[nodiscard]] auto draw_panel(std::size_t i) const -> std::string {
    const panel& p = e_.panels[i];
    const double from = left + as_double(i % columns_) * (panel_width + left + gap_right);
    const double top = height_ - title_height - as_double(i / columns_) * (panel_height + gap_below);
    std::string data;
    std::string plots;
    for (std::size_t c = 0; c < p.curves.size(); ++c) {
      data += report::text("$c", c, " << EOD\n");
      for (std::size_t l = 0; l < e_.levels.size(); ++l) {
        const auto count = counts_.counts(p.curves[c].series, l)[p.curves[c].column];
        const double whole = e_.measured == measure::sets ? 0.01 * static_cast<double>(e_.sets) : 1000.0;
        data += report::text(thousandths_text(e_.levels[l]), " ", report::fixed(static_cast<double>(count) / whole, 4),
                             "\n");
      }
      data += "EOD\n";
      plots += report::text(c == 0 ? "plot " : ", ", "$c", c, " ", style_of(p.curves[c]));
    }
    return report::text("set lmargin at screen ", x(from), "\nset rmargin at screen ", x(from + panel_width),
                        "\nset tmargin at screen ", y(top), "\nset bmargin at screen ", y(top - panel_height),
                        "\nset title ", gnuplot_text(p.title), " noenhanced offset 0,-0.5\nset xlabel ",
                        gnuplot_text(e_.level_title), " offset 0,0.4\nset ylabel ", gnuplot_text(e_.share_title), "\n",
                        data, plots, "\n");
  }

  [[nodiscard]] auto draw_legend() const -> std::string {
    const double middle = as_double(notes_.size()) * note_line + 15 + as_double(legend_rows_) * legend_row / 2;
    std::string out = report::text(R"(set yrange [0:1]
unset border
unset tics
unset grid
unset title
unset xlabel
unset ylabel
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen )",
                                   y(below_), "\nset key at screen 0.5,", y(middle), " center center vertical maxrows ",
                                   legend_rows_, " samplen 3 noenhanced Left reverse\n");
    // Gnuplot fills columns first; the order of the curves is to be read along rows.
    const std::size_t in_row = (legend_.size() + legend_rows_ - 1) / legend_rows_;
    for (std::size_t i = 0; i < in_row * legend_rows_; ++i) {
      const std::size_t at = i % legend_rows_ * in_row + i / legend_rows_;
      if (at >= legend_.size()) { continue; }
      out += report::text(i == 0 ? "plot " : ", ", "NaN ", style_of(legend_[at]), " title ",
                          gnuplot_text(legend_[at].title));
    }
    return out + "\n";
  }

  const tally& counts_;
  const experiment& e_;
  std::vector<curve> legend_;
  std::size_t columns_;
  std::vector<std::string> notes_;
  double width_;
  std::size_t legend_rows_;
  double below_;
  double height_;
};

}  // namespace detail

/// What gnuplot draws the panels of a study by, with axes, one legend for all of them, and the parameters below: an SVG
/// file, or a PNG one when the path ends so. Throws `refusal` when there is no curve. Pre: the counts are complete.
[[nodiscard]] inline auto picture_script(const result& r, const std::string& path) -> std::string {
  if (detail::legend_of(r.designed).empty()) {
    throw refusal{"panels", "have no curve", "at least one panel with a curve"};
  }
  return detail::picture{r}.script(path);
}

}  // namespace takt::studies
