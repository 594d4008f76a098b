// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>

#include <takt/systems/rtgpu/analysis/classical_rta.hpp>

#include "support/small_systems.hpp"

using namespace takt_tests;

TEST_CASE("jitter of a higher task brings its next job into the response, and tasks of other cores do not count") {
  table t = table_of(
      {{"high", 10, 10, {{0, 3}}, {}, {}}, {"elsewhere", 10, 10, {{0, 5}}, {}, {}}, {"low", 40, 40, {{0, 5}}, {}, {}}});
  t.tasks[1].core = 1;
  const auto response = [&](ticks jitter) {
    return takt::analysis::classical_response(t, 2, [&](std::size_t) { return jitter; });
  };
  CHECK(response(0).value == 5 + 3);
  CHECK(response(2).value == 5 + 3);  // 8 + 2 is one period
  CHECK(response(3).value == 5 + 2 * 3);
  CHECK(response(12).value == 5 + 3 * 3);
  t.tasks[2].deadline = 8;
  CHECK(response(2).exists());
  CHECK_FALSE(response(3).exists());
}
