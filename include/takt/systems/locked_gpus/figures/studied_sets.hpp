// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/generation/uniform_range.hpp>
#include <takt/systems/locked_gpus/figures/gpusync_generator.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Says how the tasks of a group of the published study are drawn, as positions in the lists of `studied_values`.
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

namespace detail {

inline constexpr std::array<std::string_view, 3> utilization_names{"light", "medium", "heavy"};

}  // namespace detail
inline constexpr std::array<uniform_range, 3> utilizations{{{10, 100}, {100, 400}, {500, 900}}};
namespace detail {

inline constexpr std::array<std::string_view, 2> period_names{"moderate", "long"};

}  // namespace detail
inline constexpr std::array<uniform_range, 2> periods{{{33'000'000, 100'000'000}, {200'000'000, 1'000'000'000}}};
namespace detail {

inline constexpr std::array<std::string_view, 3> gpu_share_names{"33", "66", "100"};

}  // namespace detail
inline constexpr std::array<std::int64_t, 3> gpu_shares{33, 66, 100};
namespace detail {

inline constexpr std::array<std::string_view, 3> kernel_names{"10-25", "25-75", "75-95"};

}  // namespace detail
inline constexpr std::array<uniform_range, 3> kernels{{{10, 25}, {25, 75}, {75, 95}}};
namespace detail {

inline constexpr std::array<std::string_view, 3> byte_names{"256KB", "2MB", "8MB"};

}  // namespace detail
inline constexpr std::array<std::int64_t, 3> bytes{256 * 1024, 2 * 1024 * 1024, 8 * 1024 * 1024};
namespace detail {

inline constexpr std::array<std::string_view, 3> state_names{"0", "25", "100"};

}  // namespace detail
inline constexpr std::array<std::int64_t, 3> states{0, 25, 100};

}  // namespace studied_values

inline constexpr std::size_t studied_groups = 3 * 2 * 3 * 3 * 3 * 3;

/// Describes a property that tells groups apart: its name, those of its values, and where a group keeps its position.
struct studied_axis {
  std::string_view name;
  std::span<const std::string_view> names;
  std::size_t studied_group::* position;
};
inline constexpr std::array<studied_axis, 6> studied_axes{
    {{"utilization", studied_values::detail::utilization_names, &studied_group::utilization},
     {"period", studied_values::detail::period_names, &studied_group::period},
     {"gpu-share", studied_values::detail::gpu_share_names, &studied_group::gpu_share},
     {"kernels", studied_values::detail::kernel_names, &studied_group::kernels},
     {"bytes", studied_values::detail::byte_names, &studied_group::bytes},
     {"state", studied_values::detail::state_names, &studied_group::state}}};

/// Returns group number i of all of them. Pre: i < studied_groups.
[[nodiscard]] constexpr auto studied_group_at(std::size_t i) noexcept -> studied_group {
  TAKT_EXPECTS(i < studied_groups);
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

/// Returns the inverse. Pre: all positions are in their lists.
[[nodiscard]] constexpr auto number_of(const studied_group& g) noexcept -> std::size_t {
  TAKT_EXPECTS(g.utilization < studied_values::utilizations.size() && g.period < studied_values::periods.size() &&
               g.gpu_share < studied_values::gpu_shares.size());
  TAKT_EXPECTS(g.kernels < studied_values::kernels.size() && g.bytes < studied_values::bytes.size() &&
               g.state < studied_values::states.size());
  std::size_t i = 0;
  while (studied_group_at(i) != g) { ++i; }
  return i;
}

/// Medium tasks with moderate periods, 66 % of them with GPUs, kernels of 25 to 75 %, 8 MB, a quarter of it state.
/// Source: Elliott 2015, Fig. 4.16 and 4.17.
inline constexpr studied_group figure_4_16_group{1, 0, 1, 1, 2, 1};

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

/// Draws set number `index` of a group at a utilization: each can be drawn by itself, and none is that of another group
/// or utilization. Pre: group < studied_groups, 0 < utilization_permille <= 100'000, index < 20'000.
template <std::size_t MaxTasks, std::size_t MaxKernels>
[[nodiscard]] auto generate(std::size_t group, std::int64_t utilization_permille, std::uint64_t seed,
                            std::int64_t index, task_rows<gpusync_task<ticks, MaxKernels>, MaxTasks>& out)
    -> model_fault {
  TAKT_EXPECTS(group < studied_groups && 0 < utilization_permille && utilization_permille <= 100'000);
  TAKT_EXPECTS(0 <= index && index < 20'000);
  constexpr std::int64_t utilizations = 100'001;
  constexpr std::int64_t indices = 20'000;
  const auto number = (static_cast<std::int64_t>(group) * utilizations + utilization_permille) * indices + index;
  return generate(options_of(studied_group_at(group), utilization_permille), seed, static_cast<std::uint64_t>(number),
                  out);
}

/// Says how many sets are drawn for a point of a curve: `least`, and more until the 95 % confidence interval of the
/// accepted part is narrow, or `most`. Only divisors of `most` end early, so that shares have one denominator.
struct studied_precision {
  std::int64_t least = 1;
  std::int64_t most = 1;
  std::int64_t interval_permille = 1000;

  /// By the normal approximation, 1.96^2 a (n - a) / n^3 <= (w / 2000)^2. Pre: 0 <= accepted <= sets <= 20'000.
  [[nodiscard]] constexpr auto enough(std::int64_t sets, std::int64_t accepted) const noexcept -> bool {
    TAKT_EXPECTS(0 <= accepted && accepted <= sets && sets <= 20'000);
    if (sets >= most) { return true; }
    if (sets < least || most % sets != 0) { return false; }
    return 15'366'400 * accepted * (sets - accepted) <= interval_permille * interval_permille * sets * sets * sets;
  }
};

}  // namespace takt::inline TAKT_ABI::generation
