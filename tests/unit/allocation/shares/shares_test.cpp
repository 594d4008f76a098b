// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <utility>

#include <takt/core/random.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/systems/shares/plans/sm_shares.hpp>
#include <takt/systems/shares/plans/static_shares.hpp>
#include "support/traces.hpp"

namespace {

using takt::share;

template <std::size_t N>
[[nodiscard]] auto set_of(const std::array<std::array<takt::ticks, 2>, N>& wcet_and_period)
    -> takt::application_set<N> {
  constexpr std::string_view names = "abcdefgh";
  takt::application_set<N> table;
  for (std::size_t i = 0; i < N; ++i) {
    const auto [wcet, period] = wcet_and_period[i];
    static_cast<void>(table.add({.name = names.substr(i, 1),
                                 .period = period,
                                 .deadline = period,
                                 .priority = static_cast<std::int32_t>(N - i),
                                 .alone = takt::wcet_row::scaling(wcet)}));
  }
  return table;
}

template <std::size_t N>
[[nodiscard]] auto allocation(const std::array<int, N>& percents) -> takt::share_allocation<N> {
  takt::share_allocation<N> out;
  for (std::size_t i = 0; i < N; ++i) { REQUIRE(out.set(i, share::bounded(percents[i]))); }
  return out;
}

}  // namespace

TEST_CASE("predictions for a new job start from its request, or from what it needs alone" *
          takt_tests::traces("WAMP-27")) {
  auto table = set_of<3>({{{30, 100}, {50, 100}, {200, 100}}});
  table.tasks[0].request = share{77};
  const auto initial = takt::initial_shares(table);
  CHECK(initial[0] == share{77});
  CHECK(initial[1] == share{50});
  CHECK(initial[2] == takt::full_share);
}

TEST_CASE("fixed shares are the needs of the test where these fit, and scaled down where they do not" *
          takt_tests::traces("WAMP-51")) {
  const auto fits = set_of<3>({{{30, 100}, {20, 100}, {45, 100}}});
  const auto kept = takt::static_shares(fits, takt::contention_predictor(fits));
  CHECK(kept == allocation<3>({30, 20, 45}));

  const auto too_much = set_of<3>({{{80, 100}, {50, 100}, {1, 100}}});
  CHECK(takt::static_shares(too_much, takt::contention_predictor(too_much)) == allocation<3>({61, 38, 1}));

  // Needs of 101 four times over and the least need four times: rounded up to 1, they no longer fit all.
  const auto hopeless =
      set_of<8>({{{200, 100}, {200, 100}, {200, 100}, {200, 100}, {1, 100}, {1, 100}, {1, 100}, {1, 100}}});
  const auto scaled = takt::static_shares(hopeless, takt::contention_predictor(hopeless));
  CHECK(scaled == allocation<8>({24, 24, 24, 24, 1, 1, 1, 1}));
  CHECK(scaled.sum() <= 100);
}

TEST_CASE("shares become whole SMs by greatest remainders, and the loss is told" * takt_tests::traces("WAMP-01")) {
  const auto partition = takt::sm_shares(allocation<3>({33, 34, 33}), 10);
  CHECK(partition.possible);
  CHECK(partition.held == std::array<std::int32_t, 3>{3, 4, 3});
  CHECK(partition.lost == std::array<std::int32_t, 3>{30, 0, 30});
  CHECK(partition.lost_sum == 60);
  CHECK(partition.greatest_loss == 30);
  CHECK(partition.effective(0) == share{30});
  CHECK(partition.effective(1) == share{40});

  const auto small = takt::sm_shares(allocation<3>({1, 98, 1}), 10);
  CHECK(small.held == std::array<std::int32_t, 3>{1, 8, 1});
  CHECK(small.lost == std::array<std::int32_t, 3>{0, 180, 0});

  const auto groups = takt::sm_shares(allocation<2>({50, 50}), 17, 4);
  CHECK(groups.held == std::array<std::int32_t, 2>{8, 8});
  CHECK(groups.lost_sum == 100);

  CHECK_FALSE(takt::sm_shares(allocation<3>({30, 30, 40}), 2).possible);
  CHECK(takt::sm_shares(allocation<3>({0, 0, 0}), 2).possible);
  for (const auto& [sms, group] : {std::pair{0, 1}, {10, 0}, {10, 11}, {10, -1}, {(1 << 20) + 1, 1}}) {
    const auto refused = takt::sm_shares(allocation<3>({30, 30, 40}), sms, group);
    CHECK_FALSE(refused.possible);
    CHECK(refused.effective(0) == takt::no_share);
  }
}

TEST_CASE("no SM is granted twice, none of a full GPU is left over, and nobody with a share has none" *
          takt_tests::traces("WAMP-01")) {
  takt::random_stream random{3};
  for (int round = 0; round < 1000; ++round) {
    takt::share_allocation<4> shares;
    for (std::size_t i = 0; i < 4; ++i) {
      static_cast<void>(shares.set(i, share::bounded(static_cast<std::int32_t>(random.below(shares.left() + 1)))));
    }
    if (random.chance(1, 2)) { REQUIRE(shares.set(0, share::bounded(shares[0].percent() + shares.left()))); }
    const auto group = static_cast<std::int32_t>(random.between(1, 3));
    const auto sms = static_cast<std::int32_t>(random.between(4 * group, 140));
    const auto partition = takt::sm_shares(shares, sms, group);
    REQUIRE(partition.possible);
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(partition.held[i] % group == 0);
      CHECK((partition.held[i] > 0) == static_cast<bool>(shares[i]));
      sum += partition.held[i];
    }
    CHECK(sum <= sms);
    if (shares.sum() == 100) { CHECK(sum == sms / group * group); }
  }
}
