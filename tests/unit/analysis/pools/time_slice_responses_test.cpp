// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <span>

#include <takt/analysis/pools/time_slice_responses.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>

namespace {

using takt::ticks;

/// The response of a short kernel beside a context with a long slice that always has work.
auto response_beside_endless_work(ticks limit) -> ticks {
  constexpr ticks long_slice = ticks{1} << 30;
  std::array<takt::visit_demand, 2> visits{
      takt::visit_demand{.task = 0, .wcet = 6, .period = 6, .deadline = 6, .limit = ticks{1} << 40},
      takt::visit_demand{.task = 1, .wcet = 1, .period = limit, .deadline = limit, .limit = limit}};
  visits[0].view = takt::slice_view{.context = 0, .slice = long_slice}.values();
  visits[1].view = takt::slice_view{.context = 1, .slice = 1}.values();
  for (takt::visit_demand& v : visits) { v.moved = true; }
  takt::analysis::time_slice_responses(std::span{visits}, 1, 0);
  return visits[1].response;
}

}  // namespace

TEST_CASE("a response in time slices says whether it is too long or its search gave up") {
  CHECK(response_beside_endless_work(ticks{1} << 31) == (ticks{1} << 30) + 1);
  CHECK(response_beside_endless_work(1'000) == takt::unbounded_response);
  CHECK(response_beside_endless_work(ticks{1} << 29) == takt::given_up_response);
}
