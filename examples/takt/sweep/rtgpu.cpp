// SPDX-License-Identifier: Apache-2.0
// Zou et al. 2021, Fig. 7 to 12: every method on the same sets, analysis against simulated execution, and other values
// of what the paper does not print.
#include <algorithm>
#include <array>
#include <memory>

#include <takt/allocation/search.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/generation/rtgpu_generator.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/simulation/simulate.hpp>

#include "../failure.hpp"
#include "../file_platform.hpp"
#include "study.hpp"

namespace takt::program::sweep {

namespace {

/// Large enough for the published experiments: 7 tasks of 5 or 5 tasks of 7 subtasks, 12 tasks of 5.
constexpr std::size_t most_tasks = 16;
using study_table = task_table<ticks, most_tasks, most_tasks * 17>;
using study_plan = allocation<most_tasks>;
using options = generation::rtgpu_options;

using cpu_rule = fixed_priority_rule<by_relative_deadline>;
template <bool Shared>
using board = file_platform<cpu_rule, nonpreemptive_rule<cpu_rule>, federated_rule<Shared>>;

/// The tests of Zou et al. 2021, section 6, and takt's own. The baselines are the same platform with one rule
/// exchanged.
enum class method : std::uint8_t { rtgpu, takt, self_suspension, busy_waiting, enhanced_mpcp };
constexpr std::array<compared<method>, 5> methods{{{method::rtgpu, "rtgpu", "RTGPU as published", 0},
                                                   {method::takt, "takt", "takt, sharper", 1},
                                                   {method::self_suspension, "self_suspension", "self-suspension", 2},
                                                   {method::busy_waiting, "busy_waiting", "busy waiting (STGM)", 3},
                                                   {method::enhanced_mpcp, "enhanced_mpcp", "enhanced MPCP", 4}}};

template <class P, class... Variant>
[[nodiscard]] auto search(const P& platform, const study_table& table, std::uint64_t effort, const Variant&... variant)
    -> study_plan {
  auto a = analysis::make_analysis(platform, table, variant...);
  if (a.fits(table, platform.record())) { return {}; }
  return search_plan(a, exact_search, effort);
}

/// Calls `f` with the platform whose SMs are handed out as the record says.
template <class F>
[[nodiscard]] auto on_board(const platform_record& platform, const F& f) {
  return platform.gpus[0].shared ? f(board<true>{platform}) : f(board<false>{platform});
}

/// Looks for a plan with the method as its test: depth first, so that a plan is found whenever there is one. Gives up
/// after `effort` task analyses, which the plan says. Pre: `table` is in deadline-monotonic order.
[[nodiscard]] auto find_plan(method m, const study_table& table, const platform_record& platform, std::uint64_t effort)
    -> study_plan {
  return on_board(platform, [&](const auto& p) -> study_plan {
    switch (m) {
      case method::rtgpu: return search(p, table, effort, analysis::rtgpu_published);
      case method::takt: return search(p, table, effort, analysis::rtgpu_best);
      case method::self_suspension: return search(one_at_a_time(p), table, effort);
      case method::busy_waiting: return search(spinning(p), table, effort);
      case method::enhanced_mpcp: return search(one_at_a_time_on_all_sms(p), table, effort);
    }
    return {};
  });
}

/// Whether no deadline is missed under the plan when every task is released at once and then periodically, each
/// segment takes its longest time, and releases end after `periods` of the longest period.
[[nodiscard]] auto runs_without_miss(const study_table& table, const platform_record& platform, const study_plan& p,
                                     std::int64_t periods) -> bool {
  ticks longest = 0;
  for (const auto& t : table.tasks) { longest = std::max(longest, t.period); }
  const simulation_options o{.horizon = duration{longest * periods}, .stop_at_first_miss = true};
  return on_board(platform, [&](const auto& b) {
    return simulate(b, table, static_cast<const plan<most_tasks>&>(p), o).status() == observation_status::no_miss;
  });
}

/// One configuration: how its sets are drawn, and whether tasks may share physical SMs.
struct setting {
  options how;
  bool shared = false;
};

/// Parameters that all of these studies have: how many sets, and what the paper does not print.
[[nodiscard]] auto parameters(std::vector<parameter> own) -> std::vector<parameter> {
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

/// The paper's second model, one copy per kernel, and its first, each with all curves: every so many of the columns.
template <class Curves, class... Cell>
void add_copies(experiment& e, const Curves& curves, std::size_t every, setting s, std::vector<setting>& all,
                const Cell&... cells) {
  for (const bool one : {true, false}) {
    e.add_series(cells..., one ? "one" : "two");
    for (const auto& c : curves) {
      e.draw(every * static_cast<std::size_t>(c.what), fmt::format("{}, {}", c.title, one ? "1 copy" : "2 copies"),
             c.colour, one ? stroke::solid : stroke::dashed);
    }
    s.how.copies = one ? generation::copies_per_kernel::one : generation::copies_per_kernel::two;
    all.push_back(s);
  }
}

/// Lets `judge` count what it finds in each set, which is in deadline-monotonic order. A set depends on the seed, the
/// level and its number, and on what of the setting its generator reads: the same tasks meet every number of SMs.
template <class Judge>
[[nodiscard]] auto judged_by(std::vector<setting> all, std::uint64_t seed, Judge judge) -> counter {
  return [all = std::move(all), seed, judge](const unit& u, std::span<std::int64_t> counts) {
    options o = all[u.series].how;
    o.utilization_permille = static_cast<std::int32_t>(u.level);
    platform_record platform = generation::platform_of(o);
    platform.gpus[0].shared = all[u.series].shared;
    const auto table = std::make_unique<study_table>();
    for (std::int64_t i = 0; i < u.sets; ++i) {
      require(generation::generate(o, seed, u.number(i), *table) == model_fault::none, "a task set cannot be drawn");
      prioritize(*table, by_relative_deadline{});
      judge(*table, platform, counts);
    }
  };
}

// Fig. 7 to 10. Columns: for each method the accepted sets, and those whose search was undecided.

/// A value of what the study varies.
struct variation {
  std::string cell;
  std::string title;
  options how;
};

[[nodiscard]] auto acceptance(std::string title, std::string key) -> layout {
  std::vector<std::string> columns;
  for (const auto& m : methods) {
    columns.emplace_back(m.cell);
    columns.push_back(fmt::format("{}_undecided", m.cell));
  }
  return layout("RTGPU (Zou et al. 2021)" + std::move(title), "utilization",
                "utilization of one core + one copy engine + one SM", "accepted task sets (%)",
                {std::move(key), "copies"}, std::move(columns), measure::sets);
}

void compare_methods(const settings& s, experiment& e, const std::vector<variation>& variations) {
  std::vector<setting> all;
  for (const variation& v : variations) {
    e.add_panel(v.title);
    add_copies(e, methods, 2, {v.how}, all, v.cell);
  }
  e.count = judged_by(std::move(all), s.seed(),
                      [effort = s.number<std::uint64_t>("effort")](const study_table& table, const auto& platform,
                                                                   std::span<std::int64_t> counts) {
                        for (std::size_t m = 0; m < methods.size(); ++m) {
                          const study_plan plan = find_plan(methods[m].what, table, platform, effort);
                          counts[2 * m] += plan.feasible ? 1 : 0;
                          counts[2 * m + 1] += plan.feasible || plan.effort.complete ? 0 : 1;
                        }
                      });
}

/// Kernels of up to so many ms and copies of up to a quarter of that.
[[nodiscard]] auto lengths(options from, std::int64_t kernel) -> options {
  from.kernel.upper = kernel * 1'000'000;
  from.copy.upper = from.kernel.upper / 4;
  return from;
}

void fig7(const settings& s, experiment& e) {
  std::vector<variation> all;
  for (const auto& [cell, kernel] : {std::pair{"2:1", 10}, {"1:2", 40}, {"1:8", 160}}) {
    all.push_back({cell, fmt::format("CPU to GPU {}: kernels 1..{} ms, copies 1..{:g} ms", cell, kernel, kernel / 4.0),
                   lengths(options_of(s), kernel)});
  }
  compare_methods(s, e, all);
}

/// A figure that varies one number in Table 1 of the paper.
[[nodiscard]] auto over_counts(std::string_view name, std::string_view about, int figure, const parameter& varied,
                               std::int32_t options::* field, std::string_view unit_name) -> study {
  return {name, about, acceptance(fmt::format(", Fig. {}: number of {}", figure, unit_name), varied.name),
          parameters({varied}), [=, what = varied.name](const settings& s, experiment& e) {
            std::vector<variation> all;
            for (const std::int64_t value : s.numbers(what)) {
              all.push_back({fmt::format("{}", value), fmt::format("{} {}", value, unit_name), options_of(s)});
              all.back().how.*field = static_cast<std::int32_t>(value);
            }
            compare_methods(s, e, all);
          }};
}

/// What the paper does not print, one at a time, with its own lengths 1:1 and 1:8; and copies that stay short.
void sensitivity(const settings& s, experiment& e) {
  std::vector<variation> all;
  for (const std::int64_t kernel : {20, 160}) {
    const options base = lengths(options_of(s), kernel);
    const std::string ratio = kernel == 20 ? "1:1" : "1:8";
    const auto add = [&](const std::string& what, const auto& change) {
      all.push_back({fmt::format("{} {}", ratio, what), fmt::format("CPU to GPU {}: {}", ratio, what), base});
      change(all.back().how);
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
  compare_methods(s, e, all);
  e.panels_per_row = 4;
}

// Fig. 11 and 12.

enum column : std::uint8_t { by_rtgpu, by_takt, undecided, simulated, accepted_but_missed };
constexpr std::array<compared<column>, 3> curves{
    {{by_rtgpu, {}, "RTGPU as published", 0}, {by_takt, {}, "takt, sharper", 1}, {simulated, {}, "simulated", 5}}};

/// A set runs with the plan that an analysis accepts, the published one first, or with an even split where none does.
/// The accepted plan of each analysis must not miss.
void run_set(const study_table& table, const platform_record& platform, std::uint64_t effort, std::int64_t periods,
             std::span<std::int64_t> counts) {
  const auto runs = [&](const study_plan& p) { return runs_without_miss(table, platform, p, periods); };
  const study_plan published = find_plan(method::rtgpu, table, platform, effort);
  const study_plan sharper = find_plan(method::takt, table, platform, effort);
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

/// Every number of tasks with every number of SMs.
[[nodiscard]] auto execution(std::string_view name, std::string_view about, std::string title, bool shared,
                             std::vector<parameter> own) -> study {
  own.push_back({"periods", "20", "longest periods that a simulated run lasts", 1, 1000});
  return {
      name, about,
      layout("RTGPU (Zou et al. 2021)" + std::move(title), "utilization",
             "utilization of one core + one copy engine + one SM", "accepted task sets (%)", {"tasks", "sms", "copies"},
             {"rtgpu", "takt", "takt_undecided", "simulated", "accepted_but_missed"}, measure::sets),
      parameters(std::move(own)), [shared](const settings& s, experiment& e) {
        setting one{options_of(s), shared};
        const auto sms = s.numbers("sms");
        e.panels_per_row = sms.size();
        std::vector<setting> all;
        for (const std::int64_t tasks : s.numbers("tasks")) {
          for (const std::int64_t count : sms) {
            one.how.tasks = static_cast<std::int32_t>(tasks);
            one.how.sms = static_cast<std::int32_t>(count);
            e.add_panel(fmt::format("{} tasks on {} {}SMs", tasks, count, shared ? "shared " : ""));
            add_copies(e, curves, 1, one, all, tasks, count);
          }
        }
        e.count = judged_by(std::move(all), s.seed(),
                            [effort = s.number<std::uint64_t>("effort"), periods = s.number("periods")](
                                const study_table& table, const auto& platform, std::span<std::int64_t> counts) {
                              run_set(table, platform, effort, periods, counts);
                            });
      }};
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
