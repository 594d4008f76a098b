// SPDX-License-Identifier: Apache-2.0
// Zahaf and Lipari 2020. Fig. 6 to 8: tests for two slots on the same sets. Fig. 9, simulated: response times with and
// without the scheduler. Fig. 10, simulated: preemption at the end of a wave of blocks. Not in the paper: how much
// preemption levels are worth under each model of what a preemption costs.
#include <algorithm>
#include <array>

#include <takt/analysis/methods/whole_kernels/fixed_priority.hpp>
#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/generation/parameter_views.hpp>
#include <takt/generation/whole_kernels.hpp>
#include <takt/host/engine.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/servers/all.hpp>
#include <takt/rules/tags.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/accelerators/analysis/single_stream_fixed_priority.hpp>
#include <takt/systems/accelerators/analysis/slot_tests.hpp>
#include <takt/systems/locked_gpus/simulation/completion_delays.hpp>

#include "../failure.hpp"
#include "study.hpp"

namespace takt::program::sweep {

namespace {

/// A unit of time in ticks, fine enough for every utilisation that is drawn.
constexpr ticks time_unit = generation::utilization_parts;
constexpr std::int64_t most_period = 1'000'000;

/// Times in units as a list to draw from. Throws `input_error` with the name of the parameter.
[[nodiscard]] auto period_list(std::string_view name, const std::vector<std::int64_t>& units)
    -> generation::period_choices {
  generation::period_choices out;
  for (const std::int64_t u : units) {
    if (!out.try_push_back(u * time_unit)) {
      throw input_error{std::string{name}, "is too long",
                        fmt::format("at most {} periods", generation::max_period_choices)};
    }
  }
  return out;
}
[[nodiscard]] auto period_list(const settings& s, std::string_view name) -> generation::period_choices {
  return period_list(name, s.numbers(name));
}

constexpr std::size_t most_kernels = 32;
using kernel_table = task_rows<accelerator_task<ticks>, most_kernels>;
using set_options = generation::accelerator_set_options;
using analysis::slot_result;
constexpr auto brief = analysis::edf_report::verdict_only;

[[nodiscard]] auto parameters(const std::string& levels, const std::string& about, std::vector<parameter> own)
    -> std::vector<parameter> {
  return with({{"seed", "1", "of everything that is drawn"},
               {"sets", "100", "task sets per configuration and level", 1, most_sets},
               {"levels", levels, about, 1, 1000}},
              std::move(own));
}

/// A utilization that tasks share must leave a thousandth for each.
void require_shares(std::string_view name, const settings& s) {
  const auto levels = s.levels(name);
  if (levels.front() < s.number("tasks") || levels.back() > 1000) {
    throw input_error{std::string{name}, "a utilization is out of range", "at least 0.001 per task and at most 1"};
  }
}

void draw(const set_options& o, std::uint64_t seed, std::uint64_t number, kernel_table& out) {
  require(generation::generate(o, seed, number, out) == model_fault::none, "a task set cannot be drawn");
}

// Two slots.

constexpr auto& tests = analysis::slot_tests<most_kernels>;
/// Columns of the tests as they are drawn: the exact answer beneath, and what often coincides side by side.
constexpr std::array<compared<std::size_t>, tests.size()> drawn_tests{{
    {analysis::exact_slot_test, {}, "exact", 5, stroke::band},
    {0, {}, "SBF (Theorem 3)", 0},
    {1, {}, "SBF*, linear (Eq. 10)", 6},
    {4, {}, "L3PROP (Lemma 3)", 2},
    {5, {}, "HARM (Theorem 6, corrected)", 3},
    {3, {}, "OUR+ (exact distances)", 4},
    {2, {}, "OUR (Theorem 4, corrected)", 1},
    {analysis::printed_slot_test, {}, "OUR as printed: unsound", 1, stroke::dashed},
}};

/// Columns after those of the tests.
enum slot_column : std::uint8_t { undecided = tests.size(), accepted_but_missed, printed_but_missed };

constexpr std::int32_t cores = 2;

/// How sets and their slots are drawn.
struct configuration {
  std::string cell;
  std::string title;
  set_options how;
  generation::period_choices slot_periods;
};

void count_slots(const kernel_table& table, ticks slot_period, row counts) {
  const auto slots = analysis::nearest_ticks(analysis::proportional_slots(table, cores, slot_period));
  std::array<slot_result, tests.size()> answers{};
  std::ranges::transform(tests, answers.begin(),
                         [&](const auto& test) { return analysis::ask_slots(test, table, {.cores = cores}, slots); });
  for (std::size_t t = 0; t < tests.size(); ++t) { counts[t] += answers[t] == slot_result::accepted ? 1 : 0; }
  const bool settled = std::ranges::count(answers, slot_result::undecided) == 0;
  const bool misses = answers[analysis::exact_slot_test] == slot_result::rejected;
  const auto sound = std::span{answers}.first<analysis::printed_slot_test>();
  counts[undecided] += settled ? 0 : 1;
  counts[accepted_but_missed] += misses && std::ranges::count(sound, slot_result::accepted) > 0 ? 1 : 0;
  counts[printed_but_missed] += misses && answers[analysis::printed_slot_test] == slot_result::accepted ? 1 : 0;
}

/// Every gang utilisation with every configuration.
void fill_slots(const settings& s, experiment& e, const std::vector<configuration>& configurations) {
  require_shares("levels", s);
  require_shares("gang", s);
  std::vector<configuration> all;
  for (const std::int64_t gang : s.levels("gang")) {
    for (const configuration& c : configurations) {
      e.add_panel(fmt::format("gang {}: {}", thousandths_text(gang), c.title));
      e.add_series(thousandths_text(gang), c.cell);
      for (const auto& t : drawn_tests) { e.draw(t.what, t); }
      all.push_back(c);
      all.back().how.tasks_per_core = all.back().how.gang_tasks = s.number<std::int32_t>("tasks");
      all.back().how.gang_utilization_permille = static_cast<std::int32_t>(gang);
    }
  }
  e.panels_per_row = configurations.size();
  e.count = set_by_set([all, seed = s.seed()](const unit& u, std::int64_t i, row counts) {
    set_options how = all[u.series].how;
    how.core_utilization_permille = static_cast<std::int32_t>(u.level);
    kernel_table table;
    draw(how, seed, u.number(i), table);
    count_slots(table, generation::draw_slot_period(all[u.series].slot_periods, seed, u.number(i)), counts);
  });
}

[[nodiscard]] auto drawn_from(const generation::period_choices& periods, std::int32_t deadline_percent) -> set_options {
  return {.cores = cores, .periods = periods, .least_deadline_percent = deadline_percent};
}

void any_periods(const settings& s, experiment& e) {
  const auto periods = period_list(s, "periods");
  const auto shorter = period_list(s, "slot-periods");
  const auto percent = s.number<std::int32_t>("deadline");
  const set_options usual = drawn_from(periods, percent);
  std::vector<configuration> all{{"slot as tasks", "slot period from the list of the tasks", usual, periods},
                                 {"slot shorter", "slot period from the shorter list", usual, shorter}};
  if (percent < 100) {
    all.push_back({"slot shorter D=T", "slot period from the shorter list, D = T", drawn_from(periods, 100), shorter});
  }
  fill_slots(s, e, all);
}

void harmonic_periods(const settings& s, experiment& e) {
  const auto list = [](const std::vector<std::int64_t>& units) { return period_list("periods", units); };
  const auto usual = [&](const std::vector<std::int64_t>& units) {
    return drawn_from(list(units), s.number<std::int32_t>("deadline"));
  };
  const set_options implicit = drawn_from(list({20, 40, 80}), 100);
  fill_slots(s, e,
             {{"T=20 slot=20", "T = 20, slot 20", usual({20}), list({20})},
              {"T=20/40 slot=20", "T in {20, 40}, slot 20", usual({20, 40}), list({20})},
              {"T=20/40/80 slot=20", "T in {20, 40, 80}, slot 20", usual({20, 40, 80}), list({20})},
              {"T=20/40/80 slot=20 D=T", "T in {20, 40, 80}, slot 20, D = T", implicit, list({20})},
              {"T=20/40 slot=40", "T in {20, 40}, slot 40", usual({20, 40}), list({40})}});
}

[[nodiscard]] auto slot_study(std::string_view name, std::string_view about, const std::string& figure,
                              const std::string& gang, const std::string& levels, bool harmonic) -> study {
  std::vector<parameter> own{{"gang", gang, "utilization of all cores by gang tasks"},
                             {"tasks", "3", "per core, and of the gang; not printed in the paper", 1, 10},
                             {"deadline", "75", "shortest deadline in percent of its period", 1, 100}};
  if (!harmonic) {
    own.push_back({"periods", "10,12,15,20,24,30,40,60", "of the tasks; not printed in the paper", 1, most_period});
    own.push_back({"slot-periods", "5,6,8,10", "the shorter list; the paper takes that of the tasks", 1, most_period});
  }
  layout shown("Accelerator platform (Zahaf and Lipari 2020), " + figure, "utilization",
               "utilization of each core by its pinned tasks", "accepted task sets (%)",
               {"gang_utilization", "configuration"}, {}, measure::sets);
  for (const auto& t : tests) { shown.columns.emplace_back(t.name); }
  for (const char* c : {"undecided", "accepted_but_missed", "printed_but_missed"}) { shown.columns.emplace_back(c); }
  return {std::string{name}, std::string{about}, shown,
          parameters(levels, "utilization of each core by its pinned tasks", own),
          harmonic ? harmonic_periods : any_periods};
}

// Preemption levels.

constexpr std::array<compared<preemption_cost_model>, 3> cost_models{
    {{preemption_cost_model::ideal, "ideal", "preemption at the end of a wave"},
     {preemption_cost_model::race, "race", "each start may lose a race against a wave"},
     {preemption_cost_model::overhead, "overhead", "each preemption wastes a wave"}}};

/// Numbers of levels, with the columns of their counts.
constexpr std::array<compared<std::int32_t>, 4> stacks{
    {{1, {}, "1 level, no preemption", 5}, {2, {}, "2 levels", 0}, {3, {}, "3 levels", 2}, {4, {}, "4 levels", 1}}};
constexpr std::int32_t printed_levels = 2;

enum level_column : std::uint8_t { any = stacks.size(), two_printed, missed, printed_missed };

/// Whether jobs that come as badly as they may are all in time.
[[nodiscard]] auto runs_without_miss(const kernel_table& table, std::int32_t levels, preemption_cost_model model,
                                     std::uint64_t seed) -> bool {
  ticks longest = 0;
  for (const auto& t : table.tasks) { longest = std::max(longest, t.period); }
  const auto board = platform(pool(accelerator(1, levels), takt::levels(edf, model)));
  const auto seen = simulate(board, table,
                             {.horizon = duration{3 * longest},
                              .releases = release_pattern::adversarial,
                              .seed = seed,
                              .stop_at_first_miss = true});
  require(!seen.error, "a simulation failed");
  return seen.misses() == 0;
}

void count_levels(const kernel_table& table, preemption_cost_model model, std::uint64_t seed, row counts) {
  bool accepted = false;
  bool misses = false;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (!analysis::level_stack_edf<brief>(table, stacks[i].what, model).schedulable()) { continue; }
    ++counts[i];
    accepted = true;
    misses = misses || !runs_without_miss(table, stacks[i].what, model, seed);
  }
  counts[any] += accepted ? 1 : 0;
  counts[missed] += misses ? 1 : 0;
  if (analysis::as_published::level_stack_edf(table, printed_levels).schedulable()) {
    ++counts[two_printed];
    counts[printed_missed] += runs_without_miss(table, printed_levels, model, seed) ? 0 : 1;
  }
}

void fill_levels(const settings& s, experiment& e) {
  require_shares("levels", s);
  set_options options{.cores = 1,
                      .tasks_per_core = 0,
                      .gang_tasks = s.number<std::int32_t>("tasks"),
                      .periods = period_list(s, "periods"),
                      .least_deadline_percent = s.number<std::int32_t>("deadline")};
  std::vector<std::pair<set_options, preemption_cost_model>> all;
  const auto waves = s.numbers("waves");
  for (const auto& [percent, c] : views::parameters(waves, cost_models)) {
    e.add_panel(fmt::format("waves of {} % of a kernel: {}", percent, c.title));
    e.add_series(percent, c.cell);
    for (std::size_t i = 0; i < stacks.size(); ++i) { e.draw(i, stacks[i]); }
    e.draw(two_printed, fmt::format("{} levels, Lemma 1 as printed: unsound", printed_levels),
           stacks[printed_levels - 1].colour, stroke::dashed);
    options.wave_percent = static_cast<std::int32_t>(percent);
    all.push_back({options, c.what});
  }
  e.count = set_by_set([all, seed = s.seed()](const unit& u, std::int64_t i, row counts) {
    auto [how, model] = all[u.series];
    how.gang_utilization_permille = static_cast<std::int32_t>(u.level);
    kernel_table table;
    draw(how, seed, u.number(i), table);
    count_levels(table, model, seed ^ u.number(i), counts);
  });
}

constexpr std::size_t few_kernels = 4;
using few_table = task_rows<accelerator_task<ticks>, few_kernels>;

// Fig. 9.

constexpr auto cost = preemption_cost_model::race;

using sporadic_jobs = generation::sporadic_jobs<few_kernels>;
using response_times = std::vector<ticks>;
constexpr ticks no_more_jobs = simulation::longest_time;
struct planned_job {
  ticks release = 0;
  ticks work = 0;
};

/// The jobs of an experiment, and the responses of the first task.
class observed_jobs {
 public:
  explicit observed_jobs(const sporadic_jobs& jobs) : jobs_{&jobs} {}

