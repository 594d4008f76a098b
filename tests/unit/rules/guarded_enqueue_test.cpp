// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/rules/guarded_enqueue.hpp>
#include "support/traces.hpp"

namespace {

using takt::ticks;

/// What jobs of one node are: when they are nominally released, and when what they wait for is there.
struct jobs {
  ticks separation = 1;
  std::vector<ticks> release;
  std::vector<ticks> ready;
};

/// What the guard is told: all it should know, or what spoils it.
enum class told : std::uint8_t { all, no_releases, no_separation };

/// When each job enters, by a guard that is asked at every tick.
[[nodiscard]] auto entries_of(const jobs& w, told what) -> std::vector<ticks> {
  takt::guarded_enqueue<ticks, 32> guard{what == told::no_separation ? 0 : w.separation};
  std::vector<std::pair<ticks, std::int64_t>> order;
  for (std::size_t j = 0; j < w.ready.size(); ++j) { order.emplace_back(w.ready[j], static_cast<std::int64_t>(j)); }
  std::ranges::sort(order);
  std::vector<ticks> out;
  std::size_t come = 0;
  for (ticks now = 0; out.size() < w.ready.size(); ++now) {
    for (; come < order.size() && order[come].first == now; ++come) {
      const auto job = static_cast<std::size_t>(order[come].second);
      const ticks release = what == told::no_releases ? std::numeric_limits<ticks>::max() : w.release[job];
      REQUIRE(guard.ready(order[come].second, release));
    }
    while (guard.may_enter(now)) {
      const bool first = guard.next() == 0;
      REQUIRE((first || guard.earliest() <= now));
      REQUIRE(guard.enter(now));
      out.push_back(now);
    }
    if (guard.next_is_ready() && guard.next() > 0) { REQUIRE(now < guard.earliest()); }
  }
  return out;
}

/// What must hold of entries, said of releases and what jobs wait for alone.
struct findings {
  std::uint64_t disordered = 0;
  std::uint64_t idle = 0;     ///< entered before they were ready
  std::uint64_t lagging = 0;  ///< entered after their release though they and all before them were ready
  std::uint64_t crowded = 0;  ///< less than the separation after a job that was in time, or before their own release
  std::uint64_t late = 0;     ///< jobs that could not be in time
  std::uint64_t kept = 0;     ///< jobs that were held back for the separation

  [[nodiscard]] auto wrong() const -> std::uint64_t { return disordered + idle + lagging + crowded; }
};
void judge(const jobs& w, const std::vector<ticks>& entered, findings& out) {
  ticks all_ready = 0;  // this job, and those that go before it
  for (std::size_t j = 0; j < entered.size(); ++j) {
    all_ready = std::max(all_ready, w.ready[j]);
    out.late += all_ready > w.release[j] ? 1U : 0U;
    out.idle += entered[j] < w.ready[j] ? 1U : 0U;
    out.lagging += entered[j] > std::max(all_ready, w.release[j]) ? 1U : 0U;
    if (j == 0) { continue; }
    out.disordered += entered[j] < entered[j - 1] ? 1U : 0U;
    const bool close = entered[j] - entered[j - 1] < w.separation;
    const bool was_in_time = entered[j - 1] <= w.release[j - 1];
    out.crowded += close && (was_in_time || entered[j] < w.release[j]) ? 1U : 0U;
    out.kept += entered[j] > all_ready ? 1U : 0U;
  }
}

/// Every way in which four jobs of period 2 can become ready from their invocation on to 4 ticks late.
[[nodiscard]] auto explore(told what) -> findings {
  findings out;
  constexpr ticks choices = 9;
  for (ticks code = 0; code < choices * choices * choices * choices; ++code) {
    jobs w{.separation = 2, .release = {}, .ready = {}};
    ticks rest = code;
    for (ticks j = 0; j < 4; ++j, rest /= choices) {
      w.release.push_back(4 + 2 * j);
      w.ready.push_back(2 * j + rest % choices);
    }
    judge(w, entries_of(w, what), out);
  }
  return out;
}

/// Random jobs, in some of which everything stands still for a while.
[[nodiscard]] auto draw(told what) -> findings {
  findings out;
  takt::random_stream random{5};
  for (int run = 0; run < 500; ++run) {
    jobs w{.separation = random.between(1, 9), .release = {}, .ready = {}};
    const ticks stop = random.chance(1, 2) ? random.below(60) : 1'000;
    const ticks end = stop + random.below(70);
    const ticks lead = random.below(30);
    ticks invoked = 0;
    for (std::int64_t j = 0; j < 24; ++j) {
      w.release.push_back(invoked + lead);
      const ticks early = invoked + random.below(lead + 1);
      w.ready.push_back(early < stop || early >= end ? early : end);
      invoked += w.separation + (random.chance(1, 3) ? random.below(4) : 0);
    }
    judge(w, entries_of(w, what), out);
  }
  return out;
}

}  // namespace

