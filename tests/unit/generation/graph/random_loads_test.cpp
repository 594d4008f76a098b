// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include <takt/core/rational.hpp>
#include <takt/systems/graphs/figures/random_loads.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;

constexpr std::array<ticks, 4> loads{400'000, 200'000, 100'000, 50'000};
constexpr std::int64_t threads = 160'000;

}  // namespace

TEST_CASE("drawn kernels load what is asked for of the threads, short of a block at most" *
          takt_tests::traces("OVX-X2")) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    random_stream random{seed};
    task_rows<block_kernel<ticks>, 4> set;
    generation::draw_kernels(random, loads, [](const auto& t) { return t.size() == 4 ? threads : 0; }, set);
    REQUIRE(set.size() == loads.size());
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const auto& k = set.tasks[i];
      CHECK(k.threads % 64 == 0);
      CHECK(k.threads <= 1024);
      CHECK(k.length <= generation::detail::load_time_unit);
      CHECK(20 * k.length >= generation::detail::load_time_unit);
      CHECK(k.period >= 10 * generation::detail::load_time_unit);
      CHECK(k.period <= 100 * generation::detail::load_time_unit);
      const rational asked = rational{threads * loads[i], generation::detail::whole_load_parts};
      CHECK(rational{k.blocks * k.threads * k.length, k.period} <= asked);
      CHECK(asked * rational{99, 100} < rational{(k.blocks + 1) * k.threads * k.length, k.period});
    }
  }
}

TEST_CASE("drawn tasks whose jobs may overlap load what is asked for of the processors, and a seed gives one set" *
          takt_tests::traces("OVX-X2")) {
  task_rows<gel_task<ticks>, 4> first;
  task_rows<gel_task<ticks>, 4> again;
  for (auto* set : {&first, &again}) {
    random_stream random{3};
    generation::draw_overlapping(random, loads, 8, *set);
  }
  REQUIRE(first.size() == loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto& t = first.tasks[i];
    CHECK(t.wcet == again.tasks[i].wcet);
    CHECK(t.deadline == t.period);
    CHECK(t.parallelism == unrestricted_parallelism);
    const rational asked{8 * loads[i], generation::detail::whole_load_parts};
    CHECK(rational{t.wcet, t.period} <= asked);
    CHECK(asked < rational{t.wcet + 8, t.period});
  }
}
