// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/window_responses.hpp>
#include <unit/analysis/pools/far_limit.hpp>

namespace {

using takt::ticks;
using takt::analysis::detail::parallel_work;

}  // namespace

TEST_CASE("of works that are ahead the longest count, as many as there are units") {
  const auto free_after = [](std::array<ticks, 4> works, std::size_t count, std::int32_t most) {
    parallel_work all;
    all.add_longest(works.data(), count, most);
    return all.least_free(1, 1);
  };
  // One unit is free one tick after all that counts.
  CHECK(free_after({2, 9, 4, 7}, 4, 0) == 1);
  CHECK(free_after({2, 9, 4, 7}, 4, 1) == 10);
  CHECK(free_after({9, 2, 4, 7}, 4, 1) == 10);
  CHECK(free_after({2, 4, 7, 9}, 4, 1) == 10);
  CHECK(free_after({2, 9, 4, 7}, 4, 2) == 17);
  CHECK(free_after({2, 9, 4, 7}, 4, 3) == 21);
  CHECK(free_after({2, 9, 4, 7}, 4, 9) == 23);
  CHECK(free_after({2, 9, 4, 7}, 1, 9) == 3);
}

TEST_CASE("units are busy until the works, of which none runs beside itself, leave one of them free") {
  parallel_work all;
  for (const ticks work : {4, 6, 0, 2}) { all.add(work); }
  CHECK(all.least_free(1, 1) == 13);
  CHECK(all.least_free(1, 2) == 7);  // 6 on one unit, 4 and 2 on the other
  CHECK(all.least_free(1, 3) == 3);
  CHECK(all.least_free(1, 4) == 1);
  CHECK(all.least_free(9, 2) == 9);
  all.add(takt::unbounded_response);
  CHECK(all.least_free(1, 1) == takt::unbounded_response);
  CHECK(all.least_free(1, 2) == 13);
}

TEST_CASE("a response on units that others leave no time of is given up, however far its limit is") {
  const auto global = [](std::span<takt::visit_demand> v) { takt::analysis::global_priority_responses(v, 1); };
  CHECK(takt_tests::response_beside(5, 2, global) == 12);
  CHECK(takt_tests::response_beside(6, 2, global) == takt::given_up_response);
}
