// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>

#include <takt/core/value.hpp>

namespace takt::inline TAKT_ABI {

/// Says what pinned kernels may do while a more important kernel that needs all cores cannot start: whether one starts
/// that stands behind it.
template <class O>
concept GangOrder = detail::DefaultCopyable<O> && requires(bool behind_gang) {
  { O::name } -> std::convertible_to<std::string_view>;
  { O::starts(behind_gang) } -> std::same_as<bool>;
};

struct backfill_order {
  static constexpr std::string_view name = "backfill";
  [[nodiscard]] static constexpr auto starts(bool /*behind_gang*/) noexcept -> bool { return true; }
  [[nodiscard]] friend constexpr auto operator==(const backfill_order&, const backfill_order&) noexcept
      -> bool = default;
};
struct strict_order {
  static constexpr std::string_view name = "strict";
  [[nodiscard]] static constexpr auto starts(bool behind_gang) noexcept -> bool { return !behind_gang; }
  [[nodiscard]] friend constexpr auto operator==(const strict_order&, const strict_order&) noexcept -> bool = default;
};

inline constexpr backfill_order backfill{};
inline constexpr strict_order strict{};

}  // namespace takt::inline TAKT_ABI
