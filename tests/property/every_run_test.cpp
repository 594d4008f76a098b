// SPDX-License-Identifier: Apache-2.0
// Bounds of tiny systems without slack are held against every run that there is, for each rule.
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include "property/every_run.hpp"
#include "property/searching_adversary.hpp"

namespace {

namespace an = takt::analysis;
constexpr std::size_t tasks = 3;
constexpr std::size_t steps = 3;
constexpr std::size_t places = 2;

struct tally {
  std::uint64_t proven = 0;
  std::uint64_t complete = 0;
  std::uint64_t reached = 0;
  std::uint64_t states = 0;
  std::uint64_t violations = 0;
};

template <class System, class Prove>
void hold(const System& given, const Prove& prove, std::uint64_t seed, std::size_t most_states, tally& count) {
  if (!prove(given).schedulable()) { return; }
  const System s = searching::tightened(given, prove);
  const auto verdict = prove(s);
  ++count.proven;
  every_run::explorer<tasks, steps, places> all{s, verdict};
  const auto seen = all.run(most_states);
  count.states += seen.states;
  count.complete += seen.complete ? 1U : 0U;
  count.reached += seen.excess == 0 ? 1U : 0U;
  count.violations += seen.excess > 0 ? 1U : 0U;
  CHECK_MESSAGE(seen.excess <= 0, "system " << seed << " under " << verdict.method << ": " << seen.excess);
}

}  // namespace

TEST_CASE("no run of a tiny system exceeds a bound") {
  const std::uint64_t systems = composed_systems::systems_or(60);
  constexpr std::size_t most_states = 20'000;
  for (int rule = 0; rule < tick_systems::rules; ++rule) {
    tally count;
    for (std::uint64_t seed = 1; seed <= systems; ++seed) {
      const auto s = tick_systems::random_both<tasks, steps, places>(seed * 64 + static_cast<std::uint64_t>(rule),
                                                                     {.rule = rule,
                                                                      .most_tasks = 2 + (seed % 4 == 0 ? 1 : 0),
                                                                      .most_steps = 3,
                                                                      .most_places = 2,
                                                                      .longest = 3,
                                                                      .most_jitter = 3,
                                                                      .spare_time = 4});
      const auto judge = [&](const auto& prove) { hold(s, prove, seed, most_states, count); };
      judge([](const auto& x) { return an::holistic(x.set, x.places); });
      judge([](const auto& x) { return an::guarded(x.set, x.places); });
      judge([](const auto& x) { return an::inflated(x.set, x.places); });
    }
    MESSAGE("rule " << rule << ": " << count.proven << " proofs, " << count.complete << " explored to the end, "
                    << count.reached << " reach a bound, " << count.states << " states");
    CHECK(count.violations == 0);
    CHECK(count.complete > count.proven / 2);
    CHECK(count.reached > count.proven / 2);
  }
}
