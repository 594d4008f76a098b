// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/systems/shares/simulation/history_progress.hpp>
#include "support/traces.hpp"

namespace {

using takt::random_stream;
using takt::rational;
using takt::ticks;
using takt::simulation::detail::history_progress;

}  // namespace

TEST_CASE("progress: thirds, sevenths and a rest that is only just a whole job" * takt_tests::traces("WAMP-56")) {
  takt::simulation::detail::history_progress p{4};
  p.advance(1, 3);
  p.advance(2, 7);
  CHECK_FALSE(p.finished());
  CHECK(p.time_left(21) == 8);
  CHECK(p.time_left(22) == 9);
  CHECK(p.time_left(1'000'000) == 380'953);
  p.advance(8, 21);
  CHECK(p.finished());
  CHECK(p.time_left(1000) == 0);
  p.clear();
  CHECK_FALSE(p.finished());
  CHECK(p.time_left(21) == 21);
}

TEST_CASE("progress: a sum that misses or exceeds a whole job by less than 2^-115 is told from one" *
          takt_tests::traces("WAMP-56")) {
  constexpr ticks a = (ticks{1} << 60) - 93;
  constexpr ticks b = (ticks{1} << 60) - 107;
  takt::simulation::detail::history_progress above{4};  // (a - 1) / 2a + (b + 1) / 2b = 1 + (a - b) / 2ab
  above.advance(a / 2, a);
  above.advance((b + 1) / 2, b);
  CHECK(above.finished());
  takt::simulation::detail::history_progress below{4};
  below.advance((a + 1) / 2, a);
  below.advance(b / 2, b);
  CHECK_FALSE(below.finished());
  CHECK(below.time_left(1000) == 1);
}

TEST_CASE("progress: agrees with exact fractions where these fit" * takt_tests::traces("WAMP-56")) {
  random_stream random{7};
  for (int i = 0; i < 5000; ++i) {
    takt::simulation::detail::history_progress p{8};
    rational exact;
    for (ticks n = random.between(1, 5); n > 0; --n) {
      const ticks whole = random.between(1, 300);
      const ticks executed = random.between(0, whole / 2);
      p.advance(executed, whole);
      exact += rational{executed, whole};
    }
    REQUIRE_FALSE(exact.overflowed());
    CHECK(p.finished() == !(exact < rational{1}));
    const ticks whole = random.between(1, 100'000);
    const rational left = (rational{1} - exact) * rational{whole};
    CHECK(p.time_left(whole) == (left < rational{0} ? 0 : left.ceil()));
  }
}

TEST_CASE("progress: a hundred different stretches are added up without loss" * takt_tests::traces("WAMP-56")) {
  takt::simulation::detail::history_progress p{8};
  // The sum of 1 / (k (k + 1)) for k = 1 .. 99 is 1 - 1/100.
  for (ticks k = 1; k < 100; ++k) { p.advance(1, k * (k + 1)); }
  CHECK_FALSE(p.finished());
  CHECK(p.time_left(100) == 1);
  CHECK(p.time_left(99) == 1);
  CHECK(p.time_left(101) == 2);
  p.advance(1, 100);
  CHECK(p.finished());
}

TEST_CASE("progress: none while nothing bounds the time of a job, and none beyond the end" *
          takt_tests::traces("WAMP-56")) {
  takt::simulation::detail::history_progress p{1};
  p.advance(50, std::numeric_limits<ticks>::max());
  CHECK(p.time_left(10) == 10);
  p.advance(90, 30);
  p.advance(90, 30);
  CHECK(p.finished());
  CHECK(p.time_left(std::numeric_limits<ticks>::max() - 1) == 0);
}
