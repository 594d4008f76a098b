// SPDX-License-Identifier: Apache-2.0
#include "accelerator_commands.hpp"

#include <algorithm>
#include <deque>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <takt/analysis/analyze_accelerator.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/json.hpp>
#include <takt/report/run_json.hpp>
#include <takt/runtime/accelerator/emulated_accelerator.hpp>
#include <takt/runtime/accelerator/run_accelerator.hpp>
#include <takt/simulation/simulate_accelerator.hpp>
#include <takt/simulation/trace.hpp>

#include "fields.hpp"
#include "observe.hpp"
#include "text_table.hpp"
#include "timed_run.hpp"

namespace takt::program {

namespace {

using report::format_duration;
using file_verdict = accelerator_verdict<ticks, max_tasks>;
using file_run = simulation::accelerator_result<ticks, max_tasks>;

constexpr double most_events = 20e6;
constexpr double most_traced_events = 1e6;

void require_no_question(const question& ask) {
  const bool test = ask.method != question{}.method;
  if (test || ask.search != question{}.search) {
    throw input_error{test ? "--analysis" : "--search",
                      "says nothing about an accelerator, whose rule decides the test", "no such option for this file"};
  }
}

[[nodiscard]] auto judge(const accelerator_file& file) -> file_verdict {
  file_verdict out;
  with_accelerator(file, [&](const auto& p) { out = analyze(p, file.table); });
  if (out.error) { throw explain_fault(file, out.error); }
  return out;
}

[[nodiscard]] auto cost_name(preemption_cost_model m) -> std::string_view {
  return m == preemption_cost_model::ideal ? "ideal" : m == preemption_cost_model::race ? "race" : "overhead";
}

[[nodiscard]] auto order_name(gang_order o) -> std::string_view {
  return o == gang_order::strict ? "strict" : "backfill";
}

[[nodiscard]] auto slot_text(duration offset, duration budget, duration period) -> std::string {
  return fmt::format("[{}, {}) of every {}", format_duration(offset.count()),
                     format_duration((offset + budget).count()), format_duration(period.count()));
}

[[nodiscard]] auto platform_text(const accelerator_file& file) -> std::string {
  const auto& r = file.rule;
  std::string out = fmt::format("accelerator with {} SM{} ({}, {}", file.accelerator.cores,
                                file.accelerator.cores == 1 ? "" : "s", r.sharing, r.policy);
  if (r.sharing == "levels") {
    out += fmt::format(", {} preemption levels, {} costs", file.accelerator.preemption_levels, cost_name(r.cost));
  } else if (r.sharing == "gang") {
    out += fmt::format(", {}", order_name(r.order));
  } else if (r.sharing == "slots") {
    out +=
        fmt::format(", pinned kernels in {}, others in {}", slot_text(r.pinned.offset, r.pinned.budget, r.slot_period),
                    slot_text(r.gang.offset, r.gang.budget, r.slot_period));
  }
  return out + ")";
}

[[nodiscard]] auto where_text(const accelerator_part<ticks>& part, const file_verdict& v) -> std::string {
  if (part.core != any_core) { return fmt::format("SM {}", part.core); }
  return v.parts.size() > 1 ? "all SMs" : "the accelerator";
}

/// What a part of the verdict says, in words; empty where its tasks say it with bounds of their own.
[[nodiscard]] auto reason_text(const accelerator_part<ticks>& part, const file_verdict& v) -> std::string {
  const auto& t = part.test;
  const std::string where = where_text(part, v);
  switch (t.reason) {
    case analysis::edf_reason::none:
      return t.has_point ? fmt::format("{}: every window has room; the tightest, of {}, has {} left.", where,
                                       format_duration(t.at), format_duration(t.slack))
                         : std::string{};
    case analysis::edf_reason::demand_exceeds_supply:
      return fmt::format("{}: in a window of {} there can be {} more to do than fits.", where, format_duration(t.at),
                         format_duration(-t.slack));
    case analysis::edf_reason::load_exceeds_supply:
      return fmt::format("{}: in the long run the kernels can ask for more time than they get.", where);
    case analysis::edf_reason::job_exceeds_deadline:
      return fmt::format("{}: a kernel alone takes longer than its deadline.", where);
    case analysis::edf_reason::starved_job: return fmt::format("{}: a job can lie wholly outside the slot.", where);
    case analysis::edf_reason::guard_fills_slot:
      return fmt::format("{}: the longest wave does not fit into the slot.", where);
    case analysis::edf_reason::not_applicable:
      return fmt::format(
          "{}: no test is known for pinned and other kernels together that stop only at the end of a "
          "wave.",
          where);
    case analysis::edf_reason::too_many_chunks: return fmt::format("{}: too many chunks.", where);
    case analysis::edf_reason::too_many_windows: return fmt::format("{}: too many windows to compare.", where);
  }
  return {};
}

[[nodiscard]] auto task_text(const file_verdict& v, std::size_t i) -> std::string {
  const auto& t = v.tasks[i];
  const std::string deadline = format_duration(t.deadline);
  if (t.meets) {
    return t.bound.exists
               ? fmt::format("{} meets its deadline of {}: a job takes at most {}, which leaves {}.", t.name, deadline,
                             format_duration(t.bound.value), format_duration(t.deadline - t.bound.value))
               : fmt::format("{} meets its deadline of {}, like all that compete with it.", t.name, deadline);
  }
  if (t.bound.exists) {
    return fmt::format("{} is not proven to meet its deadline of {}: its bound is {}, {} above it.", t.name, deadline,
                       format_duration(t.bound.value), format_duration(t.bound.value - t.deadline));
  }
  return fmt::format("{} is not proven to meet its deadline of {}.", t.name, deadline);
}

[[nodiscard]] auto reasons_of(const file_verdict& v) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const auto& part : v.parts) {
    if (auto text = reason_text(part, v); !text.empty()) { out.push_back(std::move(text)); }
  }
  for (std::size_t i = 0; i < v.tasks.size(); ++i) {
    if (!v.tasks[i].meets && v.tasks[i].bound.exists) { out.push_back(task_text(v, i)); }
  }
  if (v.status == verdict_status::unschedulable) { out.emplace_back("Some legal run misses a deadline."); }
  return out;
}

