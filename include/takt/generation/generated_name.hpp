// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <takt/core/fixed_string.hpp>

namespace takt::inline TAKT_ABI::generation {

inline constexpr std::size_t max_generated_tasks = 1000;

namespace detail {

using short_name = fixed_string<4>;

[[nodiscard]] constexpr auto make_names() noexcept -> std::array<short_name, max_generated_tasks> {
  std::array<short_name, max_generated_tasks> names{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::size_t length = i < 10 ? 2 : i < 100 ? 3 : 4;
    names[i].text[0] = 't';
    for (std::size_t rest = i; length > 1; rest /= 10) { names[i].text[--length] = static_cast<char>('0' + rest % 10); }
  }
  return names;
}

inline constexpr auto names = make_names();

}  // namespace detail

/// Returns "t0", "t1", ...: names that live as long as the program, so that a table may refer to them. Pre: i is below
/// `max_generated_tasks`.
[[nodiscard]] constexpr auto generated_name(std::size_t i) noexcept -> std::string_view {
  TAKT_EXPECTS(i < max_generated_tasks);
  return detail::names[i].view();
}

static_assert(generated_name(0) == "t0" && generated_name(42) == "t42" && generated_name(999) == "t999");

}  // namespace takt::inline TAKT_ABI::generation
