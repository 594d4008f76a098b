// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::report {

/// Describes a unit in which times are written.
struct time_unit {
  std::string_view name;
  ticks length = 1;
};

inline constexpr time_unit time_units[] = {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}};

namespace detail {

/// Returns the largest unit that is not longer than the time; nanoseconds for zero.
[[nodiscard]] constexpr auto unit_for(ticks time) noexcept -> time_unit {
  for (const time_unit& unit : time_units) {
    if (time >= unit.length || time <= -unit.length) { return unit; }
  }
  return time_units[3];
}

/// time / 10^digits as decimal text, with all digits of the fraction.
[[nodiscard]] inline auto decimal(ticks time, std::size_t digits) -> std::string {
  const bool negative = time < 0;
  const std::uint64_t magnitude = negative ? ~static_cast<std::uint64_t>(time) + 1 : static_cast<std::uint64_t>(time);
  std::string text = std::to_string(magnitude);
  if (text.size() <= digits) { text.insert(0, digits + 1 - text.size(), '0'); }
  if (digits > 0) { text.insert(text.size() - digits, 1, '.'); }
  return negative ? "-" + text : text;
}

}  // namespace detail

/// Returns a time in a unit, exactly, without the unit's name: 12500000 in ms is "12.5".
[[nodiscard]] inline auto count_of(ticks time, const time_unit& unit) -> std::string {
  std::size_t digits = 0;
  for (ticks length = unit.length; length > 1; length /= 10) { ++digits; }
  std::string text = detail::decimal(time, digits);
  if (digits == 0) { return text; }
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') { text.pop_back(); }
  return text;
}

/// Returns a time in the largest unit that it fills, exactly: 23796409 is "23.796409ms". Input files accept this text.
[[nodiscard]] inline auto format_duration(ticks time) -> std::string {
  const time_unit unit = detail::unit_for(time);
  return count_of(time, unit).append(unit.name);
}

}  // namespace takt::inline TAKT_ABI::report
