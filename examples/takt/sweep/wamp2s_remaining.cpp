// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/generation/shares/changing_load.hpp>
#include <takt/prediction/corun/estimate_log.hpp>
#include <takt/prediction/corun/progress_threshold.hpp>

#include "../failure.hpp"
#include "wamp2s_errors.hpp"
#include "wamp2s_networks.hpp"
#include "wamp2s_prediction_studies.hpp"

namespace takt::program::old_sweep {

namespace {

using generation::synthetic_airborne;
using generation::synthetic_benchmarks;

constexpr std::size_t most_changes = 31;
using job_errors = inline_vector<progress_error, most_changes + 1>;

struct load_setting {
  network_setting networks;
  std::int64_t jobs = 0;
  std::size_t changes = 0;
};

/// The errors of each job of an application, whose estimates its network makes.
template <std::size_t Count>
[[nodiscard]] auto errors_of(const std::array<generation::synthetic_application, Count>& set, std::size_t self,
                             const load_setting& s) -> std::vector<job_errors> {
  const trained_network known = network_of(set, self, s.networks);
  const auto profiles = profiles_of(set);
  random_stream random{s.networks.options.seed + self};
  std::vector<job_errors> out;
  generation::loaded_job<Count, most_changes + 1> job;
  for (std::int64_t n = 0; n < s.jobs; ++n) {
    generation::draw_loaded_job(set, self, s.changes, random, job);
    std::vector<ticks> lengths;
    std::vector<double> times;
    for (const auto& segment : job) {
      const auto estimate = known.model.estimate(input_of<workload_indicators>(profiles, segment.shares, self));
      if (!estimate) { throw environment_error{"a network has no estimate for a load of this study"}; }
      lengths.push_back(segment.length);
      times.push_back(estimate.time);
    }
    out.push_back(remaining_time_errors<most_changes + 1>(lengths, times));
  }
  return out;
}

[[nodiscard]] auto load_setting_of(const settings& s) -> load_setting {
  return {.networks = network_setting_of(s),
          .jobs = s.number("jobs", 1, 100'000),
          .changes = static_cast<std::size_t>(s.number("changes", 1, most_changes))};
}

[[nodiscard]] auto load_parameters(std::vector<parameter> own) -> std::vector<parameter> {
  own.push_back({"jobs", "400", "of each application"});
  own.push_back({"changes", "5", "of the load in each job"});
  return network_parameters(std::move(own));
}

[[nodiscard]] auto fig12(const settings& s) -> experiment {
  const load_setting setting = load_setting_of(s);
  experiment e;
  e.measured = measure::thousandths;
  e.sets = e.sets_per_unit = setting.jobs;
  e.title =
      "WAMP2S (Yao et al. 2022), Fig. 12 with networks under drawn loads: error of the remaining time; synthetic platform";
  e.level_title = "estimate (the first at the start, the others at a change)";
  e.level_name = "estimate";
  e.share_title = "mean error, of the response time (%)";
  e.keys = {"application"};
  e.columns = {"error_percent", "estimates"};
  for (std::size_t j = 1; j <= setting.changes + 1; ++j) { e.levels.push_back(static_cast<std::int64_t>(j) * 1000); }
  panel p{.title = fmt::format("{} changes of load", setting.changes), .curves = {}};
  std::vector<std::size_t> applications;
  for (const std::int64_t number : s.numbers("applications", 1, synthetic_benchmarks.size())) {
    applications.push_back(static_cast<std::size_t>(number - 1));
    const std::string name{synthetic_benchmarks[applications.back()].name};
    p.curves.push_back(
        {.series = e.all_series.size(), .column = 0, .title = name, .colour = static_cast<int>(e.all_series.size())});
    e.all_series.push_back({{name}});
  }
  e.panels.push_back(std::move(p));
  e.make_counter = [setting, applications] {
    const auto find = [setting, applications](std::size_t series) {
      std::vector<mean_error> out(setting.changes + 1);
      for (const job_errors& errors : errors_of(synthetic_benchmarks, applications[series], setting)) {
        for (std::size_t j = 0; j < errors.size(); ++j) { out[j].add(errors[j].error); }
      }
      return out;
    };
    return once_per_series(find, [](const auto& means, std::int64_t level, std::span<std::int64_t> counts) {
      means[static_cast<std::size_t>(level / 1000 - 1)].write(counts);
    });
  };
  return e;
}

/// Of all jobs of all applications of a set.
template <std::size_t Count>
[[nodiscard]] auto all_errors_of(const std::array<generation::synthetic_application, Count>& set, const load_setting& s)
    -> std::vector<progress_error> {
  std::vector<progress_error> out;
  for (std::size_t self = 0; self < Count; ++self) {
    for (const job_errors& errors : errors_of(set, self, s)) { out.insert(out.end(), errors.begin(), errors.end()); }
  }
  return out;
}

[[nodiscard]] auto fig13(const settings& s) -> experiment {
  const load_setting setting = load_setting_of(s);
  experiment e;
  e.measured = measure::thousandths;
  e.sets = e.sets_per_unit = setting.jobs;
  e.title =
      "WAMP2S (Yao et al. 2022), Fig. 13 with networks under drawn loads: error of the remaining time by progress; synthetic platform";
  e.level_title = "progress of the job (upper end of the bin)";
  e.level_name = "progress";
  e.share_title = "mean error, of the response time (%)";
  e.keys = {"set"};
  e.columns = {"error_percent", "estimates", "threshold_percent"};
  constexpr std::int64_t bin = errors_by_progress::bin;
  for (std::int64_t level = bin; level <= 1000; level += bin) { e.levels.push_back(level); }
  e.all_series = {{{"benchmarks"}}, {{"airborne"}}};
  e.panels = {{.title = "all applications",
               .curves = {{.series = 0, .column = 0, .title = "applications of Table 3", .colour = 0},
                          {.series = 1, .column = 0, .title = "airborne set", .colour = 1}}}};
  const auto [numerator, denominator] = s.ratio("bound");
  const double bound = static_cast<double>(numerator) / static_cast<double>(denominator) / 100;
  struct calibration {
    errors_by_progress errors;
    double threshold = 1;
  };
  e.make_counter = [setting, bound] {
    const auto find = [setting, bound](std::size_t series) {
      const auto samples =
          series == 0 ? all_errors_of(synthetic_benchmarks, setting) : all_errors_of(synthetic_airborne, setting);
      calibration out{.errors = {}, .threshold = pick_threshold(samples, bound).value_or(1)};
      for (const progress_error& one : samples) { out.errors.add(one); }
      return out;
    };
    return once_per_series(find, [](const calibration& c, std::int64_t level, std::span<std::int64_t> counts) {
      c.errors.up_to(level).write(counts);
      counts[2] = to_thousandths(100 * c.threshold);
    });
  };
  return e;
}

}  // namespace

auto wamp2s_remaining_studies() -> std::vector<study> {
  return {
      {"wamp2s-fig12-networks", "error of the networks' remaining time at each change of a drawn load",
       load_parameters({{"applications", "5,8", "of Table 3, by their number"}}), fig12},
      {"wamp2s-fig13-networks",
       "error of the networks' remaining time by progress, and the progress beyond which it stays small",
       load_parameters({{"bound", "1", "in percent, for the threshold"}}), fig13},
  };
}

}  // namespace takt::program::old_sweep
