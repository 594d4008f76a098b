// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/prediction/corun/fuzzy_predictor.hpp>
#include <takt/prediction/corun/scaled_predictor.hpp>
#include <takt/prediction/corun/table_predictor.hpp>
#include <takt/prediction/corun/worst_corner_heuristic.hpp>
#include <takt/rules/shares/co_run_predictor.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;

using exact = contention_predictor<4>;
using fuzzy = fuzzy_predictor<8, 2>;
using table = table_predictor<4>;

static_assert(CoRunPredictor<fuzzy> && !WorstLoadPredictor<fuzzy> && !falls_with_share<fuzzy>);
static_assert(CoRunPredictor<table> && WorstLoadPredictor<table>);
static_assert(WorstLoadPredictor<scaled_predictor<exact>> && falls_with_share<scaled_predictor<exact>>);
static_assert(WorstLoadPredictor<scaled_predictor<table>> && !falls_with_share<scaled_predictor<table>>);
static_assert(CoRunPredictor<scaled_predictor<fuzzy>> && !WorstLoadPredictor<scaled_predictor<fuzzy>>);
static_assert(WorstLoadPredictor<worst_corner_heuristic<fuzzy>>);
static_assert(WorstLoadPredictor<scaled_predictor<worst_corner_heuristic<fuzzy>>>);

