// SPDX-License-Identifier: Apache-2.0
// Random systems of visits on stations whose process stands still now and then: jobs that end while bounds are not void
// keep theirs, and what is late is done or dropped, but counted.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <takt/analysis/combiners/holistic.hpp>
#include <takt/host/engine.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include "property/composed_systems.hpp"

namespace {

namespace sim = takt::simulation;
using namespace composed_systems;
using takt::late_handling;
using takt::stall;

constexpr ticks horizon = 6'000;

struct seen_jobs {
  std::uint64_t systems = 0;
  std::uint64_t judged = 0;
  std::uint64_t above = 0;  ///< ended above their bounds while these were said to hold
  std::uint64_t open = 0;   ///< systems whose bounds were void at the end
  std::uint64_t dropped = 0;
  std::uint64_t uncounted = 0;  ///< tasks with more jobs done or dropped than released
};

auto draw_stalls(draws& d, const table& set) -> std::vector<stall> {
  ticks longest = 0;
  for (const auto& t : set.tasks) { longest = std::max(longest, t.period); }
  std::vector<stall> out;
  ticks from = d.between(0, longest);
  for (ticks n = d.between(1, 3); n > 0; --n) {
    out.push_back({from, d.between(1, 4 * longest)});
    from += out.back().length + d.between(1, 8 * longest);
  }
  return out;
}

/// `only_stops`: bounds count as void while the process stands still, and no longer, to see that this is noticed.
void hold_bounds(std::uint64_t seed, bool only_stops, seen_jobs& out) {
  const auto s = random_system_of(seed, [](draws& d) { return random_rule(d); });
  const auto verdict = takt::analysis::holistic(s.set, s.places);
  if (!verdict.schedulable()) { return; }
  ++out.systems;
  draws d{seed};
  const auto stalls = draw_stalls(d, s.set);
  const takt::simulation_options options{
      .horizon = takt::duration{horizon},
      .releases = d.one_in(2) ? takt::release_pattern::adversarial : takt::release_pattern::sporadic,
      .execution = takt::execution_times::random,
      .seed = seed,
      .stalls = stalls,
      .on_late = static_cast<late_handling>(d.between(0, 2))};
  REQUIRE_FALSE(sim::options_fault(options, s.set.size(), {.stalls = true}));
  sim::recording_choices choices{options, s.set, s.places};
  const auto engine =
      std::make_unique<takt::host::engine<board, tasks, visits, sim::recording_choices>>(s.set, s.places, choices);
  const auto seen = engine->run(horizon);
  auto spans = choices.void_bounds(horizon);
  REQUIRE_FALSE(spans.empty());
  out.open += spans.back().to >= horizon ? 1U : 0U;
  if (only_stops) {
    spans.clear();
    for (const stall& x : stalls) { spans.push_back({x.begin, x.begin + x.length}); }
  }
  for (std::size_t i = 0; i < s.set.size(); ++i) {
    const auto& t = seen.tasks[i];
    out.dropped += t.skipped;
    out.uncounted += t.completed + t.skipped > t.released || choices.ends(i).size() != t.completed ? 1U : 0U;
    for (std::size_t j = 0; j < choices.ends(i).size(); ++j) {
      const ticks end = choices.ends(i)[j];
      const bool is_void = std::ranges::any_of(spans, [&](const auto& x) { return x.from <= end && end <= x.to; });
      if (is_void) { continue; }
      ++out.judged;
      out.above += end - choices.releases(i)[j].nominal > verdict.tasks[i].bound.value ? 1U : 0U;
    }
  }
}

}  // namespace

TEST_CASE("every job that ends while bounds are not said to be void keeps its own, on any stations") {
  seen_jobs seen;
  for (std::uint64_t seed = 1; seed <= systems_or(3'000); ++seed) {
    const auto before = seen.above;
    hold_bounds(seed, false, seen);
    CHECK_MESSAGE(seen.above == before, "system " << seed);
  }
  MESSAGE(seen.systems << " systems, " << seen.judged << " jobs outside of void spans, " << seen.dropped << " dropped, "
                       << seen.open << " void at the end");
  CHECK(seen.judged > 10 * seen.systems);
  CHECK(seen.dropped > 0);
  CHECK(seen.uncounted == 0);
  CHECK(seen.open * 4 < seen.systems);
}

TEST_CASE("the test of void spans on any stations notices bounds that are void only while the process stands still") {
  seen_jobs seen;
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) { hold_bounds(seed, true, seen); }
  CHECK(seen.above > 0);
}
