// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/rules/demand.hpp>

TEST_CASE("visits can be pending together unless a path of their task joins them") {
  const auto visit = [](std::uint32_t task, std::uint32_t position, takt::visit_mask ancestors) {
    takt::visit_demand d{};
    d.task = task;
    d.position = position;
    d.ancestors = ancestors;
    return d;
  };
  // 0 before 1 and 2, which are beside each other; 3 after 1.
  const auto first = visit(0, 0, 0);
  const auto left = visit(0, 1, 0b0001);
  const auto right = visit(0, 2, 0b0001);
  const auto last = visit(0, 3, 0b0011);
  CHECK_FALSE(takt::concurrent(first, first));
  CHECK_FALSE(takt::concurrent(first, left));
  CHECK_FALSE(takt::concurrent(left, first));
  CHECK_FALSE(takt::concurrent(first, last));
  CHECK(takt::concurrent(left, right));
  CHECK(takt::concurrent(right, last));
  CHECK(takt::concurrent(last, right));
  CHECK(takt::concurrent(first, visit(1, 0, 0)));
  CHECK(takt::concurrent(left, visit(1, 0, 0)));
}
