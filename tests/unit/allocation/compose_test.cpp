// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>

#include <takt/compose.hpp>

namespace {

using namespace takt::literals;

constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 2), takt::federated));
const auto tasks = takt::task_set(
    takt::task("a", takt::period(20_ms), takt::cpu(1_ms), takt::kernel(takt::work(16_ms)), takt::cpu(1_ms)),
    takt::task("b", takt::period(40_ms), takt::cpu(1_ms), takt::kernel(takt::work(8_ms)), takt::cpu(1_ms)));

}  // namespace

TEST_CASE("the search for shares that a composed board has by itself can be given as any other search") {
  const auto found = takt::allocate(board, tasks);
  const auto given = takt::allocate(board, tasks, takt::share_search{});
  REQUIRE(found.feasible);
  CHECK(given.feasible);
  REQUIRE(given.shares.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) { CHECK(given.shares[i].sms == found.shares[i].sms); }
}
