// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/systems/accelerators/analysis/slot_guarded_fixed_priority.hpp>

#include "support/accelerator_examples.hpp"
#include "support/traces.hpp"

using namespace takt::analysis;
using namespace takt_examples;

namespace {

/// Three kernels of decreasing priority, whose waves are those given, in a slot of 10 out of 12.
auto judged(ticks first, ticks second, ticks third) {
  const kernels set = set_of({{3, 30, 60, first}, {2, 40, 60, second}, {4, 60, 60, third}});
  return takt::analysis::detail::slot_guarded_fixed_priority(set, rank(set, takt::by_relative_deadline{}),
                                                             slot{0, 10, 12});
}

}  // namespace

TEST_CASE("a kernel in a slot waits for the longest wave below it, not for its own or one above" *
          takt_tests::traces("AP-X04")) {
  // The guard band is 2 throughout, so that 8 of 12 units are served, the first of them after 4.
  const auto calm = judged(2, 0, 0);
  REQUIRE(calm.schedulable());
  CHECK(calm.tasks[0].bound.value == 4 + 3);
  CHECK(calm.tasks[1].bound.value == 4 + 3 + 2);
  CHECK(calm.tasks[2].bound.value == 4 + 8 + 4 + 1);  // the ninth unit waits for the slot again
  const auto lowest = judged(2, 0, 2);
  CHECK(lowest.tasks[0].bound.value == calm.tasks[0].bound.value + 2);
  CHECK(lowest.tasks[1].bound.value == calm.tasks[1].bound.value + 2);
  CHECK(lowest.tasks[2].bound.value == calm.tasks[2].bound.value);
  const auto middle = judged(2, 2, 1);
  CHECK(middle.tasks[0].bound.value == calm.tasks[0].bound.value + 2);
  CHECK(middle.tasks[1].bound.value == calm.tasks[1].bound.value + 1);
  CHECK(middle.tasks[2].bound.value == calm.tasks[2].bound.value);
}

TEST_CASE("nothing is proven in a slot that the guard band fills" * takt_tests::traces("AP-X04")) {
  const kernels set = set_of({{3, 60, 60, 3}});
  CHECK(
      takt::analysis::detail::slot_guarded_fixed_priority(set, rank(set, takt::by_relative_deadline{}), slot{0, 4, 12})
          .schedulable());
  CHECK_FALSE(
      takt::analysis::detail::slot_guarded_fixed_priority(set, rank(set, takt::by_relative_deadline{}), slot{0, 3, 12})
          .schedulable());
}
