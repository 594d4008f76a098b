// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/allocation/allocation.hpp>

TEST_CASE("searches are named as in files and reports") {
  CHECK(takt::name_of(takt::search_method::exhaustive) == "exhaustive");
  CHECK(takt::name_of(takt::exact_search) == "exact");
  CHECK(takt::name_of(takt::greedy_search) == "greedy");
  CHECK(takt::name_of(takt::default_search) == "branch-and-bound");
}
