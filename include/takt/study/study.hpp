// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/expects.hpp>
#include <takt/report/text.hpp>
#include <takt/study/counters.hpp>
#include <takt/study/settings.hpp>
#include <takt/study/tally.hpp>
#include <takt/study/unit.hpp>

namespace takt::inline TAKT_ABI::studies {

enum class stroke : std::uint8_t {
  solid,
  dashed,
  band,  ///< wide and grey, for what others are compared with; drawn beneath the curves that follow
};

namespace detail {

/// Curves of more colours look alike but for their line.
inline constexpr std::size_t drawn_colours = 10;

}  // namespace detail

/// Says what the numbers in the columns are.
enum class measure : std::uint8_t {
  sets,         ///< that have a property; drawn as their share
  thousandths,  ///< of a time or a ratio; drawn as it is. Times do not add up, so all sets of a point are one unit
};

/// Describes a column over the levels.
struct curve {
  std::size_t series = 0;
  std::size_t column = 0;
  std::string title;  ///< equal titles are one entry of the legend
  int colour = 0;     ///< of curves of the same title, equal
  stroke line = stroke::solid;
};

struct panel {
  std::string title;
  std::vector<curve> curves;
};

/// One of the things that a study compares: what it is, its cell or column, and how it is drawn.
template <class What>
struct compared {
  What what;
  std::string_view cell;
  std::string_view title;
  int colour = 0;
  stroke line = stroke::solid;
};

/// Holds what the result of a study says of itself, for any settings.
struct layout {
  std::string title;
  std::string level_name;            ///< of the column
  std::string level_title;           ///< of the horizontal axis
  std::string share_title;           ///< of the vertical axis
  std::vector<std::string> keys;     ///< names of the cells of a series
  std::vector<std::string> columns;  ///< of the counts
  measure measured = measure::sets;
};

/// Describes a study with its settings: everything that the engine needs, and nothing about how it runs.
struct experiment : layout {
  std::vector<std::int64_t> levels;
  std::int64_t sets = 1;  ///< per series and level
  std::int64_t sets_per_unit = 10;
  std::vector<std::vector<std::string>> series;  ///< configurations whose counts are rows, told apart by their cells
  std::vector<panel> panels;
  std::size_t panels_per_row = 3;
  /// Returns lines that say what all counts together show, for the end of the result; may be empty.
  std::function<std::vector<std::string>(const tally&)> remarks;
  counter count;
  /// Columns that count sets, at most one for each, of which `count_pairs` compares each two.
  std::vector<std::size_t> paired;
  stopping_rule stop;

  [[nodiscard]] auto size() const -> extent {
    return {series.size(), levels, sets, columns.size() + detail::pair_columns(paired.size()), sets_per_unit, stop};
  }

  /// Texts or whole numbers.
  template <class... Cell>
  void add_series(const Cell&... cells) {
    series.push_back({report::text(cells)...});
  }
  void add_panel(std::string name) { panels.push_back({std::move(name), {}}); }
  /// Draws a curve of the last series in the last panel.
  void draw(std::size_t column, std::string_view name, int colour, stroke line = stroke::solid) {
    draw_in(panels.size() - 1, column, name, colour, line);
  }
  template <class What>
  void draw(std::size_t column, const compared<What>& c) {
    draw(column, c.title, c.colour, c.line);
  }
  /// Draws the same curve of the last series in each panel, with the column of the panel's number or the given one.
  void draw_across(std::string_view name, int colour, stroke line = stroke::solid,
                   std::span<const std::size_t> columns_of_panels = {}) {
    for (std::size_t p = 0; p < panels.size(); ++p) {
      draw_in(p, columns_of_panels.empty() ? p : columns_of_panels[p], name, colour, line);
    }
  }
  void draw_in(std::size_t panel, std::size_t column, std::string_view name, int colour, stroke line = stroke::solid) {
    panels[panel].curves.push_back({series.size() - 1, column, std::string{name}, colour, line});
  }
};

namespace detail {

/// Returns whether it can be run, and its curves be drawn.
[[nodiscard]] inline auto is_complete(const experiment& e) -> bool {
  const auto has_cells = [&e](const auto& cells) { return cells.size() == e.keys.size(); };
  const auto is_drawn = [&e](const curve& c) { return c.series < e.series.size() && c.column < e.columns.size(); };
  return e.count && !e.levels.empty() && e.sets >= 1 && e.sets <= unit::most_sets && e.sets_per_unit >= 1 &&
         !e.columns.empty() && !e.series.empty() && e.panels_per_row >= 1 && std::ranges::all_of(e.series, has_cells) &&
         std::ranges::all_of(e.panels, [&](const panel& p) { return std::ranges::all_of(p.curves, is_drawn); });
}

}  // namespace detail

/// Returns parameters of studies whose points end early, once the interval of each of their shares is so narrow.
[[nodiscard]] inline auto stopping_parameters() -> std::vector<parameter> {
  return {
      {"interval", "0", "thousandths: a point ends once 95 % intervals are no wider; 0: all sets are drawn", 0, 1000},
      {"least-sets", "50", "of a point that ends early", 1, unit::most_sets}};
}

struct study {
  std::string name;
  std::string about;
  layout shown;
  std::vector<parameter> parameters;
  /// Fills in the series, the panels and the counter; levels, sets and the stopping rule are those of the parameters of
  /// these names. May throw, as `refusal` when settings do not go together.
  std::function<void(const settings&, experiment&)> fill;

  /// Throws `refusal`, also when something is left open, and what `fill` throws.
  [[nodiscard]] auto design(const settings& s) const -> experiment {
    experiment out;
    static_cast<layout&>(out) = shown;
    if (s.has("levels")) { out.levels = s.levels("levels"); }
    if (s.has("sets")) { out.sets = s.number("sets"); }
    if (out.measured == measure::thousandths) { out.sets_per_unit = out.sets; }
    if (s.has("interval") && s.has("least-sets")) { out.stop = stop_by(s, out); }
    fill(s, out);
    for (const panel& p : out.panels) {
      for (const curve& c : p.curves) { out.stop.columns.push_back(c.column); }
    }
    if (!detail::is_complete(out)) {
      throw refusal{std::string{name}, "leaves something open",
                    "levels, sets, columns, series with a cell for each key, curves of those, and a counter"};
    }
    return out;
  }

 private:
  [[nodiscard]] static auto stop_by(const settings& s, const experiment& e) -> stopping_rule {
    const stopping_rule out{s.number("interval"), s.number("least-sets"), {}};
    if (out.in_use() && e.measured != measure::sets) {
      throw refusal{"interval", "is about shares of sets, which this study does not count", "0"};
    }
    return out;
  }
};

}  // namespace takt::inline TAKT_ABI::studies
