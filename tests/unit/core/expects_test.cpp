// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/core/expects.hpp>
#include <takt/core/inline_vector.hpp>

static_assert(TAKT_PRECONDITIONS == 2, "tests check all that can be checked");

TEST_CASE("vectors in place take what fits, and say so") {
  takt::inline_vector<int, 2> v;
  CHECK(v.try_push_back(1));
  v.unchecked_push_back(2);
  CHECK_FALSE(v.try_push_back(3));
  REQUIRE(v.size() == 2);
  CHECK(v.front() == 1);
  CHECK(v.back() == 2);
  v.pop_back();
  CHECK(v.size() == 1);
}
