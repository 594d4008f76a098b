// SPDX-License-Identifier: Apache-2.0
#include <takt/core/duration.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>

namespace {

using takt::duration;
using namespace takt::literals;
using namespace std::chrono_literals;

static_assert(1_s == 1000_ms && 1_ms == 1000_us && 1_us == 1000_ns && (1_ns).count() == 1);
static_assert(9'223'372'036'854'775'807_ns == duration::max());
static_assert(9'223'372'037_s == duration::max(), "what does not fit saturates");
static_assert(18'446'744'073'709'551'615_ns == duration::max());

static_assert(duration{33ms} == 33_ms);
static_assert(duration{2h} == 7200_s);
static_assert(duration{-5us}.count() == -5000);
static_assert(duration{std::chrono::hours::max()} == duration::max());
static_assert(duration{std::chrono::duration<unsigned char, std::milli>{7}} == 7_ms);

static_assert(std::convertible_to<std::chrono::milliseconds, duration>);
static_assert(!std::convertible_to<std::chrono::duration<double, std::milli>, duration>);
static_assert(!std::convertible_to<int, duration>, "a bare integer has no unit");
static_assert(!std::convertible_to<std::chrono::duration<int, std::ratio<1, 3>>, duration>);

static_assert(2_ms + 3_ms == 5_ms && 5_ms - 3_ms == 2_ms && 2_ms * 3 == 6_ms && 1_ms < 1001_us);
static_assert(duration::max() + 1_ns == duration::max());
static_assert(duration::max() * 2 == duration::max());
static_assert(duration{-1} - duration{std::numeric_limits<takt::ticks>::max() - 1} ==
              duration{-std::numeric_limits<takt::ticks>::max()});
static_assert(duration{-3} - duration{std::numeric_limits<takt::ticks>::max() - 1} == duration::max(),
              "an underflow is an overflow too");
static_assert((duration::max() + 1h) - 1h == duration::max(), "it sticks");
static_assert(1h - duration::max() == duration::max() && duration::max() - duration::max() == duration::max());
static_assert(duration{-5ms} + duration::max() == duration::max());
static_assert(duration::max() * 0 == duration::max() && duration::max() * -1 == duration::max());
static_assert((duration{std::numeric_limits<takt::ticks>::max() - 1} + 0_ns) * 1 < duration::max());

template <class Count, class Unit>
constexpr auto in(Count count) {
  return duration{std::chrono::duration<Count, Unit>{count}};
}
constexpr auto all_ones = ~std::uint64_t{0};
static_assert(in<std::uint64_t, std::nano>(all_ones) == duration::max());
static_assert(in<std::uint64_t, std::milli>(all_ones) == duration::max());
static_assert(in<std::uint64_t, std::nano>(all_ones / 2 + 1) == duration::max());
static_assert(in<std::uint64_t, std::nano>(all_ones / 2 - 1).count() == std::numeric_limits<takt::ticks>::max() - 1);
static_assert(in<std::uint32_t, std::micro>(4'294'967'295U).count() == 4'294'967'295'000);
static_assert(in<std::int64_t, std::nano>(-7).count() == -7);
static_assert(in<std::int8_t, std::milli>(-7) == duration{-7ms});
static_assert(duration{} == 0_ns);
static_assert(sizeof(duration) == 8);

}  // namespace
