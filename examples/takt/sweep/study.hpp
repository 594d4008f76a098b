// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/runtime/set_counts.hpp>

#include "settings.hpp"

namespace takt::program::sweep {

using tally = set_counts;

using unit = study_unit;
inline constexpr std::int64_t most_sets = unit::most_sets;
/// One count per column.
using row = std::span<std::int64_t>;

/// Adds what it finds in a unit to the counts. Whatever is added depends on the settings of the study and the unit
/// alone, so that neither the number of workers nor their order shows in a result. Each worker has a copy.
using counter = std::function<void(const unit&, row)>;

enum class stroke : std::uint8_t {
  solid,
  dashed,
  band,  ///< wide and grey, for what others are compared with; drawn beneath the curves that follow
};

/// What the numbers in the columns are.
enum class measure : std::uint8_t {
  sets,         ///< that have a property; drawn as their share
  thousandths,  ///< of a time or a ratio; drawn as it is. Times do not add up, so all sets of a point are one unit
};

/// A column over the levels.
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

/// What the result of a study says of itself, for any settings.
struct layout {
  std::string title;
  std::string level_name;            ///< of the column
  std::string level_title;           ///< of the horizontal axis
  std::string share_title;           ///< of the vertical axis
  std::vector<std::string> keys;     ///< names of the cells of a series
  std::vector<std::string> columns;  ///< of the counts
  measure measured = measure::sets;
};

/// A study with its settings: everything that the engine needs, and nothing about how it runs.
struct experiment : layout {
  std::vector<std::int64_t> levels;
  std::int64_t sets = 1;  ///< per series and level
  std::int64_t sets_per_unit = 10;
  std::vector<std::vector<std::string>> series;  ///< configurations whose counts are rows, told apart by their cells
  std::vector<panel> panels;
  std::size_t panels_per_row = 3;
  /// Lines that say what all counts together show, for the end of the result; may be empty.
  std::function<std::vector<std::string>(const tally&)> remarks;
  counter count;

  template <class... Cell>
  void add_series(const Cell&... cells) {
    series.push_back({fmt::format("{}", cells)...});
  }
  void add_panel(std::string name) { panels.push_back({std::move(name), {}}); }
  /// A curve of the last series in the last panel.
  void draw(std::size_t column, std::string_view name, int colour, stroke line = stroke::solid) {
    draw_in(panels.size() - 1, column, name, colour, line);
  }
  template <class What>
  void draw(std::size_t column, const compared<What>& c) {
    draw(column, c.title, c.colour, c.line);
  }
  /// The same curve of the last series in each panel, there with the column of the panel's number or the given one.
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

struct study {
  std::string_view name;
  std::string_view about;
  layout shown;
  std::vector<parameter> parameters;
  /// Fills in the series, the panels and the counter. Throws `input_error` when settings do not go together.
  std::function<void(const settings&, experiment&)> fill;
};

/// The studies of each family, in the order in which they are listed.
[[nodiscard]] auto rtgpu_studies() -> std::vector<study>;
[[nodiscard]] auto accelerator_studies() -> std::vector<study>;
[[nodiscard]] auto openvx_studies() -> std::vector<study>;
[[nodiscard]] auto wamp2s_studies() -> std::vector<study>;
[[nodiscard]] auto wamp2s_network_studies() -> std::vector<study>;
[[nodiscard]] auto gpusync_studies() -> std::vector<study>;
[[nodiscard]] auto gpusync_runtime_studies() -> std::vector<study>;
[[nodiscard]] auto gpusync_video_studies() -> std::vector<study>;

/// Throws that takt itself is at fault, unless all is well.
void require(bool well, std::string_view otherwise);

/// Rounded down; 0 of nothing.
[[nodiscard]] constexpr auto thousandths(std::integral auto part, std::integral auto whole) -> std::int64_t {
  return whole > 0 ? static_cast<std::int64_t>(part) * 1000 / static_cast<std::int64_t>(whole) : 0;
}

}  // namespace takt::program::sweep
