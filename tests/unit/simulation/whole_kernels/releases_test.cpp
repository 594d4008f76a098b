// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <takt/simulation/whole_kernels/response_log.hpp>
#include <takt/simulation/trace.hpp>

#include "unit/simulation/whole_kernels/fixtures.hpp"

using namespace accelerator_fixtures;
using takt::mark_kind;

namespace {

constexpr kernels two = set_of({{2, 8, 10}, {3, 20, 25}});

auto times(const takt::trace& t, std::uint32_t task, mark_kind what) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const takt::mark& m : t.marks()) {
    if (m.task == task && m.what == what) { out.push_back(m.time); }
  }
  return out;
}

}  // namespace

TEST_CASE("AP-03 periodic jobs are released at offset + k T, with their deadlines D later") {
  constexpr std::array<ticks, 1> offsets{4};
  takt::trace seen;
  const auto r = simulate_accelerator(edf, single_stream{}, two, periodic{two, 50, std::span<const ticks>{offsets}},
                                      options{}, seen);
  CHECK(times(seen, 0, mark_kind::release) == std::vector<ticks>{4, 14, 24, 34, 44});
  CHECK(times(seen, 0, mark_kind::deadline) == std::vector<ticks>{12, 22, 32, 42, 52});
  CHECK(times(seen, 1, mark_kind::release) == std::vector<ticks>{0, 25});
  CHECK(r.tasks[0].released == 5);
  CHECK(r.tasks[1].completed == 2);
}

TEST_CASE("AP-03 sporadic jobs come at least T apart, in another pattern for each seed and the same for the same") {
  std::set<std::vector<ticks>> patterns;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto jobs = takt::simulation::hostile_releases(two, 200, seed);
    const auto again = takt::simulation::hostile_releases(two, 200, seed);
    std::vector<ticks> pattern;
    for (std::size_t i = 0; i < two.size(); ++i) {
      const auto of = jobs.of(i);
      REQUIRE_FALSE(of.empty());
      for (std::size_t j = 0; j < of.size(); ++j) {
        CHECK((of[j].release >= 0 && of[j].release < 200));
        CHECK((of[j].work >= 1 && of[j].work <= two.tasks[i].wcet));
        CHECK((j == 0 || of[j].release - of[j - 1].release >= two.tasks[i].period));
        CHECK(again.of(i)[j].release == of[j].release);
        pattern.push_back(of[j].release);
      }
    }
    patterns.insert(pattern);
  }
  CHECK(patterns.size() > 30);
}

TEST_CASE("all responses can be kept, with percentiles") {
  takt::simulation::response_log log{2};
  simulate_accelerator(edf, single_stream{}, two, periodic{two, 50}, options{}, log);
  CHECK(std::vector(log.responses(0).begin(), log.responses(0).end()) == responses{2, 2, 2, 2, 2});
  CHECK(std::vector(log.responses(1).begin(), log.responses(1).end()) == responses{5, 3});
  CHECK(log.percentile(1, 50) == 3);
  CHECK(log.percentile(1, 51) == 5);
  CHECK(log.percentile(1, 99) == 5);
  CHECK(log.percentile(0, 1) == 2);
  CHECK(takt::simulation::response_log{1}.percentile(0, 99) == takt::no_instant);
}
