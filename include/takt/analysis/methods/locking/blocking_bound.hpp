// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::analysis {

enum class blocking_status : std::uint8_t {
  bounded,
  queue_limit_too_small,  ///< no bound is known for so short queues: see `least_queue_limit`
  above_limit,            ///< the least fixed point is above the limit that was given, or was not reached
  wrong_input,            ///< a negative length or count, a period of 0, or no replica or processor
  overflow,               ///< the bound does not fit the number type
};

/// Says how long something waits at most; `time` means nothing unless `bounded()`.
template <class Number>
struct blocking_bound {
  Number time{};
  blocking_status status = blocking_status::bounded;
  std::int64_t least_queue_limit = 0;  ///< where the status says so: the shortest limit with a bound

  [[nodiscard]] constexpr auto bounded() const noexcept -> bool { return status == blocking_status::bounded; }
};

namespace detail {

/// Error: false on overflow. Pre: a and b are not negative.
template <ExactNumber Number>
[[nodiscard]] constexpr auto add(const Number& a, const Number& b, Number& out) -> bool {
  TAKT_EXPECTS(!(a < Number(0)) && !(b < Number(0)));
  if constexpr (number_traits<Number>::integral) {
    return checked_add(a, b, out);
  } else {
    out = a + b;
    if constexpr (requires { out.overflowed(); }) { return !out.overflowed(); }
    return true;
  }
}

/// Error: false on overflow. Pre: a and b are not negative.
template <ExactNumber Number>
[[nodiscard]] constexpr auto multiply(const Number& a, const Number& b, Number& out) -> bool {
  TAKT_EXPECTS(!(a < Number(0)) && !(b < Number(0)));
  if constexpr (number_traits<Number>::integral) {
    return checked_multiply(a, b, out);
  } else {
    out = a * b;
    if constexpr (requires { out.overflowed(); }) { return !out.overflowed(); }
    return true;
  }
}

/// A sum of lengths that remembers what went wrong first.
template <ExactNumber Number>
class blocking_sum {
 public:
  constexpr void add(const Number& length) { add(1, length); }
  constexpr void add(std::int64_t count, const Number& length) {
    if (count < 0 || length < Number(0)) { return fail(blocking_status::wrong_input); }
    Number product{};
    if (!number_traits<Number>::multiply(length, count, product) || !detail::add(time_, product, time_)) {
      fail(blocking_status::overflow);
    }
  }
  constexpr void add(std::int64_t count, const blocking_bound<Number>& each) {
    if (!each.bounded()) { return fail(each.status); }
    add(count, each.time);
  }
  constexpr void fail(blocking_status why) noexcept { status_ = status_ == blocking_status::bounded ? why : status_; }
  [[nodiscard]] constexpr auto bounded() const noexcept -> bool { return status_ == blocking_status::bounded; }
  [[nodiscard]] constexpr auto total() const -> blocking_bound<Number> {
    return {bounded() ? time_ : Number(0), status_, 0};
  }

 private:
  Number time_{};
  blocking_status status_ = blocking_status::bounded;
};

/// Returns the length of `count` sections of one length.
template <ExactNumber Number>
[[nodiscard]] constexpr auto sections(std::int64_t count, const Number& length) -> blocking_bound<Number> {
  blocking_sum<Number> sum;
  sum.add(count, length);
  return sum.total();
}

template <ExactNumber Number>
[[nodiscard]] constexpr auto refused(blocking_status why, std::int64_t least_queue_limit = 0)
    -> blocking_bound<Number> {
  return {Number(0), why, least_queue_limit};
}

}  // namespace detail

/// Returns the lesser of two bounds on the same wait; each alone where the other does not hold.
template <ExactNumber Number>
[[nodiscard]] constexpr auto lesser(const blocking_bound<Number>& a, const blocking_bound<Number>& b)
    -> blocking_bound<Number> {
  if (!a.bounded() || !b.bounded()) { return a.bounded() ? a : b; }
  return b.time < a.time ? b : a;
}

/// Returns the waiting of a job whose requests wait `each` at most.
template <ExactNumber Number>
[[nodiscard]] constexpr auto per_job(std::int64_t requests, const blocking_bound<Number>& each)
    -> blocking_bound<Number> {
  if (!each.bounded()) { return each; }
  return detail::sections(requests, each.time);
}

namespace detail {

/// Returns the longest of some lengths; 0 if there is none.
template <ExactNumber Number>
[[nodiscard]] constexpr auto longest_of(std::span<const Number> lengths) -> Number {
  Number longest(0);
  for (std::size_t i = 0; i < lengths.size(); ++i) { longest = longest < lengths[i] ? lengths[i] : longest; }
  return longest;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
