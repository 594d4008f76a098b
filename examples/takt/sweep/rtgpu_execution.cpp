// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rtgpu_sets.hpp"
#include "rtgpu_studies.hpp"

namespace takt::program::sweep {

namespace {

enum column : std::uint8_t { by_rtgpu, by_takt, undecided, simulated, accepted_but_missed, columns };

struct question {
  std::uint64_t seed = 1;
  std::uint64_t effort = 0;
  std::int64_t periods = 0;
};

/// A set runs with the plan that an analysis accepts, the published one first, or with an even split where none does.
/// The accepted plan of each analysis must not miss.
void count_set(const study_table& table, const platform_record& platform, const question& q,
               std::span<std::int64_t> counts) {
  const auto runs = [&](const study_plan& p) { return runs_without_miss(table, platform, p, q.periods); };
  const study_plan published = find_plan(method::rtgpu, table, platform, q.effort);
  const study_plan sharper = find_plan(method::takt, table, platform, q.effort);
  // Whatever the published analysis accepts, the sharper one accepts with the same plan, found or not.
  const bool accepted = published.feasible || sharper.feasible;
  const bool well = runs(published.feasible ? published : sharper);
  const bool both_well = well && (!published.feasible || !sharper.feasible || runs(sharper));
  counts[by_rtgpu] += published.feasible ? 1 : 0;
  counts[by_takt] += accepted ? 1 : 0;
  counts[undecided] += accepted || sharper.effort.complete ? 0 : 1;
  counts[simulated] += well ? 1 : 0;
  counts[accepted_but_missed] += accepted && !both_well ? 1 : 0;
}

[[nodiscard]] auto make_counter(std::vector<rtgpu_setting> all, const question& q) -> counter {
  return [all = std::move(all), q, table = std::make_shared<study_table>()](const unit& u,
                                                                            std::span<std::int64_t> counts) {
    const rtgpu_setting& setting = all[u.series];
    const platform_record platform = setting.platform();
    for (std::int64_t i = 0; i < u.sets; ++i) {
      draw(setting, q.seed, u.level, u.first_set + i, *table);
      count_set(*table, platform, q, counts);
    }
  };
}

struct drawn {
  std::size_t column;
  std::string_view title;
  int colour;
};
constexpr std::array curves{drawn{by_rtgpu, "RTGPU as published", 0}, drawn{by_takt, "takt, sharper", 1},
                            drawn{simulated, "simulated", 5}};

/// Every number of tasks with every number of SMs.
[[nodiscard]] auto design(const settings& s, const std::string& title, bool shared) -> experiment {
  experiment e;
  apply_common(s, e);
  e.title = title;
  e.keys = {"tasks", "sms", "copies"};
  e.columns = {"rtgpu", "takt", "takt_undecided", "simulated", "accepted_but_missed"};
  rtgpu_setting setting = rtgpu_setting_of(s);
  setting.shared = shared;
  const auto sms = s.numbers("sms", 1, 1000);
  e.panels_per_row = sms.size();
  std::vector<rtgpu_setting> all;
  for (const std::int64_t tasks : s.numbers("tasks", 1, most_tasks)) {
    for (const std::int64_t count : sms) {
      setting.options.tasks = static_cast<std::int32_t>(tasks);
      setting.options.sms = static_cast<std::int32_t>(count);
      panel p{.title = fmt::format("{} tasks on {} {}SMs", tasks, count, shared ? "shared " : ""), .curves = {}};
      for (const char* copies : {one_copy, two_copies}) {
        for (const drawn& c : curves) {
          p.curves.push_back({.series = e.all_series.size(),
                              .column = c.column,
                              .title = fmt::format("{}, {}", c.title, copies == one_copy ? "1 copy" : "2 copies"),
                              .colour = c.colour,
                              .line = copies == one_copy ? stroke::solid : stroke::dashed});
        }
        e.all_series.push_back({{fmt::format("{}", tasks), fmt::format("{}", count), copies}});
        all.push_back(with_copies(setting, copies));
      }
      e.panels.push_back(std::move(p));
    }
  }
  const question q{.seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX)),
                   .effort = static_cast<std::uint64_t>(s.number("effort", 1, INT64_MAX)),
                   .periods = s.number("periods", 1, 1000)};
  e.make_counter = [all, q] { return make_counter(all, q); };
  return e;
}

constexpr const char* periods_about = "longest periods that a simulated run lasts";

}  // namespace

auto rtgpu_execution_studies() -> std::vector<study> {
  return {
      {"rtgpu-fig11", "analysis against simulated runs, 5 tasks on 5, 8 and 10 SMs",
       rtgpu_parameters(
           {{"tasks", "5", "tasks per set"}, {"sms", "5,8,10", "physical SMs"}, {"periods", "20", periods_about}}),
       [](const settings& s) {
         return design(s, "RTGPU (Zou et al. 2021), Fig. 11: analysis against simulated runs", false);
       }},
      {"rtgpu-fig12", "analysis against simulated runs, up to 12 tasks on 3, 5 and 8 shared SMs",
       rtgpu_parameters({{"tasks", "6,9,12", "tasks per set; the paper has 12"},
                         {"sms", "3,5,8", "physical SMs"},
                         {"levels", "0.1..1.5/0.1", ""},
                         {"virtual-per-sm", "4", ""},
                         {"interleave", "3.4", ""},
                         {"effort", "5000", ""},
                         {"periods", "20", periods_about}}),
       [](const settings& s) {
         return design(s, "RTGPU (Zou et al. 2021), Fig. 12: fewer SMs than tasks, analysis against simulated runs",
                       true);
       }},
  };
}

}  // namespace takt::program::sweep
