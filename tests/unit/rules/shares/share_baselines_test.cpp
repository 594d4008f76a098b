// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>

#include <takt/model/shares/wcet_row.hpp>
#include <takt/rules/shares/share_baselines.hpp>

TEST_CASE("contexts in turns each have an equal part of the GPU, and take as many times as long, and the switches") {
  takt::application_set<3> table;
  for (const char* const name : {"a", "b", "c"}) {
    REQUIRE(table.add({.name = name, .period = 100, .deadline = 100, .alone = takt::wcet_row::scaling(10)}));
  }
  takt::time_sliced policy(table, 100'000);  // a tenth
  CHECK(policy.held(0) == takt::no_share);
  policy.release(0, 0, 100);
  CHECK(policy.held(0) == takt::full_share);
  CHECK(policy.whole_time(0) == 10);
  policy.release(1, 0, 100);
  CHECK(policy.held(0).percent() == 50);
  CHECK(policy.whole_time(0) == 22);
  policy.release(2, 0, 100);
  for (std::size_t i = 0; i < 3; ++i) { CHECK(policy.held(i).percent() == 33); }
  CHECK(policy.whole_time(2) == 33);
  policy.complete(1);
  policy.abort(0);
  CHECK(policy.held(2) == takt::full_share);
  CHECK(policy.held(1) == takt::no_share);
}
