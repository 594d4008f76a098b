// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/allocation/policies/judge_any.hpp>

TEST_CASE("a resource of one's own has at least one unit") {
  CHECK(takt::detail::own_units_resource{}.valid());
  CHECK(takt::detail::own_units_resource{.count = takt::max_units}.valid());
  for (const std::int32_t wrong : {-1, 0, takt::max_units + 1}) {
    CHECK_FALSE(takt::detail::own_units_resource{.count = wrong}.valid());
  }
}
