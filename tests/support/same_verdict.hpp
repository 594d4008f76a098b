// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <doctest/doctest.h>

namespace takt_tests {

/// Lists of any capacities.
template <class A, class B>
void check_same_list(const A& found, const B& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) { CHECK(found[i] == expected[i]); }
}

template <class A, class B>
void check_same_plan(const A& found, const B& expected) {
  check_same_list(found.shares, expected.shares);
  check_same_list(found.cores, expected.cores);
  check_same_list(found.priorities, expected.priorities);
  check_same_list(found.percents, expected.percents);
  check_same_list(found.tokens, expected.tokens);
  REQUIRE(found.slots.size() == expected.slots.size());
  for (std::size_t i = 0; i < expected.slots.size(); ++i) {
    CHECK(found.slots[i].offset == expected.slots[i].offset);
    CHECK(found.slots[i].budget == expected.slots[i].budget);
    CHECK(found.slots[i].period == expected.slots[i].period);
  }
  check_same_list(found.offsets, expected.offsets);
  check_same_list(found.instances, expected.instances);
}

/// Two judges of the same tasks say the same of each, and decide the same.
template <class A, class B>
void check_same_verdict(const A& found, const B& expected) {
  CHECK(found.status == expected.status);
  CHECK(found.method == expected.method);
  CHECK(found.error == expected.error);
  CHECK(found.why == expected.why);
  REQUIRE(found.tasks.size() == expected.tasks.size());
  for (std::size_t i = 0; i < expected.tasks.size(); ++i) {
    const auto& a = found.tasks[i];
    const auto& b = expected.tasks[i];
    CHECK(a.name == b.name);
    CHECK(a.deadline == b.deadline);
    CHECK(a.limited == b.limited);
    CHECK(a.evaluated == b.evaluated);
    CHECK(a.bound.exists == b.bound.exists);
    CHECK(a.bound.value == b.bound.value);
    CHECK(a.meets == b.meets);
  }
  REQUIRE(found.visits.size() == expected.visits.size());
  for (std::size_t v = 0; v < expected.visits.size(); ++v) {
    CHECK(found.visits[v].response == expected.visits[v].response);
  }
  check_same_plan(found.plan, expected.plan);
}

}  // namespace takt_tests
