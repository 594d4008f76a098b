// SPDX-License-Identifier: Apache-2.0
// Small sets with every instant worked out by hand: where Algorithm 1 as published goes wrong, and what the sound rules
// make of the same releases.
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/rules/shares/one_at_a_time.hpp>
#include <takt/rules/shares/share_baselines.hpp>

#include "fixtures.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt::test;
using takt::share_triggers;
using takt::ticks;
using takt::wamp2s_literal;
using takt::wamp2s_robust;
using takt::wamp2s_text;
namespace sim = takt::simulation;

using times = std::vector<ticks>;

auto three_benchmarks() -> few_shares {
  few_shares t = shares_of({{261, 500, 1000, 1000, 10}, {356, 300, 1500, 1500, 9}, {448, 100, 2000, 2000, 6}});
  t.contention.set(0, 1, 60'000);
  t.contention.set(0, 2, 45'000);
  t.contention.set(1, 0, 60'000);
  t.contention.set(1, 2, 88'000);
  t.contention.set(2, 0, 45'000);
  t.contention.set(2, 1, 88'000);
  return t;
}

/// The second one slows the first one down to half its speed.
auto pressed(ticks first_deadline, ticks first_period, const small_task& second, std::int32_t priority,
             std::uint32_t slowdown_ppm) -> few_shares {
  few_shares t = shares_of({{100, 0, first_period, first_deadline, priority}, second});
  t.contention.set(0, 1, slowdown_ppm);
  return t;
}

}  // namespace

TEST_CASE("W2: first operation of three benchmarks, as published and robust" * takt_tests::traces("WAMP-29 WAMP-50")) {
  const few_shares t = three_benchmarks();
  const auto text = schedule(t, wamp2s_text, 1);
  REQUIRE(text.log.operations.size() == 1);
  CHECK(text.log.operations[0] == seen_operation{0, true, {33, 34, 32}, {16, 19, 22}});
  const auto robust = schedule(t, wamp2s_robust, 1);
  CHECK(robust.log.operations[0] == seen_operation{0, true, {33, 35, 32}, {16, 20, 23}});
}

TEST_CASE("W3: predicting with the shares before the decision misses though every operation was schedulable" *
          takt_tests::traces("WAMP-50")) {
  const few_shares t = pressed(400, 400, {300, 0, 600, 600, 100}, 1, 1'000'000);
  const auto text = schedule(t, wamp2s_text, 600);
  CHECK(text.log.operations == std::vector<seen_operation>{{0, true, {38, 61}, {50, 38}},
                                                           {400, true, {41, 58}, {29, 41}},
                                                           {497, true, {100, 0}, {25}}});
  CHECK(text.log.misses(0) == times{400});
  CHECK(text.log.ends(1) == times{497});
  CHECK(text.log.ends(0) == times{572});
  const auto robust = schedule(t, wamp2s_robust, 600);
  CHECK(robust.result.misses() == 0);
  CHECK(robust.log.ends(0) == times{400, 575});
  CHECK(robust.log.ends(1) == times{500});
  std::vector<std::vector<int>> shares;
  for (const auto& o : robust.log.operations) { shares.push_back(o.shares); }
  CHECK(shares == std::vector<std::vector<int>>{{40, 60}, {40, 60}, {100, 0}});
}

TEST_CASE("W4: counting executed time as slack forgets that a job was suspended" * takt_tests::traces("WAMP-50")) {
  const few_shares t = shares_of({{100, 0, 1000, 120, 3}, {60, 0, 400, 200, 2}, {120, 0, 1000, 200, 1}});
  const std::vector<ticks> offsets{0, 0, 120};
  const auto text = schedule(t, wamp2s_text, 400, offsets);
  CHECK(text.log.operations == std::vector<seen_operation>{
                                   {0, false, {84, 0, 0}, {84, 30}},
                                   {120, true, {0, 36, 63}, {30, 60}},
                                   {200, true, {0, 0, 100}, {59}},
                               });
  CHECK(text.log.ends(0) == times{120});
  CHECK(text.log.misses(1) == times{200});
  CHECK(text.log.ends(2) == times{270});
  const auto robust = schedule(t, wamp2s_robust, 400, offsets);
  CHECK(robust.result.misses() == 0);
  REQUIRE(robust.log.operations.size() == 3);
  CHECK(robust.log.operations[0].shares == std::vector<int>{84, 16, 0});
  CHECK_FALSE(robust.log.operations[0].schedulable);
  CHECK(robust.log.operations[1].shares == std::vector<int>{0, 52, 48});
  CHECK(robust.log.operations[1].needs == std::vector<int>{52, 60});
  CHECK_FALSE(robust.log.operations[1].schedulable);
  CHECK(robust.log.ends(1) == times{199});
  CHECK(robust.log.ends(2) == times{282});
}

TEST_CASE("W5: the overload path idles the GPU where EDF, FP, FIFO and the robust rules meet all" *
          takt_tests::traces("WAMP-31 WAMP-54")) {
  const few_shares t = shares_of({{60, 0, 300, 100, 2}, {120, 0, 300, 200, 1}});
  for (const auto& rules : {wamp2s_text, wamp2s_literal}) {
    const auto run = schedule(t, rules, 300);
    REQUIRE(run.log.operations.size() >= 2);
    CHECK(run.log.operations[0].shares == std::vector<int>{60, 0});
    CHECK_FALSE(run.log.operations[0].schedulable);
    CHECK(run.log.operations[1].time == 100);
    CHECK(run.log.operations[1].shares == std::vector<int>{0, 100});
    CHECK(run.log.misses(1) == times{200});
  }
  const auto robust = schedule(t, wamp2s_robust, 300);
  CHECK(robust.log.operations[0].shares == std::vector<int>{60, 40});
  CHECK(robust.log.ends(0) == times{100});
  CHECK(robust.log.ends(1) == times{180});
  const auto single = [&](const takt::JobPriority auto& order, bool preemptive) {
    const auto run = run_shares(t, takt::one_at_a_time{t, {.preemptive = preemptive}, order}, {}, {.horizon = 300});
    CHECK(run.log.ends(0) == times{60});
    CHECK(run.log.ends(1) == times{180});
  };
  single(takt::by_arrival{}, false);
  single(takt::by_given_priority{}, true);
  single(takt::by_absolute_deadline{}, true);
  const auto sliced = run_shares(t, takt::time_sliced<few>{t}, {}, {.horizon = 300});
  const auto equal = run_shares(t, takt::equal_shares<few>{t}, {}, {.horizon = 300});
  for (const auto* run : {&sliced, &equal}) {
    CHECK(run->log.misses(0) == times{100});
    CHECK(run->log.ends(1) == times{170});
  }
}

TEST_CASE("W6: reusing an old slow-down misses when a heavy application arrives late" * takt_tests::traces("WAMP-34")) {
  const few_shares t = pressed(115, 200, {100, 0, 1000, 500, 1}, 2, 1'500'000);
  const std::vector<ticks> offsets{0, 80};
  const auto off = schedule(t, wamp2s_text, 195, offsets);
  REQUIRE(off.log.operations.size() >= 2);
  CHECK(off.log.operations[0] == seen_operation{0, true, {100, 0}, {87}});
  CHECK(off.log.operations[1] == seen_operation{80, true, {78, 21}, {75, 20}});
  CHECK(off.log.ends(0) == times{114});
  const auto on = schedule(t, wamp2s_text, 195, offsets, takt::accumulated_execution({7642, 10000}));
  REQUIRE(on.log.operations.size() >= 2);
  CHECK(on.log.operations[1] == seen_operation{80, true, {72, 27}, {58, 20}});
  CHECK(on.log.misses(0) == times{115});
  const auto robust = schedule(t, wamp2s_robust, 195, offsets);
  CHECK(robust.log.operations[1] == seen_operation{80, true, {79, 21}, {77, 20}});
  CHECK(robust.log.ends(0) == times{114});
}

TEST_CASE("W7: an exact fit, and a predictor that is off by 1 per cent" * takt_tests::traces("WAMP-56")) {
  const few_shares t = shares_of({{100, 0, 100, 100, 1}});
  const auto literal = schedule(t, wamp2s_literal, 400);
  CHECK(literal.result.completed() == 0);
  CHECK(literal.result.misses() == 4);
  const auto text = schedule(t, wamp2s_text, 301);
  CHECK(text.log.ends(0) == times{100, 200, 300});
  CHECK(text.result.misses() == 0);
  constexpr std::int64_t one_percent = 10'000;
  const auto biased = schedule(t, wamp2s_text, 301, {}, takt::every_change, one_percent);
  CHECK(biased.result.completed() == 0);
  REQUIRE_FALSE(biased.log.operations.empty());
  CHECK(biased.log.operations[0] == seen_operation{0, false, {0}, {101}});
  const auto robust = schedule(t, wamp2s_robust, 301, {}, takt::every_change, one_percent);
  CHECK(robust.log.ends(0) == times{100, 200, 300});
  CHECK(robust.result.misses() == 0);
  CHECK(robust.log.operations[0] == seen_operation{0, false, {100}, {101}});
}

TEST_CASE("a margin of the size of the error is too small where the predictor predicts too little" *
          takt_tests::traces("WAMP-56")) {
  const few_shares t = shares_of({{10'000, 0, 19'998, 19'998, 2}, {10'000, 0, 19'998, 19'998, 1}});
  constexpr std::int64_t one_percent = 10'000;
  // 0.99 x 1.01 < 1: two jobs that take 20000 with half of the GPU each are accepted for 19998.
  CHECK(takt::analysis::sufficient_shares(t, few_predictor{t, -one_percent, one_percent}).sufficient);
  const auto equal = schedule(t, wamp2s_robust, 19'998, {}, takt::every_change, -one_percent, one_percent);
  CHECK(equal.log.operations[0] == seen_operation{0, true, {50, 50}, {50, 50}});
  CHECK(equal.result.misses() == 2);
  const std::int64_t enough = takt::margin_against(one_percent);
  CHECK(enough == 10'102);
  CHECK_FALSE(takt::analysis::sufficient_shares(t, few_predictor{t, -one_percent, enough}).sufficient);
}

TEST_CASE("W8: not using what a completion frees costs a later arrival its deadline" * takt_tests::traces("WAMP-33")) {
  const few_shares t = shares_of({{60, 0, 1000, 100, 3}, {120, 0, 1000, 400, 2}, {150, 0, 1000, 190, 1}});
  const std::vector<ticks> offsets{0, 0, 200};
  const auto standard = schedule(t, wamp2s_text, 500, offsets);
  CHECK(standard.log.operations == std::vector<seen_operation>{{0, true, {66, 34, 0}, {60, 30}},
                                                               {91, true, {0, 100, 0}, {29}},
                                                               {200, true, {0, 0, 100}, {79}}});
  CHECK(standard.log.ends(0) == times{91});
  CHECK(standard.log.ends(1) == times{181});
  CHECK(standard.log.ends(2) == times{350});
  const auto cut = schedule(t, wamp2s_text, 500, offsets, takt::workload_decrease);
  CHECK(cut.result.effort.skipped == 1);
  REQUIRE(cut.log.operations.size() == 3);
  CHECK(cut.log.operations[1] == seen_operation{200, false, {0, 27, 0}, {27, 79}});
  CHECK(cut.log.operations[2] == seen_operation{390, true, {0, 100, 0}, {8}});
  CHECK(cut.log.misses(2) == times{390});
  CHECK(cut.log.ends(1) == times{391});
  // With the freed share handed out, but nothing predicted anew, the later arrival is admitted as before.
  const auto refill = schedule(t, wamp2s_text, 500, offsets, {.decrease = takt::decrease_rule::refill});
  CHECK(refill.result.effort.refilled > 0);
  CHECK(refill.result.misses() == 0);
}
