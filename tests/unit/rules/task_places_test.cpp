// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/rules/task_places.hpp>

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

TEST_CASE("what is asked beyond so many tasks changes nothing") {
  wishes asked;
  for (std::size_t i = 0; i < tasks + 2; ++i) { asked.open({.period = 10, .core = 1, .is_placed = true}); }
  CHECK(asked.demand.size() == tasks);
  CHECK(asked.core.size() == tasks);
  CHECK(asked.group.size() == tasks);
}

}  // namespace
