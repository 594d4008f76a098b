// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Holds as much of a 128-bit number as the variance test needs. Sums and products must fit.
struct wide_square {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  [[nodiscard]] static constexpr auto product(std::uint64_t a, std::uint64_t b) noexcept -> wide_square {
    constexpr std::uint64_t half = 0xFFFF'FFFFU;
    const std::uint64_t last = (a & half) * (b & half);
    const std::uint64_t left = (a >> 32U) * (b & half) + (last >> 32U);
    const std::uint64_t right = (a & half) * (b >> 32U) + (left & half);
    return {(a >> 32U) * (b >> 32U) + (left >> 32U) + (right >> 32U), (right << 32U) | (last & half)};
  }
  [[nodiscard]] constexpr auto times(std::uint64_t factor) const noexcept -> wide_square {
    wide_square scaled = product(low, factor);
    scaled.high += high * factor;
    return scaled;
  }
  [[nodiscard]] friend constexpr auto operator+(wide_square a, wide_square b) noexcept -> wide_square {
    const std::uint64_t sum = a.low + b.low;
    return {a.high + b.high + (sum < a.low ? 1U : 0U), sum};
  }
  [[nodiscard]] friend constexpr auto operator-(wide_square a, wide_square b) noexcept -> wide_square {
    return {a.high - b.high - (a.low < b.low ? 1U : 0U), a.low - b.low};
  }
  [[nodiscard]] friend constexpr auto operator<=>(const wide_square&, const wide_square&) noexcept = default;
};

}  // namespace detail

struct cost_predictor_settings {
  std::int32_t window = 20;        ///< samples that the average is taken over
  std::int32_t warm_up = 10;       ///< so many samples are accepted whatever they are
  std::int32_t sigmas = 2;         ///< later ones within so many standard deviations of the average
  std::int32_t restart_after = 0;  ///< so many rejections in a row replace the window; 0: never

  [[nodiscard]] friend constexpr auto operator==(const cost_predictor_settings&,
                                                 const cost_predictor_settings&) noexcept -> bool = default;
};

enum class sample_verdict : std::uint8_t { accepted, rejected, refused };

/// Predicts how long a task will hold a GPU token, from how long it held one before after a migration over the same
/// distance. All decisions are exact. Without `restart_after` a task whose costs do not vary at all, or change for
/// good, keeps its old prediction forever. Cost: constant per sample, but for a restart.
/// Source: Elliott 2015, section 3.2.3.3; the restart is an addition.
template <std::size_t MaxTasks, std::size_t MaxDistances, std::size_t MaxWindow = 20>
class gpu_cost_predictor {
  static_assert(MaxWindow >= 1 && MaxWindow <= 64, "the variance test is exact in 128 bits up to this window");

 public:
  /// A longer sample, of 52 days in nanoseconds, is refused.
  static constexpr ticks longest_sample = (ticks{1} << 52U) - 1;
  static constexpr std::int32_t most_sigmas = 8;

  constexpr gpu_cost_predictor() noexcept = default;
  constexpr explicit gpu_cost_predictor(const cost_predictor_settings& s) noexcept : settings_{s} {}

  /// Returns whether 1 <= window <= MaxWindow, 0 <= restart_after <= window, 0 <= warm_up and 0 <= sigmas <=
  /// most_sigmas. Otherwise every sample is refused.
  [[nodiscard]] constexpr auto valid() const noexcept -> bool {
    const auto& s = settings_;
    return s.window >= 1 && s.window <= static_cast<std::int32_t>(MaxWindow) && s.warm_up >= 0 && s.sigmas >= 0 &&
           s.sigmas <= most_sigmas && s.restart_after >= 0 && s.restart_after <= s.window;
  }

