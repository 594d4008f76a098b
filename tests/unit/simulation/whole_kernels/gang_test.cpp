// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "support/traces.hpp"
#include "unit/simulation/whole_kernels/fixtures.hpp"

using namespace accelerator_fixtures;
using strict_cores = takt::event_driven_gang<kernels::max_tasks, 4, takt::strict_order>;

namespace {

template <class Strategy>
auto run(const kernels& tasks, const Strategy& strategy, const options& o = {}) {
  return simulate_kernels(edf, strategy, tasks, periodic(tasks, 60), o);
}

}  // namespace

TEST_CASE("event by event the set of Example 1 meets its deadlines, in strict order and with backfilling" *
          takt_tests::traces("AP-X10 AP-10")) {
  const auto backfill = run(table_1, gang_cores{2});
  CHECK(worst(backfill) == responses{8, 12, 7, 4});
  const auto strict = run(table_1, strict_cores{2});
  CHECK(worst(strict) == responses{8, 12, 7, 6});
  for (const auto& r : {backfill, strict}) {
    CHECK(r.misses() == 0);
    CHECK(r.completed() == 21);
  }
}

TEST_CASE("pinned kernels of two cores run at the same time, on as many levels as there are" *
          takt_tests::traces("AP-10")) {
  constexpr kernels tasks = set_of({{6, 20, 20, 2, 0}, {6, 20, 20, 2, 1}, {1, 5, 20, 1, 1}});
  for (const std::int32_t levels : {1, 2}) {
    const auto r = simulate_kernels(edf, gang_cores{2, levels}, tasks, at(tasks, {{0}, {0}, {1}}),
                                    options{.costs = preemption_cost_model::ideal});
    CHECK(worst(r) == responses{6, 7, 2});  // the wave of the second task ends at 2
  }
}

TEST_CASE("a whole-GPU kernel starts when the last core has reached the end of a wave, and pays for all of them once") {
  constexpr kernels tasks = set_of({{6, 30, 30, 2, 0}, {6, 30, 30, 3, 1}, {4, 10, 30, 1, gang}});
  const auto run_with = [&](preemption_cost_model model) {
    return worst(simulate_kernels(edf, gang_cores{2}, tasks, at(tasks, {{0}, {0}, {1}}), options{.costs = model}));
  };
  CHECK(run_with(preemption_cost_model::ideal) == responses{11, 10, 6});     // waves end at 2 and 3
  CHECK(run_with(preemption_cost_model::overhead) == responses{13, 13, 7});  // lost until 3 and 4
}

TEST_CASE("a job may be shorter than its task says, and strict order then costs more than it gives" *
          takt_tests::traces("AP-X11")) {
  constexpr kernels tasks = set_of({{2, 8, 8, 0, 0}, {4, 9, 9, 0, gang}, {3, 10, 10, 0, 1}});
  listed jobs{3};
  jobs.add(0, {0, 1});
  jobs.add(1, {0, 4});
  jobs.add(2, {0, 3});
  CHECK(worst(simulate_kernels(edf, gang_cores{2}, tasks, jobs)) == responses{1, 5, 7});
  CHECK(worst(simulate_kernels(edf, strict_cores{2}, tasks, jobs)) == responses{1, 5, 8});
}

TEST_CASE("fixed priorities decide between cores as well" * takt_tests::traces("AP-35")) {
  const kernels tasks = ranked(set_of({{4, 30, 30, 0, gang}, {3, 6, 30, 0, 0}, {3, 6, 30, 0, 1}}));
  const auto releases = at(tasks, {{0}, {0}, {0}});
  CHECK(worst(simulate_kernels(by_priority, gang_cores{2}, tasks, releases)) == responses{4, 7, 7});
  CHECK(worst(simulate_kernels(edf, gang_cores{2}, tasks, releases)) == responses{7, 3, 3});
}
