// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

/// Says how much of a job is done: the exact sum of fractions `executed / whole`, one per interval of time in which the
/// whole job would have taken `whole`. Nothing is ever rounded, however long the history is.
///
/// A 62-bit lower bound answers nearly every question. Where its error decides, most often at an exact fit, the digits
/// of all fractions are unrolled together until the sign of the sum is certain.
class history_progress {
 public:
  static constexpr std::size_t usual_history = 64;

  /// So many different times of a whole job fit before anything is allocated.
  explicit history_progress(std::size_t intervals = usual_history) {
    terms_.reserve(intervals);
    scratch_.reserve(intervals + 1);
  }

  void clear() noexcept {
    terms_.clear();
    done_ = 0;
    doubt_ = 0;
  }
  /// Returns nothing when `whole` is the largest time. Allocates only beyond the longest history so far. Pre: executed
  /// >= 0, whole > 0, the executed times with equal `whole` add up.
  void advance(ticks executed, ticks whole) {
    TAKT_EXPECTS(0 <= executed && 0 < whole);
    if (executed == 0 || whole == std::numeric_limits<ticks>::max()) { return; }
    const fixed rounded = fixed_quotient(executed, whole);
    done_ = std::min(done_ + rounded.floor, one);
    doubt_ += rounded.exact ? 0U : 1U;
    for (term& t : terms_) {
      if (t.whole == whole) {
        t.executed += executed;
        return;
      }
    }
    terms_.push_back({executed, whole});
  }

  [[nodiscard]] auto finished() const -> bool { return reaches_one({0, 1}); }
  /// The least number of ticks after which the job is finished if it goes on at 1 / whole per tick. Pre: whole > 0.
  [[nodiscard]] auto time_left(ticks whole) const -> ticks {
    TAKT_EXPECTS(0 < whole);
    if (done_ >= one) { return 0; }
    ticks most = scaled_up(one - done_, whole);
    ticks least = done_ + doubt_ >= one ? 0 : scaled_up(one - done_ - doubt_, whole);
    while (least < most) {
      const ticks middle = least + (most - least) / 2;
      if (reaches_one({middle, whole})) {
        most = middle;
      } else {
        least = middle + 1;
      }
    }
    return most;
  }

 private:
  struct term {
    ticks executed = 0;
    ticks whole = 1;
  };
  struct fixed {
    std::uint64_t floor = 0;
    bool exact = true;
  };
  static constexpr unsigned fraction_bits = 62;
  static constexpr std::uint64_t one = std::uint64_t{1} << fraction_bits;

  /// executed / whole in parts of 2^62, at most 2.
  [[nodiscard]] static auto fixed_quotient(ticks executed, ticks whole) noexcept -> fixed {
    if (executed / whole >= 2) { return {2 * one, true}; }
    const auto divisor = static_cast<std::uint64_t>(whole);
    std::uint64_t quotient = static_cast<std::uint64_t>(executed) / divisor;
    std::uint64_t rest = static_cast<std::uint64_t>(executed) % divisor;
    const unsigned step = divisor >> 32U == 0 ? 31U : 1U;
    for (unsigned bit = 0; bit < fraction_bits; bit += step) {
      rest <<= step;
      quotient = (quotient << step) + rest / divisor;
      rest %= divisor;
    }
    return {quotient, rest == 0};
  }
  /// part * whole / 2^62, rounded up. Pre: part <= 2^62.
  [[nodiscard]] static auto scaled_up(std::uint64_t part, ticks whole) noexcept -> ticks {
    TAKT_EXPECTS(part <= one);
    return takt::detail::scaled_up(whole, static_cast<ticks>(part), static_cast<ticks>(one));
  }

  /// Returns whether what is done and `more` make at least 1.
  [[nodiscard]] auto reaches_one(const term& more) const -> bool {
    const fixed step = fixed_quotient(more.executed, more.whole);
    const std::uint64_t least = done_ + step.floor;
    if (least >= one) { return true; }
    const std::uint64_t error = doubt_ + (step.exact ? 0U : 1U);
    return error > 0 && one - least <= error && sum_reaches_one(more);
  }
  /// The sum minus 1 is a multiple of 1 / (product of all `whole`): once so many digits leave its sign open, it is 0.
  [[nodiscard]] auto sum_reaches_one(const term& more) const -> bool {
    scratch_.assign(terms_.begin(), terms_.end());
    scratch_.push_back(more);
    const auto terms = static_cast<std::int64_t>(scratch_.size());
    std::int64_t excess =
        -1;  // of the digits so far, in units of the last one; the sum exceeds it by less than `terms`
    auto digits = static_cast<std::size_t>(std::bit_width(scratch_.size())) + 1;
    for (term& t : scratch_) {
      excess += t.executed / t.whole;
      t.executed %= t.whole;
      digits += static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(t.whole)));
    }
    for (; digits > 0 && excess < 0 && excess > -terms; --digits) {
      excess *= 2;
      for (term& t : scratch_) {
        const ticks gap = t.whole - t.executed;
        const bool carries = t.executed >= gap;
        t.executed = carries ? t.executed - gap : t.executed + t.executed;
        excess += carries ? 1 : 0;
      }
    }
    return excess > -terms;
  }

  std::vector<term> terms_;
  mutable std::vector<term> scratch_;
  std::uint64_t done_ = 0;   ///< never above the truth, unless that is above 1
  std::uint64_t doubt_ = 0;  ///< the truth is at most so much above, in parts of 2^62
};

}  // namespace takt::inline TAKT_ABI::simulation::detail
