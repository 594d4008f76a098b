// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/allocation/analyze.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/shares/plans/judge.hpp>

namespace {

/// Applications of one period, the most important first, that need so many per cent of the GPU.
auto judged(std::array<takt::ticks, 3> needs) {
  takt::application_set<3> table;
  constexpr std::array<std::string_view, 3> names{"first", "second", "third"};
  for (std::size_t i = 0; i < needs.size(); ++i) {
    REQUIRE(table.add({.name = names[i],
                       .period = 100,
                       .deadline = 100,
                       .priority = 3 - static_cast<std::int32_t>(i),
                       .alone = takt::wcet_row::scaling(needs[i])}));
  }
  return takt::analysis::analyze_by<takt::published>(takt::platform(takt::pool(takt::gpu_shares(), takt::shares())),
                                                     table);
}

}  // namespace

TEST_CASE("the test vouches for applications from the most important down whose shares still fit") {
  const auto fits = judged({60, 30, 10});
  CHECK(fits.schedulable());
  for (const auto& t : fits.tasks) { CHECK((t.evaluated && t.meets)); }
  CHECK(fits.plan.percents[0] == 60);
  CHECK(fits.plan.percents[1] == 30);
  CHECK(fits.plan.percents[2] == 10);

  // What is full leaves no proof for the next, and none at all below that one.
  const auto full = judged({100, 20, 10});
  CHECK_FALSE(full.schedulable());
  CHECK((full.tasks[0].evaluated && full.tasks[0].meets));
  CHECK(full.tasks[1].evaluated);
  CHECK_FALSE(full.tasks[1].meets);
  CHECK_FALSE(full.tasks[2].evaluated);
  CHECK_FALSE(full.tasks[2].meets);
}
