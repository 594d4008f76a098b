// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <takt/report/comparison_bars.hpp>
#include <takt/report/comparison_order.hpp>
#include <takt/report/comparison_summary.hpp>
#include <takt/report/comparison_words.hpp>
#include <takt/report/svg.hpp>
#include <takt/report/utf8.hpp>
#include <takt/report/wrap.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

class comparison_drawing {
 public:
  comparison_drawing(std::ostream& out, const comparison_summary& c, comparison_rank by)
      : svg_{out}, c_{c}, order_{ranked(c, by)}, best_{best_of(c, by)} {
    name_columns();
    choose_scale();
    lay_out();
  }

  void write() {
    begin();
    write_head();
    for (std::size_t r = 0; r < places_.size(); ++r) { write_row(places_[r], c_.rows[order_[r]], order_[r] == best_); }
    if (places_.empty()) { svg_.text(margin, top_ + 16, "No policy was compared."); }
    svg_.raw("</svg>\n");
  }

 private:
  static constexpr double margin = 16;
  static constexpr double label_width = 204;
  static constexpr double axis_width = 48;
  static constexpr double verdict_width = 128;
  static constexpr double low = -100;  ///< per cent; longer bars end here, with a gap
  static constexpr double least_width = 960;
  static constexpr double least_pitch = 13;
  static constexpr double most_bar = 44;
  static constexpr double line = 15;
  static constexpr double padding = 9;
  static constexpr double narrow = 6.8;  ///< pixels per character of 11 px text, rather too many than too few
  static constexpr double normal = 7.4;  ///< of 12 px text
  static constexpr std::size_t longest_name = 22;
  static constexpr std::size_t most_reason_lines = 4;

  struct place {
    double y = 0;
    double height = 0;
    double up = 0;      ///< from the zero line to the top of the bars, 0 without bars and signs
    double down = 0;    ///< from the zero line to their foot
    double margin = 0;  ///< below
    bool bars = false;
    std::vector<std::string> reason{};
  };
  struct legend_entry {
    double x = 0;
    double y = 0;
    std::optional<bar_kind> what;
    std::string text;
  };

  /// Tasks by name in the order of their first appearance; each row finds its tasks by it.
  void name_columns() {
    for (const comparison_row& row : c_.rows) {
      std::vector<std::size_t> at;
      for (const compared_task& t : row.tasks) {
        std::size_t column = 0;
        const auto taken = [&] { return std::ranges::find(at, column) != at.end(); };
        while (column < names_.size() && (names_[column] != t.name || taken())) { ++column; }
        if (column == names_.size()) { names_.push_back(t.name); }
        at.push_back(column);
      }
      column_of_.push_back(std::move(at));
    }
    const auto count = static_cast<double>(std::max<std::size_t>(names_.size(), 1));
    const double room = least_width - 2 * margin - label_width - axis_width - verdict_width;
    pitch_ = std::max(least_pitch, room / count);
    left_ = margin + label_width + axis_width;
    right_ = left_ + pitch_ * count;
    width_ = right_ + verdict_width + margin;
    bar_ = std::min(most_bar, pitch_ * 0.72);
  }

  /// Chooses one scale for all rows.
  void choose_scale() {
    std::size_t rows = 0;
    double most = 0;
    for (const comparison_row& row : c_.rows) {
      rows += row.tasks.empty() ? 0U : 1U;
      for (const compared_task& t : row.tasks) {
        seen_.insert(bar_kind_of(t));
        if (!is_bar(bar_kind_of(t))) { continue; }
        most = std::max(most, drawn_slack(t));
      }
    }
    high_ = most > 50 ? 100 : 50;
    percent_ = (rows <= 8 ? 60 : rows <= 20 ? 48 : 40) / high_;
  }

  /// Returns whether columns are wide enough for the figure of each bar.
  [[nodiscard]] auto numbered() const -> bool { return pitch_ >= 44; }
  [[nodiscard]] auto left_of_words(const place& p) const -> double { return left_ + (p.up > 0 ? 0 : 8); }

