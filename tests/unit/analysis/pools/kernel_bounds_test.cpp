// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/pools/kernel_bounds.hpp>

#include <span>

#include <doctest/doctest.h>

#include <unit/analysis/pools/far_limit.hpp>

namespace an = takt::analysis;
using takt_tests::response_beside;

TEST_CASE("a kernel beside others that leave nothing of their GPU is given up, however far its limit is") {
  const auto by_priority = [](std::span<takt::visit_demand> v) { an::level_priority_responses(v, 2, {}); };
  const auto by_deadline = [](std::span<takt::visit_demand> v) { an::level_edf_responses(v, 2, {}); };
  CHECK(response_beside(5, 1, by_priority) == 6);
  CHECK(response_beside(6, 1, by_priority) == takt::given_up_response);
  CHECK(response_beside(5, 1, by_deadline) == 6);
  CHECK(response_beside(6, 1, by_deadline) == takt::given_up_response);
}
