// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Any duration type shaped like std::chrono's whose unit is a whole number of nanoseconds and whose count is an
/// integer, so that the conversion loses nothing.
template <class D>
concept WholeNanoseconds = requires(const D& d) {
  { d.count() } -> std::integral;
  D::period::num;
  D::period::den;
} && (D::period::num * std::intmax_t{1'000'000'000} % D::period::den == 0);

/// A span of time in whole nanoseconds, about 292 years at most. A conversion, a literal or a result that does not fit
/// yields `max()`. What is calculated from `max()` is `max()` again, and every model check reports it as an overflow.
class duration {
 public:
  constexpr duration() noexcept = default;
  constexpr explicit duration(ticks nanoseconds) noexcept : nanoseconds_{nanoseconds} {}

  template <WholeNanoseconds D>
  constexpr duration(const D& d) noexcept  // NOLINT(google-explicit-constructor)
      : nanoseconds_{scaled(fitting(d.count()), D::period::num * 1'000'000'000 / D::period::den)} {}

  [[nodiscard]] constexpr auto count() const noexcept -> ticks { return nanoseconds_; }
  [[nodiscard]] static constexpr auto max() noexcept -> duration { return duration{std::numeric_limits<ticks>::max()}; }

  [[nodiscard]] friend constexpr auto operator<=>(duration, duration) noexcept = default;
  [[nodiscard]] friend constexpr auto operator+(duration a, duration b) noexcept -> duration {
    ticks sum = 0;
    return either_overflowed(a, b) || !checked_add(a.nanoseconds_, b.nanoseconds_, sum) ? max() : duration{sum};
  }
  [[nodiscard]] friend constexpr auto operator-(duration a, duration b) noexcept -> duration {
    ticks difference = 0;
    return either_overflowed(a, b) || !checked_subtract(a.nanoseconds_, b.nanoseconds_, difference)
               ? max()
               : duration{difference};
  }
  [[nodiscard]] friend constexpr auto operator*(duration a, std::int64_t factor) noexcept -> duration {
    return duration{scaled(a.nanoseconds_, factor)};
  }

 private:
  static constexpr ticks overflowed = std::numeric_limits<ticks>::max();

  [[nodiscard]] static constexpr auto either_overflowed(duration a, duration b) noexcept -> bool {
    return a.nanoseconds_ == overflowed || b.nanoseconds_ == overflowed;
  }
  template <std::integral Count>
  [[nodiscard]] static constexpr auto fitting(Count count) noexcept -> std::int64_t {
    const auto out = static_cast<std::int64_t>(count);
    return static_cast<Count>(out) == count && (std::signed_integral<Count> || out >= 0) ? out : overflowed;
  }
  [[nodiscard]] static constexpr auto scaled(std::int64_t count, std::int64_t unit) noexcept -> ticks {
    ticks product = 0;
    return count != overflowed && checked_multiply(count, unit, product) ? product : overflowed;
  }

  ticks nanoseconds_ = 0;
};

namespace detail {
[[nodiscard]] constexpr auto literal(unsigned long long count, std::int64_t unit) noexcept -> duration {
  return count > static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max())
             ? duration::max()
             : duration{static_cast<std::int64_t>(count)} * unit;
}
}  // namespace detail

inline namespace literals {
[[nodiscard]] constexpr auto operator""_ns(unsigned long long n) noexcept -> duration { return detail::literal(n, 1); }
[[nodiscard]] constexpr auto operator""_us(unsigned long long n) noexcept -> duration {
  return detail::literal(n, 1'000);
}
[[nodiscard]] constexpr auto operator""_ms(unsigned long long n) noexcept -> duration {
  return detail::literal(n, 1'000'000);
}
[[nodiscard]] constexpr auto operator""_s(unsigned long long n) noexcept -> duration {
  return detail::literal(n, 1'000'000'000);
}
}  // namespace literals

}  // namespace takt::inline TAKT_ABI
