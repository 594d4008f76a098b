// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/shares/exact_progress.hpp>
#include <takt/rules/shares/one_at_a_time.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/rules/shares/share_baselines.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/shares/figures/synthetic_sets.hpp>
#include <takt/systems/shares/plans/static_shares.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

#include "suite.hpp"
#include "wamp2s_system.hpp"

namespace takt_vectors {
namespace {

namespace sim = takt::simulation;
using takt::ticks;

constexpr std::size_t max_tasks = most_applications;
/// Exact, as the recorded schedulers are.
using scheduled = takt::scheduled_shares<max_tasks, application_predictor, takt::exact_progress<exact>>;

/// A system with the releases of its jobs.
struct released_system : application_system {
  std::vector<std::vector<ticks>> releases;

  /// Periodic releases where none are written down.
  explicit released_system(const field& input) {
    read_system(input, *this);
    for (const field one : input.at("apps")) {
      const ticks period = tasks.tasks[releases.size()].period;
      std::vector<ticks>& own = releases.emplace_back();
      for (const field at : one.list_or_empty("releases")) { own.push_back(at.get<ticks>()); }
      // Of no use beside listed releases, with which the format gives it all the same.
      const ticks offset = one.value("offset", ticks{0});
      if (one.contains("releases")) { continue; }
      own.push_back(offset);
      while (own.back() < input.at("horizon").get<ticks>()) { own.push_back(own.back() + period); }
    }
  }
};

[[nodiscard]] auto options_in(const field& input) -> sim::share_options {
  return {
      .horizon = input.at("horizon").get<ticks>(),
      .at_miss = input.word(
          "on_miss", takt::miss_action::abort,
          {{"abort", takt::miss_action::abort}, {"late", takt::miss_action::late}, {"stop", takt::miss_action::stop}})};
}

/// Keeps marks, and operations in the spelling of the vector files.
struct log {
  takt::trace marks;
  json operations = json::array();

