// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>

#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/share_scheduler.hpp>

#include "support/traces.hpp"
#include "unit/rules/shares/share_host.hpp"

namespace {

using namespace takt_tests;
using takt::share;
using takt::ticks;
using predictor = takt::contention_predictor<3>;
using errors = std::array<std::int64_t, 3>;

/// Alone 20 ticks with half of the GPU; only the first is slowed down by the others.
constexpr auto three_of_ten = [] {
  auto t = applications<3>({{{10, 100, 100, 3}, {10, 100, 100, 2}, {10, 100, 100, 1}}});
  t.contention.set(0, 1, 60'000);
  t.contention.set(0, 2, 45'000);
  return t;
}();

/// Equal but for their priorities: 10000 / share, rounded up, to be done within 400.
constexpr auto three_of_hundred = applications<3>({{{100, 400, 400, 3}, {100, 400, 400, 2}, {100, 400, 400, 1}}});
/// One per cent too long, right, and half of the truth.
constexpr errors long_right_short{10'000, 0, -500'000};

}  // namespace

TEST_CASE("each application's times are wrong by its own error, with one rounding up" * takt_tests::traces("WAMP-56")) {
  constexpr predictor p{three_of_ten, errors{500'000, -500'000, 0}};
  constexpr std::array<takt::co_runner, 2> load{{{1, share{30}}, {2, share{20}}}};
  static_assert(p.predict(0, share{50}, load) == 31);        // 20 x 1.027 x 1.5 = 30.81; by two roundings 32
  static_assert(p.predict_worst(0, share{50}, load) == 31);  // 20 x 1.03 x 1.5 = 30.9
  static_assert(p.predict(1, share{50}, load) == 10);
  static_assert(p.predict_worst(1, share{50}, load) == 10);
  static_assert(p.predict(2, share{50}, load) == 20);
  constexpr predictor with_margin{three_of_ten, errors{500'000, -500'000, 0}, 1'000'000};
  static_assert(with_margin.predict(0, share{50}, load) == 62);  // 61.62
  static_assert(with_margin.predict(1, share{50}, load) == 20);
  static_assert(with_margin.predict_worst(2, share{50}, load) == 40);
  CHECK(with_margin.predict_worst(0, share{50}, load) == 62);  // 61.8
}

TEST_CASE("equal errors of each application are one error of all" * takt_tests::traces("WAMP-56")) {
  constexpr std::array<takt::co_runner, 2> load{{{1, share{30}}, {2, share{20}}}};
  const predictor of_each{three_of_ten, errors{12'345, 12'345, 12'345}, 678};
  const predictor of_all{three_of_ten, 12'345, 678};
  for (std::int32_t percent = 1; percent <= 100; ++percent) {
    for (std::size_t i = 0; i < three_of_ten.size(); ++i) {
      const share own = share::bounded(percent);
      CHECK(of_each.predict(i, own, load) == of_all.predict(i, own, load));
      CHECK(of_each.predict_worst(i, own, load) == of_all.predict_worst(i, own, load));
    }
  }
}

TEST_CASE("a time that an error takes out of 64 bits is unbounded; the others stay exact" *
          takt_tests::traces("WAMP-56")) {
  constexpr ticks great = std::numeric_limits<ticks>::max() / 4;  // of 2^63 - 1 a quarter, rounded down: 2^61 - 1
  auto t = applications<3>({{{great, 100, 100, 3}, {great, 100, 100, 2}, {great, 100, 100, 1}}});
  const predictor p{t, errors{3'000'000, 3'500'000, -500'000}};
  CHECK(p.predict(0, takt::full_share, {}) == 4 * great);
  CHECK(p.predict(1, takt::full_share, {}) == takt::unbounded_time);
  CHECK(p.predict(2, takt::full_share, {}) == great / 2 + 1);
}

TEST_CASE("the sufficient test asks for as much as each application's error makes of its time" *
          takt_tests::traces("WAMP-56 WAMP-51")) {
  // 1.01 x 385 <= 400 with 26 per cent and 1.01 x 400 > 400 with 25; 400 <= 400 with 25; 0.5 x 770 <= 400 with 13
  // and 0.5 x 834 > 400 with 12.
  constexpr auto test =
      takt::analysis::sufficient_shares(three_of_hundred, predictor{three_of_hundred, long_right_short});
  CHECK(test.tasks[0].need == 26);
  CHECK(test.tasks[1].need == 25);
  CHECK(test.tasks[2].need == 13);
  CHECK(test.sum == 64);
}

TEST_CASE("an operation predicts each application with its own error" * takt_tests::traces("WAMP-56 WAMP-29")) {
  takt::share_scheduler<3, predictor> s(three_of_hundred, predictor{three_of_hundred, long_right_short},
                                        takt::wamp2s_text);
  for (std::size_t i = 0; i < 3; ++i) { REQUIRE(s.release(i, 0)); }
  const auto& d = s.decide(0);
  CHECK(d.schedulable);
  REQUIRE(d.examined.size() == 3);
  // From 400 ticks with the reference share of 25: the needs are those for 400 x 400 / 404, 400 and 400 x 400 / 200.
  CHECK(d.examined[0].predicted == 404);
  CHECK(d.examined[1].predicted == 400);
  CHECK(d.examined[2].predicted == 200);
  CHECK(d.examined[0].need == 26);
  CHECK(d.examined[1].need == 25);
  CHECK(d.examined[2].need == 13);
  // 36 are left over for priorities 3, 2 and 1.
  CHECK(d.shares[0].percent() == 44);
  CHECK(d.shares[1].percent() == 37);
  CHECK(d.shares[2].percent() == 19);
}
