// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/generation/whole_kernels.hpp>
#include <takt/model/accelerator.hpp>

#include "study.hpp"

namespace takt::program::sweep {

inline constexpr std::size_t most_kernels = 32;
using kernel_table = accelerator_table<ticks, most_kernels>;

/// Parameters that the studies with random sets share, and those of one of them.
[[nodiscard]] auto accelerator_parameters(std::vector<parameter> own) -> std::vector<parameter>;

/// Takes over what every study with random sets reads from its settings the same way. Throws `input_error`.
void apply_accelerator(const settings& s, experiment& e);

/// Times in units as text, "10,20", as a list to draw from. Throws `input_error`.
[[nodiscard]] auto period_list(const settings& s, std::string_view name) -> generation::period_choices;
/// A unit of time in ticks, fine enough for every utilisation that is drawn.
inline constexpr ticks time_unit = generation::utilization_parts;

/// Draws a set, or throws when it cannot be drawn. The number is unique among the levels and sets of a study.
void draw(const generation::accelerator_set_options& o, std::uint64_t seed, std::uint64_t number, kernel_table& out);
[[nodiscard]] auto set_number(std::int64_t level, std::int64_t index) -> std::uint64_t;

}  // namespace takt::program::sweep
