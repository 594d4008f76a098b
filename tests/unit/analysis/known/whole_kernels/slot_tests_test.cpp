// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/generation/whole_kernels.hpp>
#include <takt/systems/accelerators/analysis/slot_tests.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
using analysis::slot_result;
constexpr std::size_t most = 16;
constexpr auto& tests = analysis::slot_tests<most>;

}  // namespace

TEST_CASE("no sound test accepts two slots in which a run misses, and every test but the printed one is sound" *
          takt_tests::traces("AP-29")) {
  generation::accelerator_set_options o;
  for (const ticks units : {10, 12, 15, 20, 30}) { REQUIRE(o.periods.try_push_back(units * 1000)); }
  std::array<int, tests.size()> accepted{};
  int rejected = 0;
  for (const std::int32_t permille : {200, 400, 600}) {
    o.core_utilization_permille = permille;
    for (std::uint64_t i = 0; i < 60; ++i) {
      task_rows<accelerator_task<ticks>, most> t;
      REQUIRE(generation::generate(o, 9, i, t) == model_fault::none);
      const auto slots = analysis::nearest_ticks(analysis::proportional_slots(t, 2, ticks{6000}));
      const auto exact = analysis::ask_slots(tests[analysis::exact_slot_test], t, {.cores = 2}, slots);
      rejected += exact == slot_result::rejected ? 1 : 0;
      for (std::size_t m = 0; m < tests.size(); ++m) {
        CAPTURE(tests[m].name);
        const auto here = analysis::ask_slots(tests[m], t, {.cores = 2}, slots);
        accepted[m] += here == slot_result::accepted ? 1 : 0;
        const bool unsound = here == slot_result::accepted && exact == slot_result::rejected;
        CHECK((!unsound || m == analysis::printed_slot_test));
      }
    }
  }
  CHECK(rejected > 0);
  CHECK(accepted[analysis::exact_slot_test] > 0);
  for (std::size_t m = 0; m < analysis::exact_slot_test; ++m) {
    CHECK(accepted[m] <= accepted[analysis::exact_slot_test]);
  }
}

TEST_CASE("slots that overlap and tasks that cannot be are rejected by every test" * takt_tests::traces("AP-29")) {
  task_rows<accelerator_task<ticks>, most> t;
  REQUIRE(generation::add_waves(t, 2, 10, 1000));
  const analysis::two_slots<ticks> overlapping{{0, 600, 1000}, {500, 500, 1000}};
  const analysis::two_slots<ticks> good{{0, 500, 1000}, {500, 500, 1000}};
  for (const auto& test : tests) {
    CAPTURE(test.name);
    CHECK(analysis::ask_slots(test, t, {.cores = 2}, overlapping) == slot_result::rejected);
  }
  CHECK(analysis::ask_slots(tests[analysis::exact_slot_test], t, {.cores = 2}, good) == slot_result::accepted);
}