[[nodiscard]] auto core_text(const accelerator_task<ticks>& t) -> std::string {
  return t.width == kernel_width::all_cores ? "all" : t.core == any_core ? "any" : fmt::format("{}", t.core);
}

void print_text(const accelerator_file& file, const file_verdict& v) {
  if (!file.name.empty()) { fmt::print("{}\n", one_line(file.name, 200)); }
  fmt::print("platform: {}\n\n", platform_text(file));
  text_table table{{"task", "SM", "kernel ms", "wave ms", "deadline ms", "bound ms", "meets"}};
  for (std::size_t i = 0; i < v.tasks.size(); ++i) {
    const auto& t = file.table.tasks[i];
    const auto& found = v.tasks[i];
    table.add({std::string{t.name}, core_text(t), in_milliseconds(t.wcet), in_milliseconds(t.preemption_cost),
               in_milliseconds(t.deadline), found.bound.exists ? in_milliseconds(found.bound.value) : "-",
               found.meets ? "yes" : "not proven"});
  }
  fmt::print("{}\nverdict: {} ({})\n", table.text(), name_of(v.status), v.analysis);
  for (const std::string& reason : reasons_of(v)) { fmt::print("  {}\n", reason); }
  for (const std::string& note : file.notes) { fmt::print("  note: {}\n", note); }
}

void write_slot(report::json_writer& json, std::string_view name, duration offset, duration budget) {
  json.key(name).begin_object().member("offset", offset.count()).member("budget", budget.count()).end_object();
}

void write_platform(report::json_writer& json, const accelerator_file& file) {
  const auto& r = file.rule;
  json.key("platform").begin_object().key("gpus").begin_array().begin_object();
  json.member("sms", file.accelerator.cores).member("sharing", r.sharing).member("policy", r.policy);
  json.member("preemption_levels", file.accelerator.preemption_levels);
  if (r.sharing == "levels") { json.member("cost_model", cost_name(r.cost)); }
  if (r.sharing == "gang") { json.member("order", order_name(r.order)); }
  if (r.sharing == "slots") {
    json.key("slots").begin_object().member("period", r.slot_period.count());
    write_slot(json, "pinned", r.pinned.offset, r.pinned.budget);
    write_slot(json, "gang", r.gang.offset, r.gang.budget);
    json.end_object();
  }
  json.end_object().end_array().end_object();
  json.key("allocation").begin_object().key("core").begin_object();
  for (const auto& t : file.table.tasks) {
    if (t.core != any_core) { json.member(t.name, t.core); }
  }
  json.end_object().end_object();
}

