// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

TEST_CASE("no client, no event and any unit are none of those that there are") {
  CHECK(takt::no_client >= takt::most_visits);
  CHECK(takt::no_event > takt::longest_visit_time);
  CHECK(takt::unassigned_unit < 0);
  CHECK(takt::visit_request{}.who == takt::no_client);
  CHECK(takt::visit_request{}.unit == takt::unassigned_unit);
}

TEST_CASE("the least free unit is the first that no client has, beyond 64 of them too") {
  const auto least = [](std::size_t clients, const auto& unit_of) { return takt::least_free_unit(clients, unit_of); };
  CHECK(least(0, [](std::size_t) { return 7; }) == 0);
  CHECK(least(3, [](std::size_t i) { return i == 1 ? takt::unassigned_unit : static_cast<std::int32_t>(i); }) == 1);
  const auto all = [](std::size_t i) { return static_cast<std::int32_t>(i); };
  CHECK(least(64, all) == 64);
  CHECK(least(130, all) == 130);
  CHECK(least(130, [](std::size_t i) { return static_cast<std::int32_t>(i < 100 ? i : i + 1); }) == 100);
}
