// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::inline v0 {

/// Any duration type shaped like std::chrono's whose unit is a whole number of nanoseconds and whose count is an
/// integer, so that the conversion loses nothing.
template <class D>
concept WholeNanoseconds = requires(const D& d) {
  { d.count() } -> std::integral;
  D::period::num;
  D::period::den;
} && (D::period::num * std::intmax_t{1'000'000'000} % D::period::den == 0);

/// A span of time in whole nanoseconds, about 292 years at most. A conversion or literal that does not fit yields
/// `max()`, which every model check reports as an overflow.
class duration {
 public:
  constexpr duration() noexcept = default;
  constexpr explicit duration(ticks nanoseconds) noexcept : nanoseconds_{nanoseconds} {}

  template <WholeNanoseconds D>
  constexpr duration(const D& d) noexcept  // NOLINT(google-explicit-constructor)
      : nanoseconds_{scaled(static_cast<std::int64_t>(d.count()), D::period::num * 1'000'000'000 / D::period::den)} {}

  [[nodiscard]] constexpr auto count() const noexcept -> ticks { return nanoseconds_; }
  [[nodiscard]] static constexpr auto max() noexcept -> duration { return duration{std::numeric_limits<ticks>::max()}; }

  [[nodiscard]] friend constexpr auto operator<=>(duration, duration) noexcept = default;
  [[nodiscard]] friend constexpr auto operator+(duration a, duration b) noexcept -> duration {
    ticks sum = 0;
    return checked_add(a.nanoseconds_, b.nanoseconds_, sum) ? duration{sum} : max();
  }
  [[nodiscard]] friend constexpr auto operator-(duration a, duration b) noexcept -> duration {
    ticks difference = 0;
    return checked_subtract(a.nanoseconds_, b.nanoseconds_, difference) ? duration{difference} : max();
  }
  [[nodiscard]] friend constexpr auto operator*(duration a, std::int64_t factor) noexcept -> duration {
    return duration{scaled(a.nanoseconds_, factor)};
  }

 private:
  [[nodiscard]] static constexpr auto scaled(std::int64_t count, std::int64_t unit) noexcept -> ticks {
    ticks product = 0;
    return checked_multiply(count, unit, product) ? product : std::numeric_limits<ticks>::max();
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

}  // namespace takt::inline v0
