// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/pools/responses.hpp>

#include <array>

#include <doctest/doctest.h>

namespace {

using takt::ticks;
using takt::visit_demand;

/// The response of a visit of 2 below one that needs `wcet` of every 6, with a deadline that is far away.
[[nodiscard]] auto response_below(ticks wcet, bool preemptive) -> ticks {
  constexpr ticks far = ticks{1} << 40;
  std::array<visit_demand, 2> visits{visit_demand{.task = 0, .wcet = wcet, .period = 6, .limit = far},
                                     visit_demand{.task = 1, .wcet = 2, .period = far, .limit = far}};
  if (preemptive) {
    takt::analysis::preemptive_priority_responses(visits);
  } else {
    takt::analysis::nonpreemptive_priority_responses(visits);
  }
  return visits[1].response;
}

}  // namespace

TEST_CASE("a response below work that leaves nothing of a unit is given up, however far its limit is") {
  CHECK(response_below(5, true) == 12);
  CHECK(response_below(6, true) == takt::unbounded_response);
  CHECK(response_below(5, false) == 17);
  CHECK(response_below(6, false) == takt::unbounded_response);
}
