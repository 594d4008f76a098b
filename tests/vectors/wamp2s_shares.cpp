// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/rules/shares/exact_progress.hpp>
#include <takt/rules/shares/share_scheduler.hpp>
#include <takt/systems/shares/analysis/necessary_shares.hpp>
#include <takt/systems/shares/analysis/preemptive_whole_gpu.hpp>

#include "suite.hpp"
#include "wamp2s_system.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis;
using takt::ticks;

[[nodiscard]] auto ratio_of(const exact& value) -> json {
  return {{"num", numerator(value).str()}, {"den", denominator(value).str()}};
}
/// A share that a job runs with.
[[nodiscard]] auto held_share_in(const field& percent) -> takt::share {
  const takt::share out = share_in(percent);
  if (!out) { percent.refuse("lets no job run"); }
  return out;
}

[[nodiscard]] auto remaining(const field& input) -> json {
  exact theta{0};
  exact executed{0};
  for (const field segment : input.at("segments")) {
    const auto [run, whole] = segment.get<std::array<ticks, 2>>();
    theta = takt::detail::advanced(theta, exact(run), exact(whole));
    executed += run;
  }
  const exact left = takt::detail::remaining_time(exact(input.at("C_now").get<ticks>()), theta);
  json out{{"theta", ratio_of(theta)}, {"r", ratio_of(left)}};
  if (input.contains("row")) {
    const auto row = measured_row_in(input.at("row"));
    const auto clock = input.word("elapsed", takt::slack_clock::executed,
                                  {{"exec", takt::slack_clock::executed}, {"wall", takt::slack_clock::wall}});
    const exact passed = clock == takt::slack_clock::wall ? exact(input.at("since_release").get<ticks>()) : executed;
    const exact bound = takt::detail::longest_time_alone(exact(input.at("D").get<ticks>() - passed),
                                                         exact(row.at(held_share_in(input.at("delta")))),
                                                         takt::detail::at_least_a_tick(left));
    out["bound"] = ratio_of(bound);
    out["delta_min"] = takt::least_share(row, bound);
  }
  return out;
}

/// An active job of `schedule`.
struct active_job {
  std::size_t app = 0;
  ticks release = 0;
  ticks executed = 0;
  takt::share held{};
  std::array<std::int64_t, 2> theta{0, 1};

  [[nodiscard]] auto progress() const -> exact { return exact(theta[0]) / theta[1]; }
};

[[nodiscard]] auto jobs_in(const field& input, std::size_t applications) -> std::vector<active_job> {
  std::vector<active_job> out;
  for (const field one : input.at("active")) {
    active_job j{.app = one.at("app").get<std::size_t>(),
                 .release = one.at("rel").get<ticks>(),
                 .executed = one.value("tau", ticks{0})};
    if (j.app >= applications) { one.at("app").refuse("is no application"); }
    if (one.contains("delta")) { j.held = share_in(one.at("delta")); }
    j.theta = one.value("theta", j.theta);
    if (j.theta[0] < 0 || j.theta[1] < 1) { one.at("theta").refuse("is no part of a job"); }
    out.push_back(j);
  }
  return out;
}

/// Line 8 of the listing, from what the scheduler found out about a job.
[[nodiscard]] auto bound_of(const takt::examined_job& found, const takt::share_task& t, const active_job& job) -> json {
  const exact alone{t.alone.at(job.held ? job.held : takt::detail::reference_share(t))};
  const exact left =
      takt::detail::at_least_a_tick(takt::detail::remaining_time(exact(found.predicted), job.progress()));
  return ratio_of(takt::detail::longest_time_alone(exact(found.slack), alone, left));
}

