// Checked arithmetic, rationals, fixed points, the inline vector and the fixed string.
// SPDX-License-Identifier: Apache-2.0
#include <takt/core/checked.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/core/fixed_string.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>

#include <compare>
#include <cstdint>
#include <limits>

/// A number with all of its traits, and one that lacks the product.
template <bool HasProduct>
struct counted {
  std::int64_t value = 0;

  constexpr counted() = default;
  constexpr explicit counted(std::int64_t v) : value{v} {}
  friend constexpr auto operator<=>(counted, counted) = default;
  friend constexpr auto operator+(counted a, counted b) -> counted { return counted{a.value + b.value}; }
  friend constexpr auto operator-(counted a, counted b) -> counted { return counted{a.value - b.value}; }
  friend constexpr auto operator*(counted a, counted b) -> counted { return counted{a.value * b.value}; }
};
template <bool HasProduct>
struct takt::number_traits<counted<HasProduct>> {
  using number = counted<HasProduct>;
  static constexpr bool integral = true;
  static constexpr auto floor_quotient(number a, number b) -> number { return number{a.value / b.value}; }
  static constexpr auto divide_down(number a, std::int64_t d) -> number {
    return number{takt::detail::floor_divide(a.value, d)};
  }
  static constexpr auto divide_up(number a, std::int64_t d) -> number { return number{ceil_divide(a.value, d)}; }
  static constexpr auto multiply(number a, std::int64_t factor, number& out) -> bool
    requires HasProduct
  {
    return checked_multiply(a.value, factor, out.value);
  }
};
static_assert(takt::ExactNumber<counted<true>>);
static_assert(!takt::ExactNumber<counted<false>>, "analyses multiply");