  /// Refused, without any effect: a task or distance that is not below its capacity, a negative or too long sample.
  constexpr auto observe(std::size_t task, std::size_t distance, ticks cost) noexcept -> sample_verdict {
    if (!valid() || !known(task, distance) || cost < 0 || cost > longest_sample) { return sample_verdict::refused; }
    history& h = histories_[task][distance];
    if (h.accepted < settings_.warm_up || fits(h, cost)) {
      accept(h, cost);
      return sample_verdict::accepted;
    }
    return reject(h, cost) ? sample_verdict::accepted : sample_verdict::rejected;
  }

  /// Returns the average of the window, 0 before the first sample and for an unknown key.
  [[nodiscard]] constexpr auto predict(std::size_t task, std::size_t distance) const noexcept -> rational {
    if (!known(task, distance) || histories_[task][distance].count == 0) { return {}; }
    const history& h = histories_[task][distance];
    return {h.sum, h.count};
  }
  /// Returns at most the length that the section was declared with.
  [[nodiscard]] constexpr auto predict(std::size_t task, std::size_t distance, ticks declared) const noexcept
      -> rational {
    const rational average = predict(task, distance);
    return rational{declared} < average ? rational{declared} : average;
  }

 private:
  struct history {
    std::array<ticks, MaxWindow> samples{};  ///< a ring; `oldest` is where the next one goes when it is full
    std::int32_t count = 0;
    std::int32_t oldest = 0;
    ticks sum = 0;
    detail::wide_square squares;
    std::int32_t accepted = 0;  ///< stops at the warm-up
    std::array<ticks, MaxWindow> rejected_samples{};
    std::int32_t rejected = 0;  ///< in a row
  };

  [[nodiscard]] static constexpr auto known(std::size_t task, std::size_t distance) noexcept -> bool {
    return task < MaxTasks && distance < MaxDistances;
  }
  [[nodiscard]] static constexpr auto square(ticks x) noexcept -> detail::wide_square {
    const auto magnitude = static_cast<std::uint64_t>(x < 0 ? -x : x);
    return detail::wide_square::product(magnitude, magnitude);
  }

  /// Tests (n x - S)^2 <= sigmas^2 (n Q - S^2), with sum S and sum of squares Q of the n samples.
  [[nodiscard]] constexpr auto fits(const history& h, ticks cost) const noexcept -> bool {
    if (h.count == 0) { return true; }
    const auto n = static_cast<std::uint64_t>(h.count);
    const auto sigmas = static_cast<std::uint64_t>(settings_.sigmas);
    const detail::wide_square spread = h.squares.times(n) - square(h.sum);
    return square(h.count * cost - h.sum) <= spread.times(sigmas * sigmas);
  }

  constexpr void accept(history& h, ticks cost) noexcept {
    auto& place = h.samples[static_cast<std::size_t>(h.oldest)];
    if (h.count == settings_.window) {
      h.sum -= place;
      h.squares = h.squares - square(place);
    } else {
      ++h.count;
    }
    place = cost;
    h.oldest = h.oldest + 1 == settings_.window ? 0 : h.oldest + 1;
    h.sum += cost;
    h.squares = h.squares + square(cost);
    h.accepted += h.accepted < settings_.warm_up ? 1 : 0;
    h.rejected = 0;
  }

  /// Returns true when the rejected samples replace the window. The warm-up does not begin again.
  constexpr auto reject(history& h, ticks cost) noexcept -> bool {
    if (settings_.restart_after == 0) { return false; }
    h.rejected_samples[static_cast<std::size_t>(h.rejected)] = cost;
    ++h.rejected;
    if (h.rejected < settings_.restart_after) { return false; }
    const history old = h;
    h = {};
    h.accepted = settings_.warm_up;
    for (std::int32_t i = 0; i < old.rejected; ++i) { accept(h, old.rejected_samples[static_cast<std::size_t>(i)]); }
    return true;
  }

  cost_predictor_settings settings_;
  std::array<std::array<history, MaxDistances>, MaxTasks> histories_{};
};

}  // namespace takt::inline TAKT_ABI
