// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/rules/shares/share_baselines.hpp>
#include <takt/systems/shares/simulation/actuator.hpp>

#include "fixtures.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt::test;
using takt::share;
using takt::ticks;
namespace sim = takt::simulation;

auto steps(sim::detail::share_actuator& a, ticks from, ticks to) -> std::vector<int> {
  std::vector<int> out;
  for (ticks t = from; t <= to; ++t) {
    (void)a.advance(t);
    out.push_back(a.in_force().percent());
  }
  return out;
}

/// Never lets more be in force than there is.
struct sum_recorder {
  std::vector<int> held = std::vector<int>(few);
  std::vector<std::pair<ticks, int>> changes;

  void record(const takt::mark& /*m*/) const noexcept {}
  void record(const takt::slice& s) {
    changes.emplace_back(s.start, static_cast<int>(s.segment));
    changes.emplace_back(s.end, -static_cast<int>(s.segment));
  }
  [[nodiscard]] auto most() -> int {
    std::ranges::sort(changes);  // at one instant, what ends first
    int sum = 0;
    int out = 0;
    for (const auto& [time, change] : changes) {
      sum += change;
      out = std::max(out, sum);
    }
    return out;
  }
};

}  // namespace

TEST_CASE("without delay a share is in force at once" * takt_tests::traces("WAMP-32")) {
  sim::detail::share_actuator a;
  a.decide(share{40}, 3);
  CHECK(a.in_force() == share{40});
  CHECK(a.next_change() == takt::no_event);
  a.stop();
  CHECK(a.in_force() == takt::no_share);
}

TEST_CASE("delayed: every change comes so much later" * takt_tests::traces("WAMP-32")) {
  sim::detail::share_actuator a{5};
  a.decide(share{40}, 0);
  CHECK(a.in_force() == takt::no_share);
  CHECK(a.next_change() == 5);
  CHECK(steps(a, 1, 5) == std::vector<int>{0, 0, 0, 0, 40});
  a.decide(share{10}, 6);
  a.decide(share{30}, 8);
  CHECK(steps(a, 9, 14) == std::vector<int>{40, 40, 10, 10, 30, 30});
}

TEST_CASE("raised later: decreases at once, and an increase only to what nobody undercut meanwhile" *
          takt_tests::traces("WAMP-32")) {
  sim::detail::share_actuator a{5, sim::share_change::raised_later};
  a.decide(share{40}, 0);
  CHECK(steps(a, 5, 5) == std::vector<int>{40});
  a.decide(share{10}, 6);
  CHECK(a.in_force() == share{10});
  a.decide(share{50}, 7);
  a.decide(share{30}, 9);
  CHECK(a.in_force() == share{10});
  CHECK(steps(a, 10, 15) == std::vector<int>{10, 10, 30, 30, 30, 30});
  a.decide(share{60}, 16);
  a.decide(share{60}, 18);
  CHECK(steps(a, 19, 21) == std::vector<int>{30, 30, 60});
}

TEST_CASE("a job waits for its share, and loses its deadline when nobody reckoned with that" *
          takt_tests::traces("WAMP-32")) {
  const few_shares t = shares_of({{60, 0, 200, 80, 2}, {60, 0, 200, 200, 1}});
  for (const auto change : {sim::share_change::delayed, sim::share_change::raised_later}) {
    const sim::share_options options{.horizon = 200, .actuation_delay = 10, .change = change};
    const auto unaware = run_shares(t, few_scheduled{t, few_predictor{t}, takt::wamp2s_robust}, {}, options);
    CHECK(unaware.log.misses(0) == std::vector<ticks>{80});
    takt::share_rules rules = takt::wamp2s_robust;
    rules.actuation = 10;
    const auto aware = run_shares(t, few_scheduled{t, few_predictor{t}, rules}, {}, options);
    CHECK(aware.result.misses() == 0);
    CHECK(aware.log.ends(0).front() <= 80);
    CHECK(aware.log.ends(0).front() > 70);
  }
}

TEST_CASE("whatever the delay, the shares in force never exceed the GPU" * takt_tests::traces("WAMP-32")) {
  const few_shares t = shares_of({{60, 0, 210, 200, 5}, {40, 0, 130, 90, 4}, {30, 0, 70, 70, 3}, {25, 200, 55, 50, 2}});
  for (const auto change : {sim::share_change::delayed, sim::share_change::raised_later}) {
    for (const ticks delay : {0, 1, 3, 9, 30}) {
      for (const auto& rules : {takt::wamp2s_text, takt::wamp2s_robust}) {
        takt::scheduled_shares<few, few_predictor> policy{t, few_predictor{t}, rules};
        sum_recorder recorder;
        const auto run = sim::simulate_shares(t, policy, periodic_releases(t, 3000),
                                              {.horizon = 3000, .actuation_delay = delay, .change = change}, recorder);
        REQUIRE_FALSE(run.error);
        CHECK(recorder.most() <= 100);
        CHECK(recorder.most() > 60);
      }
    }
  }
}
