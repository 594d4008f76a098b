// SPDX-License-Identifier: Apache-2.0
// Zou et al. 2021, Fig. 7 to 12: every method on the same sets, analysis against simulated execution, and other values
// of what the paper does not print.
#include <algorithm>
#include <array>
#include <memory>

#include <takt/rules/priority_order.hpp>
#include <takt/simulation/simulate.hpp>
#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>
#include <takt/systems/rtgpu/plans/rtgpu_tests.hpp>

#include "../failure.hpp"
#include "study.hpp"

namespace takt::program::sweep {

namespace {

/// Large enough for the published experiments: 7 tasks of 5 or 5 tasks of 7 subtasks, 12 tasks of 5.
constexpr std::size_t most_tasks = 16;
using study_table = task_table<ticks, most_tasks, most_tasks * 17>;
using study_plan = allocation<most_tasks>;
using options = generation::rtgpu_options;

/// What a column shows.
using curve_of = compared<std::size_t>;

constexpr auto& tests = rtgpu_tests<study_table>;
/// Curves of the columns of accepted sets.
constexpr std::array<curve_of, tests.size()> drawn_tests{{{0, {}, "RTGPU as published", 0},
                                                          {2, {}, "takt, sharper", 1},
                                                          {4, {}, "self-suspension", 2},
                                                          {6, {}, "busy waiting (STGM)", 3},
                                                          {8, {}, "enhanced MPCP", 4}}};

/// Whether no deadline is missed under the plan when every task is released at once and then periodically, each
/// segment takes its longest time, and releases end after `periods` of the longest period.
[[nodiscard]] auto runs_without_miss(const study_table& table, const platform_record& platform, const study_plan& p,
                                     std::int64_t periods) -> bool {
  ticks longest = 0;
  for (const auto& t : table.tasks) { longest = std::max(longest, t.period); }
  const simulation_options o{.horizon = duration{longest * periods}, .stop_at_first_miss = true};
  return rtgpu_boards::with<rtgpu_boards::published>(platform, [&](const auto& b) {
    return simulate(b, table, static_cast<const plan<most_tasks>&>(p), o).status() == observation_status::no_miss;
  });
}

/// Parameters that all of these studies have: how many sets, and what the paper does not print.
[[nodiscard]] auto parameters(std::vector<parameter> own) -> std::vector<parameter> {
  own = with(std::move(own), stopping_parameters());
  return with({{"seed", "1", "of everything that is drawn"},
               {"sets", "100", "task sets per configuration and level", 1, most_sets},
               {"levels", "0.2..3.0/0.2", "utilization of one core, one copy engine and one SM together"},
               {"interleave", "1.7", "how much a kernel is stretched on a shared SM; not printed in the paper"},
               {"virtual-per-sm", "2", "virtual SMs per physical SM", 1, 64},
               {"overhead", "10", "percent of a kernel that more SMs do not shorten; not printed in the paper", 0, 100},
               {"lower", "100", "shortest in percent of longest segment times; not printed in the paper", 0, 100},
               {"effort", "20000", "task analyses after which the search for a plan is undecided", 1}},
              std::move(own));
}

[[nodiscard]] auto options_of(const settings& s) -> options {
  options out;
  const auto [numerator, denominator] = s.ratio("interleave");
  if (numerator < denominator || numerator > 100 * denominator || denominator > 1'000'000) {
    throw input_error{"interleave", "the ratio is out of range", "a ratio from 1 to 100 such as \"1.7\" or \"17/10\""};
  }
  out.interleave_numerator = numerator;
  out.interleave_denominator = denominator;
  out.virtual_per_sm = s.number<std::int32_t>("virtual-per-sm");
  out.overhead_percent = s.number<std::int32_t>("overhead");
  out.lower_percent = s.number<std::int32_t>("lower");
  return out;
}

/// A value of what a study varies.
struct variation {
  std::vector<std::string> cells;
  std::string title;
  options how;
};

/// Draws each variation under the paper's second model, one copy per kernel, and its first. `judge(table, platform,
/// counts)` counts what it finds in a set, which is in deadline-monotonic order. A set depends on the seed, the level
/// and its number, and on what of the options its generator reads: the same tasks meet every number of SMs.
template <class Judge>
void fill(const settings& s, experiment& e, const std::vector<variation>& variations, std::span<const curve_of> curves,
          Judge judge) {
  std::vector<options> all;
  for (const variation& v : variations) {
    e.add_panel(v.title);
    for (const bool one : {true, false}) {
      e.series.push_back(v.cells);
      e.series.back().emplace_back(one ? "one" : "two");
      all.push_back(v.how);
      all.back().copies = one ? generation::copies_per_kernel::one : generation::copies_per_kernel::two;
      for (const curve_of& c : curves) {
        e.draw(c.what, fmt::format("{}, {}", c.title, one ? "1 copy" : "2 copies"), c.colour,
               one ? stroke::solid : stroke::dashed);
      }
    }
  }
  for (const curve_of& c : curves) { e.paired.push_back(c.what); }
  e.count = count_pairs(e.paired, [all, seed = s.seed(), judge](const unit& u, std::int64_t i, row counts) {
    options o = all[u.series];
    o.utilization_permille = static_cast<std::int32_t>(u.level);
    const auto table = std::make_unique<study_table>();
    require(generation::generate(o, seed, u.number(i), *table) == model_fault::none, "a task set cannot be drawn");
    prioritize(*table, by_relative_deadline{});
    judge(*table, generation::platform_of(o), counts);
  });
}

[[nodiscard]] auto shown(std::string_view title, std::vector<std::string> keys, std::vector<std::string> columns)
    -> layout {
  keys.emplace_back("copies");
  return layout(fmt::format("RTGPU (Zou et al. 2021){}", title), "utilization",
                "utilization of one core + one copy engine + one SM", "accepted task sets (%)", std::move(keys),
                std::move(columns), measure::sets);
}

// Fig. 7 to 10. Columns: for each method the accepted sets, and those whose search was undecided.

[[nodiscard]] auto acceptance(std::string_view title, std::string key) -> layout {
  std::vector<std::string> columns;
  for (const auto& t : tests) {
    for (const char* suffix : {"", "_undecided"}) { columns.push_back(fmt::format("{}{}", t.name, suffix)); }
  }
  return shown(title, {std::move(key)}, std::move(columns));
}

void compare_methods(const settings& s, experiment& e, const std::vector<variation>& variations) {
  fill(s, e, variations, drawn_tests,
       [effort = s.number<std::uint64_t>("effort")](const auto& table, const auto& platform, row counts) {
         for (std::size_t m = 0; m < tests.size(); ++m) {
           const study_plan plan = tests[m].find(table, platform, effort);
           counts[2 * m] += plan.feasible ? 1 : 0;
           counts[2 * m + 1] += plan.feasible || plan.effort.complete ? 0 : 1;
         }
       });
}

/// Kernels of up to so many ms and copies of up to a quarter of that.
[[nodiscard]] auto lengths(const settings& s, std::int64_t kernel) -> options {
  options out = options_of(s);
  out.kernel.upper = kernel * 1'000'000;
  out.copy.upper = out.kernel.upper / 4;
  return out;
}

void fig7(const settings& s, experiment& e) {
  std::vector<variation> all;
  for (const auto& [cell, kernel] : {std::pair{"2:1", 10}, {"1:2", 40}, {"1:8", 160}}) {
    all.push_back({{cell},
                   fmt::format("CPU to GPU {}: kernels 1..{} ms, copies 1..{:g} ms", cell, kernel, kernel / 4.0),
                   lengths(s, kernel)});
  }
  compare_methods(s, e, all);
}

/// A figure that varies one number in Table 1 of the paper.
[[nodiscard]] auto over_counts(std::string_view name, std::string_view about, int figure, const parameter& varied,
                               std::int32_t options::* field, std::string_view unit_name) -> study {
  return {std::string{name}, std::string{about},
          acceptance(fmt::format(", Fig. {}: number of {}", figure, unit_name), varied.name), parameters({varied}),
          [=, what = varied.name](const settings& s, experiment& e) {
            std::vector<variation> all;
            for (const std::int64_t value : s.numbers(what)) {
              all.push_back({{fmt::format("{}", value)}, fmt::format("{} {}", value, unit_name), options_of(s)});
              all.back().how.*field = static_cast<std::int32_t>(value);
            }
            compare_methods(s, e, all);
          }};
}

/// What the paper does not print, one at a time.
struct change {
  std::string_view name;
  void (*make)(options&);
};
constexpr std::array<change, 9> changes{{
    {"defaults", [](options&) {}},
    {"interleave 1.0", [](options& o) { o.interleave_numerator = o.interleave_denominator = 10; }},
    {"interleave 1.4",
     [](options& o) { std::tie(o.interleave_numerator, o.interleave_denominator) = std::pair{14, 10}; }},
    {"interleave 2.0",
     [](options& o) { std::tie(o.interleave_numerator, o.interleave_denominator) = std::pair{20, 10}; }},
    {"overhead 0", [](options& o) { o.overhead_percent = 0; }},
    {"overhead 30", [](options& o) { o.overhead_percent = 30; }},
    {"lower 50", [](options& o) { o.lower_percent = 50; }},
    {"lower 0", [](options& o) { o.lower_percent = 0; }},
    {"copies 1..5 ms", [](options& o) { o.copy.upper = 5'000'000; }},
}};

/// With the paper's own lengths 1:1 and 1:8, and with the latter copies that stay short.
void sensitivity(const settings& s, experiment& e) {
  std::vector<variation> all;
  for (const auto& [ratio, kernel] : {std::pair{"1:1", 20}, {"1:8", 160}}) {
    for (const change& c : std::span{changes}.first(changes.size() - (kernel == 20 ? 1 : 0))) {
      all.push_back(
          {{fmt::format("{} {}", ratio, c.name)}, fmt::format("CPU to GPU {}: {}", ratio, c.name), lengths(s, kernel)});
      c.make(all.back().how);
    }
  }
  compare_methods(s, e, all);
  e.panels_per_row = 4;
}

// Fig. 11 and 12.

enum column : std::uint8_t { by_rtgpu, by_takt, undecided, simulated, accepted_but_missed };
constexpr std::array<curve_of, 3> curves{
    {{by_rtgpu, {}, "RTGPU as published", 0}, {by_takt, {}, "takt, sharper", 1}, {simulated, {}, "simulated", 5}}};

/// Every number of tasks with every number of SMs. A set runs with the plan that an analysis accepts, the published one
/// first, or with an even split where none does. The accepted plan of each analysis must not miss.
void run_sets(const settings& s, experiment& e, bool shared) {
  const auto sms = s.numbers("sms");
  std::vector<variation> all;
  for (const std::int64_t tasks : s.numbers("tasks")) {
    for (const std::int64_t count : sms) {
      all.push_back({{fmt::format("{}", tasks), fmt::format("{}", count)},
                     fmt::format("{} tasks on {} {}SMs", tasks, count, shared ? "shared " : ""),
                     options_of(s)});
      all.back().how.tasks = static_cast<std::int32_t>(tasks);
      all.back().how.sms = static_cast<std::int32_t>(count);
      all.back().how.shared_sms = shared;
    }
  }
  e.panels_per_row = sms.size();
  fill(s, e, all, curves,
       [effort = s.number<std::uint64_t>("effort"), periods = s.number("periods")](const auto& table,
                                                                                   const auto& platform, row counts) {
         const auto runs = [&](const study_plan& p) { return runs_without_miss(table, platform, p, periods); };
         const study_plan published = tests[0].find(table, platform, effort);
         const study_plan sharper = tests[1].find(table, platform, effort);
         // Whatever the published analysis accepts, the sharper one accepts with the same plan, found or not.
         const bool accepted = published.feasible || sharper.feasible;
         const bool well = runs(published.feasible ? published : sharper);
         const bool both_well = well && (!published.feasible || !sharper.feasible || runs(sharper));
         counts[by_rtgpu] += published.feasible ? 1 : 0;
         counts[by_takt] += accepted ? 1 : 0;
         counts[undecided] += accepted || sharper.effort.complete ? 0 : 1;
         counts[simulated] += well ? 1 : 0;
         counts[accepted_but_missed] += accepted && !both_well ? 1 : 0;
       });
}

[[nodiscard]] auto execution(std::string_view name, std::string_view about, std::string_view title, bool shared,
                             std::vector<parameter> own) -> study {
  own.push_back({"periods", "20", "longest periods that a simulated run lasts", 1, 1000});
  return {std::string{name}, std::string{about},
          shown(title, {"tasks", "sms"}, {"rtgpu", "takt", "takt_undecided", "simulated", "accepted_but_missed"}),
          parameters(std::move(own)), [shared](const settings& s, experiment& e) { run_sets(s, e, shared); }};
}

}  // namespace

auto rtgpu_studies() -> std::vector<study> {
  constexpr auto most = static_cast<std::int64_t>(most_tasks);
  return {
      {"rtgpu-fig7", "acceptance over utilization for short, long and very long kernels",
       acceptance(", Fig. 7: range of CPU segment lengths to that of kernels", "cpu_to_gpu"), parameters({}), fig7},
      over_counts("rtgpu-fig8", "acceptance over utilization for 3, 5 and 7 subtasks", 8,
                  {"subtasks", "3,5,7", "CPU segments per task, one more than kernels", 1, 9}, &options::subtasks,
                  "subtasks"),
      over_counts("rtgpu-fig9", "acceptance over utilization for 3, 5 and 7 tasks", 9,
                  {"tasks", "3,5,7", "tasks per set", 1, most}, &options::tasks, "tasks"),
      over_counts("rtgpu-fig10", "acceptance over utilization for 5, 8 and 10 SMs", 10,
                  {"sms", "5,8,10", "physical SMs; not printed in the paper", 1, 1000}, &options::sms, "SMs"),
      {"rtgpu-sensitivity", "acceptance over utilization for other values of what the paper does not print",
       acceptance(": other values of what the paper does not print", "variant"), parameters({}), sensitivity},
      execution("rtgpu-fig11", "analysis against simulated runs, 5 tasks on 5, 8 and 10 SMs",
                ", Fig. 11: analysis against simulated runs", false,
                {{"tasks", "5", "tasks per set", 1, most}, {"sms", "5,8,10", "physical SMs", 1, 1000}}),
      execution("rtgpu-fig12", "analysis against simulated runs, up to 12 tasks on 3, 5 and 8 shared SMs",
                ", Fig. 12: fewer SMs than tasks, analysis against simulated runs", true,
                {{"tasks", "6,9,12", "tasks per set; the paper has 12", 1, most},
                 {"sms", "3,5,8", "physical SMs", 1, 1000},
                 {"levels", "0.1..1.5/0.1", ""},
                 {"virtual-per-sm", "4", ""},
                 {"interleave", "3.4", ""},
                 {"effort", "5000", ""}}),
  };
}

}  // namespace takt::program::sweep