constexpr auto contending_set() -> application_set<4> {
  application_set<4> out;
  for (const ticks wcet : {1000, 2000, 3000}) {
    static_cast<void>(out.add({.name = "",
                               .period = 100'000,
                               .deadline = 100'000,
                               .priority = static_cast<std::int32_t>(out.size()),
                               .alone = wcet_row::scaling(wcet, 100)}));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (i != k) { out.contention.set(i, k, static_cast<std::uint32_t>(100'000 * (i + 2 * k + 1))); }
    }
  }
  return out;
}

/// Time 1000 / share of its own, for any load: a linear rule in one input.
auto simple_model() -> co_run_model<3, 8> {
  co_run_model<3, 8> m;
  fuzzy_rule<3> r{.center = {}, .width = {1, 1, 1}, .slope = {0.5, 0, -0.25}};
  r.weight = 0.5;
  REQUIRE(m.network.rules.try_push_back(r));
  m.inputs = {value_range{0, 10}, value_range{0, 10}, value_range{0, 100}};
  m.target = {0, 1000};
  m.scale = target_scale::linear;
  return m;
}

}  // namespace

TEST_CASE("the networks of a set answer for each application under the load of the others" *
          takt_tests::traces("WAMP-08 WAMP-10")) {
  const std::vector models{simple_model(), simple_model()};
  const std::vector<workload_profile<2>> profiles{{1, 2}, {8, 4}};
  const fuzzy predictor{models, profiles};
  const std::array<co_runner, 1> other{co_runner{1, share{50}}};
  // 8 x 50 % = 4 of 10 in the first input: 500 + 0.4 x 500 - 0.4 x 250.
  CHECK(predictor.predict(0, share{40}, std::span<const co_runner>{other}) == 600);
  CHECK(predictor.predict(0, share{41}, std::span<const co_runner>{other}) == 598);  // 597.5, up
  CHECK(predictor.predict(0, share{40}, std::span<const co_runner>{}) == 400);
  CHECK(predictor.estimate(0, share{40}, other).status == estimate_status::estimated);
}

TEST_CASE("a load beyond the training is estimated and said to be so; an unknown task has no time" *
          takt_tests::traces("WAMP-22")) {
  const std::vector models{simple_model(), simple_model()};
  const std::vector<workload_profile<2>> profiles{{1, 2}, {30, 4}};
  const fuzzy predictor{models, profiles};
  const std::array<co_runner, 1> heavy{co_runner{1, share{50}}};
  CHECK(predictor.estimate(0, share{40}, heavy).status == estimate_status::extrapolated);
  CHECK(predictor.predict(0, share{40}, std::span<const co_runner>{heavy}) == 1150);
  CHECK(predictor.predict(2, share{40}, std::span<const co_runner>{}) == unbounded_time);
  const std::array<co_runner, 1> unknown{co_runner{2, share{50}}};
  CHECK(predictor.predict(0, share{40}, std::span<const co_runner>{unknown}) == unbounded_time);
}

TEST_CASE("a table answers with the longest time recorded beside the same applications" *
          takt_tests::traces("WAMP-08")) {
  static table recorded;
  const std::array<co_runner, 2> load{co_runner{1, share{30}}, co_runner{2, no_share}};
  const std::array<co_runner, 1> beside{co_runner{1, share{10}}};
  CHECK(recorded.record(0, share{41}, load, 500));
  CHECK(recorded.record(0, share{41}, beside, 450));
  CHECK(recorded.predict(0, share{41}, load) == 500);
  CHECK(recorded.predict(0, share{100}, beside) == 500);
  CHECK(recorded.predict(0, share{40}, load) == unbounded_time);
  CHECK(recorded.predict(0, share{41}, std::span<const co_runner>{}) == unbounded_time);

  // What was recorded at 42 holds from 46 on, the beginning of the next step.
  CHECK(recorded.record(2, share{42}, load, 300) == false);
  CHECK(recorded.record(3, share{42}, load, 300));
  CHECK(recorded.predict(3, share{45}, load) == unbounded_time);
  CHECK(recorded.predict(3, share{46}, load) == 300);
  CHECK(recorded.record(3, share{100}, load, 1));
  CHECK(recorded.predict(3, share{100}, load) == 300);
}

TEST_CASE("the worst load of a table is the longest over all sets of co-runners, and all have to be known" *
          takt_tests::traces("WAMP-08")) {
  static table recorded;
  const std::array<co_runner, 2> both{co_runner{1, share{1}}, co_runner{2, share{1}}};
  const std::span<const co_runner> all{both};
  CHECK(recorded.record(0, share{1}, all, 100));
  CHECK(recorded.record(0, share{1}, all.subspan(0, 1), 300));
  CHECK(recorded.record(0, share{1}, all.subspan(1), 200));
  CHECK(recorded.predict_worst(0, share{50}, all) == unbounded_time);
  CHECK(recorded.record(0, share{1}, std::span<const co_runner>{}, 50));
  CHECK(recorded.predict_worst(0, share{50}, all) == 300);
  CHECK(recorded.predict_worst(0, share{50}, all.subspan(1)) == 200);
  CHECK_FALSE(recorded.record(0, share{1}, all, 0));
  CHECK_FALSE(recorded.record(4, share{1}, std::span<const co_runner>{}, 1));
}

TEST_CASE("a table of recorded contention never answers less than the contention that was recorded" *
          takt_tests::traces("WAMP-08")) {
  constexpr auto set = contending_set();
  const exact truth{set};
  static table recorded;
  random_stream random{11};
  struct observation {
    share own;
    std::array<co_runner, 2> load;
  };
  std::vector<observation> seen;
  for (int i = 0; i < 500; ++i) {
    const auto own = static_cast<std::int32_t>(random.between(1, 98));
    const auto first = static_cast<std::int32_t>(random.between(0, 100 - own));
    const auto second = static_cast<std::int32_t>(random.between(0, 100 - own - first));
    seen.push_back({share::bounded(own), {co_runner{1, share::bounded(first)}, co_runner{2, share::bounded(second)}}});
    CHECK(recorded.record(0, seen.back().own, seen.back().load, truth.predict(0, seen.back().own, seen.back().load)));
  }
  for (const observation& o : seen) {
    // The step that an observation counts from begins at most four per cent above it.
    const share own = share::bounded(o.own.percent() + 4);
    CHECK(recorded.predict(0, own, o.load) >= truth.predict(0, own, o.load));
  }
}

TEST_CASE("a margin of e / (1 - e) makes up for estimates that are too short by e; one of e does not" *
          takt_tests::traces("WAMP-56")) {
  constexpr auto set = contending_set();
  const exact truth{set};
  for (const std::int64_t error : {1, 1000, 10'000, 100'000, 333'333, 900'000}) {
    const scaled_predictor safe{truth, -error, margin_against(error)};
    for (std::int32_t own = 1; own <= 60; ++own) {
      const std::array<co_runner, 2> load{co_runner{1, share{20}}, co_runner{2, share{20}}};
      const share mine = share::bounded(own);
      CHECK(safe.predict(0, mine, std::span<const co_runner>{load}) >= truth.predict(0, mine, load));
      CHECK(safe.predict_worst(0, mine, std::span<const co_runner>{load}) >= truth.predict_worst(0, mine, load));
    }
  }
  constexpr auto long_set = [] {
    application_set<4> out;
    static_cast<void>(
        out.add({.name = "", .period = 10'000'000, .deadline = 10'000'000, .alone = wcet_row::scaling(1'000'000)}));
    return out;
  }();
  const exact long_truth{long_set};
  const scaled_predictor short_margin{long_truth, -100'000, 100'000};
  const scaled_predictor full_margin{long_truth, -100'000, margin_against(100'000)};
  CHECK(short_margin.predict(0, full_share, std::span<const co_runner>{}) == 990'000);
  CHECK(full_margin.predict(0, full_share, std::span<const co_runner>{}) >= 1'000'000);
}

TEST_CASE("scaling agrees with exact contention under the same bias and margin, up to one rounding" *
          takt_tests::traces("WAMP-56")) {
  constexpr auto set = contending_set();
  for (const std::int64_t bias : {-200'000, -1, 0, 10'000, 500'000}) {
    const exact known{set, bias, 50'000};
    const scaled_predictor scaled{exact{set}, bias, 50'000};
    for (std::int32_t own = 1; own <= 100; ++own) {
      const share mine = share::bounded(own);
      const ticks difference = scaled.predict(1, mine, std::span<const co_runner>{}) - known.predict(1, mine, {});
      CHECK(difference >= 0);
      CHECK(difference <= 4);
    }
  }
}

TEST_CASE("scaling saturates and keeps what has no time" * takt_tests::traces("WAMP-56")) {
  CHECK(takt::detail::slowed_down(unbounded_time, -999'999) == unbounded_time);
  CHECK(takt::detail::slowed_down(unbounded_time / 2, 2'000'000) == unbounded_time);
  CHECK(takt::detail::slowed_down(1, -999'999) == 1);
  CHECK(takt::detail::slowed_down(10, 100'000) == 11);
  CHECK(takt::detail::slowed_down(11, 100'000) == 13);
}

TEST_CASE("the corners are the worst load of a contention that adds up" * takt_tests::traces("WAMP-08")) {
  constexpr auto set = contending_set();
  const exact truth{set};
  const worst_corner_heuristic corners{truth};
  const std::array<co_runner, 2> others{co_runner{1, share{1}}, co_runner{2, share{1}}};
  for (std::int32_t own = 1; own <= 100; ++own) {
    const share mine = share::bounded(own);
    CHECK(corners.predict_worst(0, mine, std::span<const co_runner>{others}) == truth.predict_worst(0, mine, others));
    CHECK(corners.predict_worst(0, mine, std::span<const co_runner>{}) == truth.predict_worst(0, mine, {}));
  }
}
