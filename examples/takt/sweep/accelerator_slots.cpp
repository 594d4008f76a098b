// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/analysis/known/whole_kernels/as_published.hpp>
#include <takt/analysis/known/whole_kernels/harmonic_edf.hpp>
#include <takt/analysis/known/whole_kernels/slot_edf.hpp>
#include <takt/analysis/known/whole_kernels/slot_periodic_edf.hpp>
#include <takt/analysis/known/whole_kernels/slot_simulated_edf.hpp>
#include <takt/analysis/known/whole_kernels/two_slots.hpp>

#include "../failure.hpp"
#include "accelerator_sets.hpp"
#include "accelerator_studies.hpp"

namespace takt::program::sweep {

namespace {

using analysis::edf_report;
using slot = slot_reservation<ticks>;

enum class answer : std::uint8_t { accepted, rejected, undecided };

/// A run that was given up leaves the question open.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] auto answer_of(const analysis::slot_run<Number, MaxTasks>& r) -> answer {
  if (r.schedulable()) { return answer::accepted; }
  return r.status == verdict_status::unschedulable ? answer::rejected : answer::undecided;
}
template <class Number>
[[nodiscard]] auto answer_of(const analysis::edf_verdict<Number>& v) -> answer {
  if (v.schedulable()) { return answer::accepted; }
  const bool known = v.status == verdict_status::not_proven && v.reason != analysis::edf_reason::too_many_chunks &&
                     v.reason != analysis::edf_reason::too_many_windows;
  return known ? answer::rejected : answer::undecided;
}

struct compared {
  answer (*test)(const kernel_table& part, const slot& in);
  std::string_view column;
  std::string_view title;
  int colour;
  stroke line = stroke::solid;
};

enum method : std::uint8_t { exact = 6, as_printed = 7 };
constexpr std::array methods{
    compared{[](const kernel_table& part, const slot& in) {
               return answer_of(analysis::slot_supply_edf<edf_report::verdict_only>(part, in));
             },
             "sbf", "SBF (Theorem 3)", 0},
    compared{[](const kernel_table& part, const slot& in) {
               return answer_of(analysis::slot_linear_edf<edf_report::verdict_only>(part, in));
             },
             "sbf_linear", "SBF*, linear (Eq. 10)", 6},
    compared{[](const kernel_table& part, const slot& in) {
               return answer_of(analysis::slot_abstraction_edf<edf_report::verdict_only>(part, in));
             },
             "our", "OUR (Theorem 4, corrected)", 1},
    compared{[](const kernel_table& part, const slot& in) {
               return answer_of(analysis::slot_longest_chunk_edf<edf_report::verdict_only>(part, in));
             },
             "our_plus", "OUR+ (exact distances)", 4},
    compared{[](const kernel_table& part, const slot& in) {
               return answer_of(analysis::slot_proportional_edf<edf_report::verdict_only>(part, in));
             },
             "l3prop", "L3PROP (Lemma 3)", 2},
    compared{[](const kernel_table& part, const slot& in) {
               return answer_of(analysis::slot_harmonic_edf<edf_report::verdict_only>(part, in));
             },
             "harm", "HARM (Theorem 6, corrected)", 3},
    compared{[](const kernel_table& part, const slot& in) {
               return answer_of(analysis::slot_simulated_edf(part, in, analysis::run_extent::first_miss));
             },
             "exact", "exact", 5, stroke::band},
    compared{[](const kernel_table& part, const slot& in) {
               return answer_of(analysis::as_published::slot_abstraction_edf<edf_report::verdict_only>(part, in));
             },
             "our_printed", "OUR as printed: unsound", 1, stroke::dashed},
};
static_assert(methods[exact].column == "exact" && methods[as_printed].line == stroke::dashed);

/// In this order: the exact answer beneath, and what often coincides side by side in the legend.
constexpr std::array<std::size_t, methods.size()> drawn{exact, 0, 1, 4, 5, 3, 2, as_printed};

/// Columns after those of the methods.
enum extra : std::uint8_t { undecided = methods.size(), accepted_but_missed, printed_but_missed, columns };

constexpr std::int32_t cores = 2;

struct configuration {
  std::string cell;
  std::string title;
  generation::period_choices periods;
  generation::period_choices slot_periods;
  std::int32_t deadline_percent = 75;
};

struct slot_setting {
  generation::accelerator_set_options options;
  generation::period_choices slot_periods;
};

/// What a test says of both cores in the pinned slot and of the gang tasks in the other.
[[nodiscard]] auto ask(const compared& m, const std::array<kernel_table, cores + 1>& parts,
                       const analysis::two_slots<ticks>& slots) -> answer {
  answer out = answer::accepted;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const answer here = m.test(parts[p], p < cores ? slots.pinned : slots.gang);
    if (here == answer::rejected) { return here; }
    out = here == answer::undecided ? here : out;
  }
  return out;
}

