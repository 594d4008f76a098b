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

struct compared {
  method m;
  std::string_view column;
  std::string_view title;
  int colour;
};

constexpr std::array methods{compared{method::rtgpu, "rtgpu", "RTGPU as published", 0},
                             compared{method::takt, "takt", "takt, sharper", 1},
                             compared{method::self_suspension, "self_suspension", "self-suspension", 2},
                             compared{method::busy_waiting, "busy_waiting", "busy waiting (STGM)", 3},
                             compared{method::enhanced_mpcp, "enhanced_mpcp", "enhanced MPCP", 4}};

/// A value of what the study varies.
struct variation {
  std::string cell;
  std::string title;
  rtgpu_setting setting;
};

/// Columns: for each method the accepted sets, and those whose search was undecided.
[[nodiscard]] auto make_counter(std::vector<rtgpu_setting> all, std::uint64_t seed, std::uint64_t effort) -> counter {
  return [all = std::move(all), seed, effort, table = std::make_shared<study_table>()](const unit& u,
                                                                                       std::span<std::int64_t> counts) {
    const rtgpu_setting& setting = all[u.series];
    const platform_record platform = setting.platform();
    for (std::int64_t i = 0; i < u.sets; ++i) {
      draw(setting, seed, u.level, u.first_set + i, *table);
      for (std::size_t m = 0; m < methods.size(); ++m) {
        const study_plan plan = find_plan(methods[m].m, *table, platform, effort);
        counts[2 * m] += plan.feasible ? 1 : 0;
        counts[2 * m + 1] += plan.feasible || plan.effort.complete ? 0 : 1;
      }
    }
  };
}

[[nodiscard]] auto design(const settings& s, std::string title, std::string key,
                          const std::vector<variation>& variations) -> experiment {
  experiment e;
  apply_common(s, e);
  e.title = std::move(title);
  e.keys = {std::move(key), "copies"};
  for (const compared& c : methods) {
    e.columns.emplace_back(c.column);
    e.columns.push_back(fmt::format("{}_undecided", c.column));
  }
  std::vector<rtgpu_setting> all;
  for (const variation& v : variations) {
    panel p{.title = v.title, .curves = {}};
    for (const char* copies : {one_copy, two_copies}) {
      for (std::size_t m = 0; m < methods.size(); ++m) {
        p.curves.push_back(
            {.series = e.all_series.size(),
             .column = 2 * m,
             .title = fmt::format("{}, {}", methods[m].title, copies == one_copy ? "1 copy" : "2 copies"),
             .colour = methods[m].colour,
             .line = copies == one_copy ? stroke::solid : stroke::dashed});
      }
      e.all_series.push_back({{v.cell, copies}});
      all.push_back(with_copies(v.setting, copies));
    }
    e.panels.push_back(std::move(p));
  }
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  const auto effort = static_cast<std::uint64_t>(s.number("effort", 1, INT64_MAX));
  e.make_counter = [all, seed, effort] { return make_counter(all, seed, effort); };
  return e;
}

/// Kernels of up to `kernel` ms and copies of up to a quarter of that.
[[nodiscard]] auto lengths(const rtgpu_setting& from, std::int64_t kernel) -> rtgpu_setting {
  rtgpu_setting out = from;
  out.options.kernel.upper = half_milliseconds(2 * kernel);
  out.options.copy.upper = out.options.kernel.upper / 4;
  return out;
}

[[nodiscard]] auto fig7(const settings& s) -> experiment {
  const rtgpu_setting base = rtgpu_setting_of(s);
  std::vector<variation> all;
  for (const auto& [cell, kernel] : {std::pair{"2:1", 10}, {"1:2", 40}, {"1:8", 160}}) {
    all.push_back({cell, fmt::format("CPU to GPU {}: kernels 1..{} ms, copies 1..{:g} ms", cell, kernel, kernel / 4.0),
                   lengths(base, kernel)});
  }
  return design(s, "RTGPU (Zou et al. 2021), Fig. 7: range of CPU segment lengths to that of kernels", "cpu_to_gpu",
                all);
}

