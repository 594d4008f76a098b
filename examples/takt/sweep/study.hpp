// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace takt::program::sweep {

class tally;

/// A block of task sets of one configuration at one level: what a worker does at a time.
struct unit {
  std::size_t series = 0;
  std::int64_t level = 0;  ///< thousandths
  std::int64_t first_set = 0;
  std::int64_t sets = 0;
};

/// Adds what it finds in a unit to the counts, one per column. Whatever is added depends on the settings of the study
/// and the unit alone, so that neither the number of workers nor their order shows in a result.
using counter = std::function<void(const unit&, std::span<std::int64_t>)>;

/// A configuration whose counts are rows of the result, told apart by its cells.
struct series {
  std::vector<std::string> cells;
};

enum class stroke : std::uint8_t {
  solid,
  dashed,
  band,  ///< wide and grey, for what others are compared with; drawn beneath the curves that follow
};

/// What the numbers in the columns are.
enum class measure : std::uint8_t {
  sets,         ///< that have a property; drawn as their share
  thousandths,  ///< of a time or a ratio; drawn as it is. Pre: `sets_per_unit` is `sets`, as times do not add up
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

/// A study with its settings: everything that the engine needs, and nothing about how it runs.
struct experiment {
  std::string title;
  std::string level_title;  ///< of the horizontal axis
  std::string level_name;   ///< of its column
  std::string share_title;  ///< of the vertical axis
  measure measured = measure::sets;
  std::vector<std::int64_t> levels;
  std::int64_t sets = 0;  ///< per series and level
  std::int64_t sets_per_unit = 10;
  std::vector<std::string> keys;  ///< names of the cells of a series
  std::vector<sweep::series> all_series;
  std::vector<std::string> columns;  ///< of the counts
  std::vector<panel> panels;
  std::size_t panels_per_row = 3;
  /// Lines that say what all counts together show, for the end of the result; may be empty.
  std::function<std::vector<std::string>(const tally&)> remarks;
  /// A counter for one worker, with memory of its own.
  std::function<counter()> make_counter;
};

struct study {
  std::string_view name;
  std::string_view about;
  std::vector<parameter> parameters;
  /// Throws `input_error` when a setting is out of its range.
  std::function<experiment(const settings&)> design;
};

/// Every study of this program, in the order in which it is listed.
[[nodiscard]] auto studies() -> const std::vector<study>&;

}  // namespace takt::program::sweep
