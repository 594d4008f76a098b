// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/svg.hpp>
#include <takt/report/utf8.hpp>
#include <takt/report/wrap.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds a plan and how it was found, to be drawn.
struct plan_view {
  struct task_part {
    std::uint32_t task = 0;  ///< of all, for its colour
    std::string words;       ///< name, variant, priority, offset
    double use = 0;          ///< of the core, 1 all of it
  };
  struct core {
    std::string name;
    std::vector<task_part> tasks;
  };
  /// Describes a response or a latency beside its limit.
  struct limit {
    std::string name;
    std::optional<ticks> bound{};  ///< none: it is proven to be in time all the same
    std::optional<ticks> most{};
    std::optional<std::uint32_t> task{};  ///< for its colour; none of a chain
  };
  /// Describes the best answer so far after some mappings.
  struct step {
    std::uint64_t evaluations = 0;
    std::int64_t value = 0;
    std::string words;
  };

  std::string title;
  std::string answer;
  std::string gpu;  ///< its sharing, with parameters; empty: there is none
  std::vector<task_part> on_gpu;
  std::vector<core> cores;
  std::vector<limit> limits;
  std::vector<step> growth;
  std::uint64_t evaluations = 0;
  std::vector<std::string> notes;  ///< ways that were refused, and what the figures rest on
};

namespace detail {

class plan_drawing {
 public:
  explicit plan_drawing(const plan_view& view) : view_{view} {
    head();
    section("Cores: the part of the time that each task takes of its core");
    for (const plan_view::core& c : view_.cores) { core_row(c.name, c.tasks, true); }
    if (!view_.gpu.empty()) {
      section("GPU: " + elided(view_.gpu, 120));
      core_row("visited by", view_.on_gpu, false);
    }
    if (!view_.limits.empty()) {
      section("Slack: what is proven, as a part of what is allowed");
      for (const plan_view::limit& l : view_.limits) { limit_row(l); }
    }
    growth();
    if (!view_.notes.empty()) {
      section("Refused ways, and what the figures rest on");
      for (const std::string& note : view_.notes) { paragraph(note); }
    }
    y_ += 12;
  }

  void write(std::ostream& out) const {
    svg_writer svg{out};
    svg.begin(width, y_);
    svg.raw(body_.str());
    svg.raw("</svg>\n");
  }

 private:
  static constexpr double width = 1200;
  static constexpr double margin = 16;
  static constexpr double label = 220;
  static constexpr double right = width - margin;
  static constexpr double letter = 7.4;  ///< pixels of a character of 12 px text, rather too many
  static constexpr std::size_t longest_label = 28;

  void head() {
    svg_.text(margin, 28, elided(view_.title, 100), "font-size=\"18\" font-weight=\"600\"");
    y_ = 48;
    for (const std::string& line : wrapped(view_.answer, 150)) {
      svg_.text(margin, y_, line, "fill=\"#667\"");
      y_ += 17;
    }
  }
  void section(std::string_view head) {
    y_ += 22;
    svg_.text(margin, y_, head, "font-size=\"14\" font-weight=\"600\"");
    y_ += 12;
  }
  void paragraph(std::string_view text) {
    for (const std::string& line : wrapped(text, 155)) {
      y_ += 16;
      svg_.text(margin, y_, line);
    }
    y_ += 3;
  }
  void name_row(std::string_view name) { svg_.text(margin, y_ + 16, elided(name, longest_label)); }

  /// A bar of what tasks take, where it is known, and below it their words, as many in a line as there is room for.
  void core_row(std::string_view name, const std::vector<plan_view::task_part>& tasks, bool has_use) {
    name_row(name);
    if (has_use) {
      const double whole = right - label;
      svg_.rectangle(label, y_ + 2, whole, 20, "fill=\"#eef0f4\"", "idle");
      double x = label;
      for (const plan_view::task_part& t : tasks) {
        const double wide = std::min(whole * t.use, right - x);
        svg_.rectangle(x, y_ + 2, wide, 20, fill_of(t.task) + " stroke=\"#fff\" stroke-width=\"0.5\"", t.words);
        x += wide;
      }
      y_ += 24;
    }
    double x = label;
    double line = y_ + 4;
    for (const plan_view::task_part& t : tasks) {
      const std::string words = elided(t.words, 120);
      const double wide = 30 + letter * static_cast<double>(columns(words));
      if (x > label && x + wide > right) {
        x = label;
        line += 18;
      }
      svg_.rectangle(x, line, 11, 11, fill_of(t.task));
      svg_.text(x + 16, line + 10, words);
      x += wide;
    }
    if (tasks.empty()) { svg_.text(label, line + 10, "nothing", "fill=\"#667\""); }
    y_ = line + 22;
  }
  [[nodiscard]] static auto fill_of(std::uint32_t task) -> std::string {
    return "fill=\"" + std::string{task_colour(task).fill} + '"' +
           (colour_round(task) > 0 ? " fill-opacity=\"0.6\"" : "");
  }

