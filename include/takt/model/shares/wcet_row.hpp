// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/shares/share.hpp>

namespace takt::inline TAKT_ABI {

/// The least share for which something holds: 1 to 100, or 101 when none does.
using share_need = std::int32_t;
inline constexpr share_need no_share_suffices = 101;

/// Time of a job that nothing bounds, or whose bound does not fit. No slack covers it.
inline constexpr ticks unbounded_time = std::numeric_limits<ticks>::max();

namespace detail {

/// Finds the least share in 1..100 that `suffices`. Pre: what suffices does so with every greater share. Cost: 7 calls.
template <class Suffices>
[[nodiscard]] constexpr auto least_sufficient_share(const Suffices& suffices) -> share_need {
  std::int32_t low = 1;
  std::int32_t high = no_share_suffices;
  while (low < high) {
    const std::int32_t middle = (low + high) / 2;
    if (suffices(share::bounded(middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}
/// Finds that share without the precondition. Cost: up to 100 calls.
template <class Suffices>
[[nodiscard]] constexpr auto first_sufficient_share(const Suffices& suffices) -> share_need {
  for (std::int32_t percent = 1; percent <= 100; ++percent) {
    if (suffices(share::bounded(percent))) { return percent; }
  }
  return no_share_suffices;
}

}  // namespace detail

/// A time that was measured, or is known to bound one, with a share.
struct measured_share {
  share held;
  ticks time = 0;
};

/// Says what is assumed of shares that were not measured. Kernels whose blocks take some rounds are faster by steps: a
/// curve through a few of their times may lie below the others.
enum class between_shares : std::uint8_t {
  step,   ///< that a job is no slower than with the next smaller measured share, and nothing below the least
  curve,  ///< that time is a + b / share or below it between two measured shares, and at most b / share below the least
};
[[nodiscard]] constexpr auto last_of(between_shares) noexcept -> between_shares { return between_shares::curve; }

/// Longest times of a job that runs alone with 1 to 100 per cent of a GPU. It never increases with the share: a row
/// that does is raised to its upper envelope, so that more of the GPU never slows a job down. A time that is not
/// positive stays what it is, for `validate` to refuse, as far as no time of a greater share exceeds it.
class wcet_row {
 public:
  static constexpr std::string_view name = "wcet_by_share";
  static constexpr std::size_t shares = 100;

  constexpr wcet_row() noexcept = default;

  /// Returns the times with 1, 2, ... 100 per cent.
  [[nodiscard]] static constexpr auto measured(std::span<const ticks, shares> times) noexcept -> wcet_row {
    return envelope_of(times);
  }

  /// ceil(C (f d + (1000 - f) 100) / (1000 d)) for the share d: of the time C with the whole GPU, f per mille do not
  /// scale. A time that does not fit is unbounded. With f not in 0..1000 all times are 0, which `validate` refuses.
  [[nodiscard]] static constexpr auto scaling(ticks whole_gpu_time, std::int32_t fixed_per_mille = 0) noexcept
      -> wcet_row {
    wcet_row out;
    if (fixed_per_mille < 0 || fixed_per_mille > 1000) { return out; }
    for (std::size_t i = 0; i < shares; ++i) {
      const auto percent = static_cast<ticks>(i + 1);
      out.times_[i] =
          whole_gpu_time < 0
              ? whole_gpu_time
              : detail::scaled_up(whole_gpu_time, fixed_per_mille * percent + ticks{1000 - fixed_per_mille} * 100,
                                  1000 * percent);
    }
    return out;
  }

  /// Returns the times from a few measured shares, given in any order. A measurement with share 0 is passed over; what
  /// nothing is known of is unbounded. With an unknown rule all times are 0, which `validate` refuses.
  [[nodiscard]] static constexpr auto interpolated(std::span<const measured_share> given,
                                                   between_shares rule = between_shares::step) noexcept -> wcet_row {
    std::array<ticks, shares> times{};
    std::array<bool, shares> known{};
    if (!is_known(rule)) { return {}; }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given[i].held) { continue; }
      const auto at = static_cast<std::size_t>(given[i].held.percent() - 1);
      times[at] = known[at] && given[i].time < times[at] ? times[at] : given[i].time;
      known[at] = true;
    }
    for (std::size_t i = shares; i-- > 0;) {  // the envelope of what is known, before anything is derived from it
      for (std::size_t j = i + 1; known[i] && j < shares; ++j) {
        if (known[j] && times[i] < times[j]) { times[i] = times[j]; }
      }
    }
    std::size_t below = shares;
    for (std::size_t i = 0; i < shares; ++i) {
      if (known[i]) {
        below = i;
        continue;
      }
      std::size_t above = i + 1;
      while (above < shares && !known[above]) { ++above; }
      times[i] = derived(times, below, i, above, rule);
    }
    return envelope_of(times);
  }

  /// Pre: held >= 1.
  [[nodiscard]] constexpr auto at(share held) const noexcept -> ticks {
    TAKT_EXPECTS(held.percent() >= 1);
    return times_[static_cast<std::size_t>(held.percent() - 1)];
  }
  /// Returns the least share with which a job alone takes at most `limit`.
  [[nodiscard]] constexpr auto least_share(ticks limit) const noexcept -> share_need {
    return detail::least_sufficient_share([&](share held) { return at(held) <= limit; });
  }

  /// Returns the share with the least product of share and time: its cost to the GPU if its deadline is far away.
  [[nodiscard]] constexpr auto cheapest_share() const noexcept -> share {
    share best = full_share;
    for (std::int32_t percent = full_share.percent() - 1; percent > 0; --percent) {
      const share held = share::bounded(percent);
      const detail::wide_natural area = detail::wide_natural{at(held)} * percent;
      if (area < detail::wide_natural{at(best)} * best.percent()) { best = held; }
    }
    return best;
  }

  [[nodiscard]] friend constexpr auto operator==(const wcet_row&, const wcet_row&) noexcept -> bool = default;

 private:
  [[nodiscard]] static constexpr auto envelope_of(std::span<const ticks, shares> times) noexcept -> wcet_row {
    wcet_row out;
    for (std::size_t i = 0; i < shares; ++i) { out.times_[i] = times[i]; }
    for (std::size_t i = shares - 1; i-- > 0;) {
      if (out.times_[i] < out.times_[i + 1]) { out.times_[i] = out.times_[i + 1]; }
    }
    return out;
  }
  [[nodiscard]] static constexpr auto derived(const std::array<ticks, shares>& times, std::size_t below, std::size_t i,
                                              std::size_t above, between_shares rule) noexcept -> ticks {
    const auto percent = [](std::size_t at) { return static_cast<ticks>(at + 1); };
    if (above < shares && times[above] < 0) { return times[above]; }
    switch (rule) {
      case between_shares::step: return below == shares ? unbounded_time : times[below];
      case between_shares::curve: break;
    }
    if (below == shares && above == shares) { return unbounded_time; }
    if (below == shares) { return detail::scaled_up(times[above], percent(above), percent(i)); }
    if (above == shares) { return times[below]; }
    // time = t_above + (t_below - t_above) below (above - share) / (share (above - below)), rounded up.
    const ticks part = detail::scaled_up(times[below] - times[above], percent(below) * (percent(above) - percent(i)),
                                         percent(i) * (percent(above) - percent(below)));
    return times[above] > unbounded_time - part ? unbounded_time : times[above] + part;
  }

  std::array<ticks, shares> times_{};
};

}  // namespace takt::inline TAKT_ABI
