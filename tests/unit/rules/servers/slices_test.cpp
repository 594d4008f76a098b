// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

TEST_CASE("no client, no event and any unit are none of those that there are") {
  CHECK(takt::no_client >= takt::most_visits);
  CHECK(takt::no_event > takt::longest_visit_time);
  CHECK(takt::any_unit < 0);
  CHECK(takt::visit_request{}.who == takt::no_client);
  CHECK(takt::visit_request{}.unit == takt::any_unit);
}