void write_json(const accelerator_file& file, const file_verdict& v) {
  report::json_writer json{std::cout};
  json.begin_object().member("format", "takt-verdict/1").member("analysis", v.analysis);
  json.member("status", name_of(v.status));
  write_platform(json, file);
  json.key("tasks").begin_array();
  for (const auto& t : v.tasks) {
    json.begin_object().member("name", t.name).member("deadline", t.deadline).key("response_bound");
    if (t.bound.exists) {
      json.value(t.bound.value);
    } else {
      json.value(nullptr);
    }
    json.member("meets", t.meets).end_object();
  }
  json.end_array().key("tests").begin_array();
  for (const auto& part : v.parts) {
    json.begin_object().key("core");
    if (part.core == any_core) {
      json.value(nullptr);
    } else {
      json.value(part.core);
    }
    json.member("passes", part.test.schedulable());
    if (part.test.reason != analysis::edf_reason::none) { json.member("reason", name_of(part.test.reason)); }
    if (part.test.has_point) { json.member("window", part.test.at).member("slack", part.test.slack); }
    json.end_object();
  }
  json.end_array().key("notes").begin_array();
  for (const std::string& reason : reasons_of(v)) { json.value(reason); }
  for (const std::string& note : file.notes) { json.value(note); }
  json.end_array().end_object().finish();
}

/// Adds up responses, and keeps the rest of what it hears if it is asked to.
class run_recorder {
 public:
  run_recorder(std::size_t tasks, trace* kept) : kept_{kept}, tasks_(tasks) {}

  void record(const slice& s) const {
    if (kept_ != nullptr) { kept_->record(s); }
  }
  void record(const mark& m) {
    if (kept_ != nullptr) { kept_->record(m); }
    if (m.what == mark_kind::release) { tasks_[m.task].released.push_back(m.time); }
    if (m.what == mark_kind::completion) {
      task& t = tasks_[m.task];
      t.sum += static_cast<double>(m.time - t.released.front());
      t.released.pop_front();
    }
  }

  [[nodiscard]] auto mean_response(std::size_t i, std::int64_t jobs) const -> ticks {
    return jobs == 0 ? 0 : static_cast<ticks>(tasks_[i].sum / static_cast<double>(jobs));
  }

 private:
  struct task {
    std::deque<ticks> released;
    double sum = 0;
  };

  trace* kept_;
  std::vector<task> tasks_;
};

/// Throws when so much happens before `horizon` that nobody would wait for it.
void require_bearable(const accelerator_file& file, duration horizon, const std::string& option, bool traced) {
  const auto until = static_cast<double>(horizon.count());
  double events = 0;
  for (const auto& t : file.table.tasks) {
    const ticks waves = t.preemption_cost > 0 ? t.wcet / t.preemption_cost : 0;
    events += until / static_cast<double>(t.period) * static_cast<double>(1 + waves);
  }
  if (file.rule.sharing == "slots") { events += until / static_cast<double>(file.rule.slot_period.count()) * 4; }
  const double most = traced ? most_traced_events : most_events;
  if (events > most) {
    throw input_error{option,
                      fmt::format("{} holds too many jobs, waves and slots{}", format_duration(horizon.count()),
                                  traced ? " for a trace" : ""),
                      fmt::format("at most about {}", format_duration(static_cast<ticks>(until * (most / events))))};
  }
}

[[nodiscard]] auto summary_of(const file_run& seen, const file_verdict& v, const run_recorder& heard)
    -> report::run_summary {
  report::run_summary out;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    out.tasks.push_back({std::string{t.name}, static_cast<std::uint64_t>(t.completed),
                         static_cast<std::uint64_t>(t.misses), t.worst_response, heard.mean_response(i, t.completed),
                         v.tasks[i].meets ? v.tasks[i].bound : response_bound<ticks>{}});
  }
  return out;
}

