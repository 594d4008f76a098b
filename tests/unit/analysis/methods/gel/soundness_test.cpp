// SPDX-License-Identifier: Apache-2.0
// Random tasks: no simulated response is above a bound. TAKT_GEL_SETS asks for more sets.
#include <doctest/doctest.h>

#include <takt/analysis/methods/gel/compliant_vector.hpp>
#include <takt/analysis/methods/gel/devi_anderson.hpp>
#include <takt/analysis/methods/gel/overlapping.hpp>
#include <takt/analysis/methods/gel/restricted_parallelism.hpp>

#include "support/traces.hpp"
#include "unit/analysis/methods/gel/simulated_cluster.hpp"

using namespace gel_tests;
using namespace takt::analysis;
using bounds = gel_bounds<ticks, max_tasks>;

namespace {

/// Heavy sets of a cluster, with deadlines before, at and after the period.
auto random_set(takt::random_stream& random, std::int32_t processors, bool implicit, std::int64_t most_jobs)
    -> task_set {
  task_set out;
  const auto count = static_cast<std::size_t>(random.between(processors, max_tasks));
  for (std::size_t i = 0; i < count; ++i) {
    const ticks period = random.between(2, 12);
    const std::int64_t parallelism = random.between(1, most_jobs);
    const ticks most = most_jobs == 1 ? period : period * parallelism;
    const ticks wcet =
        std::max<ticks>(1, std::min(most, random.between(1, 2 * period * processors) / static_cast<ticks>(count)));
    const ticks deadline = implicit ? period : random.between(1, 2 * period);
    static_cast<void>(out.add({.wcet = wcet, .period = period, .deadline = deadline, .parallelism = parallelism}));
  }
  return out;
}

struct tally {
  int bounded = 0;
  int reached = 0;

  void hold(const bounds& b, const task_set& set, const run_options& o) {
    if (!b.bounded()) { return; }
    ++bounded;
    const auto worst = worst_responses(set, o);
    for (std::size_t i = 0; i < worst.size(); ++i) {
      CAPTURE(i);
      CAPTURE(o.seed);
      CHECK(worst[i] <= b.tasks[i].response);
      reached += worst[i] == b.tasks[i].response ? 1 : 0;
    }
  }
};

auto policy_of(std::uint64_t seed) -> gel_policy {
  constexpr gel_policy all[]{gel_policy::earliest_deadline,        gel_policy::fair_lateness,
                             gel_policy::first_in_first_out,       {.deadline = 1, .wcet = -1},
                             {.period = 1, .other_processors = 2}, {.deadline = -1, .period = 2, .wcet = 3}};
  return all[seed % 6];
}

/// Runs one set in several ways under a bound.
template <class Bound>
void hold_all(tally& t, const task_set& set, run_options o, const Bound& bound) {
  const bounds b = bound(set, o.processors, o.policy);
  for (const bool irregular : {false, true}) {
    o.sporadic = irregular;
    o.shortened = irregular;
    t.hold(b, set, o);
  }
}

}  // namespace

TEST_CASE("sequential jobs end within the compliant-vector and Devi-Anderson bounds" *
          takt_tests::traces("GSD-16 OVX-07")) {
  tally any;
  tally shifted;
  tally devi;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_GEL_SETS", 150); ++seed) {
    takt::random_stream random{seed};
    const auto processors = static_cast<std::int32_t>(random.between(1, 4));
    const auto set = random_set(random, processors, seed % 2 == 0, 1);
    const run_options o{.processors = processors, .policy = policy_of(seed), .seed = seed};
    hold_all(any, set, o, [](const auto&... args) { return compliant_vector(args...); });
    hold_all(any, set, o, [](const auto&... args) { return compliant_vector(args..., point_shift::to_zero); });
    hold_all(shifted, set, o, [](const auto&... args) { return takt::analysis::detail::sequential_response(args...); });
    if (seed % 6 == 0) {  // EDF, deadline = period
      hold_all(devi, set, o, [](const auto& s, std::int32_t m, gel_policy) { return devi_anderson_best(s, m); });
    }
  }
  CHECK(any.bounded > 50);
  CHECK(shifted.bounded > 50);
  CHECK(devi.bounded > 5);
  CHECK(any.reached > 0);
}

TEST_CASE("jobs that overlap freely end within their bounds, early or not preempted as well" *
          takt_tests::traces("OVX-08 OVX-X7")) {
  tally preemptive;
  tally refined;
  tally rigid;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_GEL_SETS", 150); ++seed) {
    takt::random_stream random{seed};
    const auto processors = static_cast<std::int32_t>(random.between(1, 4));
    const auto set = random_set(random, processors, seed % 2 == 0, 3);
    run_options o{.processors = processors, .policy = policy_of(seed), .jobs = overlap::free, .seed = seed};
    for (const bool early : {false, true}) {
      o.early = early;
      hold_all(preemptive, set, o, [](const auto&... args) { return overlapping_response(args...); });
      hold_all(preemptive, set, o,
               [](const auto&... args) { return overlapping_response(args..., point_shift::if_negative); });
      hold_all(refined, set, o, [](const auto&... args) { return overlapping_response_refined(args...); });
    }
    o.early = false;
    o.preemptive = false;
    hold_all(rigid, set, o, [](const auto&... args) { return non_preemptive_response(args...); });
  }
  CHECK(preemptive.bounded > 50);
  CHECK(preemptive.reached > 0);
  CHECK(refined.reached > 0);
  CHECK(rigid.bounded > 50);
}

TEST_CASE("jobs of limited parallelism end within the bounds for slots and for distances") {
  tally slots;
  tally distances;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_GEL_SETS", 150); ++seed) {
    takt::random_stream random{seed};
    const auto processors = static_cast<std::int32_t>(random.between(2, 4));
    const auto set = random_set(random, processors, seed % 2 == 0, 3);
    run_options o{.processors = processors, .policy = policy_of(seed), .jobs = overlap::slots, .seed = seed};
    hold_all(slots, set, o, [](const auto&... args) { return takt::analysis::detail::slot_response(args...); });
    o.jobs = overlap::distance;
    hold_all(distances, set, o, [](const auto&... args) { return distance_response(args...); });
  }
  CHECK(slots.bounded > 50);
  CHECK(distances.bounded > 50);
}
