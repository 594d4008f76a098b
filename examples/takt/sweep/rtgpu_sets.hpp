// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <takt/generation/rtgpu_generator.hpp>
#include <takt/model/platform_record.hpp>

#include "rtgpu_methods.hpp"
#include "study.hpp"

namespace takt::program::sweep {

/// One configuration of the experiment: how its sets are drawn, and whether tasks may share physical SMs.
struct rtgpu_setting {
  generation::rtgpu_options options;
  bool shared = false;

  [[nodiscard]] auto platform() const -> platform_record;
};

/// Draws the set of that index in deadline-monotonic order. A set depends on the seed, the level and its index, and on
/// what of the setting its generator reads: the same tasks meet every number of SMs. Throws when it cannot be drawn.
void draw(const rtgpu_setting& setting, std::uint64_t seed, std::int64_t level, std::int64_t index, study_table& out);

/// Parameters that all of these studies have: how many sets, and what the paper does not print.
[[nodiscard]] auto rtgpu_parameters(std::vector<parameter> own) -> std::vector<parameter>;
/// A setting with the values of those parameters. Throws `input_error`.
[[nodiscard]] auto rtgpu_setting_of(const settings& s) -> rtgpu_setting;

/// Takes over what every study reads from its settings the same way.
void apply_common(const settings& s, experiment& e);

inline constexpr const char* one_copy = "one";
inline constexpr const char* two_copies = "two";

/// The paper's second model, one copy per kernel, and its first.
[[nodiscard]] auto with_copies(rtgpu_setting setting, const std::string& copies) -> rtgpu_setting;

/// Whole milliseconds, or half ones.
[[nodiscard]] constexpr auto half_milliseconds(std::int64_t halves) -> ticks { return halves * 500'000; }

}  // namespace takt::program::sweep