  void lay_out() {
    place_legend();
    const double longest = longest_column();
    flat_ = longest * narrow + 8 <= pitch_;
    top_ += names_.empty() ? 0 : flat_ ? line + 4 : longest * narrow * 0.82 + 14;
    double y = top_;
    for (const std::size_t i : order_) {
      const comparison_row& row = c_.rows[i];
      place p;
      p.y = y;
      p.bars = std::ranges::any_of(row.tasks, [](const auto& t) { return is_bar(bar_kind_of(t)); });
      double least = 0;
      for (const compared_task& t : row.tasks) {
        if (bar_kind_of(t) == bar_kind::late) { least = std::min(least, drawn_slack(t)); }
      }
      if (!row.tasks.empty()) {
        p.up = p.bars ? high_ * percent_ + (numbered() ? 12 : 0) : 22;
        p.down = least < -50 ? -low * percent_ : least < 0 ? 50 * percent_ : 0;
        p.margin = p.down > 0 && numbered() ? 12 : 3;
      }
      add_reason(row, p);
      const double words = p.reason.empty() ? 0 : static_cast<double>(p.reason.size()) * line + 4;
      const double labels = (row.status ? 3 : 2) * line;
      p.height = std::max(p.up + p.down + p.margin + words, labels) + 2 * padding;
      y += p.height;
      places_.push_back(std::move(p));
    }
    bottom_ = y + (places_.empty() ? 40 : 8);
  }
  void add_reason(const comparison_row& row, place& p) const {
    const std::string reason = reason_of(row);
    const std::string said = row.status ? reason : "not judged" + (reason.empty() ? "" : ": " + reason);
    const double until = row.status ? right_ : width_ - margin - 8;
    p.reason = wrapped(said, static_cast<std::size_t>((until - left_of_words(p)) / narrow));
    if (p.reason.size() <= most_reason_lines) { return; }
    p.reason.resize(most_reason_lines);
    p.reason.back() += " \xE2\x80\xA6";
  }
  [[nodiscard]] auto longest_column() const -> double {
    std::size_t most = 0;
    for (const std::string& name : names_) { most = std::max(most, columns(name)); }
    return static_cast<double>(std::min(most, longest_name));
  }

  void place_legend() {
    subtitle_ = wrapped(joined(c_.platform_words), static_cast<std::size_t>((width_ - 2 * margin) / normal));
    if (subtitle_.size() > 3) { subtitle_.resize(3); }
    double y = c_.title.empty() ? 22 : 30 + 22;
    y += static_cast<double>(subtitle_.size()) * line;
    double x = margin;
    const auto place_entry = [&](const std::optional<bar_kind>& what, std::string_view text) {
      const double length = (what ? 22 : 0) + normal * static_cast<double>(columns(text)) + 16;
      if (x > margin && x + length > width_ - margin) {
        x = margin;
        y += 20;
      }
      legend_.push_back({x, y, what, std::string{text}});
      x += length;
    };
    for (const bar_kind kind : seen_) { place_entry(kind, legend_of(kind)); }
    if (!seen_.empty()) {
      place_entry(std::nullopt, "Axis: (deadline - bound) / deadline in per cent; at 0 the bound is the deadline.");
    }
    if (std::ranges::any_of(c_.rows, is_today)) {
      place_entry(std::nullopt, "today: time slices are what a board does if nothing else is chosen.");
    }
    top_ = y + 20;
  }

