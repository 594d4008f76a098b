// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>
#include <takt/systems/rtgpu/plans/rtgpu_tests.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
using table = task_table<ticks, 5, 5 * 17>;

[[nodiscard]] auto drawn(const generation::rtgpu_options& o, std::uint64_t index) -> table {
  table t;
  REQUIRE(generation::generate(o, 3, index, t) == model_fault::none);
  prioritize(t, by_relative_deadline{});
  return t;
}

}  // namespace

TEST_CASE("what the published test accepts takt's own accepts, and each test accepts some set and not all" *
          takt_tests::traces("RTGPU-50")) {
  for (const bool shared : {false, true}) {
    std::array<int, 5> accepted{};
    int sets = 0;
    for (const std::int32_t utilization : {100, 600, 3000}) {
      const generation::rtgpu_options o{.utilization_permille = utilization, .sms = 5, .shared_sms = shared};
      for (std::uint64_t i = 0; i < 8; ++i) {
        const table t = drawn(o, i);
        ++sets;
        std::array<bool, 5> here{};
        for (std::size_t m = 0; m < here.size(); ++m) {
          const auto plan = rtgpu_tests<table>[m].find(t, generation::platform_of(o), 2000);
          here[m] = plan.feasible;
          accepted[m] += plan.feasible ? 1 : 0;
        }
        CHECK((here[1] || !here[0]));
      }
    }
    for (std::size_t m = 0; m < accepted.size(); ++m) {
      CAPTURE(rtgpu_tests<table>[m].name);
      CHECK(accepted[m] > 0);
      CHECK(accepted[m] < sets);
    }
  }
}

TEST_CASE("a search that is given up says so, and more tasks with kernels than SMs have no plan" *
          takt_tests::traces("RTGPU-50")) {
  const generation::rtgpu_options o{.utilization_permille = 1500};
  bool given_up = false;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto plan = rtgpu_tests<table>[0].find(drawn(o, i), generation::platform_of(o), 3);
    given_up = given_up || (!plan.feasible && !plan.effort.complete);
  }
  CHECK(given_up);
  const generation::rtgpu_options few{.sms = 2};
  CHECK_FALSE(rtgpu_tests<table>[1].find(drawn(few, 0), generation::platform_of(few), 2000).feasible);
}
