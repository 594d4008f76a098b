// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/simulation.hpp>

#include "fixtures.hpp"
#include "support/traces.hpp"

using namespace fixtures;
using takt::stage;

namespace {

using table_type = takt::task_table<takt::ticks, 4, 4 * 5>;

/// Four tasks that crowd one copy engine.
[[nodiscard]] auto crowded_table(std::uint64_t seed) -> table_type {
  static constexpr std::array<std::string_view, 4> names{"a", "b", "c", "d"};
  takt::random_stream random(seed);
  table_type table;
  for (const std::string_view name : names) {
    const takt::ticks period = 60 + random.below(60);
    table.add_task(name, period, period);
    for (const stage where : {stage::cpu, stage::copy, stage::kernel, stage::copy, stage::cpu}) {
      const takt::ticks length = 1 + random.below(6);
      table.add_segment({.where = where, .time = {length, length}});
    }
  }
  takt::prioritize(table);
  return table;
}

}  // namespace

TEST_CASE("copies and kernels of crowded tasks run in one piece, whoever asks for their engine meanwhile" *
          takt_tests::traces("GSD-51")) {
  std::size_t pieces = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const table_type table = crowded_table(seed);
    takt::trace t;
    const auto r =
        takt::simulate(dedicated(1, 1), table, takt::dedicate(1, 1, 1, 1),
                       {.horizon = 2'000_ns, .releases = takt::release_pattern::adversarial, .seed = seed}, t);
    REQUIRE(!r.error);
    for (const takt::slice& s : t.slices()) {
      if (s.where.where == stage::cpu || s.end >= 2'000) { continue; }
      std::size_t k = 0;
      while (table.tasks[k].id != s.task) { ++k; }
      REQUIRE(s.end - s.start == table.segment(k, s.segment).time.upper);
      ++pieces;
    }
  }
  CHECK(pieces > 5'000);
}
