// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/systems/shares/figures/synthetic_platform.hpp>

namespace {

using namespace takt;
using namespace takt::generation;

/// lavaMD's stand-in beside the first so many others, all with equal shares; in milliseconds.
constexpr auto beside(std::size_t others) -> ticks {
  constexpr std::size_t self = 4;
  std::array<std::int32_t, 10> shares{};
  const auto each = 100 / static_cast<std::int32_t>(others + 1);
  shares[self] = each;
  for (std::size_t k = 0, left = others; left > 0; ++k) {
    if (k != self) {
      shares[k] = each;
      --left;
    }
  }
  return synthetic_co_run_time(synthetic_benchmarks, self, shares) / 1000;
}

static_assert(synthetic_benchmarks[4].name == "LM");

}  // namespace

TEST_CASE("on the synthetic platform lavaMD's stand-in takes longer with each co-runner in equal shares") {
  constexpr std::array<ticks, 10> known{448, 846, 1274, 1668, 2068, 2577, 2954, 3411, 3732, 4107};
  for (std::size_t others = 0; others < 10; ++others) {
    CHECK(beside(others) == known[others]);
    if (others > 0) { CHECK(beside(others) > beside(others - 1)); }
  }
}

TEST_CASE("on the synthetic platform no time increases with the share, and all of it gives the published one") {
  for (const synthetic_application& a : synthetic_benchmarks) {
    CHECK(takt::generation::detail::synthetic_isolated_wcet(a, 100) == a.wcet);
    for (std::int32_t share = 2; share <= 100; ++share) {
      CHECK(takt::generation::detail::synthetic_isolated_wcet(a, share) <=
            takt::generation::detail::synthetic_isolated_wcet(a, share - 1));
    }
  }
}

TEST_CASE("the airborne set has the published times, periods and priorities, and its utilization of 1.3377") {
  std::int64_t utilization = 0;  // in 1 / 60 000 000
  for (const synthetic_application& a : synthetic_airborne) {
    CHECK(a.wcet <= a.period);
    CHECK(60'000'000 % a.period == 0);
    utilization += a.wcet * (60'000'000 / a.period);
    CHECK(takt::generation::detail::synthetic_isolated_wcet(a, 100) == a.wcet);
  }
  CHECK(utilization / 6000 == 13377);
}

TEST_CASE("the synthetic slow-down is symmetric in what two applications use, and none where they share nothing") {
  for (const synthetic_application& a : synthetic_benchmarks) {
    CHECK(a.fixed_permille > 0);
    CHECK(a.fixed_permille <= 980);
    for (const synthetic_application& b : synthetic_benchmarks) {
      CHECK(takt::generation::detail::synthetic_slowdown_ppm(a, b) ==
            takt::generation::detail::synthetic_slowdown_ppm(b, a));
    }
  }
  synthetic_application shader = synthetic_benchmarks[0];
  shader.use_percent = {0, 0, 0, 100, 0};
  CHECK(takt::generation::detail::synthetic_slowdown_ppm(synthetic_benchmarks[0], shader) == 0);
  CHECK(takt::generation::detail::synthetic_slowdown_ppm(shader, shader) ==
        takt::generation::detail::synthetic_contention_ppm);
}
