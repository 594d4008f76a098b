// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <takt/study/stopping_rule.hpp>

namespace takt::inline TAKT_ABI::studies {

/// A study draws so many sets for each of its configurations at each of its levels. It counts in columns what it finds
/// in them: how many sets an analysis accepts, for instance.
struct extent {
  std::size_t series = 1;            ///< configurations
  std::vector<std::int64_t> levels;  ///< in thousandths
  std::int64_t sets = 1;
  std::size_t columns = 1;
  std::int64_t sets_per_unit = 10;
  stopping_rule stop{};
};

/// Describes a block of sets of one configuration at one level: what a worker does at a time.
struct unit {
  static constexpr std::int64_t most_sets = 1'000'000;

  std::size_t series = 0;
  std::int64_t level = 0;  ///< thousandths
  std::int64_t first_set = 0;
  std::int64_t sets = 0;

  /// Returns a number of one of its sets, unique among the levels and sets of a study. Pre: at most so many sets.
  [[nodiscard]] constexpr auto number(std::int64_t set) const noexcept -> std::uint64_t {
    TAKT_EXPECTS(0 <= set && first_set + set < most_sets);
    return static_cast<std::uint64_t>(level * most_sets + first_set + set);
  }
  /// Returns the level, of levels that number something.
  [[nodiscard]] constexpr auto whole_level() const noexcept -> std::size_t {
    return static_cast<std::size_t>(level / 1000);
  }
};

/// One count per column.
using row = std::span<std::int64_t>;

/// Adds what it finds in a unit to the counts. That depends on the settings of the study and the unit alone. So neither
/// the number of workers nor their order shows in a result, unless the study measures and says so. Each worker has a
/// copy.
using counter = std::function<void(const unit&, row)>;

/// Gets the number and the counts of a unit.
using unit_receiver = std::function<void(std::size_t, std::span<const std::int64_t>)>;

}  // namespace takt::inline TAKT_ABI::studies