/// A figure that varies one number in Table 1 of the paper.
[[nodiscard]] auto over_counts(const settings& s, const std::string& parameter, std::int64_t most,
                               std::int32_t generation::rtgpu_options::* field, const std::string& title,
                               std::string_view unit_name) -> experiment {
  std::vector<variation> all;
  for (const std::int64_t value : s.numbers(parameter, 1, most)) {
    variation v{fmt::format("{}", value), fmt::format("{} {}", value, unit_name), rtgpu_setting_of(s)};
    v.setting.options.*field = static_cast<std::int32_t>(value);
    all.push_back(std::move(v));
  }
  return design(s, title, parameter, all);
}

/// What the paper does not print, one at a time, with its own lengths 1:1 and 1:8; and copies that stay short.
[[nodiscard]] auto sensitivity(const settings& s) -> experiment {
  std::vector<variation> all;
  for (const std::int64_t kernel : {20, 160}) {
    const rtgpu_setting base = lengths(rtgpu_setting_of(s), kernel);
    const std::string ratio = kernel == 20 ? "1:1" : "1:8";
    const auto add = [&](const std::string& what, auto change) {
      rtgpu_setting changed = base;
      change(changed.options);
      all.push_back({fmt::format("{} {}", ratio, what), fmt::format("CPU to GPU {}: {}", ratio, what), changed});
    };
    add("defaults", [](auto&) {});
    for (const std::int64_t tenths : {10, 14, 20}) {
      add(fmt::format("interleave {}", thousandths_text(tenths * 100)), [tenths](auto& o) {
        o.interleave_numerator = tenths;
        o.interleave_denominator = 10;
      });
    }
    for (const int percent : {0, 30}) {
      add(fmt::format("overhead {}", percent), [percent](auto& o) { o.overhead_percent = percent; });
    }
    for (const int percent : {50, 0}) {
      add(fmt::format("lower {}", percent), [percent](auto& o) { o.lower_percent = percent; });
    }
    if (kernel == 160) {
      add("copies 1..5 ms", [](auto& o) { o.copy.upper = 5'000'000; });
    }
  }
  experiment out = design(s, "RTGPU (Zou et al. 2021): other values of what the paper does not print", "variant", all);
  out.panels_per_row = 4;
  return out;
}

}  // namespace

auto rtgpu_acceptance_studies() -> std::vector<study> {
  using options = generation::rtgpu_options;
  return {
      {"rtgpu-fig7", "acceptance over utilization for short, long and very long kernels", rtgpu_parameters({}), fig7},
      {"rtgpu-fig8", "acceptance over utilization for 3, 5 and 7 subtasks",
       rtgpu_parameters({{"subtasks", "3,5,7", "CPU segments per task, one more than kernels"}}),
       [](const settings& s) {
         return over_counts(s, "subtasks", 9, &options::subtasks, "RTGPU (Zou et al. 2021), Fig. 8: number of subtasks",
                            "subtasks");
       }},
      {"rtgpu-fig9", "acceptance over utilization for 3, 5 and 7 tasks",
       rtgpu_parameters({{"tasks", "3,5,7", "tasks per set"}}),
       [](const settings& s) {
         return over_counts(s, "tasks", most_tasks, &options::tasks, "RTGPU (Zou et al. 2021), Fig. 9: number of tasks",
                            "tasks");
       }},
      {"rtgpu-fig10", "acceptance over utilization for 5, 8 and 10 SMs",
       rtgpu_parameters({{"sms", "5,8,10", "physical SMs; not printed in the paper"}}),
       [](const settings& s) {
         return over_counts(s, "sms", 1000, &options::sms, "RTGPU (Zou et al. 2021), Fig. 10: number of SMs", "SMs");
       }},
      {"rtgpu-sensitivity", "acceptance over utilization for other values of what the paper does not print",
       rtgpu_parameters({}), sensitivity},
  };
}

}  // namespace takt::program::sweep
