// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/application.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says how much of a GPU a set asks for in the long run.
template <ExactFraction Fraction>
struct share_load {
  Fraction area{0};         ///< sum of the least share x time of a job over 100 periods
  Fraction utilization{0};  ///< sum of whole-GPU times over periods: may exceed 1, since not all work scales
  Fraction density{0};      ///< the same over deadlines
};

/// Exactly. Error: what overflows is not a number. Cost: 100 products per task.
template <ExactFraction Fraction = rational, std::size_t MaxTasks>
[[nodiscard]] constexpr auto load_of(const application_set<MaxTasks>& table) -> share_load<Fraction> {
  share_load<Fraction> out;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const share_task& t = table.tasks[i];
    const share cheapest = t.alone.cheapest_share();
    const Fraction whole = Fraction(t.alone.at(full_share));
    const Fraction least = Fraction(t.alone.at(cheapest)) / Fraction(100) * Fraction(cheapest.percent());
    out.area = out.area + least / Fraction(t.period);
    out.utilization = out.utilization + whole / Fraction(t.period);
    out.density = out.density + whole / Fraction(t.deadline);
  }
  return out;
}

enum class area_result : std::uint8_t { fits, exceeds, unknown };

namespace detail {

/// Tests whether the areas add up to more than the GPU has: by sums rounded both ways, exactly where these do not tell.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto compare_area(const application_set<MaxTasks>& table) -> area_result {
  constexpr ticks one = ticks{1} << 40;
  ticks low = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const share_task& t = table.tasks[i];
    const share cheapest = t.alone.cheapest_share();
    takt::detail::wide_natural area{t.alone.at(cheapest)};
    area *= cheapest.percent();
    area *= one;
    area.divide(t.period);
    area.divide(100);
    const ticks part = area.to_ticks();
    if (part > one - low) { return area_result::exceeds; }
    low += part;
  }
  if (low <= one - static_cast<ticks>(table.size())) { return area_result::fits; }
  const rational exact = analysis::load_of(table).area;
  if (exact.overflowed()) { return area_result::unknown; }
  return rational{1} < exact ? area_result::exceeds : area_result::fits;
}

}  // namespace detail

/// Says what every policy that only sets shares needs, whatever its order.
struct necessary_test {
  std::uint32_t too_long = no_index;  ///< the first task whose job misses although it has the GPU for itself
  area_result area = area_result::unknown;

  /// Returns whether some legal run misses a deadline under any policy: periodic releases of jobs of full length.
  [[nodiscard]] constexpr auto refuted() const noexcept -> bool {
    return too_long != no_index || area == area_result::exceeds;
  }
};

/// Applies a necessary test. A job at the rate 1 / M(share) takes at least the least product of share and time of the
/// GPU's area. So areas must add up to at most the GPU's. Utilisation may be above 1. Pre: the table is valid.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto necessary_shares(const application_set<MaxTasks>& table) -> necessary_test {
  TAKT_EXPECTS_IN_TESTS(!validate(table));
  necessary_test out;
  for (std::uint32_t i = 0; out.too_long == no_index && i < table.size(); ++i) {
    if (table.tasks[i].deadline < table.tasks[i].alone.at(full_share)) { out.too_long = i; }
  }
  out.area = detail::compare_area(table);
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
