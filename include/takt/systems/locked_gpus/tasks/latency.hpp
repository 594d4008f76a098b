// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Is a latency as it was measured: how many samples were at most so long. Made of single samples, or of the points of
/// a distribution that are known; between two of them every answer is that of the longer one.
template <std::size_t MaxPoints>
class latency_distribution {
 public:
  /// So many samples of one length, in any order. False, and no change, when there is no room, a value or count is
  /// negative, or the counts do not fit. Cost: the number of different values.
  constexpr auto add(ticks value, std::int64_t count = 1) noexcept -> bool {
    std::int64_t samples = 0;
    if (value < 0 || count < 0 || !checked_add(samples_, count, samples)) { return false; }
    if (count == 0) { return true; }
    std::size_t at = 0;
    while (at < points_.size() && points_[at].value < value) { ++at; }
    if (at < points_.size() && points_[at].value == value) {
      points_[at].count += count;
    } else {
      if (!points_.try_push_back({value, count})) { return false; }
      for (std::size_t i = points_.size() - 1; i > at; --i) {
        const point moved = points_[i];
        points_[i] = points_[i - 1];
        points_[i - 1] = moved;
      }
    }
    samples_ = samples;
    return true;
  }

  [[nodiscard]] constexpr auto samples() const noexcept -> std::int64_t { return samples_; }
  /// Returns the longest sample; 0 without samples.
  [[nodiscard]] constexpr auto max() const noexcept -> ticks { return points_.empty() ? 0 : points_.back().value; }
  /// Returns the least value that at least `part` of `whole` samples do not exceed: (999, 1000) for the 99.9th
  /// percentile. Pre: 0 <= part <= whole, whole > 0.
  [[nodiscard]] constexpr auto percentile(std::int64_t part, std::int64_t whole) const noexcept -> ticks {
    TAKT_EXPECTS(0 <= part && part <= whole && whole > 0);
    std::int64_t passed = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      passed += points_[i].count;
      // passed / samples_ >= part / whole, by quotients and rests so that no product overflows.
      if (!less(passed, samples_, part, whole)) { return points_[i].value; }
    }
    return max();
  }
  /// Returns it rounded up; exact if it was made of all samples, else an upper bound. Error: the maximum when the sum
  /// does not fit.
  [[nodiscard]] constexpr auto mean() const noexcept -> ticks {
    ticks sum = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      ticks part = 0;
      if (!checked_multiply(points_[i].value, points_[i].count, part) || !checked_add(sum, part, sum)) { return max(); }
    }
    return samples_ == 0 ? 0 : ceil_divide(sum, samples_);
  }

 private:
  struct point {
    ticks value = 0;
    std::int64_t count = 0;
  };

  /// a / b < c / d. Pre: a, c >= 0 and b, d > 0.
  [[nodiscard]] static constexpr auto less(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) noexcept
      -> bool {
    TAKT_EXPECTS(a >= 0 && b > 0 && c >= 0 && d > 0);
    for (;;) {
      if (a / b != c / d) { return a / b < c / d; }
      const std::int64_t rest_a = a % b;
      const std::int64_t rest_c = c % d;
      if (rest_c == 0) { return false; }
      if (rest_a == 0) { return true; }
      // rest_a / b < rest_c / d iff d / rest_c < b / rest_a
      a = d;
      c = b;
      b = rest_c;
      d = rest_a;
    }
  }

  inline_vector<point, MaxPoints> points_;
  std::int64_t samples_ = 0;
};

}  // namespace takt::inline TAKT_ABI
