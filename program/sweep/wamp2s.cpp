// SPDX-License-Identifier: Apache-2.0
// Yao et al. 2022 on an invented platform. Fig. 1 and 6: what co-runners and shares do to the time of an application.
// Fig. 12 and 13: how far estimates of the remaining time are off. Fig. 14: which sets meet all deadlines under which
// policy. Fig. 15 and 16: what scheduling operations cost, with the two cuts and without. Fig. 17: the airborne set.
#include <algorithm>
#include <array>

#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/core/rational.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/one_at_a_time.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/rules/shares/share_baselines.hpp>
#include <takt/systems/shares/analysis/necessary_shares.hpp>
#include <takt/systems/shares/figures/application_releases.hpp>
#include <takt/systems/shares/figures/synthetic_sets.hpp>
#include <takt/systems/shares/plans/static_shares.hpp>
#include <takt/systems/shares/simulation/estimate_recorder.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

#include "../failure.hpp"
#include "wamp2s_errors.hpp"

namespace takt::program::sweep {

namespace {

constexpr std::size_t most_applications = generation::synthetic_benchmarks.size();
using application_table = application_set<most_applications>;
using share_predictor = contention_predictor<most_applications>;
using scheduled_applications = scheduled_shares<most_applications, share_predictor>;
using share_outcome = share_observation<most_applications>;
using application_releases = generation::application_releases<most_applications>;

constexpr ticks microseconds_per_second = 1'000'000;

/// Applications, when their jobs come, and how long that is simulated.
struct scene {
  const application_table& table;
  application_releases releases;
  ticks horizon;
};

template <class Policy, class... Recorder>
[[nodiscard]] auto run(const scene& s, const Policy& policy, Recorder&... recorder) -> share_outcome {
  const share_outcome out = simulation::simulate_shares(s.table, policy, s.releases.before(s.horizon),
                                                        simulation::share_options{.horizon = s.horizon}, recorder...);
  require(!out.error, "a simulation failed");
  return out;
}

// The policies that are compared.

using policy = share_outcome (*)(const scene&);

[[nodiscard]] auto scheduled(const scene& s, const share_rules& rules, const share_triggers& when = every_change)
    -> share_outcome {
  return run(s, scheduled_applications{s.table, share_predictor{s.table}, rules, when});
}
template <class Order>
[[nodiscard]] auto single(const scene& s, Order order, bool preemptive) -> share_outcome {
  return run(s, one_at_a_time{s.table, {.preemptive = preemptive}, order});
}

enum place : std::uint8_t { robust = 2, last_published = 4 };
constexpr std::array<compared<policy>, 10> policies{{
    {[](const scene& s) { return scheduled(s, wamp2s_literal); }, "literal", "WAMP2S as printed", 2},
    {[](const scene& s) { return scheduled(s, wamp2s_text); }, "text", "WAMP2S as described", 0},
    {[](const scene& s) { return scheduled(s, wamp2s_robust); }, "robust", "WAMP2S, sound rules", 1},
    {[](const scene& s) { return run(s, equal_shares<most_applications>{s.table}); }, "share", "equal shares", 4},
    {[](const scene& s) { return run(s, time_sliced{s.table}); }, "ts", "time slices", 5},
    {[](const scene& s) { return run(s, proportional_shares<most_applications>{s.table}); }, "prop",
     "shares by priority", 6},
    {[](const scene& s) { return single(s, by_given_priority{}, false); }, "fp_np", "one at a time, by priority", 3},
    {[](const scene& s) { return single(s, by_given_priority{}, true); }, "fp_p", "the same, preemptive", 3,
     stroke::dashed},
    {[](const scene& s) { return single(s, by_absolute_deadline{}, true); }, "edf_p", "one at a time, preemptive EDF",
     0},
    {[](const scene& s) {
       return run(s, fixed_shares<most_applications>{s.table, static_shares(s.table, share_predictor{s.table})});
     },
     "static", "constant shares", 2},
}};

// Sets.

void draw(const generation::benchmark_set_options& o, std::uint64_t seed, std::uint64_t number,
          application_table& out) {
  require(generation::generate(o, seed, number, out) == model_fault::none, "a task set cannot be drawn");
}

[[nodiscard]] auto airborne_set() -> application_table {
  application_table out;
  static_cast<void>(generation::synthetic_set(generation::synthetic_airborne, out));
  return out;
}
/// How long random sets run: so many of the longest periods, but at most so many seconds.
struct extent {
  std::int64_t periods;
  std::int64_t seconds;