namespace {

using takt::rational;
using i64 = std::int64_t;
constexpr i64 most = std::numeric_limits<i64>::max();
constexpr i64 least = std::numeric_limits<i64>::min();

using checked = auto (*)(i64, i64, i64&) -> bool;

constexpr auto fits(checked operation, i64 a, i64 b, i64 expected) -> bool {
  i64 out = 77;
  return operation(a, b, out) && out == expected;
}
constexpr auto overflows(checked operation, i64 a, i64 b) -> bool {
  i64 out = 77;
  return !operation(a, b, out) && out == 77;
}
constexpr auto add = takt::checked_add<i64>;
constexpr auto subtract = takt::checked_subtract<i64>;
constexpr auto multiply = takt::checked_multiply<i64>;

static_assert(fits(add, most - 1, 1, most) && overflows(add, most, 1));
static_assert(fits(add, least + 1, -1, least) && overflows(add, least, -1) && fits(add, most, least, -1));
static_assert(fits(subtract, least + 1, 1, least) && overflows(subtract, least, 1) && overflows(subtract, 0, least));
static_assert(fits(subtract, -1, least, most) && overflows(subtract, most, -1));
static_assert(fits(multiply, most, 1, most) && overflows(multiply, most, 2) && fits(multiply, most, 0, 0));
static_assert(fits(multiply, most / 2, 2, most - 1) && overflows(multiply, most / 2 + 1, 2));
static_assert(fits(multiply, least, 1, least) && overflows(multiply, least, -1) && overflows(multiply, -1, least));
static_assert(fits(multiply, least / 2, 2, least) && overflows(multiply, 2, least) && fits(multiply, -3, -4, 12));

static_assert(takt::detail::floor_divide<i64>(7, 2) == 3 && takt::detail::floor_divide<i64>(-7, 2) == -4 &&
              takt::detail::floor_divide<i64>(-8, 2) == -4);
static_assert(takt::ceil_divide<i64>(7, 2) == 4 && takt::ceil_divide<i64>(-7, 2) == -3 &&
              takt::ceil_divide<i64>(8, 2) == 4);
static_assert(takt::detail::floor_divide(least, i64{1}) == least && takt::ceil_divide(most, i64{1}) == most);
static_assert(takt::greatest_common_divisor<i64>(12, 18) == 6 && takt::greatest_common_divisor<i64>(0, 5) == 5);

static_assert(rational{6, 4} == rational{3, 2} && rational{6, 4}.denominator() == 2);
static_assert(rational{1, 2} + rational{1, 3} == rational{5, 6} && rational{1, 2} - rational{1, 3} == rational{1, 6});
static_assert(rational{2, 3} * rational{3, 4} == rational{1, 2} && rational{2, 3} / rational{-4, 3} == rational{-1, 2});
static_assert(rational{7, 2}.floor() == 3 && rational{7, 2}.ceil() == 4 && rational{-7, 2}.floor() == -4);
static_assert(rational{1, 3} < rational{1, 2} && rational{-1, 2} < rational{-1, 3} &&
              rational{most, 2} < rational{most});
static_assert(rational{most - 1, most} < rational{1} && rational{most - 2, most - 1} < rational{most - 1, most});
static_assert((rational{most} + rational{1}).overflowed() && (rational{most} * rational{2}).overflowed());
static_assert((rational{1} / rational{0}).overflowed() && rational{1, 0}.overflowed() && rational{1, -2}.overflowed());
static_assert(rational{most} < rational{most} + rational{1}, "what overflowed passes no deadline test");
static_assert((rational{most} + rational{1} - rational{most}).overflowed(), "it sticks");

constexpr auto response(i64 limit, i64 steps = 100) {
  // Own time 3 plus two units for every ten begun.
  return takt::least_fixed_point<i64>(
      3, limit, [](i64 x) { return takt::detail::ascent<i64>{3 + 2 * takt::ceil_divide<i64>(x, 10), x}; }, steps);
}
static_assert(response(20).value == 5 && response(20).exists());
static_assert(response(5).exists() && response(4).reason == takt::stop_reason::exceeds_limit && response(4).value == 5);
static_assert(response(20, 1).reason == takt::stop_reason::iteration_limit && !response(20, 1).exists());
static_assert(takt::at_least(response(20, 1)).reason == takt::stop_reason::lower_bound);
static_assert(takt::at_least(response(20, 1)).exists() && takt::at_least(response(5)).reason == response(5).reason);
static_assert(!takt::fixed_point<i64>{}.exists());

/// A nanosecond of own work behind 10 ms of slope one: the hint crosses them in one step.
constexpr auto crossing(bool hint) {
  return takt::least_fixed_point<i64>(
      1, most,
      [hint](i64 x) {
        const i64 work = x < 10'000'000 ? x : 10'000'000;
        return takt::detail::ascent<i64>{1 + work, hint && x < 10'000'000 ? 10'000'000 : x};
      },
      10);
}
static_assert(crossing(true).value == 10'000'001 && crossing(true).exists());
static_assert(crossing(false).reason == takt::stop_reason::iteration_limit);

constexpr auto filled() {
  takt::inline_vector<int, 3> v;
  bool fine =
      v.empty() && v.try_push_back(1) && v.try_push_back(2) && v.try_push_back(3) && v.full() && !v.try_push_back(4);
  fine = fine && v.size() == 3 && v.front() == 1 && v.back() == 3;
  v.pop_back();
  fine = fine && v.size() == 2 && !v.resize(4) && v.size() == 2 && v.resize(3, 9) && v[2] == 9;
  int sum = 0;
  for (const int x : v) { sum += x; }
  return fine && sum == 12;
}
static_assert(filled());
static_assert(takt::inline_vector<int, 0>{}.full() && takt::inline_vector<int, 0>{}.empty());
// NOLINTNEXTLINE(readability-container-size-empty): equality is what is asked here
static_assert(takt::inline_vector<int, 2>{} == takt::inline_vector<int, 2>{});

static_assert(takt::fixed_string<8>{"camera"}.view() == "camera");
static_assert(takt::fixed_string<3>{"camera"}.view() == "cam");
static_assert(takt::fixed_string<0>{"camera"}.view().empty());

}  // namespace
