// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

#include <sys/wait.h>

#include "../failure.hpp"
#include "../text_file.hpp"
#include "results.hpp"

namespace takt::program::sweep {

namespace {

/// Colours that colour-blind people tell apart. Source: Okabe and Ito 2008. Each has a point type of its own too.
constexpr std::array<std::string_view, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                  "#E69F00", "#000000", "#56B4E9"};
constexpr std::array<int, 7> points{7, 5, 9, 11, 13, 4, 6};

// Sizes in pixels.
constexpr double panel_width = 430;
constexpr double panel_height = 300;
constexpr double left = 75;
constexpr double gap_right = 25;
constexpr double gap_below = 85;
constexpr double title_height = 75;
constexpr double legend_row = 22;
constexpr double note_line = 18;
constexpr double legend_sample = 70;
constexpr double letter = 7.5;
constexpr std::size_t legend_columns = 5;
constexpr std::size_t note_width = 180;

/// Text between single quotes of gnuplot.
[[nodiscard]] auto quoted(std::string_view text) -> std::string {
  std::string out = "'";
  for (const char c : text) { out += c == '\'' ? std::string{"''"} : c == '\n' ? std::string{" "} : std::string{c}; }
  return out + "'";
}

[[nodiscard]] auto style_of(const curve& c) -> std::string {
  if (c.line == stroke::band) { return "with lines lc rgb '#c4c4c4' lw 9"; }
  const auto i = static_cast<std::size_t>(c.colour) % colours.size();
  return fmt::format("with linespoints lc rgb '{}' lw 2 dt {} pt {} ps 0.7", colours[i],
                     c.line == stroke::solid ? "1" : "(6,4)", points[i]);
}

/// One curve of each title, those of a line style together.
[[nodiscard]] auto legend_of(const experiment& e) -> std::vector<curve> {
  std::vector<curve> out;
  for (const panel& p : e.panels) {
    for (const curve& c : p.curves) {
      if (std::ranges::find(out, c.title, &curve::title) == out.end()) { out.push_back(c); }
    }
  }
  return out;
}

/// The parameters in lines that fit under the panels.
[[nodiscard]] auto notes_of(const settings& s, std::size_t width) -> std::vector<std::string> {
  std::vector<std::string> out{""};
  for (const parameter& p : s.all()) {
    const std::string entry = fmt::format("{} {}", p.name, p.value);
    const bool fits = out.back().empty() || out.back().size() + entry.size() + 3 <= width;
    if (!fits) { out.emplace_back(); }
    out.back() += (out.back().empty() ? "" : "  ·  ") + entry;
  }
  return out;
}

class picture {
 public:
  explicit picture(const result& r)
      : result_{r},
        e_{*r.designed},
        legend_{legend_of(e_)},
        columns_{std::min(e_.panels_per_row, e_.panels.size())},
        notes_{notes_of(*r.with, note_width * columns_ / 3 + 20)},
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
    std::string out = fmt::format(
        "set terminal {} size {:.0f},{:.0f} font 'DejaVu Sans,{}\nset output {}\nset multiplot\n",
        png ? "pngcairo" : "svg", width_ * scale, height_ * scale,
        png ? fmt::format("{:.1f}' linewidth 1.5 pointscale 1.5", 12 * font) : "12' background 'white'", quoted(path));
    out += fmt::format("set label 1 {} at screen 0.5,{:.5f} center font ',{:.1f}' noenhanced\n", quoted(e_.title),
                       y(height_ - 28), 16 * font);
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      out += fmt::format("set label {} {} at screen 0.5,{:.5f} center font ',{:.1f}' tc rgb '#555555' noenhanced\n",
                         2 + i, quoted(notes_[i]), y(16 + note_line * as_double(notes_.size() - 1 - i)), 11 * font);
    }
    out += fmt::format(R"({}
set xrange [0:{}]
set grid lc rgb '#dddddd'
set border 3
set tics nomirror out
unset key
)",
                       e_.measured == measure::sets ? "set yrange [-2:104]\nset ytics 20" : "set yrange [0:*]",
                       thousandths_text(e_.levels.back() + e_.levels.front() / 2));
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
  [[nodiscard]] auto y(double pixels) const -> double { return pixels / height_; }
  [[nodiscard]] auto draw_panel(std::size_t i) const -> std::string {
    const panel& p = e_.panels[i];
    const double x = left + as_double(i % columns_) * (panel_width + left + gap_right);
    const double top = height_ - title_height - as_double(i / columns_) * (panel_height + gap_below);
    std::string data;
    std::string plots;
    for (std::size_t c = 0; c < p.curves.size(); ++c) {
      data += fmt::format("$c{} << EOD\n", c);
      for (std::size_t l = 0; l < e_.levels.size(); ++l) {
        const auto count = result_.counts->counts(p.curves[c].series, l)[p.curves[c].column];
        const double whole = e_.measured == measure::sets ? 0.01 * static_cast<double>(e_.sets) : 1000.0;
        data += fmt::format("{} {:.4f}\n", thousandths_text(e_.levels[l]), static_cast<double>(count) / whole);
      }
      data += "EOD\n";
      plots += fmt::format("{}$c{} {}", c == 0 ? "plot " : ", ", c, style_of(p.curves[c]));
    }
    return fmt::format(R"(set lmargin at screen {:.5f}
set rmargin at screen {:.5f}
set tmargin at screen {:.5f}
set bmargin at screen {:.5f}
set title {} noenhanced offset 0,-0.5
set xlabel {} offset 0,0.4
set ylabel {}
{}{}
)",
                       x / width_, (x + panel_width) / width_, y(top), y(top - panel_height), quoted(p.title),
                       quoted(e_.level_title), quoted(e_.share_title), data, plots);
  }

  [[nodiscard]] auto draw_legend() const -> std::string {
    const double middle = as_double(notes_.size()) * note_line + 15 + as_double(legend_rows_) * legend_row / 2;
    std::string out = fmt::format(R"(set yrange [0:1]
unset border
unset tics
unset grid
unset title
unset xlabel
unset ylabel
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen {:.5f}
set key at screen 0.5,{:.5f} center center vertical maxrows {} samplen 3 noenhanced Left reverse
)",
                                  y(below_), y(middle), legend_rows_);
    // Gnuplot fills columns first; the order of the curves is to be read along rows.
    const std::size_t in_row = (legend_.size() + legend_rows_ - 1) / legend_rows_;
    for (std::size_t i = 0; i < in_row * legend_rows_; ++i) {
      const std::size_t at = i % legend_rows_ * in_row + i / legend_rows_;
      if (at >= legend_.size()) { continue; }
      out +=
          fmt::format("{}NaN {} title {}", i == 0 ? "plot " : ", ", style_of(legend_[at]), quoted(legend_[at].title));
    }
    return out + "\n";
  }

  result result_;
  const experiment& e_;
  std::vector<curve> legend_;
  std::size_t columns_;
  std::vector<std::string> notes_;
  double width_;
  std::size_t legend_rows_;
  double below_;
  double height_;
};

}  // namespace

void draw_picture(const result& r, const std::string& path) {
  write_file(path, [](std::ostream&) {});
  const std::string script = picture{r}.script(path);
  // Gnuplot may be gone before it has read everything: then its exit code tells.
  (void)std::signal(SIGPIPE, SIG_IGN);
  std::FILE* const pipe = popen("command -v gnuplot >/dev/null || exit 127; exec gnuplot -", "w");
  if (pipe == nullptr) { throw environment_error{"gnuplot cannot be started"}; }
  (void)std::fwrite(script.data(), 1, script.size(), pipe);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw environment_error{fmt::format("{}: not drawn, gnuplot is missing (package gnuplot-nox)", path)};
  }
  if (status != 0) { throw environment_error{fmt::format("{}: not drawn, gnuplot failed", path)}; }
}

}  // namespace takt::program::sweep
