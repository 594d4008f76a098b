// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/expects.hpp>

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

}  // namespace takt::inline TAKT_ABI::studies
