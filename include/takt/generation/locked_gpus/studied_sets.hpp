// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/generation/locked_gpus/gpusync_generator.hpp>

namespace takt::generation {

/// How the tasks of a group of the published study are drawn, as positions in the lists of `studied_values`.
struct studied_group {
  std::size_t utilization = 0;
  std::size_t period = 0;
  std::size_t gpu_share = 0;
  std::size_t kernels = 0;
  std::size_t bytes = 0;
  std::size_t state = 0;

  [[nodiscard]] friend constexpr auto operator==(const studied_group&, const studied_group&) noexcept -> bool = default;
};

/// Source: Elliott 2015, section 4.3.6.1.
namespace studied_values {

inline constexpr std::array<std::string_view, 3> utilization_names{"light", "medium", "heavy"};
inline constexpr std::array<uniform_range, 3> utilizations{{{10, 100}, {100, 400}, {500, 900}}};
inline constexpr std::array<std::string_view, 2> period_names{"moderate", "long"};
inline constexpr std::array<uniform_range, 2> periods{{{33'000'000, 100'000'000}, {200'000'000, 1'000'000'000}}};
inline constexpr std::array<std::string_view, 3> gpu_share_names{"33", "66", "100"};
inline constexpr std::array<std::int64_t, 3> gpu_shares{33, 66, 100};
inline constexpr std::array<std::string_view, 3> kernel_names{"10-25", "25-75", "75-95"};
inline constexpr std::array<uniform_range, 3> kernels{{{10, 25}, {25, 75}, {75, 95}}};
inline constexpr std::array<std::string_view, 3> byte_names{"256KB", "2MB", "8MB"};
inline constexpr std::array<std::int64_t, 3> bytes{256 * 1024, 2 * 1024 * 1024, 8 * 1024 * 1024};
inline constexpr std::array<std::string_view, 3> state_names{"0", "25", "100"};
inline constexpr std::array<std::int64_t, 3> states{0, 25, 100};

}  // namespace studied_values

inline constexpr std::size_t studied_groups = 3 * 2 * 3 * 3 * 3 * 3;

/// Group number i of all of them. Pre: i < studied_groups.
[[nodiscard]] constexpr auto studied_group_at(std::size_t i) noexcept -> studied_group {
  studied_group out;
  const auto digit = [&i](std::size_t choices) {
    const std::size_t d = i % choices;
    i /= choices;
    return d;
  };
  out.state = digit(3);
  out.bytes = digit(3);
  out.kernels = digit(3);
  out.gpu_share = digit(3);
  out.period = digit(2);
  out.utilization = digit(3);
  return out;
}

[[nodiscard]] constexpr auto options_of(const studied_group& g, std::int64_t utilization_permille) noexcept
    -> gpusync_set_options {
  return {.utilization_permille = utilization_permille,
          .task_utilization_permille = studied_values::utilizations[g.utilization],
          .period = studied_values::periods[g.period],
          .gpu_percent = studied_values::gpu_shares[g.gpu_share],
          .kernel_percent = studied_values::kernels[g.kernels],
          .bytes = studied_values::bytes[g.bytes],
          .state_percent = studied_values::states[g.state]};
}

}  // namespace takt::generation