  void record(const takt::slice& s) { marks.record(s); }
  void record(const takt::mark& m) { marks.record(m); }
  void record(const sim::share_operation<scheduled>& o) {
    const auto& d = o.policy.scheduler().decision();
    json need = json::object();
    for (const auto& e : d.examined) { need[std::to_string(e.task)] = e.need; }
    std::string cause;
    if ((d.cause & takt::cause_release) != 0) { cause += 'R'; }
    if ((d.cause & takt::detail::cause_completion) != 0) { cause += 'C'; }
    if (o.missed) { cause += 'M'; }
    json delta = json::array();
    for (std::size_t i = 0; i < tasks; ++i) { delta.push_back(d.shares[i].percent()); }
    operations.push_back(
        {{"t", o.time}, {"ok", d.schedulable}, {"delta", delta}, {"cause", cause}, {"need", std::move(need)}});
  }
  std::size_t tasks = 0;
};

struct seen_job {
  ticks release = 0;
  std::uint32_t task = 0;
  json finish;
  bool missed = false;
};

/// Every started job, by release and application.
[[nodiscard]] auto jobs_of(const log& l, const takt::share_observation<max_tasks>& r) -> json {
  std::map<std::pair<std::uint32_t, std::uint64_t>, seen_job> jobs;
  for (const auto& m : l.marks.marks()) {
    if (m.job >= r.activities[m.task].started) { continue; }
    seen_job& j = jobs[{m.task, m.job}];
    if (m.what == takt::mark_kind::release) {
      j.release = m.time;
      j.task = m.task;
    }
    if (m.what == takt::mark_kind::completion) { j.finish = m.time; }
    j.missed = j.missed || m.what == takt::mark_kind::miss;
  }
  std::vector<seen_job> sorted;
  for (const auto& [id, j] : jobs) { sorted.push_back(j); }
  std::ranges::stable_sort(sorted, {}, [](const seen_job& j) { return std::pair{j.release, j.task}; });
  json out = json::array();
  for (const auto& j : sorted) {
    out.push_back({{"app", j.task}, {"rel", j.release}, {"finish", j.finish}, {"missed", j.missed}});
  }
  return out;
}

template <class Policy>
[[nodiscard]] auto run(const released_system& s, Policy policy, const field& input) -> json {
  log l;
  l.tasks = s.tasks.size();
  const auto r = sim::simulate_shares(s.tasks, policy, s.releases, options_in(input), l);
  if (r.error) { throw std::runtime_error("the simulator refuses the case"); }
  json apps = json::array();
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const auto& t = r.tasks[i];
    const bool scheduler = std::is_same_v<Policy, scheduled>;
    apps.push_back({{"released", t.released},
                    {"finished", t.completed},
                    {"missed", t.misses},
                    {"max_rt", t.completed > 0 ? json(t.worst_response) : json()},
                    {"ops_in_jobs", scheduler ? r.activities[i].operations : 0}});
  }
  return {{"t_end", r.end},
          {"stats",
           {{"ops", r.effort.operations},
            {"skipped", r.effort.skipped},
            {"fails", r.effort.refusals},
            {"pred", r.effort.predictions},
            {"realloc", r.effort.share_changes}}},
          {"apps", apps},
          {"schedulable", r.misses() == 0},
          {"ops", l.operations},
          {"jobs", jobs_of(l, r)}};
}

[[nodiscard]] auto simulate(const field& input) -> answer {
  const released_system s{input};
  const field policy = input.object_or_empty("policy");
  const scheduled rules{s.tasks, s.predictor(margin_in(policy)), rules_in(policy), triggers_in(policy)};
  return {run(s, rules, input), {}};
}

/// The shares that are given, or else those that takt would choose.
[[nodiscard]] auto constant_shares(const released_system& s, const field& input) -> takt::fixed_shares<max_tasks> {
  if (!input.contains("static_delta")) { return {s.tasks, takt::static_shares(s.tasks, s.predictor(0))}; }
  std::array<takt::share, max_tasks> out{};
  const field given = input.at("static_delta");
  if (given.size() != s.tasks.size()) { given.refuse("does not have a share for each application"); }
  const auto percent = given.get<std::vector<std::int32_t>>();
  for (std::size_t i = 0; i < percent.size(); ++i) { out.at(i) = takt::share::bounded(std::max(1, percent[i])); }
  return {s.tasks, out};
}

[[nodiscard]] auto baseline(const field& input) -> answer {
  const released_system s{input};
  const std::string& name = input.at("baseline").text();
  const application_table& t = s.tasks;
  const auto single = [&](const takt::JobPriority auto& order, bool preemptive) {
    return run(s, takt::one_at_a_time{t, {.preemptive = preemptive}, order}, input);
  };
  if (name == "ts") { return {run(s, takt::time_sliced<max_tasks>{t, input.value("ctx_ppm", 0)}, input), {}}; }
  if (name == "share") { return {run(s, takt::equal_shares<max_tasks>{t}, input), {}}; }
  if (name == "prop") { return {run(s, takt::proportional_shares<max_tasks>{t}, input), {}}; }
  if (name == "static") { return {run(s, constant_shares(s, input), input), {}}; }
  if (name == "fifo") { return {single(takt::by_arrival{}, false), {}}; }
  if (name == "fp_np") { return {single(takt::by_given_priority{}, false), {}}; }
  if (name == "fp_p") { return {single(takt::by_given_priority{}, true), {}}; }
  if (name == "edf_p") { return {single(takt::by_absolute_deadline{}, true), {}}; }
  input.at("baseline").refuse("is no baseline");
}

[[nodiscard]] auto uunisort(const field& input) -> answer {
  takt::random_stream random{input.at("seed").get<std::uint64_t>()};
  std::vector<double> parts(input.at("n").get<std::size_t>());
  takt::generation::detail::uunisort(random, input.at("U").get<double>(), parts);
  return {{{"u", parts}}, {}};
}

}  // namespace

void add_wamp2s_simulation(suite& kinds) {
  kinds["simulate"] = simulate;
  kinds["baseline"] = baseline;
  kinds["uunisort"] = uunisort;
}

}  // namespace takt_vectors
