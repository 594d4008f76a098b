// SPDX-License-Identifier: Apache-2.0
// Yao et al. 2022 on an invented platform. Fig. 1 and 6: what co-runners and shares do to the time of an application.
// Fig. 12 and 13: how far estimates of the remaining time are off. Fig. 14: which sets meet all deadlines under which
// policy. Fig. 15 and 16: what scheduling operations cost, with the two cuts and without. Fig. 17: the airborne set.
#include <algorithm>
#include <array>

#include <takt/allocation/shares/static_shares.hpp>
#include <takt/analysis/known/shares/necessary_shares.hpp>
#include <takt/analysis/known/shares/sufficient_shares.hpp>
#include <takt/core/rational.hpp>
#include <takt/generation/shares/synthetic_sets.hpp>
#include <takt/generation/whole_kernels.hpp>
#include <takt/prediction/corun/estimate_log.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/simulation/shares/baselines.hpp>
#include <takt/simulation/shares/one_at_a_time.hpp>
#include <takt/simulation/shares/scheduled_shares.hpp>
#include <takt/simulation/shares/simulate.hpp>

#include "../failure.hpp"
#include "wamp2s_errors.hpp"

namespace takt::program::sweep {

namespace {

constexpr std::size_t most_applications = generation::synthetic_benchmarks.size();
using application_table = share_table<most_applications>;
using share_predictor = contention_predictor<most_applications>;
using scheduled_applications = simulation::scheduled_shares<most_applications, share_predictor>;
using share_outcome = share_observation<most_applications>;
using co_runners = inline_vector<co_runner, most_applications>;

constexpr ticks microseconds_per_second = 1'000'000;

/// Releases with a period at offsets of their own, or sporadic ones with random gaps.
class application_releases {
 public:
  using sporadic_tasks = std::array<bool, most_applications>;

  /// At once, and periodic.
  explicit application_releases(const application_table& table) : table_{&table} {}
  /// With offsets drawn within the periods; where `sporadic`, each job up to a period late.
  application_releases(const application_table& table, const sporadic_tasks& sporadic, std::uint64_t seed)
      : table_{&table}, sporadic_{sporadic}, seed_{seed} {
    random_stream random{seed};
    for (std::size_t i = 0; i < table.size(); ++i) { offsets_[i] = random.below(table.tasks[i].period); }
  }

  [[nodiscard]] auto release(std::size_t task, std::int64_t number, ticks& out) const -> bool {
    const ticks period = table_->tasks[task].period;
    out = offsets_[task] +
          (sporadic_[task] ? generation::sporadic_release(seed_, task, number, period, period / 2) : number * period);
    return true;
  }