  explicit extent(const settings& s) : periods{s.number("periods")}, seconds{s.number("seconds")} {}
  [[nodiscard]] auto horizon_of(const application_table& table) const -> ticks {
    ticks longest = 0;
    for (const share_task& t : table.tasks) { longest = std::max(longest, t.period); }
    return std::min(periods * longest, seconds * microseconds_per_second);
  }
};

[[nodiscard]] auto with_extent(std::vector<parameter> own, const std::string& periods_about = "")
    -> std::vector<parameter> {
  own.push_back({"periods", "3", "longest periods that are simulated" + periods_about, 1, 1000});
  own.push_back({"seconds", "60", "that are simulated at most", 1, 86'400});
  return own;
}

// Fig. 1 and 6.

constexpr std::size_t lavamd = 4;  // in Table 3

/// The benchmarks, whose periods do not matter here.
[[nodiscard]] auto benchmark_set() -> application_table {
  auto all = generation::synthetic_benchmarks;
  for (auto& a : all) { a.period = a.wcet; }
  application_table out;
  static_cast<void>(generation::synthetic_set(std::span<const generation::synthetic_application>{all}, out));
  return out;
}

/// With equal shares beside the first so many of the others, which never stop.
[[nodiscard]] auto time_beside(const application_table& table, std::size_t others) -> ticks {
  const share each = share::bounded(100 / static_cast<std::int32_t>(others + 1));
  std::vector<co_runner> load;
  for (std::uint32_t k = 0; load.size() < others; ++k) {
    if (k != lavamd) { load.push_back({k, each}); }
  }
  return share_predictor{table}.predict(lavamd, each, load);
}

void fig1(const settings& /*s*/, experiment& e) {
  e.add_series("invented");
  e.add_panel("lavaMD");
  e.draw(0, "equal shares, with contention", 0);
  e.draw(1, "time slices", 1);
  e.count = [table = benchmark_set()](const unit& u, row counts) {
    counts[0] = time_beside(table, u.whole_level() - 1) / 1000;
    counts[1] = table.tasks[lavamd].alone.at(full_share) * (u.level / 1000) / 1000;
  };
}

void fig6(const settings& /*s*/, experiment& e) {
  e.add_series("invented");
  e.add_panel("ten benchmarks alone");
  for (std::size_t i = 0; i < e.columns.size(); ++i) {
    e.draw(i, e.columns[i], static_cast<int>(i), i < 7 ? stroke::solid : stroke::dashed);
  }
  e.count = [table = benchmark_set()](const unit& u, row counts) {
    const share held = share::bounded(static_cast<std::int32_t>(u.level / 1000));
    for (std::size_t i = 0; i < counts.size(); ++i) { counts[i] = table.tasks[i].alone.at(held) / 1000; }
  };
}

// Fig. 12 and 13.

/// Lets random sets run that are neither light nor overloaded.
template <class Judge>
void judge_estimates(std::uint64_t seed, std::int64_t sets, const extent& within, Judge judge) {
  constexpr std::int64_t least_load = 600;
  constexpr std::int64_t most_load = 1150;
  application_table table;
  for (std::int64_t i = 0; i < sets; ++i) {
    random_stream random{seed ^ random_stream{static_cast<std::uint64_t>(i)}.next()};
    draw({.utilization_permille = static_cast<std::int32_t>(random.between(least_load, most_load))}, seed,
         static_cast<std::uint64_t>(i), table);
    simulation::estimate_recorder recorder{table, share_predictor{table}, judge};
    const scene one{table, {table, random.next()}, within.horizon_of(table)};
    (void)run(one, scheduled_applications{table, share_predictor{table}, wamp2s_text, every_change}, recorder);
    if (!recorder.complete()) {
      throw environment_error{"a job of this study has too many estimates; simulate fewer seconds"};
    }
  }
}

constexpr std::size_t last_estimates = 4;
constexpr std::size_t observed = 7;  // MC in Table 3

/// Adds the errors of a completed job to the means of the levels.
using estimate_adder = void (*)(mean_errors&, std::size_t application, std::span<const progress_error>);

void add_first_and_last(mean_errors& means, std::size_t application, std::span<const progress_error> errors) {
  if (application != observed || errors.size() <= last_estimates) { return; }
  means[0].add(errors.front().error);
  for (std::size_t i = 1; i <= last_estimates; ++i) { means[i].add(errors.last(last_estimates)[i - 1].error); }
}
void add_all(mean_errors& means, std::size_t /*application*/, std::span<const progress_error> errors) {
  for (const progress_error& one : errors) { add_by_progress(means, one); }
}

/// Levels are numbered by their steps, from 1.
[[nodiscard]] auto estimate_study(std::string_view name, std::string_view about, const std::string& title,
                                  std::string level_name, std::string level_title, const parameter& levels,
                                  estimate_adder add) -> study {
  const auto fill = [add, step = levels.step, most = levels.most / levels.step](const settings& s, experiment& e) {
    e.add_series("invented");
    e.add_panel("random sets, WAMP2S as described");
    e.draw(0, "mean error", 0);
    const auto find = [=, seed = s.seed(), sets = e.sets, within = extent{s}](std::size_t /*series*/) {
      mean_errors out(static_cast<std::size_t>(most));
      judge_estimates(seed, sets, within, [&](auto application, auto errors) { add(out, application, errors); });
      return out;
    };
    e.count = once_per_series(e.series.size(), find, [step](const mean_errors& means, const unit& u, row counts) {
      write(means[static_cast<std::size_t>(u.level / step - 1)], counts);
    });
  };
  return {std::string{name}, std::string{about},
          layout("WAMP2S (Yao et al. 2022), " + title + ", invented platform", std::move(level_name),
                 std::move(level_title), "error of the estimate / response (%)", {"platform"},
                 {"error_percent", "estimates"}, measure::thousandths),
          with_extent({{"seed", "1", "of everything that is drawn"},
                       {"sets", "60", "task sets with utilizations from 0.6 to 1.15", 1, 100'000},
                       levels}),
          fill};
}

// Fig. 14.

/// Columns after two per policy.
enum extra : std::uint8_t { sufficient = 2 * policies.size(), not_refuted, accepted_but_missed };

void fig14(const settings& s, experiment& e) {
  e.add_series("invented");
  e.panels = {{"shares that are sized", {}}, {"what else can be done", {}}};
  e.draw_in(0, not_refuted, "not refuted (T2)", 6, stroke::band);
  for (std::size_t p = 0; p < policies.size(); ++p) {
    e.draw_in(p <= last_published ? 0 : 1, p, policies[p].title, policies[p].colour, policies[p].line);
  }
  e.draw_in(0, sufficient, "accepted (T1)", 1, stroke::dashed);
  e.count = set_by_set([seed = s.seed(), within = extent{s}](const unit& u, std::int64_t i, row counts) {
    application_table table;
    draw({.utilization_permille = static_cast<std::int32_t>(u.level)}, seed, u.number(i), table);
    const bool accepted = analysis::sufficient_shares(table, share_predictor{table}).sufficient;
    for (std::size_t p = 0; p < policies.size(); ++p) {
      const auto seen = policies[p].what({table, application_releases{table}, within.horizon_of(table)});
      counts[p] += seen.misses() == 0 ? 1 : 0;
      counts[policies.size() + p] += static_cast<std::int64_t>(seen.without_miss());
      counts[accepted_but_missed] += p == robust && accepted && seen.misses() > 0 ? 1 : 0;
    }
    counts[sufficient] += accepted ? 1 : 0;
    counts[not_refuted] += analysis::necessary_shares(table).refuted() ? 0 : 1;
  });
}

[[nodiscard]] auto fig14_columns() -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const char* prefix : {"", "applications_"}) {
    for (const auto& p : policies) { out.push_back(prefix + std::string{p.cell}); }
  }
  for (const char* name : {"t1", "not_refuted_t2", "accepted_but_missed"}) { out.emplace_back(name); }
  return out;
}

// Fig. 15 and 16.

using triggers = share_triggers (*)(const rational& threshold);
constexpr std::array<compared<triggers>, 4> cuts{
    {{[](const rational& /*threshold*/) -> share_triggers { return every_change; }, "std", "every workload change", 5},
     {[](const rational& /*threshold*/) -> share_triggers { return workload_decrease; }, "wdc", "WDC", 0},
     {[](const rational& threshold) -> share_triggers { return accumulated_execution(threshold); }, "aetc", "AETC", 2},
     {[](const rational& threshold) -> share_triggers { return hybrid(threshold); }, "both", "WDC and AETC", 1}}};

const std::vector<std::string> effort_columns{"operations_per_job", "predictions_per_job", "operations", "predictions",
                                              "jobs"};

/// Adds the effort of a run, in thousandths.
void add_effort(const share_outcome& seen, row sums) {
  std::int64_t operations = 0;
  std::int64_t predictions = 0;
  for (const auto& a : seen.activities) {
    sums[4] += static_cast<std::int64_t>(a.started) * 1000;
    operations += thousandths(a.operations, a.started);
    predictions += thousandths(a.predictions, a.started);
  }
  const auto applications = static_cast<std::int64_t>(seen.tasks.size());
  sums[0] += operations / applications;
  sums[1] += predictions / applications;
  sums[2] += static_cast<std::int64_t>(seen.effort.operations) * 1000;
  sums[3] += static_cast<std::int64_t>(seen.effort.predictions) * 1000;
}

/// Which set runs, and with which threshold of AETC.
struct effort_case {
  scene what;
  rational threshold;
};

/// The mean effort of sets that run under each cut, from `draw_set(unit, number, table)`.
template <class Draw>
void fill_effort(experiment& e, Draw draw_set) {
  e.panels = {{"operations while a job is active", {}}, {"predictions in them", {}}};
  for (const auto& c : cuts) {
    e.add_series(c.cell);
    e.draw_across(c.title, c.colour);
  }
  e.count = [draw_set](const unit& u, row counts) {
    application_table table;
    for (std::int64_t i = 0; i < u.sets; ++i) {
      const effort_case drawn = draw_set(u, i, table);
      add_effort(scheduled(drawn.what, wamp2s_text, cuts[u.series].what(drawn.threshold)), counts);
    }
    for (std::int64_t& sum : counts) { sum /= u.sets; }
  };
}

void fig15(const settings& s, experiment& e) {
  const auto [top, bottom] = s.ratio("threshold");
  if (top < 0 || bottom <= 0 || top > bottom) { throw input_error{"threshold", "is out of range", "0 to 1"}; }
  fill_effort(e,
              [threshold = rational{top, bottom}, load = s.number("load"), within = extent{s}, seed = s.seed()](
                  const unit& u, std::int64_t i, application_table& table) -> effort_case {
                draw({.applications = u.whole_level(),
                      .utilization_permille = static_cast<std::int32_t>(load * (u.level / 1000))},
                     seed, u.number(i), table);
                return {{table, application_releases{table}, within.horizon_of(table)}, threshold};
              });
}

void fig16(const settings& s, experiment& e) {
  fill_effort(e,
              [horizon = s.number("seconds") * microseconds_per_second, seed = s.seed()](
                  const unit& u, std::int64_t i, application_table& table) -> effort_case {
                table = airborne_set();
                return {{table, {table, seed + static_cast<std::uint64_t>(i), generation::synthetic_airborne}, horizon},
                        {u.level, 1000}};
              });
}

// Fig. 17.

/// Columns before one per application.
enum airborne_column : std::uint8_t { without_miss, jobs, misses, first_application };

void fig17(const settings& s, experiment& e) {
  e.sets_per_unit = 1;
  e.add_panel("airborne set");
  for (std::size_t p = 0; p < policies.size(); ++p) {
    e.add_series(policies[p].cell);
    e.draw(without_miss, policies[p].title, policies[p].colour, p <= last_published ? stroke::solid : stroke::dashed);
  }
  e.count = set_by_set([seed = s.seed(), table = airborne_set()](const unit& u, std::int64_t i, row counts) {
    const application_releases releases{table, seed + static_cast<std::uint64_t>(u.first_set + i),
                                        generation::synthetic_airborne};
    const auto seen = policies[u.series].what({table, releases, u.level * 60 * (microseconds_per_second / 1000)});
    counts[without_miss] += seen.misses() == 0 ? 1 : 0;
    counts[misses] += static_cast<std::int64_t>(seen.misses());
    for (std::size_t a = 0; a < seen.tasks.size(); ++a) {
      counts[jobs] += static_cast<std::int64_t>(seen.tasks[a].released);
      counts[first_application + a] += static_cast<std::int64_t>(seen.tasks[a].misses);
    }
  });
}

template <class Applications>
[[nodiscard]] auto columns_of(const Applications& all, std::vector<std::string> out, std::string_view prefix = "")
    -> std::vector<std::string> {
  for (const auto& a : all) { out.push_back(fmt::format("{}{}", prefix, a.name)); }
  return out;
}

}  // namespace

auto wamp2s_studies() -> std::vector<study> {
  constexpr std::int64_t most = 1000 * most_applications;
  return {
      {"wamp2s-fig1",
       "time of lavaMD beside 0 to 9 others, on an invented platform",
       layout("WAMP2S (Yao et al. 2022), Fig. 1: time of lavaMD beside others, invented platform", "applications",
              "applications, with lavaMD", "time of a job (s)", {"platform"}, {"equal_shares", "time_slices"},
              measure::thousandths),
       {{"levels", "1..10/1", "applications: lavaMD and others in the order of Table 3", 1000, most, 1000}},
       fig1},
      {"wamp2s-fig6",
       "time of each benchmark alone by its share of the GPU, on an invented platform",
       layout("WAMP2S (Yao et al. 2022), Fig. 6: time alone by share of the GPU, invented platform", "share",
              "share of the GPU (%)", "time of a job (s)", {"platform"},
              columns_of(generation::synthetic_benchmarks, {}), measure::thousandths),
       {{"levels", "5..100/5", "shares", 1000, 100'000, 1000}},
       fig6},
      estimate_study(
          "wamp2s-fig12", "error of MC's estimated remaining time over workload changes, on an invented platform",
          "Fig. 12: estimates of the remaining time of MC", "estimate", "estimate: 1 the first, 2 to 5 the last four",
          {"levels", "1..5/1", "estimates: the first, and the last four", 1000, 1000 * (last_estimates + 1), 1000},
          add_first_and_last),
      estimate_study(
          "wamp2s-fig13", "error of estimates by progress, on an invented platform",
          "Fig. 13: error of estimates by how much of the job is done", "done", "part of the job that is done, up to",
          {"levels", "0.05..1/0.05", "ends of the bins of progress", progress_bin, 1000, progress_bin}, add_all),
      {"wamp2s-fig14",
       "sets without a deadline miss under WAMP2S and nine other policies, simulated on an invented platform",
       layout("WAMP2S (Yao et al. 2022), Fig. 14: sets of ten applications that meet all deadlines, invented platform",
              "utilization", "utilization", "sets without a miss (%)", {"platform"}, fig14_columns(), measure::sets),
       with_extent({{"seed", "1", "of everything that is drawn"},
                    {"sets", "60", "task sets per level", 1, most_sets},
                    {"levels", "0.2,0.4,0.5,0.6,0.8,1,1.2,1.3,1.4,1.5,1.6,1.7,1.8,2,2.2", "utilization of the set", 1,
                     10'000}}),
       fig14},
      {"wamp2s-fig15", "operations and predictions per job with WDC, AETC and both, simulated on an invented platform",
       layout("WAMP2S (Yao et al. 2022), Fig. 15: effort of scheduling per job (Eq. 16), invented platform",
              "applications", "applications", "per job", {"cuts"}, effort_columns, measure::thousandths),
       with_extent({{"seed", "1", "of everything that is drawn"},
                    {"sets", "100", "task sets per level", 1, most_sets},
                    {"levels", "3..10/1", "applications in a set", 1000, most, 1000},
                    {"load", "100", "utilization per application in thousandths; not printed in the paper", 1, 1000},
                    {"threshold", "7642/10000", "of AETC"}},
                   "; the paper has 200 jobs of each application"),
       fig15},
      {"wamp2s-fig16",
       "the same for the airborne set, by the threshold of AETC",
       layout("WAMP2S (Yao et al. 2022), Fig. 16: effort of scheduling the airborne set, invented platform",
              "threshold", "threshold of AETC", "per job", {"cuts"}, effort_columns, measure::thousandths),
       {{"seed", "1", "of releases"},
        {"sets", "8", "runs", 1, 1000},
        {"levels", "0.5,0.6,0.68,0.8,0.9", "thresholds of AETC; 0.6796 in the paper", 0, 1000},
        {"seconds", "1800", "of each run", 1, 86'400}},
       fig16},
      {"wamp2s-fig17",
       "misses of the airborne set under WAMP2S and nine other policies, simulated on an invented platform",
       layout("WAMP2S (Yao et al. 2022), Fig. 17: the airborne set, invented platform", "minutes", "minutes",
              "runs without a miss (%)", {"policy"},
              columns_of(generation::synthetic_airborne, {"without_miss", "jobs", "misses"}, "misses_"), measure::sets),
       {{"seed", "1", "of the releases"}, {"sets", "8", "runs", 1, most_sets}, {"levels", "30", "minutes"}},
       fig17},
  };
}

}  // namespace takt::program::sweep
