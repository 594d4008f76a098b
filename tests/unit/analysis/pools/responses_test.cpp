// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/pools/responses.hpp>

#include <doctest/doctest.h>

#include <unit/analysis/pools/far_limit.hpp>

namespace an = takt::analysis;
using takt_tests::response_beside;

TEST_CASE("a response below work that leaves nothing of a unit is given up, however far its limit is") {
  CHECK(response_beside(5, 2, an::preemptive_priority_responses) == 12);
  CHECK(response_beside(6, 2, an::preemptive_priority_responses) == takt::unbounded_response);
  CHECK(response_beside(5, 2, an::nonpreemptive_priority_responses) == 17);
  CHECK(response_beside(6, 2, an::nonpreemptive_priority_responses) == takt::unbounded_response);
}