  void begin() {
    const std::string width = pixels(width_);
    const std::string height = pixels(bottom_);
    svg_.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
             "\" viewBox=\"0 0 " + width + ' ' + height +
             "\" font-family=\"system-ui, 'DejaVu Sans', Helvetica, Arial, sans-serif\" font-size=\"12\" "
             "fill=\"#222\">\n");
    svg_.raw(bar_patterns);
    svg_.rectangle(0, 0, width_, bottom_, "fill=\"#fff\"");
  }

  void write_head() {
    double y = 28;
    if (!c_.title.empty()) {
      const auto most = static_cast<std::size_t>((width_ - 2 * margin) / 11);
      svg_.text(margin, y, elided(c_.title, most), "font-size=\"18\" font-weight=\"600\"");
      y += 20;
    }
    for (const std::string& words : subtitle_) {
      svg_.text(margin, y, words, "fill=\"#556\"");
      y += line;
    }
    for (const legend_entry& e : legend_) {
      if (e.what && is_bar(*e.what)) { svg_.rectangle(e.x + 1, e.y - 10, 14, 12, bar_style(*e.what)); }
      if (e.what && !is_bar(*e.what)) { write_sign(svg_, *e.what, e.x + 8, e.y - 4); }
      svg_.text(e.what ? e.x + 22 : e.x, e.y, e.text);
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const double x = center(i);
      const std::string name = elided(names_[i], longest_name);
      if (flat_) {
        svg_.text(x, top_ - 6, name, "text-anchor=\"middle\" font-size=\"11\"");
      } else {
        svg_.text(x + 3, top_ - 6, name,
                  "font-size=\"11\" transform=\"rotate(-55 " + pixels(x + 3) + ' ' + pixels(top_ - 6) + ")\"");
      }
    }
  }

  void write_row(const place& p, const comparison_row& row, bool best) {
    svg_.path(margin, p.y, 'H' + pixels(width_ - margin), "stroke=\"#889\" stroke-width=\"0.8\"");
    write_labels(p, row, best);
    double below = p.y + padding;
    if (p.up > 0) {
      write_strip(below + p.up, p, row);
      below += p.up + p.down + p.margin + 4;
    }
    if (!row.status) {
      svg_.rectangle(left_, below - 3, width_ - margin - left_, static_cast<double>(p.reason.size()) * line + 6,
                     "fill=\"none\" stroke=\"#889\" stroke-width=\"1\" stroke-dasharray=\"4 3\"");
    }
    for (const std::string& words : p.reason) {
      below += line;
      svg_.text(left_of_words(p), below - 4, words, "font-size=\"11\"");
    }
  }

  void write_labels(const place& p, const comparison_row& row, bool best) {
    const double y = p.y + padding + 11;
    const bool today = is_today(row);
    double tag = margin + label_width;
    for (const auto& [there, text, style, colour] :
         {std::tuple{best, "best", "fill=\"#222\" stroke=\"#222\"", "fill=\"#fff\""},
          std::tuple{today, "today", "fill=\"#fff\" stroke=\"#222\"", "fill=\"#222\""}}) {
      if (!there) { continue; }
      const double length = 8 + narrow * static_cast<double>(std::string_view{text}.size());
      tag -= length + 4;
      svg_.rectangle(tag, y - 11, length, 14, style);
      svg_.text(tag + length / 2, y, text, "text-anchor=\"middle\" font-size=\"11\" " + std::string{colour});
    }
    if (best) { svg_.rectangle(margin - 10, p.y + padding, 4, p.height - 2 * padding, "fill=\"#222\""); }
    const auto most = static_cast<std::size_t>(std::max(1.0, (tag - margin - 4) / 8.3));
    svg_.text(margin, y, elided(row.policy, most), "font-weight=\"600\"");
    svg_.text(margin, y + line, elided(row.cpus, 28), "font-size=\"11\" fill=\"#556\"");
    if (!row.status) { return; }
    if (!row.method.empty()) {
      svg_.text(margin, y + 2 * line, "by " + elided(row.method, 25), "font-size=\"11\" fill=\"#556\"");
    }
    const double x = right_ + 12;
    svg_.text(x, y, verdict_words(row), "font-weight=\"600\"");
    double below = y;
    const auto tell = [&](const std::string& words) {
      below += line;
      svg_.text(x, below, words, "font-size=\"11\"");
    };
    if (row.slack_permille) { tell("worst " + signed_percent(row.slack_permille)); }
    if (row.factor_permille) { tell("factor " + factor_words(row.factor_permille)); }
  }

  void write_strip(double zero, const place& p, const comparison_row& row) {
    const double above = p.bars ? high_ * percent_ : p.up;
    for (std::size_t i = 0; i < names_.size(); i += 2) {
      svg_.rectangle(left_ + pitch_ * static_cast<double>(i), zero - above, pitch_, above + p.down, "fill=\"#f1f3f6\"");
    }
    for (const std::int32_t value : {100, 50, 0, -50, -100}) {
      const double y = zero - value * percent_;
      if (y < zero - above || y > zero + p.down || (value != 0 && !p.bars)) { continue; }
      if (value != 0) { svg_.path(left_, y, 'H' + pixels(right_), "stroke=\"#ccd0d8\" stroke-width=\"0.8\""); }
      svg_.text(left_ - 5, y + 4, std::to_string(value) + " %", "text-anchor=\"end\" font-size=\"10\" fill=\"#556\"");
    }
    const auto& at = column_of_[static_cast<std::size_t>(&row - c_.rows.data())];
    for (std::size_t i = 0; i < row.tasks.size(); ++i) { write_task(row.tasks[i], center(at[i]), zero); }
    svg_.path(left_, zero, 'H' + pixels(right_), "stroke=\"#222\" stroke-width=\"1.2\"");
  }

  void write_task(const compared_task& t, double x, double zero) {
    const bar_kind kind = bar_kind_of(t);
    if (!is_bar(kind)) {
      write_sign(svg_, kind, x, zero - 10, bar_tooltip(t));
      return;
    }
    const double slack = drawn_slack(t);
    const bool late = kind == bar_kind::late;
    const double length = std::max(1.5, std::clamp(late ? -slack : slack, 0.0, late ? -low : high_) * percent_);
    const double y = late ? zero : zero - length;
    svg_.rectangle(x - bar_ / 2, y, bar_, length, bar_style(kind), bar_tooltip(t));
    if (slack < low) {
      const double half = bar_ / 2 + 1;
      svg_.path(x - half, y + length - 7, "l" + pixels(half) + " -4l" + pixels(half) + " 4",
                "fill=\"none\" stroke=\"#fff\" stroke-width=\"3\"");
    }
    if (!numbered()) { return; }
    std::string figure = signed_percent(static_cast<std::int64_t>(std::floor(std::clamp(slack, -1e6, 1e6) * 10)));
    figure.resize(figure.size() - 2);
    svg_.text(x, late ? y + length + 11 : y - 3, figure, "text-anchor=\"middle\" font-size=\"10\"");
  }

  [[nodiscard]] auto center(std::size_t column) const -> double {
    return left_ + pitch_ * (static_cast<double>(column) + 0.5);
  }

  svg_writer svg_;
  const comparison_summary& c_;
  std::vector<std::size_t> order_;
  std::optional<std::size_t> best_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::size_t>> column_of_;  ///< of each task of each row
  std::set<bar_kind> seen_;
  std::vector<legend_entry> legend_;
  std::vector<std::string> subtitle_;
  std::vector<place> places_;
  double pitch_ = 0;
  double bar_ = 0;
  double left_ = 0;
  double right_ = 0;
  double width_ = 0;
  double high_ = 100;
  double percent_ = 1;  ///< pixels
  double top_ = 0;
  double bottom_ = 0;
  bool flat_ = true;
};

}  // namespace detail

/// Draws a comparison, with a row per policy and CPU rule, best first. A bar per task shows its slack in per cent of
/// its deadline: filled upwards where it is proven, hatched downwards where the bound exceeds the deadline. Without a
/// proof a row says why in words. The output is the same for the same comparison.
inline void write_comparison_svg(std::ostream& out, const comparison_summary& c,
                                 comparison_rank by = comparison_rank::slack) {
  detail::comparison_drawing{out, c, by}.write();
}

}  // namespace takt::inline TAKT_ABI::report