  [[nodiscard]] auto gap(std::uint32_t task, std::uint64_t number, ticks /*period*/) const -> ticks {
    return release(task, number) - (number == 0 ? 0 : release(task, number - 1));
  }
  [[nodiscard]] static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks {
    return 0;
  }
  [[nodiscard]] static auto length(const visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
  void completed(std::uint32_t task, std::uint64_t number, ticks now) {
    if (task == 0) { responses_.push_back(now - release(0, number)); }
  }
  [[nodiscard]] auto responses() const -> const response_times& { return responses_; }

 private:
  [[nodiscard]] auto release(std::uint32_t task, std::uint64_t number) const -> ticks {
    planned_job out;
    return jobs_->job(task, static_cast<std::int64_t>(number), out) ? out.release : no_more_jobs;
  }

  const sporadic_jobs* jobs_;
  response_times responses_;
};

/// Responses of the first task.
template <class Rule>
[[nodiscard]] auto responses(const Rule& rule, std::int32_t levels, const few_table& table, const sporadic_jobs& jobs)
    -> response_times {
  const auto board = platform(pool(accelerator(1, levels), rule));
  const auto flat = flatten(board, table, plan<few_kernels, few_kernels>{});
  require(!flat.error, "a simulation failed");
  observed_jobs heard{jobs};
  host::engine<std::remove_cvref_t<decltype(flat.stations)>, few_kernels, few_kernels, observed_jobs> engine{
      flat.table, flat.stations, heard};
  static_cast<void>(engine.run(no_more_jobs - 1));
  return heard.responses();
}

/// What a GPU does without a scheduler when each task has a stream of its own: the kernels that are there take turns, a
/// wave of blocks each. A wave is as long as the preemption cost of its task, or as the rest of the job.
[[nodiscard]] auto waves_in_turn(const few_table& table, const sporadic_jobs& jobs) -> response_times {
  struct stream {
    std::int64_t number = 0;
    planned_job job{};
    bool comes = false;
  };
  std::vector<stream> streams(table.size());
  for (std::size_t i = 0; i < streams.size(); ++i) { streams[i].comes = jobs.job(i, 0, streams[i].job); }
  response_times out;
  ticks now = 0;
  for (std::size_t i = 0, idle = 0; !streams.empty(); i = (i + 1) % streams.size()) {
    stream& s = streams[i];
    if (idle == streams.size()) {
      const auto first =
          std::ranges::min_element(streams, {}, [](const stream& x) { return x.comes ? x.job.release : no_more_jobs; });
      if (!first->comes) { break; }
      now = first->job.release;
      idle = 0;
    }
    if (!s.comes || s.job.release > now) {
      ++idle;
      continue;
    }
    idle = 0;
    const ticks wave = std::min(s.job.work, table.tasks[i].preemption_cost);
    now += wave;
    s.job.work -= wave;
    if (s.job.work > 0) { continue; }
    if (i == 0) { out.push_back(now - s.job.release); }
    s.comes = jobs.job(i, ++s.number, s.job);
  }
  return out;
}
[[nodiscard]] auto first_come_first_served(const few_table& table, const sporadic_jobs& jobs) -> response_times {
  return responses(fifo, 1, table, jobs);
}

/// Responses of the first task; takt's own by their levels, with a bound.
struct scheduler {
  response_times (*run)(const few_table&, const sporadic_jobs&) = nullptr;
  std::int32_t levels = 0;
};
constexpr std::array<compared<scheduler>, 5> schedulers{{
    {{waves_in_turn}, "streams", "without: a stream per task, waves in turn", 1},
    {{first_come_first_served}, "queue", "without: one stream, first come first served", 4},
    {{nullptr, 1}, "takt_1", "takt, one stream", 5},
    {{nullptr, 2}, "takt_2", "takt, 2 levels", 0},
    {{nullptr, 3}, "takt_3", "takt, 3 levels", 2},
}};

/// 0 where none is known: without a scheduler, or above the deadline.
[[nodiscard]] auto bound_of_first(std::int32_t levels, const few_table& table) -> ticks {
  if (levels == 0) { return 0; }
  const auto order = analysis::rank_as_given<few_kernels>(table.size());
  const auto verdict = levels == 1 ? analysis::single_stream_fixed_priority(table, order)
                                   : analysis::level_stack_fixed_priority(table, order, levels, cost);
  return verdict.tasks[0].bound.exists ? verdict.tasks[0].bound.value : 0;
}

enum column : std::uint8_t { largest, percentile, spread, median, bound };

void fig9(const settings& s, experiment& e) {
  e.panels = {{"longest", {}}, {"99th percentile", {}}, {"spread: longest - shortest", {}}};
  for (const auto& x : schedulers) {
    e.add_series(x.cell);
    e.draw_across(x.title, x.colour);
  }
  const auto periods = period_list(s, "periods");
  if (periods.size() > few_kernels) {
    throw input_error{"periods", "are too many", fmt::format("at most {}", few_kernels)};
  }
  e.count = [periods, waves = s.number("waves"), delay = s.number("delay"), seed = s.seed()](const unit& u,
                                                                                             row counts) {
    few_table table;
    if (generation::equal_kernels(periods, u.level, waves, table) != model_fault::none) {
      throw input_error{"periods", "have no common multiple of a usable size", "periods such as \"20,30,50\""};
    }
    const auto& [run, levels] = schedulers[u.series].what;
    const sporadic_jobs jobs{table, u.sets, delay, seed};
    response_times found =
        run != nullptr ? run(table, jobs) : responses(takt::levels(fixed_priority, cost), levels, table, jobs);
    std::ranges::sort(found);
    const auto per_own = [&table](ticks t) { return t * 1000 / table.tasks[0].wcet; };
    counts[largest] = per_own(found.back());
    counts[percentile] = per_own(simulation::quantile(found, 990));
    counts[spread] = per_own(found.back() - found.front());
    counts[median] = per_own(simulation::quantile(found, 500));
    counts[bound] = per_own(bound_of_first(levels, table));
  };
}

// Fig. 10.

constexpr ticks wave_length = 8;

/// The responses of the high task of one wave and of the low one of so many, which is released one tick earlier.
[[nodiscard]] auto run_pair(std::int64_t waves, bool with_high, preemption_cost_model model)
    -> std::pair<ticks, ticks> {
  few_table table;
  for (const std::int64_t w : {std::int64_t{1}, waves}) {
    (void)generation::add_waves(table, w, wave_length, (waves + 2) * wave_length * 2);
  }
  const ticks period = table.tasks[0].period;
  const std::array offsets{duration{with_high ? 1 : period}, duration{0}};
  const auto run = simulate(platform(pool(accelerator(1, 2), takt::levels(fixed_priority, model))), table,
                            {.horizon = duration{period - 1}, .offsets = offsets});
  return {run.tasks[0].worst_response, run.tasks[1].worst_response};
}

void fig10(const settings& /*s*/, experiment& e) {
  for (const auto& c : cost_models) {
    e.add_panel(fmt::format("cost of a preemption: {}", c.cell));
    e.add_series(c.cell);
    e.draw(0, "low task alone", 0);
    e.draw(1, "low task, high one started after it", 1);
    e.draw(2, "high task (one wave)", 2);
  }
  e.count = [](const unit& u, row counts) {
    const auto model = cost_models[u.series].what;
    const auto [high, low] = run_pair(u.level / 1000, true, model);
    counts[0] = 1000 * run_pair(u.level / 1000, false, model).second;
    counts[1] = 1000 * low;
    counts[2] = 1000 * high;
  };
}

}  // namespace

auto accelerator_studies() -> std::vector<study> {
  return {
      slot_study("accelerator-fig6", "acceptance in two slots with a gang utilization of 0.2", "Fig. 6: few gang tasks",
                 "0.2", "0.2..0.8/0.1", false),
      slot_study("accelerator-fig7", "acceptance in two slots with a gang utilization of 0.5",
                 "Fig. 7: as many gang as pinned tasks", "0.5", "0.1..0.5/0.1", false),
      slot_study("accelerator-fig8", "acceptance in two slots where periods and slot period divide one another",
                 "Fig. 8: periods and slot period divide one another", "0.2,0.5", "0.1..0.8/0.1", true),
      {"accelerator-levels", "acceptance with 1 to 4 preemption levels, by what a preemption costs",
       layout("Accelerator platform: what preemption levels are worth under EDF, by what a preemption costs",
              "utilization", "utilization of the accelerator", "accepted task sets (%)", {"wave_percent", "cost"},
              {"levels_1", "levels_2", "levels_3", "levels_4", "any", "levels_2_printed", "accepted_but_missed",
               "printed_but_missed"},
              measure::sets),
       parameters("0.1..1.0/0.1", "utilization of the accelerator",
                  {{"tasks", "5", "per set", 1, 10},
                   {"periods", "10,12,15,20,24,30,40,60", "of the tasks", 1, most_period},
                   {"deadline", "75", "shortest deadline in percent of its period", 1, 100},
                   {"waves", "5,25", "length of a wave in percent of its kernel", 0, 100}}),
       fill_levels},
      {"accelerator-fig9",
       "response of the most important task with and without the scheduler, simulated",
       layout("Accelerator platform (Zahaf and Lipari 2020), Fig. 9: response of the most important of three tasks",
              "utilization", "utilization of the accelerator", "response / time alone", {"scheduler"},
              {"max", "percentile_99", "spread", "median", "bound"}, measure::thousandths),
       {{"seed", "1", "of all releases"},
        {"sets", "2000", "jobs of the most important task", 1, most_sets},
        {"levels", "0.1..0.9/0.1", "utilization of the accelerator", 1, 1000},
        {"periods", "20,30,50", "of the tasks, the most important one first; not printed in the paper", 1, most_period},
        {"waves", "16", "of blocks in a kernel; not printed in the paper", 1, 1000},
        {"delay", "10", "percent of a period by which a release may come late", 0, 100}},
       fig9},
      {"accelerator-fig10",
       "preemption at the end of a wave: the low task alone and with the high one, simulated",
       layout("Accelerator platform (Zahaf and Lipari 2020), Fig. 10: preemption at the end of a wave of blocks",
              "waves", "waves of the low task (64 blocks each)", fmt::format("response (a wave takes {})", wave_length),
              {"cost"}, {"low_alone", "low_with_high", "high"}, measure::thousandths),
       {{"levels", "1..8/1", "waves of the low task", 1000, INT64_MAX, 1000}},
       fig10},
  };
}

}  // namespace takt::program::sweep
