// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/rules/shares/exact_progress.hpp>
#include <takt/rules/shares/job_progress.hpp>

#include "support/traces.hpp"
#include "vectors/exact_number.hpp"

namespace {

using takt::fixed_progress;
using takt::rational;
using takt::share;
using takt::ticks;
using takt::wcet_row;
using takt_vectors::exact;
using exactly = takt::exact_progress<exact>;

static_assert(takt::JobProgress<exactly>);
static_assert(takt::JobProgress<takt::exact_progress<rational>>);

}  // namespace

TEST_CASE("remaining time, rescaled, and the least share of the worked example" *
          takt_tests::traces("WAMP-25 WAMP-26 WAMP-27")) {
  constexpr auto row = wcet_row::scaling(30);
  rational theta{0};
  theta = takt::detail::advanced(theta, rational{10}, rational{40});
  theta = takt::detail::advanced(theta, rational{9}, rational{30});
  CHECK(theta == rational{11, 20});
  const rational left = takt::detail::remaining_time(rational{60}, theta);
  CHECK(left == rational{27});
  const rational now{row.at(share{50})};
  const rational bound = takt::detail::longest_time_alone(rational{50 - 19}, now, left);
  CHECK(bound == rational{620, 9});
  CHECK(takt::least_share(row, bound) == 45);
  CHECK_FALSE(rational{50 - 19} < takt::rescaled(left, now, rational{row.at(share{45})}));
  CHECK(rational{50 - 19} < takt::rescaled(left, now, rational{row.at(share{44})}));

  const auto agrees = [&](auto progress) {
    progress.advance(10, 40);
    progress.advance(9, 30);
    CHECK(progress.time_left(60) == 27);
    CHECK(progress.fits(60, 27));
    CHECK_FALSE(progress.fits(60, 26));
    CHECK_FALSE(progress.fits(takt::unbounded_time, 60));
    CHECK(progress.fits(0, 0));
    CHECK_FALSE(progress.fits(0, -1));
    const takt::slowdown none{row.at(share{50}), row.at(share{50})};
    CHECK(progress.fits_rescaled(row.at(share{45}), none, row.at(share{50}), 31));
    CHECK_FALSE(progress.fits_rescaled(row.at(share{44}), none, row.at(share{50}), 31));
    CHECK(progress.beyond(rational{10, 20}));
    CHECK_FALSE(progress.beyond(rational{11, 20}));
  };
  agrees(fixed_progress::start(60));
  agrees(fixed_progress::start(1));
  agrees(exactly::start(60));
}

TEST_CASE("every interval counts at the share that it ran with, not at the present one (U10)" *
          takt_tests::traces("WAMP-25")) {
  // 10 ticks at the whole GPU, 20 in all; now half of it, 40 in all.
  const rational right =
      takt::detail::remaining_time(rational{40}, takt::detail::advanced(rational{0}, rational{10}, rational{20}));
  const rational as_printed =
      takt::detail::remaining_time(rational{40}, takt::detail::advanced(rational{0}, rational{10}, rational{40}));
  CHECK(right == rational{20});
  CHECK(as_printed == rational{30});
  // The other way round the printed line promises too much: half the job seems done after a quarter.
  const rational back =
      takt::detail::remaining_time(rational{20}, takt::detail::advanced(rational{0}, rational{10}, rational{40}));
  const rational back_as_printed =
      takt::detail::remaining_time(rational{20}, takt::detail::advanced(rational{0}, rational{10}, rational{20}));
  CHECK(back == rational{15});
  CHECK(back_as_printed == rational{10});
}

TEST_CASE("bisection finds what a scan finds, and no slack means infeasible" * takt_tests::traces("WAMP-27")) {
  takt::random_stream random{27};
  for (int round = 0; round < 200; ++round) {
    std::array<ticks, wcet_row::shares> times{};
    for (auto& t : times) { t = random.between(1, 400); }
    const auto row = wcet_row::measured(times);
    for (const ticks limit : {ticks{-5}, ticks{0}, random.between(1, 420), row.at(share{37}), ticks{401}}) {
      const auto suffices = [&](share held) { return row.at(held) <= limit; };
      CHECK(takt::detail::least_sufficient_share(suffices) == takt::detail::first_sufficient_share(suffices));
      const rational bound{limit};
      const auto need = takt::least_share(row, bound);
      CHECK(need == (limit > 0 ? row.least_share(limit) : takt::no_share_suffices));
    }
  }
  const auto row = wcet_row::scaling(30);
  CHECK(takt::least_share(row, rational{0}) == takt::no_share_suffices);
  CHECK(takt::least_share(row, rational{-1}) == takt::no_share_suffices);
  CHECK(takt::least_share(row, rational{1, 0}) == takt::no_share_suffices);
  auto done = fixed_progress::start(30);
  done.advance(30, 30);
  CHECK(done.finished());
  CHECK_FALSE(done.fits_rescaled(30, {30, 30}, 30, 0));
  CHECK(done.fits_rescaled(30, {30, 30}, 30, 1));
}

