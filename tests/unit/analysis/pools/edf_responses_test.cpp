// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/pools/edf_responses.hpp>

#include <doctest/doctest.h>

#include <unit/analysis/pools/far_limit.hpp>

namespace an = takt::analysis;
using takt_tests::response_beside;

TEST_CASE("a response under EDF beside work that leaves nothing of a unit is given up, however far its limit is") {
  CHECK(response_beside(5, 1, an::edf_responses) == 6);
  CHECK(response_beside(6, 1, an::edf_responses) == takt::given_up_response);
  CHECK(response_beside(5, 1, an::nonpreemptive_edf_responses) == 6);
  CHECK(response_beside(6, 1, an::nonpreemptive_edf_responses) == takt::given_up_response);
}
