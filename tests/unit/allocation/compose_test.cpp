// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>

#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;

constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 2), takt::federated));
const auto tasks = takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_ms),
                                             takt::kernel(takt::work(16_ms), takt::interleave(1)), takt::cpu(1_ms)),
                                  takt::task("b", takt::period(40_ms), takt::cpu(1_ms),
                                             takt::kernel(takt::work(8_ms), takt::interleave(1)), takt::cpu(1_ms)));

}  // namespace

TEST_CASE("the search for shares that a composed board has by itself can be given as any other search") {
  const auto found = takt::allocate(board, tasks, takt::published_methods);
  const auto given = takt::allocate(board, tasks, takt::share_search{}, takt::published_methods);
  REQUIRE(found.feasible);
  CHECK(given.feasible);
  REQUIRE(given.shares.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) { CHECK(given.shares[i].sms == found.shares[i].sms); }
}

TEST_CASE("where the published search of chains finds no plan, the plan that is allocated is the one that proves") {
  const auto chains = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                     takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                     takt::pool(takt::virtual_sms(4, 2), takt::federated));
  const auto chain = [](const char* name, takt::duration period, takt::duration first, takt::duration in,
                        takt::duration kernel, takt::duration out, takt::duration last) {
    return takt::task(name, takt::period(period), takt::cpu(first, first), takt::copy(in, in),
                      takt::kernel(takt::work(kernel, kernel), takt::interleave(1)), takt::copy(out, out),
                      takt::cpu(last, last));
  };
  const auto set = takt::task_set(chain("a", 139800_us, 15500_us, 2400_us, 6800_us, 2000_us, 6300_us),
                                  chain("b", 118500_us, 17400_us, 3700_us, 3300_us, 4700_us, 4900_us),
                                  chain("c", 122700_us, 11300_us, 4700_us, 12500_us, 2400_us, 16000_us));
  REQUIRE_FALSE(takt::allocate_by<takt::published>(chains, set, takt::default_search).feasible);
  const auto found = takt::allocate(chains, set, takt::published_methods);
  CHECK(found.feasible);
  CHECK(takt::analyze(chains, set, found, takt::published_methods).schedulable());
}
