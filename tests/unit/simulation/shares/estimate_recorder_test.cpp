// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/systems/shares/figures/application_releases.hpp>
#include <takt/systems/shares/figures/synthetic_sets.hpp>
#include <takt/systems/shares/simulation/estimate_recorder.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
constexpr std::size_t most = 5;
using table = application_set<most>;
using predictor = contention_predictor<most>;

struct seen_errors {
  std::int64_t jobs = 0;
  std::int64_t estimates = 0;
  double worst = 0;
};

/// What a recorder hears of half an hour of the first so many applications of the airborne set.
[[nodiscard]] auto hear(std::size_t applications) -> seen_errors {
  table t;
  REQUIRE(generation::synthetic_set(std::span{generation::synthetic_airborne}.first(applications), t) ==
          model_fault::none);
  seen_errors out;
  simulation::estimate_recorder recorder{t, predictor{t}, [&out](std::size_t, std::span<const progress_error> errors) {
                                           ++out.jobs;
                                           for (const progress_error& e : errors) {
                                             ++out.estimates;
                                             CHECK(e.progress >= 0);
                                             CHECK(e.progress <= 1);
                                             out.worst = out.worst < e.error ? e.error : out.worst;
                                           }
                                         }};
  scheduled_shares<most, predictor> policy{t, predictor{t}, wamp2s_text};
  const generation::application_releases releases{t, 3, generation::synthetic_airborne};
  constexpr ticks half_an_hour = 1'800'000'000;
  const auto run =
      simulation::simulate_shares(t, policy, releases.before(half_an_hour), {.horizon = half_an_hour}, recorder);
  REQUIRE_FALSE(run.error);
  CHECK(recorder.complete());
  std::uint64_t completed = 0;
  for (const auto& task : run.tasks) { completed += task.completed; }
  CHECK(static_cast<std::uint64_t>(out.jobs) == completed);
  return out;
}

}  // namespace

TEST_CASE("the estimates of an application alone are exact, as its predictor knows the platform" *
          takt_tests::traces("WAMP-41")) {
  const seen_errors alone = hear(1);
  CHECK(alone.jobs > 1000);
  CHECK(alone.estimates >= alone.jobs);
  CHECK(alone.worst < 1e-5);
}

TEST_CASE("with others that come and leave an estimate is made at every change, and some are wrong" *
          takt_tests::traces("WAMP-41")) {
  const seen_errors all = hear(generation::synthetic_airborne.size());
  CHECK(all.estimates > all.jobs);
  CHECK(all.worst > 0.01);
}
