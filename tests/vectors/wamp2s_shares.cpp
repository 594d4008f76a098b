// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include <takt/analysis/shares/necessary_shares.hpp>
#include <takt/analysis/shares/preemptive_whole_gpu.hpp>
#include <takt/analysis/shares/sufficient_shares.hpp>
#include <takt/rules/shares/exact_progress.hpp>
#include <takt/rules/shares/remaining_time.hpp>
#include <takt/rules/shares/share_scheduler.hpp>

#include "suite.hpp"
#include "wamp2s_system.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis;
using takt::ticks;

[[nodiscard]] auto ratio_of(const exact& value) -> json {
  return {{"num", numerator(value).str()}, {"den", denominator(value).str()}};
}
[[nodiscard]] auto percent_from(const json& value) -> takt::share { return takt::share::bounded(value.get<int>()); }

[[nodiscard]] auto remaining(const json& input) -> json {
  exact theta{0};
  exact executed{0};
  for (const auto& segment : input.at("segments")) {
    const exact run{segment.at(0).get<ticks>()};
    theta = takt::advanced(theta, run, exact(segment.at(1).get<ticks>()));
    executed += run;
  }
  const exact left = takt::remaining_time(exact(input.at("C_now").get<ticks>()), theta);
  json out{{"theta", ratio_of(theta)}, {"r", ratio_of(left)}};
  if (input.contains("row")) {
    const auto row = read_row({{"M", input.at("row")}});
    const bool wall = input.value("elapsed", std::string{"exec"}) == "wall";
    const exact passed = wall ? exact(input.at("since_release").get<ticks>()) : executed;
    const exact bound =
        takt::longest_time_alone(exact(input.at("D").get<ticks>() - passed),
                                 exact(row.at(percent_from(input.at("delta")))), takt::at_least_a_tick(left));
    out["bound"] = ratio_of(bound);
    out["delta_min"] = takt::least_share(row, bound);
  }
  return out;
}

[[nodiscard]] auto theta_of(const json& active) -> exact {
  const json theta = active.value("theta", json::array({0, 1}));
  return exact(theta.at(0).get<std::int64_t>()) / theta.at(1).get<std::int64_t>();
}

/// Line 8 of the listing, from what the scheduler found out about a job.
[[nodiscard]] auto bound_of(const takt::examined_job& found, const takt::share_task& t, const json& active) -> json {
  const takt::share held = percent_from(active.value("delta", json(0)));
  const exact alone{t.alone.at(held ? held : takt::reference_share(t))};
  const exact left = takt::at_least_a_tick(takt::remaining_time(exact(found.predicted), theta_of(active)));
  return ratio_of(takt::longest_time_alone(exact(found.slack), alone, left));
}

template <class Progress, class Start>
[[nodiscard]] auto operation(const json& input, const application_system& system, const Start& progress_of) -> json {
  const json policy = input.value("policy", json::object());
  const auto rules = read_rules(policy);
  takt::share_scheduler<most_applications, application_predictor, Progress> scheduler(
      system.tasks, read_predictor(system, policy), rules, read_triggers(policy));
  if (scheduler.error()) { throw std::invalid_argument("the scheduler refuses the system"); }
  const auto now = input.at("now").get<ticks>();
  // Time stands at `now` before the jobs are put in place.
  static_cast<void>(scheduler.decide(now));
  json active_of = json::object();
  for (const auto& one : input.at("active")) {
    const auto app = one.at("app").get<std::size_t>();
    const ticks deadline = one.at("rel").get<ticks>() + system.tasks.tasks[app].deadline;
    active_of[std::to_string(app)] = one;
    if (!scheduler.resume(app, deadline, percent_from(one.value("delta", json(0))), one.value("tau", ticks{0}),
                          progress_of(one, scheduler.reference_time(app)))) {
      throw std::invalid_argument("the scheduler refuses a job");
    }
  }
  const auto& decision = scheduler.decide(now);
  json out{{"delta", json::array()}, {"schedulable", decision.schedulable}, {"diag", json::array()}};
  for (std::size_t i = 0; i < system.tasks.size(); ++i) { out["delta"].push_back(decision.shares[i].percent()); }
  const bool stale = rules.load == takt::load_view::stale;
  for (const auto& found : decision.examined) {
    const json& active = active_of.at(std::to_string(found.task));
    out["diag"].push_back({{"app", found.task},
                           {"rem", found.slack},
                           {"need", found.need},
                           {"bound", stale ? bound_of(found, system.tasks.tasks[found.task], active) : json{}},
                           {"C_pred", stale ? json(found.predicted) : json{}}});
  }
  return out;
}

[[nodiscard]] auto schedule(const json& input) -> answer {
  application_system system;
  read_system(input, system);
  using progress = takt::exact_progress<exact>;
  answer out{operation<progress>(input, system,
                                 [](const json& one, ticks /*reference*/) { return progress::at(theta_of(one)); }),
             {}};
  // The grid can only differ where a fraction of a job lies closer to a limit than its step.
  const auto on_grid = operation<takt::fixed_progress>(input, system, [](const json& one, ticks reference) {
    const json theta = one.value("theta", json::array({0, 1}));
    auto p = takt::fixed_progress::start(reference);
    p.advance(theta.at(0).get<ticks>(), theta.at(1).get<ticks>());
    return p;
  });
  if (on_grid != out.value) { out.complaint = "progress on a grid: got " + on_grid.dump(); }
  return out;
}

[[nodiscard]] auto offline(const json& input) -> json {
  application_system system;
  read_system(input, system);
  const auto test = an::sufficient_shares(system.tasks, read_predictor(system, input));
  const auto load = an::load_of<exact>(system.tasks);
  const auto necessary = an::necessary_shares(system.tasks);
  json out{{"delta_star", json::array()},      {"sum_delta_star", test.sum},        {"sufficient", test.sufficient},
           {"area_util", to_json(load.area)},  {"util", to_json(load.utilization)}, {"density", to_json(load.density)},
           {"necessary", !necessary.refuted()}};
  for (std::size_t i = 0; i < system.tasks.size(); ++i) { out["delta_star"].push_back(test.tasks[i].need); }
  if (necessary.area == an::area_answer::unknown) { throw std::overflow_error("area"); }
  return out;
}

[[nodiscard]] auto response_times(const json& input) -> json {
  application_system system;
  read_system(input, system);
  const auto verdict = an::preemptive_whole_gpu(system.tasks);
  json out{{"R", json::array()}};
  for (const auto& t : verdict.tasks) { out["R"].push_back(t.meets ? json(t.bound.value) : json{}); }
  return out;
}

}  // namespace

void add_wamp2s_shares(suite& kinds) {
  kinds["remaining"] = [](const json& input) { return answer{remaining(input), {}}; };
  kinds["schedule"] = schedule;
  kinds["static"] = [](const json& input) { return answer{offline(input), {}}; };
  kinds["rta_fp"] = [](const json& input) { return answer{response_times(input), {}}; };
}

}  // namespace takt_vectors
