// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "wamp2s_sets.hpp"
#include "wamp2s_studies.hpp"

namespace takt::program::old_sweep {

namespace {

/// Columns before one per application.
enum column : std::uint8_t { without_miss, jobs, misses, first_application };

[[nodiscard]] auto design(const settings& s) -> experiment {
  experiment e;
  e.title = "WAMP2S (Yao et al. 2022), Fig. 17: the airborne set, invented platform";
  e.level_title = "minutes";
  e.level_name = "minutes";
  e.share_title = "runs without a miss (%)";
  e.levels = s.levels("levels");
  e.sets = s.number("sets", 1, 1'000'000);
  e.sets_per_unit = 1;
  e.keys = {"policy"};
  e.columns = {"without_miss", "jobs", "misses"};
  for (const auto& a : generation::synthetic_airborne) { e.columns.push_back("misses_" + std::string{a.name}); }
  panel all{"airborne set", {}};
  for (const named_policy& p : share_policies) {
    all.curves.push_back({.series = e.all_series.size(),
                          .column = without_miss,
                          .title = std::string{p.title},
                          .colour = p.colour,
                          .line = e.all_series.size() < 5 ? stroke::solid : stroke::dashed});
    e.all_series.push_back({{std::string{p.cell}}});
  }
  e.panels = {all};
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  e.make_counter = [seed] {
    return [seed, table = airborne_set()](const unit& u, std::span<std::int64_t> counts) {
      const ticks horizon = u.level * 60 * (microseconds_per_second / 1000);
      for (std::int64_t i = 0; i < u.sets; ++i) {
        const std::uint64_t own = seed + static_cast<std::uint64_t>(u.first_set + i);
        const application_releases releases{table, airborne_sporadic(), own};
        const auto run = run_policy(share_policies[u.series].policy, table, releases, horizon);
        counts[without_miss] += run.misses() == 0 ? 1 : 0;
        counts[misses] += static_cast<std::int64_t>(run.misses());
        for (std::size_t a = 0; a < run.tasks.size(); ++a) {
          counts[jobs] += static_cast<std::int64_t>(run.tasks[a].released);
          counts[first_application + a] += static_cast<std::int64_t>(run.tasks[a].misses);
        }
      }
    };
  };
  return e;
}

}  // namespace

auto wamp2s_airborne_studies() -> std::vector<study> {
  return {{"wamp2s-fig17",
           "misses of the airborne set under WAMP2S and nine other policies, simulated on an invented platform",
           {{"seed", "1", "of the releases"}, {"sets", "8", "runs"}, {"levels", "30", "minutes"}},
           design}};
}

}  // namespace takt::program::old_sweep
