// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/pools/edf_responses.hpp>

#include <array>

#include <doctest/doctest.h>

namespace {

using takt::ticks;
using takt::visit_demand;

/// The response of a visit of 1 with a deadline that is far away, beside one that needs `wcet` of every 6.
[[nodiscard]] auto response_beside(ticks wcet, bool preemptive) -> ticks {
  constexpr ticks far = ticks{1} << 40;
  std::array<visit_demand, 2> visits{
      visit_demand{.task = 0, .wcet = wcet, .period = 6, .deadline = 6, .limit = far},
      visit_demand{.task = 1, .wcet = 1, .period = far, .deadline = far, .limit = far}};
  if (preemptive) {
    takt::analysis::edf_responses(visits);
  } else {
    takt::analysis::nonpreemptive_edf_responses(visits);
  }
  return visits[1].response;
}

}  // namespace

TEST_CASE("a response under EDF beside work that leaves nothing of a unit is given up, however far its limit is") {
  CHECK(response_beside(5, true) == 6);
  CHECK(response_beside(6, true) == takt::unbounded_response);
  CHECK(response_beside(5, false) == 6);
  CHECK(response_beside(6, false) == takt::unbounded_response);
}
