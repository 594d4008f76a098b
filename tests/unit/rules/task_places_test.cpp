// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/rules/task_places.hpp>
#include <takt/rules/worst_fit.hpp>

namespace {

template <std::size_t>
struct own_mutex {};
constexpr std::size_t mutexes = 9;
constexpr std::array<takt::mutex_key, mutexes> keys = []<std::size_t... I>(std::index_sequence<I...> /*all*/) {
  return std::array<takt::mutex_key, mutexes>{takt::mutex_key::of<own_mutex<I>>()...};
}(std::make_index_sequence<mutexes>{});

constexpr std::size_t tasks = 3;
using wishes = takt::detail::place_wishes<tasks>;

TEST_CASE("tasks that share a mutex are of one group, however many mutexes there are") {
  for (std::size_t shared = 0; shared < mutexes; ++shared) {
    wishes asked;
    asked.open({.period = 10});
    for (const takt::mutex_key key : keys) { asked.hold(key, 1); }
    asked.open({.period = 10});
    asked.open({.period = 10});
    asked.hold(keys[shared], 1);
    CHECK(asked.group[2] == asked.group[0]);
    CHECK(asked.group[1] != asked.group[0]);
  }
}

TEST_CASE("a demand is a part of a place, and none where times are refused") {
  using takt::detail::demand_of_place;
  CHECK(takt::detail::demand_of_place(5, 10) == std::int64_t{1} << 31);
  CHECK(takt::detail::demand_of_place(1, 3) == 0x5555'5555);
  CHECK(takt::detail::demand_of_place(20, 10) == std::int64_t{1} << 33);
  CHECK(takt::detail::demand_of_place(INT64_MAX, 1) == std::int64_t{1} << 40);
  CHECK(takt::detail::demand_of_place(0, 10) == 0);
  CHECK(takt::detail::demand_of_place(-5, 10) == 0);
  CHECK(takt::detail::demand_of_place(5, 0) == 0);
  CHECK(takt::detail::demand_of_place(5, -10) == 0);
}

TEST_CASE("what is asked beyond so many tasks changes nothing") {
  wishes asked;
  for (std::size_t i = 0; i < tasks + 2; ++i) { asked.open({.period = 10, .core = 1, .is_placed = true}); }
  CHECK(asked.demand.size() == tasks);
  CHECK(asked.core.size() == tasks);
  CHECK(asked.group.size() == tasks);
}

}  // namespace
