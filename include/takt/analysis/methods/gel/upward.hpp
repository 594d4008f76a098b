// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include <takt/core/exact.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

struct wide_quotient {
  std::uint64_t value = 0;
  bool rest = false;
  bool fits = false;
};
/// Returns floor(a b / c) and whether a rest is left. Pre: c > 0.
[[nodiscard]] constexpr auto divide_product(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept
    -> wide_quotient {
  TAKT_EXPECTS(c > 0);
  constexpr std::uint64_t low_half = 0xffff'ffff;
  const std::uint64_t low = (a & low_half) * (b & low_half);
  const std::uint64_t left = (a >> 32) * (b & low_half);
  const std::uint64_t right = (a & low_half) * (b >> 32);
  const std::uint64_t middle = (low >> 32) + (left & low_half) + (right & low_half);
  std::uint64_t top = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32);
  const std::uint64_t bottom = (middle << 32) | (low & low_half);
  if (top == 0) { return {bottom / c, bottom % c != 0, true}; }
  if (top >= c) { return {}; }
  std::uint64_t value = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const bool carry = (top >> 63) != 0;
    top = (top << 1) | ((bottom >> bit) & 1U);
    value <<= 1;
    if (carry || top >= c) {
      top -= c;
      value |= 1U;
    }
  }
  return {value, top != 0, true};
}

/// A whole number of small units that stands for a time from above. Divisions round up, sums are exact, and what does
/// not fit stays an overflow that compares greater than every number.
class upward {
 public:
  constexpr upward() noexcept = default;
  constexpr explicit upward(std::int64_t value) noexcept : value_{value} {}

  [[nodiscard]] constexpr auto value() const noexcept -> std::int64_t { return value_; }
  [[nodiscard]] constexpr auto overflowed() const noexcept -> bool { return overflowed_; }

  [[nodiscard]] friend constexpr auto operator+(upward a, upward b) noexcept -> upward {
    upward out;
    return !a.overflowed_ && !b.overflowed_ && checked_add(a.value_, b.value_, out.value_) ? out : infinite();
  }
  [[nodiscard]] friend constexpr auto operator-(upward a, upward b) noexcept -> upward {
    upward out;
    return !a.overflowed_ && !b.overflowed_ && checked_subtract(a.value_, b.value_, out.value_) ? out : infinite();
  }
  [[nodiscard]] friend constexpr auto operator*(upward a, upward b) noexcept -> upward {
    upward out;
    return !a.overflowed_ && !b.overflowed_ && checked_multiply(a.value_, b.value_, out.value_) ? out : infinite();
  }
  [[nodiscard]] friend constexpr auto operator==(upward, upward) noexcept -> bool = default;
  [[nodiscard]] friend constexpr auto operator<=>(upward, upward) noexcept -> std::strong_ordering = default;

  [[nodiscard]] static constexpr auto infinite() noexcept -> upward {
    upward out;
    out.overflowed_ = true;
    return out;
  }

 private:
  bool overflowed_ = false;  // first, so that it leads the order
  std::int64_t value_ = 0;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail

namespace takt::inline TAKT_ABI {

template <>
struct number_traits<analysis::detail::upward> {
  using upward = analysis::detail::upward;
  static constexpr bool integral = false;

