// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/systems/locked_gpus/figures/published_delays.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::generation;

/// The published rows, and those without tokens again for busy waiting.
[[nodiscard]] auto with_busy_rows() -> std::vector<configuration_delays> {
  std::vector<configuration_delays> all{published_delays.begin(), published_delays.end()};
  all.push_back({"SCHED_OTHER busy", all[0].row});
  all.push_back({"SCHED_FIFO busy", all[1].row});
  all.push_back({"C-EDF busy", all[2].row});
  return all;
}

}  // namespace

TEST_CASE("the published delays fulfil what the paper says of them, in each of its observations" *
          takt_tests::traces("GSA-49")) {
  const auto rows = with_busy_rows();
  for (const takt::generation::detail::delay_observation& o : delay_observations) {
    CAPTURE(o.text);
    CHECK(o.holds({rows, 100}));
  }
}

TEST_CASE("each observation of the delays fails for some table" * takt_tests::traces("GSA-49")) {
  for (const takt::generation::detail::delay_observation& o : delay_observations) {
    CAPTURE(o.text);
    bool fails = false;
    for (const std::int64_t drops : {0, 5000}) {
      for (const bool rising : {false, true}) {
        auto rows = with_busy_rows();
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const auto at = static_cast<std::int64_t>(rising ? i : rows.size() - i);
          rows[i].row[dropped] = drops;
          rows[i].row[deviation] = 100 + at;
        }
        fails = fails || !o.holds({rows, 100});
      }
    }
    CHECK(fails);
  }
}

TEST_CASE("delays of all graphs weigh graphs alike, and drops weigh frames" * takt_tests::traces("GSA-49")) {
  std::array<delay_row, video_rates.size()> by_rate{};
  for (auto& row : by_rate) { row.fill(700); }
  CHECK(over_all_graphs(by_rate) == by_rate[0]);
  // The two graphs of 20 ms alone: 2 of 17 graphs, but 120 of 367 frames in 1.2 s.
  for (std::size_t r = 1; r < by_rate.size(); ++r) { by_rate[r].fill(0); }
  const delay_row one = over_all_graphs(by_rate);
  CHECK(one[median] == 700 * 2 / 17);
  std::int64_t frames = 0;
  for (const takt::generation::detail::video_rate& rate : video_rates) {
    frames += rate.graphs * 1200 / rate.milliseconds;
  }
  CHECK(one[dropped] == 700 * 120 / frames);
}