template <class Progress, class Start>
[[nodiscard]] auto operation(const field& input, const application_system& system, const Start& progress_of) -> json {
  const field policy = input.object_or_empty("policy");
  const auto rules = rules_in(policy);
  takt::share_scheduler<most_applications, application_predictor, Progress> scheduler(
      system.tasks, system.predictor(margin_in(policy)), rules, triggers_in(policy));
  if (scheduler.error()) { throw std::invalid_argument("the scheduler refuses the system"); }
  const auto now = input.at("now").get<ticks>();
  // Time stands at `now` before the jobs are put in place.
  static_cast<void>(scheduler.decide(now));
  std::map<std::size_t, active_job> job_of;
  for (const active_job& job : jobs_in(input, system.tasks.size())) {
    job_of[job.app] = job;
    const ticks deadline = job.release + system.tasks.tasks[job.app].deadline;
    if (!scheduler.resume(job.app, deadline, job.held, job.executed,
                          progress_of(job, scheduler.reference_time(job.app)))) {
      throw std::invalid_argument("the scheduler refuses a job");
    }
  }
  const auto& decision = scheduler.decide(now);
  json out{{"delta", json::array()}, {"schedulable", decision.schedulable}, {"diag", json::array()}};
  for (std::size_t i = 0; i < system.tasks.size(); ++i) { out["delta"].push_back(decision.shares[i].percent()); }
  const bool stale = rules.load == takt::load_view::stale;
  for (const auto& found : decision.examined) {
    const active_job& job = job_of.at(found.task);
    out["diag"].push_back({{"app", found.task},
                           {"rem", found.slack},
                           {"need", found.need},
                           {"bound", stale ? bound_of(found, system.tasks.tasks[found.task], job) : json{}},
                           {"C_pred", stale ? json(found.predicted) : json{}}});
  }
  return out;
}

[[nodiscard]] auto schedule(const field& input) -> answer {
  application_system system;
  read_system(input, system);
  pass_over_releases(input);
  using progress = takt::exact_progress<exact>;
  answer out{
      operation<progress>(input, system,
                          [](const active_job& job, ticks /*reference*/) { return progress::at(job.progress()); }),
      {}};
  // The grid can only differ where a fraction of a job lies closer to a limit than its step.
  const auto on_grid = operation<takt::fixed_progress>(input, system, [](const active_job& job, ticks reference) {
    auto p = takt::fixed_progress::start(reference);
    p.advance(job.theta[0], job.theta[1]);
    return p;
  });
  if (on_grid != out.value) { out.complaint = "progress on a grid: got " + on_grid.dump(); }
  return out;
}

[[nodiscard]] auto offline(const field& input) -> json {
  application_system system;
  read_system(input, system);
  pass_over_releases(input);
  const auto test = an::sufficient_shares(system.tasks, system.predictor(margin_in(input)));
  const auto load = an::load_of<exact>(system.tasks);
  const auto necessary = an::necessary_shares(system.tasks);
  json out{{"delta_star", json::array()},      {"sum_delta_star", test.sum},        {"sufficient", test.sufficient},
           {"area_util", to_json(load.area)},  {"util", to_json(load.utilization)}, {"density", to_json(load.density)},
           {"necessary", !necessary.refuted()}};
  for (std::size_t i = 0; i < system.tasks.size(); ++i) { out["delta_star"].push_back(test.tasks[i].need); }
  if (necessary.area == an::area_result::unknown) { throw std::overflow_error("area"); }
  return out;
}

/// Neither contention nor predictions count here, though the format gives them.
[[nodiscard]] auto response_times(const field& input) -> json {
  application_system system;
  read_system(input, system);
  pass_over_releases(input);
  const auto verdict = an::preemptive_whole_gpu(system.tasks);
  json out{{"R", json::array()}};
  for (const auto& t : verdict.tasks) { out["R"].push_back(t.meets ? json(t.bound.value) : json{}); }
  return out;
}

}  // namespace

void add_wamp2s_shares(suite& kinds) {
  kinds["remaining"] = [](const field& input) { return answer{remaining(input), {}}; };
  kinds["schedule"] = schedule;
  kinds["static"] = [](const field& input) { return answer{offline(input), {}}; };
  kinds["rta_fp"] = [](const field& input) { return answer{response_times(input), {}}; };
}

}  // namespace takt_vectors
