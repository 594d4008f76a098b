// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <span>
#include <vector>

#include <takt/generation/whole_kernels.hpp>
#include <takt/simulation/whole_kernels/waves_in_turn.hpp>

namespace {

using namespace takt;
using table = accelerator_table<ticks, 4>;

[[nodiscard]] auto two_kernels() -> table {
  table t;
  REQUIRE(generation::add_waves(t, 3, 10, 1000));
  REQUIRE(generation::add_waves(t, 2, 7, 1000));
  return t;
}

}  // namespace

TEST_CASE("AP-31 without a scheduler kernels take turns by waves, from the first stream on") {
  const table t = two_kernels();
  const simulation::periodic_releases<ticks, 4> at_once{t, 1000};
  // 10 7 10 7 10
  CHECK(simulation::simulate_waves_in_turn(t, at_once) == std::vector<std::vector<ticks>>{{44}, {34}});
}

TEST_CASE("AP-31 a kernel that comes during a wave waits for its end, and an idle GPU for the next release") {
  const table t = two_kernels();
  const std::array<ticks, 2> offsets{100, 105};
  const simulation::periodic_releases<ticks, 4> later{t, 1100, offsets};
  // 100: 10, 110: 7, 117: 10, 127: 7, 134: 10
  CHECK(simulation::simulate_waves_in_turn(t, later) == std::vector<std::vector<ticks>>{{44}, {29}});
  // It is then the other one's turn.
  const simulation::periodic_releases<ticks, 4> twice{t, 2000};
  CHECK(simulation::simulate_waves_in_turn(t, twice) == std::vector<std::vector<ticks>>{{44, 44}, {34, 24}});
}

TEST_CASE("AP-31 the last wave of a short job is short, and no tasks give no responses") {
  const table t = two_kernels();
  simulation::listed_releases<ticks> jobs{2};
  jobs.add(0, {0, 12});
  jobs.add(0, {5, 10});
  CHECK(simulation::simulate_waves_in_turn(t, jobs) == std::vector<std::vector<ticks>>{{12, 17}, {}});
  CHECK(simulation::simulate_waves_in_turn(table{}, simulation::listed_releases<ticks>{0}).empty());
}