void print_run(const report::run_summary& run, const file_verdict& v) {
  text_table table{{"task", "jobs", "misses", "deadline ms", "mean ms", "worst ms", "bound ms", "within"}};
  for (std::size_t i = 0; i < run.tasks.size(); ++i) {
    const report::task_run& t = run.tasks[i];
    table.add({t.name, fmt::format("{}", t.jobs), fmt::format("{}", t.misses), in_milliseconds(v.tasks[i].deadline),
               t.jobs > 0 ? in_milliseconds(t.mean_response) : "-",
               t.jobs > 0 ? in_milliseconds(t.worst_response) : "-",
               t.bound.exists ? in_milliseconds(t.bound.value) : "-",
               !t.bound.exists    ? "-"
               : t.within_bound() ? "yes"
                                  : "NO"});
  }
  fmt::print("{}\n", table.text());
}

[[nodiscard]] auto longest_period(const accelerator_file& file) -> ticks {
  ticks longest = 0;
  for (const auto& t : file.table.tasks) { longest = std::max(longest, t.period); }
  return longest;
}

void write_traces(const trace& recorded, const accelerator_file& file, const std::string& trace_file,
                  const std::string& svg_file) {
  std::vector<std::string_view> names;
  for (const auto& t : file.table.tasks) { names.push_back(t.name); }
  write_trace_files(recorded, names, longest_period(file), trace_file, svg_file, file.name);
}

/// Beside what threads did: virtual time under the same rule, and what is proven.
void print_beside(const runtime::run_result& seen, const file_run& simulated, const file_verdict& v) {
  text_table table{{"task", "jobs", "misses", "observed ms", "simulated ms", "proven ms", "deadline ms"}};
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    table.add({t.name, fmt::format("{}", t.jobs), fmt::format("{}", t.misses),
               t.jobs > 0 ? in_milliseconds(t.worst_response) : "-",
               simulated.tasks[i].completed > 0 ? in_milliseconds(simulated.tasks[i].worst_response) : "-",
               v.tasks[i].meets && v.tasks[i].bound.exists ? in_milliseconds(v.tasks[i].bound.value) : "-",
               in_milliseconds(v.tasks[i].deadline)});
  }
  fmt::print("{}\n", table.text());
}

/// What was proven and is not so in the run is a fault of takt.
void require_no_contradiction(const report::run_summary& run, const file_verdict& v) {
  for (std::size_t i = 0; i < run.tasks.size(); ++i) {
    const report::task_run& t = run.tasks[i];
    if ((t.bound.exists && !t.within_bound()) || (v.tasks[i].meets && t.misses > 0)) {
      throw environment_error{
          fmt::format("{} responds later than is proven: this is a fault of takt, please report it", t.name)};
    }
  }
}

}  // namespace

auto analyze_accelerator(const accelerator_file& file, const analyze_options& o) -> exit_code {
  require_no_question(o.ask);
  const file_verdict v = judge(file);
  if (o.json) {
    write_json(file, v);
  } else {
    print_text(file, v);
  }
  return exit_code_of(v.status);
}

auto explain_accelerator(const accelerator_file& file, const explain_options& o) -> exit_code {
  require_no_question(o.ask);
  const file_verdict v = judge(file);
  if (!o.task.empty()) {
    std::vector<std::string_view> names;
    for (const auto& t : v.tasks) { names.push_back(t.name); }
    const auto found = std::ranges::find(names, o.task);
    if (found == names.end()) {
      throw input_error{
          "--task",
          fmt::format("\"{}\" is no task of this file, the nearest is \"{}\"", o.task, nearest(o.task, names)),
          fmt::format("{}", fmt::join(names, ", "))};
    }
    const auto at = static_cast<std::size_t>(found - names.begin());
    fmt::print("{}\n", task_text(v, at));
    return v.tasks[at].meets ? exit_code::ok : exit_code_of(v.status);
  }
  fmt::print("{} ({}).\n\n",
             v.status == verdict_status::schedulable ? "Every task is proven to meet its deadline"
             : v.status == verdict_status::unschedulable
                 ? "Some legal run misses a deadline"
                 : "Not every task is proven to meet its deadline, nor to miss it",
             v.analysis);
  for (const auto& part : v.parts) {
    if (const auto text = reason_text(part, v); !text.empty()) { fmt::print("{}\n", text); }
  }
  for (std::size_t i = 0; i < v.tasks.size(); ++i) { fmt::print("{}\n", task_text(v, i)); }
  for (const std::string& note : file.notes) { fmt::print("note: {}\n", note); }
  return exit_code_of(v.status);
}