 private:
  const application_table* table_;
  std::array<ticks, most_applications> offsets_{};
  sporadic_tasks sporadic_{};
  std::uint64_t seed_ = 0;
};

template <class Policy, class... Recorder>
[[nodiscard]] auto run(const application_table& table, Policy policy, const application_releases& releases,
                       ticks horizon, Recorder&... recorder) -> share_outcome {
  const share_outcome out =
      simulation::simulate_shares(table, policy, releases, simulation::share_options{.horizon = horizon}, recorder...);
  require(!out.error, "a simulation failed");
  return out;
}

// The policies that are compared.

using policy = share_outcome (*)(const application_table&, const application_releases&, ticks horizon);

template <const share_rules& Rules>
[[nodiscard]] auto scheduled(const application_table& table, const application_releases& releases, ticks horizon)
    -> share_outcome {
  return run(table, scheduled_applications{table, share_predictor{table}, Rules}, releases, horizon);
}
template <template <std::size_t> class Policy>
[[nodiscard]] auto unscheduled(const application_table& table, const application_releases& releases, ticks horizon)
    -> share_outcome {
  return run(table, Policy<most_applications>{table}, releases, horizon);
}
template <class Order, bool Preemptive>
[[nodiscard]] auto single(const application_table& table, const application_releases& releases, ticks horizon)
    -> share_outcome {
  return run(table, simulation::one_at_a_time{table, {.preemptive = Preemptive}, Order{}}, releases, horizon);
}
[[nodiscard]] auto constant(const application_table& table, const application_releases& releases, ticks horizon)
    -> share_outcome {
  const auto shares = static_shares(table, share_predictor{table});
  return run(table, simulation::fixed_shares<most_applications>{table, shares}, releases, horizon);
}

enum place : std::uint8_t { robust = 2, last_published = 4, preemptive_by_priority = 7 };
constexpr std::array<compared<policy>, 10> policies{{
    {scheduled<wamp2s_literal>, "literal", "WAMP2S as printed", 2},
    {scheduled<wamp2s_text>, "text", "WAMP2S as described", 0},
    {scheduled<wamp2s_robust>, "robust", "WAMP2S, sound rules", 1},
    {unscheduled<simulation::equal_shares>, "share", "equal shares", 4},
    {unscheduled<simulation::time_sliced>, "ts", "time slices", 5},
    {unscheduled<simulation::proportional_shares>, "prop", "shares by priority", 6},
    {single<by_given_priority, false>, "fp_np", "one at a time, by priority", 3},
    {single<by_given_priority, true>, "fp_p", "the same, preemptive", 3},
    {single<by_absolute_deadline, true>, "edf_p", "one at a time, preemptive EDF", 0},
    {constant, "static", "constant shares", 2},
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
[[nodiscard]] auto airborne_releases(const application_table& table, std::uint64_t seed) -> application_releases {
  application_releases::sporadic_tasks sporadic{};
  for (std::size_t i = 0; i < generation::synthetic_airborne.size(); ++i) {
    sporadic[i] = generation::synthetic_airborne[i].releases == generation::arrival::sporadic;
  }
  return {table, sporadic, seed};
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
  co_runners load;
  for (std::uint32_t k = 0; load.size() < others; ++k) {
    if (k != lavamd) { static_cast<void>(load.push_back({k, each})); }
  }
  return share_predictor{table}.predict(lavamd, each, {load.data(), load.size()});
}

void fig1(const settings& /*s*/, experiment& e) {
  e.add_series("invented");
  e.add_panel("lavaMD");
  e.draw(0, "equal shares, with contention", 0);
  e.draw(1, "time slices", 1);
  e.count = [table = benchmark_set()](const unit& u, std::span<std::int64_t> counts) {
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
  e.count = [table = benchmark_set()](const unit& u, std::span<std::int64_t> counts) {
    const share held = share::bounded(static_cast<std::int32_t>(u.level / 1000));
    for (std::size_t i = 0; i < counts.size(); ++i) { counts[i] = table.tasks[i].alone.at(held) / 1000; }
  };
}

// Fig. 12 and 13.

/// Hears a run and hands over the errors of what the scheduler thought after its operations, for each job that
/// completes, in their order.
template <class Judge>
class estimate_recorder {
 public:
  estimate_recorder(const application_table& table, Judge judge)
      : table_{&table}, predictor_{table}, judge_{std::move(judge)}, logs_(table.size()) {}

  void record(const slice& /*s*/) const noexcept {}
  void record(const mark& m) {
    if (m.what == mark_kind::release) { logs_[m.task].started(m.time); }
    if (m.what == mark_kind::completion) {
      const auto errors = logs_[m.task].finished(m.time);
      judge_(m.task, std::span<const progress_error>{errors.data(), errors.size()});
    }
  }
  void record(const simulation::share_operation<scheduled_applications>& o) {
    const auto& scheduler = o.policy.scheduler();
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      if (!scheduler.active(i) || !scheduler.held(i)) { continue; }
      co_runners load;
      for (std::uint32_t k = 0; k < table_->size(); ++k) {
        if (k != i && scheduler.held(k)) { static_cast<void>(load.push_back({k, scheduler.held(k)})); }
      }
      const ticks whole = predictor_.predict(i, scheduler.held(i), {load.data(), load.size()});
      const auto& progress = scheduler.progress(i);
      constexpr ticks million = 1'000'000;
      const double done = 1 - static_cast<double>(progress.time_left(million)) / million;
      if (!logs_[i].estimated(o.time, done, progress.time_left(whole))) {
        throw environment_error{"a job of this study has too many estimates; simulate fewer seconds"};
      }
    }
  }

 private:
  const application_table* table_;
  share_predictor predictor_;
  Judge judge_;
  std::vector<estimate_log<4096>> logs_;
};

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
    estimate_recorder recorder{table, judge};
    const application_releases releases{table, {}, random.next()};
    static_cast<void>(run(table, scheduled_applications{table, share_predictor{table}, wamp2s_text, every_change},
                          releases, within.horizon_of(table), recorder));
  }
}

constexpr std::size_t last_estimates = 4;
constexpr std::size_t observed = 7;  // MC in Table 3

using order_means = std::array<mean_error, last_estimates + 1>;
void add(order_means& to, std::uint32_t task, std::span<const progress_error> errors) {
  if (task != observed || errors.size() < to.size()) { return; }
  to[0].add(errors.front().error);
  const auto last = errors.last(last_estimates);
  for (std::size_t i = 0; i < last.size(); ++i) { to[1 + i].add(last[i].error); }
}
[[nodiscard]] auto mean_at(const order_means& m, const unit& u) -> const mean_error& { return m[u.whole_level() - 1]; }

void add(errors_by_progress& to, std::uint32_t /*task*/, std::span<const progress_error> errors) {
  for (const progress_error& one : errors) { to.add(one); }
}
[[nodiscard]] auto mean_at(const errors_by_progress& m, const unit& u) -> const mean_error& { return m.up_to(u.level); }

template <class Means>
void fill_estimates(const settings& s, experiment& e) {
  e.add_series("invented");
  e.add_panel("random sets, WAMP2S as described");
  e.draw(0, "mean error", 0);
  const auto find = [seed = s.seed(), sets = e.sets, within = extent{s}](std::size_t /*series*/) {
    Means out{};
    judge_estimates(seed, sets, within, [&out](auto task, const auto& errors) { add(out, task, errors); });
    return out;
  };
  e.count = once_per_series(
      find, [](const Means& m, const unit& u, std::span<std::int64_t> counts) { mean_at(m, u).write(counts); });
}

template <class Means>
[[nodiscard]] auto estimate_study(std::string_view name, std::string_view about, const std::string& title,
                                  std::string level_name, std::string level_title, parameter levels) -> study {
  return {name, about,
          layout("WAMP2S (Yao et al. 2022), " + std::move(title) + ", invented platform", std::move(level_name),
                 std::move(level_title), "error of the estimate / response (%)", {"platform"},
                 {"error_percent", "estimates"}, measure::thousandths),
          with_extent({{"seed", "1", "of everything that is drawn"},
                       {"sets", "60", "task sets with utilizations from 0.6 to 1.15", 1, 100'000},
                       std::move(levels)}),
          fill_estimates<Means>};
}

// Fig. 14.

/// Columns after two per policy.
enum extra : std::uint8_t { sufficient = 2 * policies.size(), not_refuted, accepted_but_missed };

void fig14(const settings& s, experiment& e) {
  e.add_series("invented");
  e.panels = {{"shares that are sized", {}}, {"what else can be done", {}}};
  e.draw_in(0, not_refuted, "not refuted (T2)", 6, stroke::band);
  for (std::size_t p = 0; p < policies.size(); ++p) {
    e.draw_in(p <= last_published ? 0 : 1, p, policies[p].title, policies[p].colour,
              p == preemptive_by_priority ? stroke::dashed : stroke::solid);
  }
  e.draw_in(0, sufficient, "accepted (T1)", 1, stroke::dashed);
  e.count =
      set_by_set([seed = s.seed(), within = extent{s}](const unit& u, std::int64_t i, std::span<std::int64_t> counts) {
        application_table table;
        draw({.utilization_permille = static_cast<std::int32_t>(u.level)}, seed, u.number(i), table);
        const bool accepted = analysis::sufficient_shares(table, share_predictor{table}).sufficient;
        for (std::size_t p = 0; p < policies.size(); ++p) {
          const auto seen = policies[p].what(table, application_releases{table}, within.horizon_of(table));
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
void add_effort(const share_outcome& seen, std::span<std::int64_t> sums) {
  const auto thousandths = [](std::uint64_t count, std::uint64_t of) {
    return of > 0 ? static_cast<std::int64_t>(count * 1000 / of) : 0;
  };
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

/// The mean effort of sets that run under each cut. `draw_set(unit, number)` gives table, releases, horizon and the
/// threshold of AETC.
template <class Draw>
void fill_effort(experiment& e, Draw draw_set) {
  e.panels = {{"operations while a job is active", {}}, {"predictions in them", {}}};
  for (const auto& c : cuts) {
    e.add_series(c.cell);
    for (std::size_t p = 0; p < e.panels.size(); ++p) { e.draw_in(p, p, c.title, c.colour); }
  }
  e.count = [draw_set](const unit& u, std::span<std::int64_t> counts) {
    application_table table;
    for (std::int64_t i = 0; i < u.sets; ++i) {
      const auto [releases, horizon, threshold] = draw_set(u, i, table);
      const auto when = cuts[u.series].what(threshold);
      add_effort(
          run(table, scheduled_applications{table, share_predictor{table}, wamp2s_text, when}, releases, horizon),
          counts);
    }
    for (std::int64_t& sum : counts) { sum /= u.sets; }
  };
}

struct drawn_set {
  application_releases releases;
  ticks horizon;
  rational threshold;
};

void fig15(const settings& s, experiment& e) {
  const auto [top, bottom] = s.ratio("threshold");
  if (top < 0 || bottom <= 0 || top > bottom) { throw input_error{"threshold", "is out of range", "0 to 1"}; }
  fill_effort(e,
              [threshold = rational{top, bottom}, load = s.number("load"), within = extent{s}, seed = s.seed()](
                  const unit& u, std::int64_t i, application_table& table) -> drawn_set {
                draw({.applications = u.whole_level(),
                      .utilization_permille = static_cast<std::int32_t>(load * (u.level / 1000))},
                     seed, u.number(i), table);
                return {application_releases{table}, within.horizon_of(table), threshold};
              });
}

void fig16(const settings& s, experiment& e) {
  fill_effort(e,
              [horizon = s.number("seconds") * microseconds_per_second, seed = s.seed()](
                  const unit& u, std::int64_t i, application_table& table) -> drawn_set {
                table = airborne_set();
                return {airborne_releases(table, seed + static_cast<std::uint64_t>(i)), horizon, {u.level, 1000}};
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
  e.count = set_by_set(
      [seed = s.seed(), table = airborne_set()](const unit& u, std::int64_t i, std::span<std::int64_t> counts) {
        const auto releases = airborne_releases(table, seed + static_cast<std::uint64_t>(u.first_set + i));
        const auto seen = policies[u.series].what(table, releases, u.level * 60 * (microseconds_per_second / 1000));
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
      estimate_study<order_means>(
          "wamp2s-fig12", "error of MC's estimated remaining time over workload changes, on an invented platform",
          "Fig. 12: estimates of the remaining time of MC", "estimate", "estimate: 1 the first, 2 to 5 the last four",
          {"levels", "1..5/1", "estimates: the first, and the last four", 1000, 1000 * (last_estimates + 1), 1000}),
      estimate_study<errors_by_progress>("wamp2s-fig13", "error of estimates by progress, on an invented platform",
                                         "Fig. 13: error of estimates by how much of the job is done", "done",
                                         "part of the job that is done, up to",
                                         {"levels", "0.05..1/0.05", "ends of the bins of progress",
                                          errors_by_progress::bin, 1000, errors_by_progress::bin}),
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
