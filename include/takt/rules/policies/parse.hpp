// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/checked.hpp>
#include <takt/model/platform_record.hpp>

// What stands behind the name of a policy.

namespace takt::inline TAKT_ABI::detail {

/// Holds what came of a text with a number. It has no value unless it is `good`.
struct parsed_number {
  bool good = false;
  std::int64_t value = 0;
};

/// Reads digits and nothing else, one at least. A number that does not fit is not `good`.
[[nodiscard]] constexpr auto parse_digits(std::string_view text) noexcept -> parsed_number {
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || !checked_multiply(value, std::int64_t{10}, value) ||
        !checked_add(value, std::int64_t{c - '0'}, value)) {
      return {};
    }
  }
  return {!text.empty(), value};
}

/// Reads a whole number above 0.
[[nodiscard]] constexpr auto parse_count(std::string_view text) noexcept -> parsed_number {
  const parsed_number n = detail::parse_digits(text);
  return {n.good && n.value > 0, n.value};
}

/// Reads a time above 0 with a unit: "1ms", "1.024ms", "200us", "7ns", "1s". Parts of a nanosecond are no time.
[[nodiscard]] constexpr auto parse_time(std::string_view text) noexcept -> parsed_number {
  std::int64_t unit = 0;
  const auto ends = [&](std::string_view word, std::int64_t ns) {
    if (unit != 0 || text.size() <= word.size() || text.substr(text.size() - word.size()) != word) { return; }
    unit = ns;
    text = text.substr(0, text.size() - word.size());
  };
  ends("ns", 1);
  ends("us", 1'000);
  ends("ms", 1'000'000);
  ends("s", 1'000'000'000);
  if (unit == 0) { return {}; }
  const std::size_t point = text.find('.');
  const parsed_number whole = detail::parse_digits(text.substr(0, point));
  std::int64_t value = 0;
  if (!whole.good || !checked_multiply(whole.value, unit, value)) { return {}; }
  if (point == std::string_view::npos) { return {value > 0, value}; }
  const std::string_view rest = text.substr(point + 1);
  std::int64_t step = unit;
  if (rest.empty()) { return {}; }
  for (const char c : rest) {
    if (c < '0' || c > '9' || step % 10 != 0) { return {}; }
    step /= 10;
    if (!checked_add(value, std::int64_t{c - '0'} * step, value)) { return {}; }
  }
  return {value > 0, value};
}

/// Reads a number of units, such as tokens. False, and `out` stays, where it is none from 1 to `max_units`.
[[nodiscard]] constexpr auto parse_units(std::string_view text, std::int32_t& out) noexcept -> bool {
  const parsed_number n = parse_count(text);
  const bool fits = n.good && n.value <= max_units;
  if (fits) { out = static_cast<std::int32_t>(n.value); }
  return fits;
}

}  // namespace takt::inline TAKT_ABI::detail
