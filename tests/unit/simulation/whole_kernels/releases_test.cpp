// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include <doctest/doctest.h>
#include <range/v3/range/conversion.hpp>

#include <takt/report/trace_queries.hpp>
#include <takt/simulation/release_times.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/simulation/trace.hpp>

#include "support/traces.hpp"
#include "unit/simulation/whole_kernels/fixtures.hpp"

using namespace accelerator_fixtures;
using takt::mark_kind;

namespace {

constexpr kernels two = set_of({{2, 8, 10}, {3, 20, 25}});

auto times(const takt::trace& t, std::uint32_t task, mark_kind what) -> std::vector<ticks> {
  return t.marks() | takt::views::of_task(task) | takt::views::marks_of(what) | takt::views::times |
         ranges::to<std::vector<ticks>>;
}

}  // namespace

TEST_CASE("periodic jobs are released at offset + k T, with their deadlines D later" * takt_tests::traces("AP-03")) {
  constexpr std::array<takt::duration, 1> offsets{takt::duration{4}};
  takt::trace seen;
  const auto board = takt::platform(takt::pool(takt::accelerator(2), takt::nonpreemptive(takt::edf)));
  const auto r = takt::simulate(board, two, {.horizon = takt::duration{52}, .offsets = offsets}, seen);
  CHECK(times(seen, 0, mark_kind::release) == std::vector<ticks>{4, 14, 24, 34, 44});
  CHECK(times(seen, 0, mark_kind::deadline) == std::vector<ticks>{12, 22, 32, 42, 52});
  CHECK(times(seen, 1, mark_kind::release) == std::vector<ticks>{0, 25, 50});
  CHECK(r.tasks[0].released == 5);
  CHECK(r.tasks[1].completed == 2);
}

TEST_CASE("sporadic jobs come at least T apart, in another pattern for each seed and the same for the same" *
          takt_tests::traces("AP-03")) {
  std::set<std::vector<ticks>> patterns;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto times = takt::simulation::staggered_releases(two.tasks, 200, seed);
    CHECK(takt::simulation::staggered_releases(two.tasks, 200, seed) == times);
    std::vector<ticks> pattern;
    for (std::size_t i = 0; i < two.size(); ++i) {
      REQUIRE_FALSE(times[i].empty());
      for (std::size_t j = 0; j < times[i].size(); ++j) {
        CHECK((times[i][j] >= 0 && times[i][j] < 200));
        CHECK((j == 0 || times[i][j] - times[i][j - 1] >= two.tasks[i].period));
        pattern.push_back(times[i][j]);
      }
    }
    patterns.insert(pattern);
  }
  CHECK(patterns.size() > 30);
}
