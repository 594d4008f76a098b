// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "../failure.hpp"
#include "old_study.hpp"

namespace takt::program::old_sweep {

/// Levels that number something. Throws `input_error` where one is not whole or out of range.
[[nodiscard]] inline auto whole_levels(const settings& s, std::int64_t least, std::int64_t most)
    -> std::vector<std::int64_t> {
  auto levels = s.levels("levels");
  const bool whole = std::ranges::all_of(levels, [](std::int64_t l) { return l % 1000 == 0; });
  if (!whole || levels.front() < 1000 * least || levels.back() > 1000 * most) {
    throw input_error{"levels", "one of them is not a whole number in range", fmt::format("{} to {}", least, most)};
  }
  return levels;
}

}  // namespace takt::program::old_sweep
