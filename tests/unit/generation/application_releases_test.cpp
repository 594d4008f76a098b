// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/systems/shares/figures/application_releases.hpp>
#include <takt/systems/shares/figures/synthetic_sets.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
using generation::synthetic_airborne;
using releases = generation::application_releases<synthetic_airborne.size()>;

[[nodiscard]] auto airborne() -> application_set<synthetic_airborne.size()> {
  application_set<synthetic_airborne.size()> out;
  REQUIRE(generation::synthetic_set(synthetic_airborne, out) == model_fault::none);
  return out;
}

}  // namespace

TEST_CASE("without a seed all applications come at once and periodically" * takt_tests::traces("WAMP-46")) {
  const auto table = airborne();
  const releases r{table};
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::int64_t n = 0; n < 4; ++n) { CHECK(r.release(i, n) == n * table.tasks[i].period); }
  }
}

TEST_CASE("periodic applications have offsets within a period, sporadic ones come up to a period late each" *
          takt_tests::traces("WAMP-46")) {
  const auto table = airborne();
  bool late = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const releases r{table, seed, synthetic_airborne};
    for (std::size_t i = 0; i < table.size(); ++i) {
      const ticks period = table.tasks[i].period;
      const bool sporadic = synthetic_airborne[i].releases == generation::arrival::sporadic;
      CHECK(r.release(i, 0) >= 0);
      CHECK(r.release(i, 0) < (sporadic ? 2 : 1) * period);
      for (std::int64_t n = 0; n < 10; ++n) {
        const ticks gap = r.release(i, n + 1) - r.release(i, n);
        CHECK(gap >= period);
        CHECK(gap <= (sporadic ? 2 : 1) * period);
        late = late || gap > period;
      }
    }
    CHECK(r.release(1, 3) == releases{table, seed, synthetic_airborne}.release(1, 3));
  }
  CHECK(late);
}