  [[nodiscard]] static constexpr auto floor_quotient(upward a, upward b) noexcept -> upward {
    return a.overflowed() || b.overflowed() ? upward::infinite() : upward{a.value() / b.value()};
  }
  [[nodiscard]] static constexpr auto multiply(upward a, std::int64_t factor, upward& out) noexcept -> bool {
    out = a * upward{factor};
    return !out.overflowed();
  }
  [[nodiscard]] static constexpr auto divide_down(upward a, std::int64_t divisor) noexcept -> upward {
    return a.overflowed() ? a : upward{detail::floor_divide(a.value(), divisor)};
  }
  [[nodiscard]] static constexpr auto divide_up(upward a, std::int64_t divisor) noexcept -> upward {
    return a.overflowed() ? a : upward{ceil_divide(a.value(), divisor)};
  }
};

}  // namespace takt::inline TAKT_ABI

namespace takt::inline TAKT_ABI::analysis::detail {

/// Returns x part / whole, or the least value above it that the type has. Pre: part >= 0, whole > 0.
template <class Fraction>
[[nodiscard]] constexpr auto share_of(const Fraction& x, const Fraction& part, const Fraction& whole) -> Fraction {
  TAKT_EXPECTS(!(part < Fraction(0)) && Fraction(0) < whole);
  return x * (part / whole);
}
[[nodiscard]] constexpr auto share_of(upward x, upward part, upward whole) noexcept -> upward {
  TAKT_EXPECTS(!(part < upward{0}) && upward{0} < whole);
  if (x.overflowed() || part.overflowed() || whole.overflowed()) { return upward::infinite(); }
  const bool negative = x.value() < 0;
  const auto size =
      negative ? std::uint64_t{0} - static_cast<std::uint64_t>(x.value()) : static_cast<std::uint64_t>(x.value());
  const auto q =
      divide_product(size, static_cast<std::uint64_t>(part.value()), static_cast<std::uint64_t>(whole.value()));
  const std::uint64_t rounded = q.value + (q.rest && !negative ? 1U : 0U);
  if (!q.fits || rounded > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return upward::infinite();
  }
  const auto whole_part = static_cast<std::int64_t>(rounded);
  return upward{negative ? -whole_part : whole_part};
}

/// Says how a sum of quotients compares with a whole number.
enum class load_side : std::uint8_t { at_most, above, unknown };

/// A sum of quotients part / whole, such as a utilisation, and divisions by what it leaves.
template <class Fraction>
class load_sum {
 public:
  /// Pre: part >= 0, whole > 0.
  constexpr void add(const Fraction& part, const Fraction& whole) {
    TAKT_EXPECTS(!(part < Fraction(0)) && Fraction(0) < whole);
    sum_ = sum_ + part / whole;
  }
  [[nodiscard]] constexpr auto fits() const -> bool { return is_number(sum_); }
  [[nodiscard]] constexpr auto compare(std::int64_t limit) const -> load_side {
    if (!is_number(sum_)) { return load_side::unknown; }
    return Fraction(limit) < sum_ ? load_side::above : load_side::at_most;
  }
  /// Bounds the least whole number not below the sum from both sides; equal where the sum is exact. Pre: fits().
  [[nodiscard]] constexpr auto least_ceiling(std::int64_t limit) const -> std::int64_t {
    TAKT_EXPECTS(fits());
    std::int64_t ceiling = 0;
    while (ceiling < limit && Fraction(ceiling) < sum_) { ++ceiling; }
    return ceiling;
  }
  [[nodiscard]] constexpr auto greatest_ceiling(std::int64_t limit) const -> std::int64_t {
    return least_ceiling(limit);
  }
  /// Returns x / (whole - sum), not below it. Pre: x >= 0 where the sum is not 0; sum < whole.
  [[nodiscard]] constexpr auto divide_by_rest(const Fraction& x, std::int64_t whole) const -> Fraction {
    TAKT_EXPECTS(sum_ == Fraction(0) || !(x < Fraction(0)));
    TAKT_EXPECTS(!fits() || sum_ < Fraction(whole));
    return x / (Fraction(whole) - sum_);
  }
  /// Returns x whole / (whole - sum), not above it where the type rounds. Pre: x >= 0, sum < whole.
  [[nodiscard]] constexpr auto scale_by_rest(const Fraction& x, std::int64_t whole) const -> Fraction {
    TAKT_EXPECTS(!(x < Fraction(0)) && (!fits() || sum_ < Fraction(whole)));
    return x * Fraction(whole) / (Fraction(whole) - sum_);
  }
  constexpr void add(const load_sum& other) { sum_ = sum_ + other.sum_; }
  [[nodiscard]] constexpr auto above(const load_sum& other) const -> bool { return other.sum_ < sum_; }
  [[nodiscard]] constexpr auto sum() const -> const Fraction& { return sum_; }