TEST_CASE("a guard lets jobs enter in order and a separation apart, in whatever order they become ready" *
          takt_tests::traces("OVX-29")) {
  takt::guarded_enqueue<ticks, 4> guard{10};
  CHECK(guard.ready(1, 20));
  CHECK_FALSE(guard.may_enter(0));
  CHECK(guard.ready(0, 10));
  CHECK_FALSE(guard.ready(0, 10));
  CHECK_FALSE(guard.ready(4, 50));
  CHECK(guard.may_enter(3));
  CHECK(guard.enter(3));
  CHECK_FALSE(guard.ready(0, 10));
  CHECK(guard.next_is_ready());
  CHECK(guard.earliest() == 13);
  CHECK_FALSE(guard.may_enter(12));
  CHECK(guard.may_enter(13));
  CHECK(guard.enter(13));
  CHECK_FALSE(guard.next_is_ready());
  CHECK(guard.ready(4, 50));
}

TEST_CASE("a guard lets late jobs enter at once, and is in time again with the first job that is ready in time" *
          takt_tests::traces("OVX-29")) {
  takt::guarded_enqueue<ticks, 8> guard{10};
  const auto enters = [&guard](std::int64_t job, ticks release, ticks ready) {
    REQUIRE(guard.ready(job, release));
    ticks now = ready;
    while (!guard.may_enter(now)) { ++now; }
    REQUIRE(guard.enter(now));
    return now;
  };
  CHECK(enters(0, 5, 3) == 3);
  CHECK(enters(1, 15, 38) == 38);  // stopped from 10 to 38
  CHECK(enters(2, 25, 38) == 38);
  CHECK(enters(3, 35, 38) == 38);
  CHECK(enters(4, 45, 39) == 45);  // in time: not before its release for being close to a late one
  CHECK(enters(5, 55, 45) == 55);
  CHECK(enters(6, 70, 56) == 65);  // a release that is further away leaves room for the separation
}

TEST_CASE("a guarded job enters by its nominal release if every job is ready by its own" *
          takt_tests::traces("OVX-29")) {
  takt::random_stream random{1};
  findings seen;
  for (int run = 0; run < 200; ++run) {
    jobs w{.separation = random.between(1, 9), .release = {}, .ready = {}};
    for (std::int64_t j = 0; j < 12; ++j) {
      w.release.push_back(j == 0 ? 30 : w.release.back() + w.separation + random.below(3));
      w.ready.push_back(std::max<ticks>(0, w.release.back() - random.below(30)));
    }
    const auto entered = entries_of(w, told::all);
    judge(w, entered, seen);
    for (std::size_t j = 0; j < entered.size(); ++j) {
      CHECK(entered[j] <= w.release[j]);
      if (j > 0) { CHECK(entered[j] - entered[j - 1] >= w.separation); }
    }
  }
  CHECK(seen.late == 0);
  CHECK(seen.wrong() == 0);
}

TEST_CASE("no lag outlasts what caused it, and jobs in time stay a separation apart, in every order of four jobs" *
          takt_tests::traces("OVX-29")) {
  const findings seen = explore(told::all);
  CHECK(seen.wrong() == 0);
  CHECK(seen.late > 1'000);
  CHECK(seen.kept > 1'000);
}

TEST_CASE("no lag outlasts a stop of random length, and jobs in time stay a separation apart" *
          takt_tests::traces("OVX-29")) {
  const findings seen = draw(told::all);
  CHECK(seen.wrong() == 0);
  CHECK(seen.late > 100);
  CHECK(seen.kept > 100);
}

TEST_CASE("the tests of guards notice a guard that counts from late entries, and one that keeps nothing apart") {
  CHECK(explore(told::no_releases).lagging > 0);
  CHECK(draw(told::no_releases).lagging > 0);
  CHECK(explore(told::no_separation).crowded > 0);
  CHECK(draw(told::no_separation).crowded > 0);
}

TEST_CASE("a guard counts in exact fractions, and in constant expressions, and refuses an instant that does not fit") {
  takt::guarded_enqueue<takt::rational, 2> exact{takt::rational{1, 3}};
  CHECK(exact.ready(0, takt::rational{1}));
  CHECK(exact.enter(takt::rational{1, 2}));
  CHECK(exact.ready(1, takt::rational{4, 3}));
  CHECK(exact.earliest() == takt::rational{5, 6});
  static_assert([] {
    takt::guarded_enqueue<ticks, 2> guard{3};
    return guard.ready(0, 0) && guard.enter(7) && guard.ready(1, 3) && guard.may_enter(7) && guard.enter(7);
  }());
  takt::guarded_enqueue<ticks, 2> last{3};
  CHECK(last.ready(0, 0));
  CHECK_FALSE(last.enter(std::numeric_limits<ticks>::max() - 2));
  CHECK(last.next() == 0);
}