void count_set(const kernel_table& table, ticks slot_period, std::span<std::int64_t> counts) {
  const auto slots = analysis::nearest_ticks(analysis::proportional_slots(table, cores, slot_period));
  const std::array<kernel_table, cores + 1> parts{analysis::pinned_tasks(table, 0), analysis::pinned_tasks(table, 1),
                                                  analysis::gang_tasks(table)};
  std::array<answer, methods.size()> answers{};
  bool settled = true;
  bool sound_accepts = false;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    answers[m] = ask(methods[m], parts, slots);
    counts[m] += answers[m] == answer::accepted ? 1 : 0;
    settled = settled && answers[m] != answer::undecided;
    sound_accepts = sound_accepts || (m != as_printed && answers[m] == answer::accepted);
  }
  const bool misses = answers[exact] == answer::rejected;
  counts[undecided] += settled ? 0 : 1;
  counts[accepted_but_missed] += misses && sound_accepts ? 1 : 0;
  counts[printed_but_missed] += misses && answers[as_printed] == answer::accepted ? 1 : 0;
}

[[nodiscard]] auto make_counter(std::vector<slot_setting> all, std::uint64_t seed) -> counter {
  return [all = std::move(all), seed](const unit& u, std::span<std::int64_t> counts) {
    slot_setting setting = all[u.series];
    setting.options.core_utilization_permille = static_cast<std::int32_t>(u.level);
    kernel_table table;
    for (std::int64_t i = 0; i < u.sets; ++i) {
      const std::uint64_t number = set_number(u.level, u.first_set + i);
      draw(setting.options, seed, number, table);
      count_set(table, generation::draw_slot_period(setting.slot_periods, seed, number), counts);
    }
  };
}

/// Every gang utilisation with every configuration.
[[nodiscard]] auto design(const settings& s, std::string title, const std::vector<configuration>& configurations)
    -> experiment {
  experiment e;
  apply_accelerator(s, e);
  e.title = std::move(title);
  e.level_title = "utilization of each core by its pinned tasks";
  e.keys = {"gang_utilization", "configuration"};
  for (const compared& m : methods) { e.columns.emplace_back(m.column); }
  for (const char* c : {"undecided", "accepted_but_missed", "printed_but_missed"}) { e.columns.emplace_back(c); }
  const auto tasks = static_cast<std::int32_t>(s.number("tasks", 1, 10));
  std::vector<slot_setting> all;
  for (const std::int64_t gang : s.levels("gang")) {
    if (gang < tasks || gang > 1000) {
      throw input_error{"gang", "the utilization is out of range", "at least 0.001 per task and at most 1"};
    }
    for (const configuration& c : configurations) {
      panel p{.title = fmt::format("gang {}: {}", thousandths_text(gang), c.title), .curves = {}};
      for (const std::size_t m : drawn) {
        p.curves.push_back({.series = e.all_series.size(),
                            .column = m,
                            .title = std::string{methods[m].title},
                            .colour = methods[m].colour,
                            .line = methods[m].line});
      }
      e.panels.push_back(std::move(p));
      e.all_series.push_back({{thousandths_text(gang), c.cell}});
      all.push_back({{.cores = cores,
                      .tasks_per_core = tasks,
                      .gang_tasks = tasks,
                      .gang_utilization_permille = static_cast<std::int32_t>(gang),
                      .periods = c.periods,
                      .least_deadline_percent = c.deadline_percent},
                     c.slot_periods});
    }
  }
  e.panels_per_row = configurations.size();
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  e.make_counter = [all, seed] { return make_counter(all, seed); };
  return e;
}

