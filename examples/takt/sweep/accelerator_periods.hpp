// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/generation/whole_kernels.hpp>
#include <takt/model/accelerator.hpp>

#include "../failure.hpp"
#include "study.hpp"

namespace takt::program::sweep {

/// A unit of time in ticks, fine enough for every utilisation that is drawn.
inline constexpr ticks time_unit = generation::utilization_parts;
inline constexpr std::int64_t most_period = 1'000'000;

/// Times in units as text, "10,20", as a list to draw from. Throws `input_error`.
[[nodiscard]] inline auto period_list(const settings& s, std::string_view name) -> generation::period_choices {
  generation::period_choices out;
  for (const std::int64_t units : s.numbers(name)) {
    if (!out.push_back(units * time_unit)) {
      throw input_error{std::string{name}, "is too long",
                        fmt::format("at most {} periods", generation::max_period_choices)};
    }
  }
  return out;
}

}  // namespace takt::program::sweep
