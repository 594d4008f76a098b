// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <doctest/doctest.h>

#include <takt/rules/shares/one_at_a_time.hpp>
#include <takt/rules/shares/share_baselines.hpp>

#include "fixtures.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt::test;
using takt::share;
using takt::ticks;
namespace sim = takt::simulation;

using times = std::vector<ticks>;

auto pair(takt::memory_units memory = {}) -> few_shares {
  few_shares t = shares_of({{40, 0, 400, 100, 1}, {30, 0, 400, 60, 3}});
  for (auto& a : t.tasks) { a.memory = memory; }
  t.contention.set(0, 1, 1'000'000);
  return t;
}

}  // namespace

TEST_CASE("time slices: two jobs take twice as long each, and switching costs a little more" *
          takt_tests::traces("WAMP-54")) {
  const few_shares t = pair();
  const auto plain = run_shares(t, takt::time_sliced<few>{t}, {}, {.horizon = 400});
  CHECK(plain.log.ends(1) == times{60});
  CHECK(plain.log.ends(0) == times{70});
  const auto costly = run_shares(t, takt::time_sliced<few>{t, 100'000}, {}, {.horizon = 400});
  CHECK(costly.log.misses(1) == times{60});
  // 66 ticks as one of two, of 88; the last quarter, 10 ticks, alone: but the other is dropped at 60.
  CHECK(costly.log.ends(0) == times{73});
}

TEST_CASE("equal shares slow each other down where memory is contended" * takt_tests::traces("WAMP-54")) {
  const few_shares t = pair();
  const auto run = run_shares(t, takt::equal_shares<few>{t}, {}, {.horizon = 400});
  // 1: 30 / 0.5 = 60. 0: 40 / 0.5 and half as much again for the other's half: 120, of which 60 until then.
  CHECK(run.log.ends(1) == times{60});
  CHECK(run.log.ends(0) == times{80});
  const auto slices = run.log.trace.slices();
  REQUIRE(slices.size() == 3);
  CHECK(slices[0].segment == 50);
  CHECK(slices[2].segment == 100);
}

TEST_CASE("proportional shares follow the priorities of whoever is active" * takt_tests::traces("WAMP-54")) {
  const few_shares t = pair();
  const auto run = run_shares(t, takt::proportional_shares<few>{t}, {}, {.horizon = 400});
  // 75 to 25: 1 ends after 30 / 0.75 = 40; then 0 has done 40 of 160 x 1.75 = 280.
  CHECK(run.log.ends(1) == times{40});
  CHECK(run.log.ends(0) == times{75});
}

TEST_CASE("fixed shares stay what they are while others are idle" * takt_tests::traces("WAMP-54")) {
  const few_shares t = pair();
  const std::array<share, few> shares{share{80}, share{20}};
  const auto run = run_shares(t, takt::fixed_shares<few>{t, shares}, {}, {.horizon = 400});
  // 0: 40 / 0.8, and a fifth more for what 1 holds. 1: 30 / 0.2.
  CHECK(run.log.ends(0) == times{60});
  CHECK(run.log.misses(1) == times{60});
}

TEST_CASE("one at a time: by release, by priority and by deadline, preemptive or not" * takt_tests::traces("WAMP-54")) {
  const few_shares t = pair();
  const std::vector<ticks> offsets{0, 10};
  const auto ends = [&](const takt::JobPriority auto& order, bool preemptive) {
    const auto run =
        run_shares(t, takt::one_at_a_time{t, {.preemptive = preemptive}, order}, offsets, {.horizon = 400});
    return std::vector<times>{run.log.ends(0), run.log.ends(1)};
  };
  CHECK(ends(takt::by_arrival{}, false) == std::vector<times>{{40}, {70}});
  CHECK(ends(takt::by_given_priority{}, false) == std::vector<times>{{40}, {70}});
  CHECK(ends(takt::by_absolute_deadline{}, false) == std::vector<times>{{40}, {70}});
  CHECK(ends(takt::by_arrival{}, true) == std::vector<times>{{40}, {70}});
  CHECK(ends(takt::by_given_priority{}, true) == std::vector<times>{{70}, {40}});
  CHECK(ends(takt::by_absolute_deadline{}, true) == std::vector<times>{{70}, {40}});
}

/// The job that takes longest goes first; nobody's point fits beyond an instant.
struct longest_first {
  ticks until = 1000;

  [[nodiscard]] constexpr auto point(const takt::job_timing& t, ticks release, takt::priority_point& out) const noexcept
      -> bool {
    if (release >= until) { return false; }
    out = {-t.wcet, t.task};
    return true;
  }
};

TEST_CASE("one at a time: an order of one's own, and who has no place in it goes last") {
  const few_shares t = pair();
  const std::vector<ticks> offsets{10, 0};
  const auto ends = [&](const longest_first& order) {
    const auto run = run_shares(t, takt::one_at_a_time{t, {.preemptive = true}, order}, offsets, {.horizon = 100});
    return std::vector<times>{run.log.ends(0), run.log.ends(1)};
  };
  CHECK(ends({}) == std::vector<times>{{50}, {}});  // the other is dropped at its deadline
  CHECK(ends({.until = 10}) == std::vector<times>{{70}, {30}});
}

TEST_CASE("preemption by snapshots: saving and restoring take the GPU away in proportion to memory" *
          takt_tests::traces("WAMP-48")) {
  const few_shares t = pair(takt::memory_units{2});
  const std::vector<ticks> offsets{0, 10};
  const takt::one_at_a_time_options options{.preemptive = true, .save_per_memory_unit = 4};
  const takt::by_given_priority order;
  const auto run = run_shares(t, takt::one_at_a_time{t, options, order}, offsets, {.horizon = 400});
  CHECK(run.log.ends(1) == times{48});  // 10, 8 to save, 30 of work
  CHECK(run.log.ends(0) == times{86});  // 8 to restore, 30 left
  takt::one_at_a_time_options wrong = options;
  wrong.save_per_memory_unit = -1;
  CHECK(run_shares(t, takt::one_at_a_time{t, wrong, order}, offsets, {.horizon = 400}).result.error);
}

TEST_CASE("a late job is dropped, goes on while the next one waits, or ends the run" * takt_tests::traces("WAMP-55")) {
  const few_shares t = shares_of({{80, 0, 100, 60, 1}});
  const auto run = [&](takt::miss_action at_miss) {
    return run_shares(t, takt::equal_shares<few>{t}, {}, {.horizon = 320, .at_miss = at_miss});
  };
  const auto dropped = run(takt::miss_action::abort);
  CHECK(dropped.log.misses(0) == times{60, 160, 260});
  CHECK(dropped.result.completed() == 0);
  const auto late = run(takt::miss_action::late);
  CHECK(late.log.ends(0) == times{80, 180, 280});
  CHECK(late.log.misses(0) == times{60, 160, 260});
  CHECK(late.result.tasks[0].worst_response == 80);
  const auto stopped = run(takt::miss_action::stop);
  CHECK(stopped.result.end == 60);
  CHECK(stopped.result.misses() == 1);
}

TEST_CASE("later jobs wait for a late one and keep their own deadlines" * takt_tests::traces("WAMP-55")) {
  const few_shares t = shares_of({{130, 0, 100, 100, 1}});
  const auto run = run_shares(t, takt::equal_shares<few>{t}, {}, {.horizon = 400, .at_miss = takt::miss_action::late});
  CHECK(run.log.ends(0) == times{130, 260, 390});
  CHECK(run.log.misses(0) == times{100, 200, 300, 400});
  CHECK(run.result.tasks[0].released == 4);
  CHECK(run.result.activities[0].started == 4);
  CHECK(run.result.tasks[0].worst_response == 190);
}

TEST_CASE("as published, a late job gets nothing for ever, and so does everything below it" *
          takt_tests::traces("WAMP-55")) {
  const few_shares t = shares_of({{120, 0, 10'000, 100, 2}, {10, 0, 10'000, 10'000, 1}});
  const auto run = run_shares(t, few_scheduled{t, few_predictor{t}, takt::wamp2s_text}, {},
                              {.horizon = 9'000, .at_miss = takt::miss_action::late});
  CHECK(run.result.completed() == 0);
  const auto robust = run_shares(t, few_scheduled{t, few_predictor{t}, takt::wamp2s_robust}, {},
                                 {.horizon = 9'000, .at_miss = takt::miss_action::late});
  CHECK(robust.result.completed() == 2);
}

TEST_CASE("a simulation refuses a wrong table and a negative horizon" * takt_tests::traces("WAMP-54")) {
  const few_shares none;
  CHECK(run_shares(none, takt::equal_shares<few>{none}, {}, {.horizon = 10}).result.error.fault ==
        takt::model_fault::no_task);
  const few_shares t = pair();
  CHECK(run_shares(t, takt::equal_shares<few>{t}, {}, {.horizon = -1}).result.status() ==
        takt::observation_status::invalid_model);
}