 private:
  Fraction sum_{0};
};

/// Bounds of the sum from below and above in units of 2^-32.
template <>
class load_sum<upward> {
 public:
  constexpr void add(upward part, upward whole) noexcept {
    TAKT_EXPECTS(!(part < upward{0}) && upward{0} < whole);
    if (part.overflowed() || whole.overflowed()) {
      fits_ = false;
      return;
    }
    const auto q = divide_product(static_cast<std::uint64_t>(part.value()), std::uint64_t{1} << bits,
                                  static_cast<std::uint64_t>(whole.value()));
    fits_ = fits_ && q.fits && q.value < most && below_ < most;
    if (!fits_) { return; }
    below_ += static_cast<std::int64_t>(q.value);
    above_ += static_cast<std::int64_t>(q.value) + (q.rest ? 1 : 0);
  }
  constexpr void add(const load_sum& other) noexcept {
    fits_ = fits_ && other.fits_ && below_ < most;
    if (!fits_) { return; }
    below_ += other.below_;
    above_ += other.above_;
  }
  [[nodiscard]] constexpr auto above(const load_sum& other) const noexcept -> bool { return other.below_ < below_; }
  [[nodiscard]] constexpr auto fits() const noexcept -> bool { return fits_; }
  [[nodiscard]] constexpr auto compare(std::int64_t limit) const noexcept -> load_side {
    if (!fits_ || limit >= INT64_C(1) << 29) { return load_side::unknown; }
    if (above_ <= limit << bits) { return load_side::at_most; }
    return below_ > limit << bits ? load_side::above : load_side::unknown;
  }
  [[nodiscard]] constexpr auto least_ceiling(std::int64_t limit) const noexcept -> std::int64_t {
    TAKT_EXPECTS(fits());
    const std::int64_t ceiling = (below_ + unit - 1) >> bits;
    return ceiling < limit ? ceiling : limit;
  }
  [[nodiscard]] constexpr auto greatest_ceiling(std::int64_t limit) const noexcept -> std::int64_t {
    TAKT_EXPECTS(fits());
    const std::int64_t ceiling = (above_ + unit - 1) >> bits;
    return ceiling < limit ? ceiling : limit;
  }
  [[nodiscard]] constexpr auto divide_by_rest(upward x, std::int64_t whole) const noexcept -> upward {
    TAKT_EXPECTS(above_ == 0 || !(x < upward{0}));
    const std::int64_t rest = (whole << bits) - above_;
    return fits_ && rest > 0 ? share_of(x, upward{unit}, upward{rest}) : upward::infinite();
  }
  [[nodiscard]] constexpr auto scale_by_rest(upward x, std::int64_t whole) const noexcept -> upward {
    TAKT_EXPECTS(!(x < upward{0}) && (!fits_ || below_ < whole << bits));
    if (!fits_ || x.overflowed()) { return upward::infinite(); }
    const std::int64_t all = whole << bits;
    const auto q = divide_product(static_cast<std::uint64_t>(x.value()), static_cast<std::uint64_t>(all),
                                  static_cast<std::uint64_t>(all - below_));
    if (!q.fits || q.value > static_cast<std::uint64_t>(INT64_MAX)) { return upward::infinite(); }
    return upward{static_cast<std::int64_t>(q.value)};
  }

 private:
  static constexpr int bits = 32;
  static constexpr std::int64_t unit = INT64_C(1) << bits;
  static constexpr std::int64_t most = INT64_C(1) << 61;

  std::int64_t below_ = 0;
  std::int64_t above_ = 0;
  bool fits_ = true;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