TEST_CASE("less than a tick of a running job counts as a whole one" * takt_tests::traces("WAMP-25")) {
  const auto row = wcet_row::scaling(30);
  const auto check = [&](auto progress) {
    progress.advance(299, 300);
    // A tenth of a tick is left with the whole GPU; a slack of 2 covers one tick with half of it, not with less.
    CHECK(progress.fits_rescaled(row.at(share{50}), {30, 30}, 30, 2));
    CHECK_FALSE(progress.fits_rescaled(row.at(share{49}), {30, 30}, 30, 2));
  };
  check(fixed_progress::start(30));
  check(exactly::start(30));
}

TEST_CASE("progress in a fixed size is exact while it fits, and never ahead of the exact one" *
          takt_tests::traces("WAMP-25")) {
  takt::random_stream random{25};
  for (int round = 0; round < 300; ++round) {
    const bool small = round % 3 == 0;
    const ticks longest = small ? 1000 : ticks{1} << random.between(20, 52);
    const ticks reference = random.between(1, longest);
    auto fixed = fixed_progress::start(reference);
    auto reference_progress = exactly::start(reference);
    const int segments = small ? 4 : 12;
    for (int s = 0; s < segments; ++s) {
      const ticks whole = random.between(1, longest);
      const ticks run = random.below(whole / segments + 1);
      fixed.advance(run, whole);
      reference_progress.advance(run, whole);
      // A time at which one step of the grid shows.
      const ticks probe = small ? random.between(1, longest) : (ticks{1} << 62) - random.below(1000);
      const ticks slack = reference_progress.time_left(probe);
      if (small) {
        CHECK(fixed.time_left(probe) == slack);
        CHECK(fixed.fits(probe, slack));
        CHECK(fixed.fits(probe, slack - 1) == reference_progress.fits(probe, slack - 1));
      } else {
        CHECK(fixed.time_left(probe) >= slack);
        CHECK(fixed.time_left(reference) <= reference_progress.time_left(reference) + 1);
        if (fixed.fits(probe, slack)) { CHECK(reference_progress.fits(probe, slack)); }
      }
      CHECK((!fixed.beyond({7642, 10000}) || reference_progress.beyond({7642, 10000})));
    }
  }
}

TEST_CASE("rounding keeps a job on time that is exactly as fast as its deadline demands" *
          takt_tests::traces("WAMP-25")) {
  takt::random_stream random{2};
  for (int round = 0; round < 200; ++round) {
    const ticks whole = random.between(ticks{1} << 30, ticks{1} << 45);
    auto progress = fixed_progress::start(whole);
    ticks passed = 0;
    // Faster for a while, or as fast: what is left of the slack covers what is left of the job at every change.
    for (int s = 0; s < 12; ++s) {
      // A gain that is less than a step of the grid shows whether the step is the right one.
      const ticks run = random.chance(1, 2) ? random.between(1, 3) : random.between(1, whole / 24);
      const ticks faster = random.chance(1, 4) ? whole - random.below(whole / 50) : whole - random.below(3);
      progress.advance(run, faster);
      passed += run;
      CHECK(progress.fits(whole, whole - passed));
    }
    progress.advance(whole - passed, whole);
    CHECK(progress.finished());
  }
}

TEST_CASE("times that do not fit make no progress and cover no slack" * takt_tests::traces("WAMP-25")) {
  auto progress = fixed_progress::start(100);
  progress.advance(50, takt::unbounded_time);
  CHECK(progress.time_left(100) == 100);
  CHECK_FALSE(progress.fits(takt::unbounded_time, takt::unbounded_time));
  CHECK_FALSE(progress.fits_rescaled(10, {takt::unbounded_time, 10}, 10, 1000));
  CHECK_FALSE(progress.fits(100, -1));
  CHECK_FALSE(progress.beyond({1, 0}));
  CHECK(progress.beyond({-1}));

  auto narrow = takt::exact_progress<rational>::start(1);
  for (const ticks prime : {1'000'003, 1'000'033, 1'000'037, 1'000'039}) { narrow.advance(1, prime); }
  CHECK_FALSE(narrow.finished());
  CHECK(narrow.time_left(1'000'000) == 1'000'000);
  CHECK_FALSE(narrow.beyond({0}));
}