auto simulate_accelerator(const accelerator_file& file, const simulate_options& o) -> exit_code {
  require_no_question(o.ask);
  const duration horizon{option_time("--horizon", o.horizon)};
  const bool traced = !o.trace_file.empty() || !o.svg_file.empty();
  require_bearable(file, horizon, "--horizon", traced);
  const file_verdict v = judge(file);
  const simulation_options options{
      .horizon = horizon, .releases = o.releases, .execution = o.execution, .seed = o.seed};
  trace recorded;
  run_recorder heard{file.table.size(), traced ? &recorded : nullptr};
  file_run seen;
  with_accelerator(file, [&](const auto& p) { seen = simulate(p, file.table, options, heard); });
  if (seen.error.fault == model_fault::time_overflow) {
    throw input_error{"--horizon", fmt::format("{} is too far away for this simulation", o.horizon),
                      "a shorter time, and shorter periods", true};
  }
  if (seen.error) { throw explain_fault(file, seen.error); }
  write_traces(recorded, file, o.trace_file, o.svg_file);

  report::run_summary run = summary_of(seen, v, heard);
  const std::string how =
      fmt::format("{} of virtual time, releases {}, execution times {}, seed {}", format_duration(horizon.count()),
                  name_of(o.releases), name_of(o.execution), o.seed);
  if (o.json) {
    run.notes = file.notes;
    run.notes.push_back(how);
    report::write_run_json(std::cout, run);
  } else {
    fmt::print("simulated: {}\nplatform: {}\n\n", how, platform_text(file));
    print_run(run, v);
    fmt::print("simulation: {}; verdict of the analysis: {} ({})\n{}", run.missed() ? "missed" : "no miss",
               name_of(v.status), v.analysis, written_files(o.trace_file, o.svg_file));
  }
  require_no_contradiction(run, v);
  return run.missed() ? exit_code::missed : exit_code::ok;
}

auto run_accelerator(const accelerator_file& file, const run_command_options& o) -> exit_code {
  require_no_question(o.ask);
  const duration length = run_length(o);
  const bool traced = !o.trace_file.empty() || !o.svg_file.empty();
  require_bearable(file, length, "--for", traced);
  const file_verdict v = judge(file);
  runtime::run_options options;
  options.length = length;
  options.seed = o.seed;
  options.expected = runtime::expect(v);
  const std::vector<std::string> machine = machine_notes();
  runtime::emulated_accelerator device{file.accelerator};
  trace recorded;
  runtime::run_result seen;
  file_run simulated;
  const duration beside{20 * longest_period(file)};
  with_accelerator(file, [&](const auto& p) {
    seen =
        traced ? runtime::run(p, file.table, device, options, recorded) : runtime::run(p, file.table, device, options);
    simulated = simulate(p, file.table, simulation_options{.horizon = beside});
  });
  if (seen.status == runtime::run_status::invalid_model) { throw explain_fault(file, seen.error); }
  require_threads(seen.status);
  if (simulated.error) { throw explain_fault(file, simulated.error); }
  write_traces(recorded, file, o.trace_file, o.svg_file);

  report::run_summary run;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    run.tasks.push_back({t.name, t.jobs, t.misses, t.worst_response, t.mean_response,
                         v.tasks[i].meets ? v.tasks[i].bound : response_bound<ticks>{}});
  }
  run.notes = machine;
  run.notes.insert(run.notes.end(), seen.notes.begin(), seen.notes.end());
  run.notes.insert(run.notes.end(), file.notes.begin(), file.notes.end());
  if (o.json) {
    report::write_run_json(std::cout, run);
  } else {
    fmt::print("ran for {} on the {} accelerator, execution times drawn from their bounds, seed {}\nplatform: {}\n\n",
               format_duration(length.count()), o.device, o.seed, platform_text(file));
    print_beside(seen, simulated, v);
    fmt::print("run: {}; verdict of the analysis: {} ({})\n", run.missed() ? "missed" : "no miss", name_of(v.status),
               v.analysis);
    for (const std::string& note : run.notes) { fmt::print("  {}\n", note); }
    fmt::print("{}", written_files(o.trace_file, o.svg_file));
  }
  return run.missed() ? exit_code::missed : exit_code::ok;
}

}  // namespace takt::program