  void limit_row(const plan_view::limit& l) {
    constexpr double words = 250;
    const double whole = right - words - label;
    const std::string fill = l.task ? fill_of(*l.task) : "fill=\"#667\"";
    svg_.rectangle(margin, y_ + 6, 11, 11, fill, l.name);
    svg_.text(margin + 17, y_ + 16, elided(l.name, longest_label - 2));
    if (l.most && *l.most > 0) {
      const auto most = static_cast<double>(*l.most);
      const double part = l.bound ? std::min(static_cast<double>(*l.bound) / most, 1.0) : 0;
      svg_.rectangle(label, y_ + 5, whole, 13, "fill=\"#eef0f4\"");
      svg_.rectangle(label, y_ + 5, whole * part, 13, fill, l.name);
      svg_.path(label + whole, y_ + 2, "v19", "stroke=\"#222\" stroke-width=\"1.5\"");
    }
    const std::string limit = l.most ? " of " + format_duration(*l.most) : ", without a limit";
    svg_.text(label + whole + 10, y_ + 16, (l.bound ? format_duration(*l.bound) : "proven without a bound") + limit);
    y_ += 22;
  }

  /// Draws steps from the first answer to the last.
  void growth() {
    if (view_.growth.empty()) { return; }
    section("Search: the best answer after so many mappings, of " + std::to_string(view_.evaluations));
    constexpr double tall = 90;
    std::int64_t least = view_.growth.front().value;
    std::int64_t most = least;
    for (const plan_view::step& s : view_.growth) {
      least = std::min(least, s.value);
      most = std::max(most, s.value);
    }
    const double whole = right - label;
    const auto last = static_cast<double>(std::max<std::uint64_t>(view_.evaluations, 1));
    const auto x_of = [&](std::uint64_t evaluations) {
      return label + whole * static_cast<double>(evaluations) / last;
    };
    const double top = y_ + 8;
    const auto y_of = [&](std::int64_t value) {
      return most == least ? top + tall / 2
                           : top + tall * static_cast<double>(most - value) / static_cast<double>(most - least);
    };
    svg_.path(label, top + tall + 6, 'h' + pixels(whole), "stroke=\"#99a\" stroke-width=\"1\"");
    std::string line;
    double x = x_of(view_.growth.front().evaluations);
    double y = y_of(view_.growth.front().value);
    for (std::size_t i = 1; i < view_.growth.size(); ++i) {
      const plan_view::step& s = view_.growth[i];
      line += 'h' + pixels(x_of(s.evaluations) - x) + 'v' + pixels(y_of(s.value) - y);
      x = x_of(s.evaluations);
      y = y_of(s.value);
    }
    line += 'h' + pixels(right - x);
    svg_.path(x_of(view_.growth.front().evaluations), y_of(view_.growth.front().value), line,
              "fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\"");
    for (const plan_view::step& s : view_.growth) {
      svg_.rectangle(x_of(s.evaluations) - 2.5, y_of(s.value) - 2.5, 5, 5, "fill=\"#0072b2\"",
                     s.words + " after " + std::to_string(s.evaluations));
    }
    const plan_view::step& best = view_.growth.back();
    svg_.text(margin, y_of(best.value) + 4, elided(best.words, longest_label), "font-weight=\"600\"");
    if (most != least) {
      svg_.text(margin, y_of(view_.growth.front().value) + 4, elided(view_.growth.front().words, longest_label));
    }
    svg_.text(label, top + tall + 22, "0", "font-size=\"11\"");
    svg_.text(right, top + tall + 22, std::to_string(view_.evaluations), "font-size=\"11\" text-anchor=\"end\"");
    y_ = top + tall + 28;
  }

  const plan_view& view_;
  std::ostringstream body_;
  svg_writer svg_{body_};
  double y_ = 0;
};

}  // namespace detail

/// Draws a plan: its cores and GPU with their tasks, slack, and the way to it.
inline void write_svg_plan(std::ostream& out, const plan_view& view) { detail::plan_drawing{view}.write(out); }

}  // namespace takt::inline TAKT_ABI::report