[[nodiscard]] auto list(std::initializer_list<ticks> units) -> generation::period_choices {
  generation::period_choices out;
  for (const ticks u : units) { (void)out.push_back(u * time_unit); }
  return out;
}

[[nodiscard]] auto any_periods(const settings& s, const std::string& title) -> experiment {
  const auto periods = period_list(s, "periods");
  const auto shorter = period_list(s, "slot-periods");
  const auto percent = static_cast<std::int32_t>(s.number("deadline", 1, 100));
  std::vector<configuration> all{{"slot as tasks", "slot period from the list of the tasks", periods, periods, percent},
                                 {"slot shorter", "slot period from the shorter list", periods, shorter, percent}};
  if (percent < 100) {
    all.push_back({"slot shorter D=T", "slot period from the shorter list, D = T", periods, shorter, 100});
  }
  return design(s, title, all);
}

[[nodiscard]] auto harmonic_periods(const settings& s) -> experiment {
  const auto percent = static_cast<std::int32_t>(s.number("deadline", 1, 100));
  return design(s, "Accelerator platform (Zahaf and Lipari 2020), Fig. 8: periods and slot period divide one another",
                {{"T=20 slot=20", "T = 20, slot 20", list({20}), list({20}), percent},
                 {"T=20/40 slot=20", "T in {20, 40}, slot 20", list({20, 40}), list({20}), percent},
                 {"T=20/40/80 slot=20", "T in {20, 40, 80}, slot 20", list({20, 40, 80}), list({20}), percent},
                 {"T=20/40/80 slot=20 D=T", "T in {20, 40, 80}, slot 20, D = T", list({20, 40, 80}), list({20}), 100},
                 {"T=20/40 slot=40", "T in {20, 40}, slot 40", list({20, 40}), list({40}), percent}});
}

[[nodiscard]] auto slot_parameters(const std::string& gang, const std::string& levels) -> std::vector<parameter> {
  return accelerator_parameters({{"levels", levels, "utilization of each core by its pinned tasks"},
                                 {"gang", gang, "utilization of all cores by gang tasks"},
                                 {"tasks", "3", "per core, and of the gang; not printed in the paper"},
                                 {"deadline", "75", "shortest deadline in percent of its period"}});
}

[[nodiscard]] auto with_lists(std::vector<parameter> out) -> std::vector<parameter> {
  out.push_back({"periods", "10,12,15,20,24,30,40,60", "of the tasks; not printed in the paper"});
  out.push_back({"slot-periods", "5,6,8,10", "the shorter list; the paper takes that of the tasks"});
  return out;
}

}  // namespace

auto accelerator_slot_studies() -> std::vector<study> {
  return {
      {"accelerator-fig6", "acceptance in two slots with a gang utilization of 0.2",
       with_lists(slot_parameters("0.2", "0.2..0.8/0.1")),
       [](const settings& s) {
         return any_periods(s, "Accelerator platform (Zahaf and Lipari 2020), Fig. 6: few gang tasks");
       }},
      {"accelerator-fig7", "acceptance in two slots with a gang utilization of 0.5",
       with_lists(slot_parameters("0.5", "0.1..0.5/0.1")),
       [](const settings& s) {
         return any_periods(s, "Accelerator platform (Zahaf and Lipari 2020), Fig. 7: as many gang as pinned tasks");
       }},
      {"accelerator-fig8", "acceptance in two slots where periods and slot period divide one another",
       slot_parameters("0.2,0.5", "0.1..0.8/0.1"), harmonic_periods},
  };
}

}  // namespace takt::program::sweep
