// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "share_host.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt_tests;
using takt::wamp2s_literal;
using takt::wamp2s_robust;
using takt::wamp2s_text;

using ints = std::vector<int>;

template <std::size_t N>
[[nodiscard]] auto first_operation(const takt::application_set<N>& table, const takt::share_rules& rules)
    -> takt::share_decision<N> {
  takt::share_scheduler<N, takt::contention_predictor<N>> s(table, takt::contention_predictor<N>(table), rules);
  for (std::size_t i = 0; i < N; ++i) { REQUIRE(s.release(i, 0)); }
  return s.decide(0);
}
template <std::size_t N>
[[nodiscard]] auto percents(const takt::share_decision<N>& d) -> ints {
  ints out;
  for (std::size_t i = 0; i < N; ++i) { out.push_back(d.shares[i].percent()); }
  return out;
}
template <std::size_t N>
[[nodiscard]] auto needs(const takt::share_decision<N>& d) -> ints {
  ints out;
  for (const auto& e : d.examined) { out.push_back(e.need); }
  return out;
}

// Each `three_...` and `pair_...` is a set whose operations were worked out by hand.
constexpr auto three_contending = [] {
  auto t = applications<3>({{{261, 1000, 1000, 10, 500}, {356, 1500, 1500, 9, 300}, {448, 2000, 2000, 6, 100}}});
  t.contention.set(0, 1, 60'000);
  t.contention.set(0, 2, 45'000);
  t.contention.set(1, 0, 60'000);
  t.contention.set(1, 2, 88'000);
  t.contention.set(2, 0, 45'000);
  t.contention.set(2, 1, 88'000);
  return t;
}();

constexpr auto pair_stale = [] {
  auto t = applications<2>({{{100, 400, 400, 1}, {300, 600, 600, 100}}});
  t.contention.set(0, 1, 1'000'000);
  return t;
}();

constexpr auto three_suspended = applications<3>({{{100, 1000, 120, 3}, {60, 400, 200, 2}, {120, 1000, 200, 1}}});
constexpr auto pair_overload = applications<2>({{{60, 300, 100, 2}, {120, 300, 200, 1}}});
constexpr auto lone = applications<1>({{{100, 100, 100, 1}}});
constexpr auto three_in_turn = applications<3>({{{60, 1000, 100, 3}, {120, 1000, 400, 2}, {150, 1000, 190, 1}}});

constexpr auto pair_late = [] {
  auto t = applications<2>({{{100, 200, 115, 2}, {100, 1000, 500, 1}}});
  t.contention.set(0, 1, 1'500'000);
  return t;
}();

[[nodiscard]] auto op(ticks at, const char* cause, bool ok, ints shares, ints need) -> seen_operation {
  return {at, cause, takt::decision_kind::operated, ok, std::move(shares), std::move(need)};
}

}  // namespace

TEST_CASE("the three presets grant greedily in priority order, and hand out what is left" *
          takt_tests::traces("WAMP-29 WAMP-30")) {
  const auto text = first_operation(three_contending, wamp2s_text);
  CHECK(text.schedulable);
  CHECK(needs(text) == ints{16, 19, 22});
  CHECK(percents(text) == ints{33, 34, 32});
  REQUIRE(text.examined.size() == 3);
  CHECK(text.examined[0].predicted == 967);
  CHECK(text.examined[1].predicted == 1534);
  CHECK(text.examined[2].predicted == 2011);

  const auto robust = first_operation(three_contending, wamp2s_robust);
  CHECK(needs(robust) == ints{16, 20, 23});
  CHECK(percents(robust) == ints{33, 35, 32});
  CHECK(robust.shares.sum() == 100);

  const auto literal = first_operation(three_contending, wamp2s_literal);
  CHECK(percents(literal) == percents(text));
}

TEST_CASE("predictions with the shares before the decision can miss; worst loads do not (U2)" *
          takt_tests::traces("WAMP-29")) {
  const std::vector<release_at> releases{{0, 0}, {1, 0}, {0, 400}};
  const auto text = run_shares(pair_stale, releases, 600, wamp2s_text);
  REQUIRE(text.operations.size() == 3);
  CHECK(text.operations[0] == op(0, "R", true, {38, 61}, {50, 38}));
  CHECK(text.operations[1].at == 400);
  CHECK(text.operations[1].cause == "RM");
  CHECK(text.operations[1].schedulable);
  CHECK(text.operations[1].shares == ints{41, 58});
  CHECK(text.operations[2].at == 497);
  CHECK(text.operations[2].shares == ints{100, 0});
  CHECK(text.misses() == 1);
  CHECK(text.refused() == 0);
  CHECK(text.finish(1, 0) == 497);
  CHECK(text.finish(0, 400) == 572);

  const auto robust = run_shares(pair_stale, releases, 600, wamp2s_robust);
  REQUIRE(robust.operations.size() == 3);
  CHECK(robust.operations[0].shares == ints{40, 60});
  CHECK(robust.operations[1].shares == ints{40, 60});
  CHECK(robust.operations[2].at == 500);
  CHECK(robust.operations[2].shares == ints{100, 0});
  CHECK(robust.misses() == 0);
  CHECK(robust.finish(0, 0) == 400);
  CHECK(robust.finish(1, 0) == 500);
  CHECK(robust.finish(0, 400) == 575);
}

TEST_CASE("executed time as slack declares a suspended job safe that misses (U1)" *
          takt_tests::traces("WAMP-31 WAMP-50")) {
  const std::vector<release_at> releases{{0, 0}, {1, 0}, {2, 120}};
  const auto text = run_shares(three_suspended, releases, 400, wamp2s_text);
  REQUIRE(text.operations.size() == 3);
  CHECK(text.operations[0] == op(0, "R", false, {84, 0, 0}, {84, 30}));
  CHECK(text.operations[1] == op(120, "RC", true, {0, 36, 63}, {30, 60}));
  CHECK(text.operations[2].at == 200);
  CHECK(text.operations[2].cause == "M");
  CHECK(text.operations[2].shares == ints{0, 0, 100});
  CHECK(text.finish(0, 0) == 120);
  CHECK(text.finish(1, 0) == -1);
  CHECK(text.finish(2, 120) == 270);

  const auto robust = run_shares(three_suspended, releases, 400, wamp2s_robust);
  REQUIRE(robust.operations.size() == 3);
  CHECK(robust.operations[0].shares == ints{84, 16, 0});
  CHECK_FALSE(robust.operations[0].schedulable);
  CHECK(robust.operations[1].shares == ints{0, 52, 48});
  CHECK(robust.operations[1].needs == ints{52, 60});
  CHECK_FALSE(robust.operations[1].schedulable);
  CHECK(robust.operations[2].at == 199);
  CHECK(robust.operations[2].shares == ints{0, 0, 100});
  CHECK(robust.finish(2, 120) == 282);
  CHECK(robust.misses() == 0);
}

TEST_CASE("the listing leaves the GPU idle under overload; the robust preset does not (U6, U7)" *
          takt_tests::traces("WAMP-31 WAMP-50")) {
  const std::vector<release_at> releases{{0, 0}, {1, 0}};
  for (const auto& rules : {wamp2s_text, wamp2s_literal}) {
    const auto run = run_shares(pair_overload, releases, 300, rules);
    REQUIRE(run.operations.size() == 2);
    CHECK_FALSE(run.operations[0].schedulable);
    CHECK(run.operations[0].shares == ints{60, 0});
    CHECK(run.operations[1].at == 100);
    CHECK(run.operations[1].shares == ints{0, 100});
    CHECK(run.operations[1].schedulable);
    CHECK(run.finish(1, 0) == -1);
  }
  const auto robust = run_shares(pair_overload, releases, 300, wamp2s_robust);
  CHECK(robust.operations[0].shares == ints{60, 40});
  CHECK(robust.finish(0, 0) == 100);
  CHECK(robust.finish(1, 0) == 180);
}

TEST_CASE("a sum below 100 refuses an application that needs all of the GPU (U4)" * takt_tests::traces("WAMP-29")) {
  const std::vector<release_at> releases{{0, 0}, {0, 100}, {0, 200}};
  const auto literal = run_shares(lone, releases, 300, wamp2s_literal);
  CHECK(literal.misses() == 3);
  CHECK(literal.operations[0].needs == ints{100});
  CHECK(literal.operations[0].shares == ints{0});
  const auto text = run_shares(lone, releases, 300, wamp2s_text);
  CHECK(text.misses() == 0);
  CHECK(text.finish(0, 0) == 100);
  CHECK(text.finish(0, 200) == 300);
}

TEST_CASE("where no share suffices, best effort serves what the listing starves for ever (U5)" *
          takt_tests::traces("WAMP-31 WAMP-50")) {
  const std::vector<release_at> releases{{0, 0}, {0, 100}, {0, 200}};
  const takt::contention_predictor<1> one_per_cent_too_long(lone, 10'000);
  const auto text = run_shares(lone, one_per_cent_too_long, releases, 300, wamp2s_text);
  CHECK(text.misses() == 3);
  for (const auto& o : text.operations) {
    CHECK(o.shares == ints{0});
    CHECK(o.needs == ints{takt::no_share_suffices});
  }
  const auto robust = run_shares(lone, one_per_cent_too_long, releases, 300, wamp2s_robust);
  CHECK(robust.misses() == 0);
  CHECK(robust.refused() == 3);
  for (const auto& o : robust.operations) { CHECK(o.shares == ints{100}); }
}

TEST_CASE("no operation when jobs only end and the last one was schedulable (U8)" *
          takt_tests::traces("WAMP-33 WAMP-28")) {
  const std::vector<release_at> releases{{0, 0}, {1, 0}, {2, 200}};
  const auto every = run_shares(three_in_turn, releases, 500, wamp2s_text);
  REQUIRE(every.operations.size() == 3);
  CHECK(every.operations[0] == op(0, "R", true, {66, 34, 0}, {60, 30}));
  CHECK(every.operations[1].at == 91);
  CHECK(every.operations[1].cause == "C");
  CHECK(every.operations[1].shares == ints{0, 100, 0});
  CHECK(every.operations[2].at == 200);
  CHECK(every.operations[2].shares == ints{0, 0, 100});
  CHECK(every.operations[2].needs == ints{79});
  CHECK(every.finish(1, 0) == 181);
  CHECK(every.finish(2, 200) == 350);

  const auto fewer = run_shares(three_in_turn, releases, 500, wamp2s_text, takt::workload_decrease);
  REQUIRE(fewer.operations.size() == 4);
  CHECK(fewer.operations[1].at == 91);
  CHECK(fewer.operations[1].kind == takt::decision_kind::kept);
  CHECK(fewer.operations[1].shares == ints{0, 34, 0});
  CHECK(fewer.operations[2] == op(200, "R", false, {0, 27, 0}, {27, 79}));
  CHECK(fewer.operations[3].at == 390);
  CHECK(fewer.operations[3].cause == "M");
  CHECK(fewer.operations[3].shares == ints{0, 100, 0});
  CHECK(fewer.operations[3].needs == ints{8});
  CHECK(fewer.finish(2, 200) == -1);
  CHECK(fewer.finish(1, 0) == 391);
}

TEST_CASE("handing out what ended jobs held, without new predictions, keeps later arrivals safe (U8)" *
          takt_tests::traces("WAMP-33")) {
  const std::vector<release_at> releases{{0, 0}, {1, 0}, {2, 200}};
  const auto run = run_shares(three_in_turn, releases, 500, wamp2s_text, {.decrease = takt::decrease_rule::refill});
  REQUIRE(run.operations.size() == 3);
  CHECK(run.operations[1].at == 91);
  CHECK(run.operations[1].kind == takt::decision_kind::refilled);
  CHECK(run.operations[1].shares == ints{0, 100, 0});
  CHECK(run.operations[1].needs.empty());
  CHECK(run.finish(1, 0) == 181);
  CHECK(run.finish(2, 200) == 350);
  CHECK(run.predictions == 3);
}

TEST_CASE("a job that holds nothing is not forgotten when others end" * takt_tests::traces("WAMP-33")) {
  for (const auto decrease : {takt::decrease_rule::keep, takt::decrease_rule::refill}) {
    const auto run = run_shares(pair_overload, {{0, 0}, {1, 0}}, 300, wamp2s_text, {.decrease = decrease});
    REQUIRE(run.operations.size() == 2);
    CHECK(run.operations[1].kind == takt::decision_kind::operated);
    CHECK(run.operations[1].shares == ints{0, 100});
  }
}

TEST_CASE("reusing a slow-down saves a prediction, and misses when a heavy job has come (U9)" *
          takt_tests::traces("WAMP-34")) {
  const std::vector<release_at> releases{{0, 0}, {1, 80}};
  const auto off = run_shares(pair_late, releases, 195, wamp2s_text);
  CHECK(off.operations[0] == op(0, "R", true, {100, 0}, {87}));
  CHECK(off.operations[1] == op(80, "R", true, {78, 21}, {75, 20}));
  CHECK(off.finish(0, 0) == 114);
  CHECK(off.predictions == 4);

  const auto on = run_shares(pair_late, releases, 195, wamp2s_text, takt::accumulated_execution({7642, 10000}));
  CHECK(on.operations[1] == op(80, "R", true, {72, 27}, {58, 20}));
  CHECK(on.finish(0, 0) == -1);
  CHECK(on.misses() == 1);
  CHECK(on.predictions == 3);

  const auto robust = run_shares(pair_late, releases, 195, wamp2s_robust, takt::accumulated_execution({7642, 10000}));
  CHECK(robust.operations[1] == op(80, "R", true, {79, 21}, {77, 20}));
  CHECK(robust.finish(0, 0) == 114);
}

TEST_CASE("a whole operation is left out when jobs end and all that remain are far advanced" *
          takt_tests::traces("WAMP-34")) {
  const auto table = applications<2>({{{20, 1000, 100, 2}, {100, 1000, 300, 1}}});
  const std::vector<release_at> together{{0, 0}, {1, 0}};
  const auto by_operation = [](takt::rational threshold) {
    return takt::accumulated_execution(threshold, takt::late_reuse::operation);
  };
  const auto every = run_shares(table, together, 400, wamp2s_text);
  REQUIRE(every.operations.size() == 2);
  // The first ends at 40; by then the second, with 49 per cent, is at 40 / 205.
  CHECK(every.operations[1].at == 40);
  const auto below = run_shares(table, together, 400, wamp2s_text, by_operation({39, 205}));
  CHECK(below.operations[1].kind == takt::decision_kind::kept);
  CHECK(below.operations[1].shares == ints{0, 49});
  const auto at = run_shares(table, together, 400, wamp2s_text, by_operation({40, 205}));
  CHECK(at.operations[1].kind == takt::decision_kind::operated);
  // Neither a release nor a job without a share is passed over.
  const auto arrival = run_shares(table, {{0, 0}, {1, 0}, {0, 120}}, 400, wamp2s_text, by_operation({0}));
  REQUIRE(arrival.operations.size() >= 3);
  CHECK(arrival.operations[1].kind == takt::decision_kind::kept);
  CHECK(arrival.operations[2].kind == takt::decision_kind::operated);
  CHECK(arrival.operations[2].cause == "R");
  const auto starved = run_shares(pair_overload, together, 300, wamp2s_text, by_operation({-1}));
  CHECK(starved.operations[1].kind == takt::decision_kind::operated);
  CHECK(starved.operations[1].shares == ints{0, 100});
}

TEST_CASE("both overhead cuts together predict least" * takt_tests::traces("WAMP-35")) {
  const auto table = applications<3>({{{30, 400, 200, 3}, {60, 500, 400, 2}, {90, 1000, 900, 1}}});
  const std::vector<release_at> releases{{0, 0}, {1, 0}, {2, 0}, {0, 400}, {1, 500}, {0, 800}};
  const auto predictions = [&](const takt::share_triggers& triggers) {
    const auto run = run_shares(table, releases, 1000, wamp2s_text, triggers);
    CHECK(run.misses() == 0);
    return run.predictions;
  };
  const takt::rational threshold{1, 4};
  const auto all = predictions(takt::every_change);
  const auto decrease = predictions(takt::workload_decrease);
  const auto late = predictions(takt::accumulated_execution(threshold));
  const auto both = predictions(takt::hybrid(threshold));
  CHECK(decrease < all);
  CHECK(late < all);
  CHECK(both <= decrease);
  CHECK(both <= late);
}

TEST_CASE("what happens at one instant makes one operation" * takt_tests::traces("WAMP-28")) {
  takt::share_scheduler<3, takt::contention_predictor<3>> s(
      three_contending, takt::contention_predictor<3>(three_contending), wamp2s_robust);
  REQUIRE(s.release(0, 0));
  REQUIRE(s.release(1, 0));
  CHECK(s.decide(0).kind == takt::decision_kind::operated);
  CHECK(s.decide(5).kind == takt::decision_kind::nothing);
  REQUIRE(s.complete(0));
  REQUIRE(s.abort(1));
  REQUIRE(s.release(0, 10));
  REQUIRE(s.release(2, 10));
  const auto& d = s.decide(10);
  CHECK(d.kind == takt::decision_kind::operated);
  CHECK(d.cause == (takt::cause_release | takt::detail::cause_completion | takt::detail::cause_miss));
  CHECK(d.examined.size() == 2);
  CHECK(d.shares[1] == takt::no_share);
  REQUIRE(s.complete(0));
  REQUIRE(s.leave(2));
  CHECK(s.decide(20).kind == takt::decision_kind::idle);
  CHECK(s.shares().sum() == 0);
}

TEST_CASE("an operation re-sizes every job and evicts none, and a dead application counts as an end" *
          takt_tests::traces("WAMP-09")) {
  takt::share_scheduler<3, takt::contention_predictor<3>> s(
      three_contending, takt::contention_predictor<3>(three_contending), wamp2s_robust);
  for (std::size_t i = 0; i < 3; ++i) { REQUIRE(s.release(i, 0)); }
  static_cast<void>(s.decide(0));
  for (ticks at = 10; at < 100; at += 10) {
    REQUIRE(s.leave(1));
    const auto d = s.decide(at);
    CHECK(d.cause == takt::detail::cause_completion);
    CHECK(s.active(0));
    CHECK(s.active(2));
    CHECK(d.shares.sum() == 100);
    CHECK(d.shares[1] == takt::no_share);
    REQUIRE(s.release(1, at));
    CHECK(s.decide(at).shares[1] > takt::no_share);
    CHECK(s.active_count() == 3);
  }
  CHECK(s.executed(0) == 90);
}

TEST_CASE("events that make no sense are refused and change nothing" * takt_tests::traces("WAMP-09")) {
  takt::share_scheduler<1, takt::contention_predictor<1>> s(lone, takt::contention_predictor<1>(lone), wamp2s_text);
  CHECK_FALSE(s.complete(0));
  CHECK_FALSE(s.abort(0));
  CHECK_FALSE(s.leave(0));
  CHECK_FALSE(s.release(1, 0));
  CHECK_FALSE(s.lose(0, 1));
  CHECK_FALSE(s.set_share(0, takt::share{10}, 0));
  CHECK(s.decide(0).kind == takt::decision_kind::nothing);
  REQUIRE(s.release(0, 0));
  CHECK_FALSE(s.release(0, 1));
  CHECK(s.decide(0).shares[0] == takt::full_share);
  CHECK_FALSE(s.lose(0, -1));
  REQUIRE(s.lose(0, std::numeric_limits<ticks>::max()));
  CHECK_FALSE(s.lose(0, 1));
  REQUIRE(s.leave(0));

  CHECK_FALSE(s.release(0, -1));
  CHECK_FALSE(s.release(0, std::numeric_limits<ticks>::max()));
  CHECK_FALSE(s.release(0, 10, 9));
  CHECK_FALSE(s.resume(0, -1, takt::no_share, 0, {}));
  CHECK_FALSE(s.resume(0, 1, takt::no_share, -1, {}));
  CHECK_FALSE(s.active(0));

  const takt::application_set<1> empty;
  takt::share_scheduler<1, takt::contention_predictor<1>> wrong(empty, takt::contention_predictor<1>(empty));
  CHECK(wrong.error().fault == takt::model_fault::no_task);
  CHECK_FALSE(wrong.release(0, 0));
  CHECK(wrong.decide(0).kind == takt::decision_kind::nothing);
}
