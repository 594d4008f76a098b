// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/rational.hpp>

#include "../failure.hpp"
#include "wamp2s_levels.hpp"
#include "wamp2s_sets.hpp"
#include "wamp2s_studies.hpp"

namespace takt::program::old_sweep {

namespace {

struct cut {
  std::string_view cell;
  std::string_view title;
  int colour;
};
constexpr std::array cuts{cut{"std", "every workload change", 5}, cut{"wdc", "WDC", 0}, cut{"aetc", "AETC", 2},
                          cut{"both", "WDC and AETC", 1}};

[[nodiscard]] auto triggers_of(std::size_t which, const rational& threshold) -> share_triggers {
  switch (which) {
    case 0: return every_change;
    case 1: return workload_decrease;
    case 2: return accumulated_execution(threshold);
    default: break;
  }
  return hybrid(threshold);
}

enum column : std::uint8_t { operations_per_job, predictions_per_job, operations, predictions, jobs, columns };
constexpr std::array<const char*, columns> names{"operations_per_job", "predictions_per_job", "operations",
                                                 "predictions", "jobs"};

/// Sums over several runs. All of it in thousandths.
struct effort_sum {
  std::array<std::int64_t, columns> sums{};
  std::int64_t runs = 0;

  void add(const share_outcome& run) {
    std::int64_t started = 0;
    const auto thousandths = [](std::uint64_t count, std::uint64_t of) {
      return of > 0 ? static_cast<std::int64_t>(count * 1000 / of) : 0;
    };
    std::int64_t ops = 0;
    std::int64_t calls = 0;
    for (const auto& a : run.activities) {
      started += static_cast<std::int64_t>(a.started);
      ops += thousandths(a.operations, a.started);
      calls += thousandths(a.predictions, a.started);
    }
    const auto applications = static_cast<std::int64_t>(run.tasks.size());
    sums[operations_per_job] += ops / applications;
    sums[predictions_per_job] += calls / applications;
    sums[operations] += static_cast<std::int64_t>(run.effort.operations) * 1000;
    sums[predictions] += static_cast<std::int64_t>(run.effort.predictions) * 1000;
    sums[jobs] += started * 1000;
    ++runs;
  }
  void write(std::span<std::int64_t> counts) const {
    for (std::size_t c = 0; c < columns; ++c) { counts[c] = sums[c] / runs; }
  }
};

[[nodiscard]] auto run_with(const application_table& table, std::size_t which, const rational& threshold,
                            const application_releases& releases, ticks horizon) -> share_outcome {
  no_trace unheard;
  return run_rules(table, wamp2s_text, triggers_of(which, threshold), releases, horizon, unheard);
}

void lay_out(experiment& e) {
  e.measured = measure::thousandths;
  e.share_title = "per job";
  e.keys = {"cuts"};
  e.columns.assign(names.begin(), names.end());
  e.panels = {{"operations while a job is active", {}}, {"predictions in them", {}}};
  for (const cut& c : cuts) {
    for (std::size_t p = 0; p < e.panels.size(); ++p) {
      e.panels[p].curves.push_back(
          {.series = e.all_series.size(), .column = p, .title = std::string{c.title}, .colour = c.colour});
    }
    e.all_series.push_back({{std::string{c.cell}}});
  }
}

[[nodiscard]] auto threshold_of(const settings& s) -> rational {
  const auto [top, bottom] = s.ratio("threshold");
  if (top < 0 || bottom <= 0 || top > bottom) { throw input_error{"threshold", "is out of range", "0 to 1"}; }
  return {top, bottom};
}

[[nodiscard]] auto fig15(const settings& s) -> experiment {
  experiment e;
  e.title = "WAMP2S (Yao et al. 2022), Fig. 15: effort of scheduling per job (Eq. 16), invented platform";
  e.level_title = "applications";
  e.level_name = "applications";
  lay_out(e);
  e.levels = whole_levels(s, 1, most_applications);
  e.sets = e.sets_per_unit = s.number("sets", 1, 1'000'000);
  const rational threshold = threshold_of(s);
  const std::int64_t load = s.number("load", 1, 1000);
  const std::int64_t periods = s.number("periods", 1, 1000);
  const std::int64_t seconds = s.number("seconds", 1, 86'400);
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  e.make_counter = [threshold, load, periods, seconds, seed] {
    return [=](const unit& u, std::span<std::int64_t> counts) {
      const auto applications = static_cast<std::size_t>(u.level / 1000);
      effort_sum sum;
      application_table table;
      for (std::int64_t i = 0; i < u.sets; ++i) {
        const auto number = static_cast<std::uint64_t>(u.level * 1'000'000 + i);
        draw({.applications = applications,
              .utilization_permille = static_cast<std::int32_t>(load * static_cast<std::int64_t>(applications))},
             seed, number, table);
        const application_releases together{table};
        sum.add(run_with(table, u.series, threshold, together, horizon_of(table, periods, seconds)));
      }
      sum.write(counts);
    };
  };
  return e;
}

[[nodiscard]] auto fig16(const settings& s) -> experiment {
  experiment e;
  e.title = "WAMP2S (Yao et al. 2022), Fig. 16: effort of scheduling the airborne set, invented platform";
  e.level_title = "threshold of AETC";
  e.level_name = "threshold";
  lay_out(e);
  e.levels = s.levels("levels");
  if (e.levels.front() < 0 || e.levels.back() > 1000) {
    throw input_error{"levels", "a threshold is out of range", "0 to 1"};
  }
  e.sets = e.sets_per_unit = s.number("sets", 1, 1000);
  const std::int64_t seconds = s.number("seconds", 1, 86'400);
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  e.make_counter = [seconds, seed] {
    return [=](const unit& u, std::span<std::int64_t> counts) {
      const application_table table = airborne_set();
      effort_sum sum;
      for (std::int64_t i = 0; i < u.sets; ++i) {
        const application_releases releases{table, airborne_sporadic(), seed + static_cast<std::uint64_t>(i)};
        sum.add(run_with(table, u.series, {u.level, 1000}, releases, seconds * microseconds_per_second));
      }
      sum.write(counts);
    };
  };
  return e;
}

}  // namespace

auto wamp2s_overhead_studies() -> std::vector<study> {
  return {{"wamp2s-fig15",
           "operations and predictions per job with WDC, AETC and both, simulated on an invented platform",
           {{"seed", "1", "of everything that is drawn"},
            {"sets", "100", "task sets per level"},
            {"levels", "3..10/1", "applications in a set"},
            {"load", "100", "utilization per application in thousandths; not printed in the paper"},
            {"threshold", "7642/10000", "of AETC"},
            {"periods", "3", "longest periods that are simulated; the paper has 200 jobs of each application"},
            {"seconds", "60", "that are simulated at most"}},
           fig15},
          {"wamp2s-fig16",
           "the same for the airborne set, by the threshold of AETC",
           {{"seed", "1", "of releases"},
            {"sets", "8", "runs"},
            {"levels", "0.5,0.6,0.68,0.8,0.9", "thresholds of AETC; 0.6796 in the paper"},
            {"seconds", "1800", "of each run"}},
           fig16}};
}

}  // namespace takt::program::old_sweep
