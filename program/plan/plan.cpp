// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/core/largest_factor.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/json.hpp>
#include <takt/report/svg_plan.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/study/interruption.hpp>

#include "../command.hpp"
#include "../json_value.hpp"
#include "../large_stack.hpp"
#include "../picture_file.hpp"
#include "../progress.hpp"
#include "../side_files.hpp"
#include "../text_file.hpp"
#include "plan_picture.hpp"
#include "search_state.hpp"

namespace takt::program {

namespace {

using steady = std::chrono::steady_clock;

/// Above it nobody waits for the end of an exact search.
constexpr double most_exact = 1e7;
constexpr std::chrono::seconds between_states{5};

[[nodiscard]] auto place_of_cpu_rules(const plan_options& o) -> std::string {
  return o.cpus.empty() ? "/platform/cpus/policy" : "--cpus";
}

[[nodiscard]] auto rules_of(const plan_options& o, const json_value& document) -> std::vector<rule_wishes> {
  std::vector<std::string> cpus = o.cpus;
  const auto* const platform = document.find("platform");
  const auto* const own =
      platform == nullptr || platform->find("cpus") == nullptr ? nullptr : platform->find("cpus")->find("policy");
  if (cpus.empty()) { cpus.push_back(own == nullptr ? "fixed-priority" : own->text); }
  for (const std::string& rule : cpus) { require_cpu_rule(place_of_cpu_rules(o), rule); }
  std::vector<std::string> policies = o.policies;
  for (const std::string& policy : policies) { require_policy("--policies", policy); }
  const bool has_gpus = platform != nullptr && platform->find("gpus") != nullptr;
  if (!has_gpus && !policies.empty()) {
    throw input_error{"--policies", "shares no GPU, as the board has none", "no such option for this file"};
  }
  if (policies.empty() && has_gpus) {
    for (const std::string_view name : policy_names()) { policies.emplace_back(name); }
  }
  if (policies.empty()) { policies.emplace_back(); }
  std::vector<rule_wishes> out;
  for (const std::string& policy : policies) {
    for (const std::string& rule : cpus) { out.push_back({policy, rule}); }
  }
  return out;
}

/// How many ways there are, bad ones counted, but for most that differ in the names of equal cores only.
[[nodiscard]] auto space_of(file_problem& problem) -> double {
  double out = 1;
  for (std::size_t i = 0; i < problem.size(); ++i) { out *= problem.distinct_values(i); }
  return out;
}

/// How good an answer is, in words.
[[nodiscard]] auto factor_words(std::int64_t factor) -> std::string {
  return fmt::format("factor {}.{:03}", factor / 1000, factor % 1000);
}
[[nodiscard]] auto score_words(mapping_objective objective, std::int64_t score) -> std::string {
  switch (objective) {
    case mapping_objective::chain: return "chain " + report::format_duration(file_problem::latency_of(score));
    case mapping_objective::factor: break;
  }
  return factor_words(file_problem::factor_of(score));
}

/// A mapping of the file, and what is said of it: of one plan alone.
struct planned_system {
  rule_wishes rules;
  std::unique_ptr<workload_file> file;
  policy_input input;
  std::unique_ptr<judged_policy> found;
  report::verdict_summary said;
  std::vector<report::chain_summary> chains;
  std::int64_t factor = 0;  ///< in thousandths, with which this plan is proven; 0: it was not asked for
};

/// The largest factor with which this very plan is proven, or, where a signal asks for an end, one that is. Pre: it is
/// with the times as they are.
[[nodiscard]] auto factor_of_plan(const planned_system& s) -> std::int64_t {
  return largest_factor(1000, file_problem::most_factor, [&](std::int64_t f) {
    if (f == 1000) { return true; }
    if (studies::interruption::asked()) { return false; }
    const auto again = judge_its_plan(*s.file, s.input, *s.found, f);
    return again != nullptr && again->judged && again->verdict.schedulable();
  });
}

/// The plan of a mapping, and with a factor above 1000 the one that is proven with it, where it is proven with the
/// times as they are, too.
[[nodiscard]] auto system_of(file_judge& judge, const file_mapping& m, std::int64_t factor) -> planned_system {
  planned_system out;
  out.rules = judge.wishes_of(m);
  on_large_stack([&] { out.file = read_workload(judge.planned(m)); });
  out.input = input_of(*out.file, out.rules);
  out.found = judge_file(*out.file, out.input);
  if (factor > 1000 && !studies::interruption::asked()) {
    const auto stretched = judge_file(*out.file, out.input, factor);
    if (stretched != nullptr && stretched->judged && stretched->verdict.schedulable()) {
      auto same = judge_its_plan(*out.file, out.input, *stretched, 1000);
      if (same != nullptr && same->judged && same->verdict.schedulable()) { out.found = std::move(same); }
    }
  }
  if (!out.found->judged) { return out; }
  out.said = explained_summary(*out.file, out.input, *out.found);
  if (factor > 0) { out.factor = factor_of_plan(out); }
  const auto waiting = waiting_in(*out.file, out.input, *out.found);
  for (const chain_facts& c : out.file->chains) {
    out.chains.push_back(judge_chain(c, *out.file, out.said, waiting, false).summary);
  }
  return out;
}

/// A task or a chain that is not proven to be in time.
struct shortfall {
  std::string_view what;
  std::string name;
  ticks limit = 0;
  std::optional<ticks> bound;

  [[nodiscard]] auto words() const -> std::string {
    const std::string has = bound ? fmt::format("is bounded by {}, {} more than {}", report::format_duration(*bound),
                                                report::format_duration(*bound - limit), report::format_duration(limit))
                                  : fmt::format("has no bound within {}", report::format_duration(limit));
    return fmt::format("{} {} {}", what, name, has);
  }
};

[[nodiscard]] auto shortfalls_of(const planned_system& s) -> std::vector<shortfall> {
  std::vector<shortfall> out;
  for (const report::task_summary& t : s.said.tasks) {
    if (t.meets) { continue; }
    const bool is_late = t.bound.exists && t.limited && t.deadline < t.bound.value;
    out.push_back({"task", t.name, t.deadline, is_late ? std::optional{t.bound.value} : std::nullopt});
  }
  for (const report::chain_summary& c : s.chains) {
    const auto add = [&](const std::optional<ticks>& limit, ticks bound) {
      if (!limit || (c.bounded() && bound <= *limit)) { return; }
      out.push_back({"chain", c.name, *limit, c.bounded() ? std::optional{bound} : std::nullopt});
    };
    add(c.reaction_limit, c.bound.reaction);
    add(c.age_limit, c.bound.age);
  }
  return out;
}

/// The best answers, one after the other.
using better_answers = std::vector<report::plan_view::step>;

/// Where a search that was ended within a mapping goes on: as if it had not been asked about that one, but with the
/// answers that it gave.
[[nodiscard]] auto before_last(const plan_progress& before, const plan_progress& now) -> plan_progress {
  plan_progress out = before;
  out.found = now.found;
  out.best = now.best;
  out.score = now.score;
  out.nearest = now.nearest;
  out.closest = now.closest;
  return out;
}

void search(const plan_options& o, const std::string& key, file_judge& judge, file_problem& problem, plan_progress& s,
            better_answers& growth, written_files& written, std::vector<std::string>& notes) {
  progress shown{"planning: mappings judged"};
  const auto begin = steady::now();
  const auto end = begin + std::chrono::nanoseconds{option_time("--for", o.time)};
  const std::uint64_t last = o.evaluations == 0 ? UINT64_MAX : o.evaluations;
  auto kept = begin;
  const auto keep_state = [&](const plan_progress& at) {
    if (!o.state_file.empty()) {
      written.add(o.state_file, [&] { write_state(o.state_file, key, at); });
    }
  };
  const auto is_over = [&] { return steady::now() >= end || studies::interruption::asked(); };
  judge.stop_by(is_over);
  plan_progress before = s;
  const auto keep_answer = [&](const plan_progress& at) {
    if (!at.found || (!growth.empty() && growth.back().value == at.score)) { return; }
    growth.push_back({at.evaluations, at.score, score_words(o.objective, at.score)});
  };
  const auto ends = [&](const plan_progress& at) {
    shown.show(at.evaluations, o.evaluations);
    keep_answer(at);
    if (judge.was_stopped()) { return true; }
    before = at;
    const auto now = steady::now();
    if (now - kept > between_states) {
      keep_state(at);
      kept = now;
    }
    return at.evaluations >= last || is_over();
  };
  switch (o.search) {
    case plan_search::local: climb(problem, s, o.seed, ends); break;
    case plan_search::exact: search_all(problem, s, ends); break;
    case plan_search::automatic: {
      const double space = space_of(problem);
      const std::uint64_t steps = space > most_exact ? UINT64_MAX : static_cast<std::uint64_t>(space / 20) + 20;
      climb(problem, s, o.seed, [&](const plan_progress& at) { return at.steps >= steps || ends(at); });
      search_all(problem, s, ends);
      break;
    }
  }
  keep_answer(s);
  if (!judge.was_stopped()) { return keep_state(s); }
  keep_state(before_last(before, s));
  s.complete = false;
  if (s.found && (!before.found || before.score != s.score)) {
    notes.emplace_back("the search was ended within its best mapping: what was proven of it until then counts");
  }
}

/// How sure the answer is.
[[nodiscard]] auto answer_words(const plan_options& o, const plan_progress& s) -> std::string {
  if (s.complete) {
    return s.found ? "optimal: no other choice is proven to be better by the tests of these rules"
                   : "none exists: all choices were looked at, and the tests of these rules prove none";
  }
  const std::string after = fmt::format("the search ended after {} mappings, seed {}", s.evaluations, o.seed);
  return s.found ? "feasible: " + after + ", and a better plan may exist"
                 : "none found: " + after + ", which is no proof that none exists";
}

/// The way of sharing, with what the plan gives to whom.
[[nodiscard]] auto gpu_words(const std::string& policy, const report::verdict_summary& proven) -> std::string {
  return proven.plan_words.empty() ? policy : policy + ", " + proven.plan_words;
}

/// How near to a plan the search came; empty where it does not know.
[[nodiscard]] auto nearest_words(const plan_progress& s) -> std::string {
  if (s.found || s.nearest == 0) { return ""; }
  return s.nearest < file_problem::deadlines_proven
             ? fmt::format("all deadlines are proven with {}.{:03} of the execution times", s.nearest / 1000,
                           s.nearest % 1000)
             : "all deadlines are proven, but not the limits of all chains";
}

void write_tasks(report::json_writer& json, const plan_options& o, const planned_system& s) {
  json.key("tasks").begin_array();
  for (std::size_t i = 0; i < s.said.tasks.size(); ++i) {
    const runtime_task& t = s.file->tasks.tasks[i];
    json.begin_object().member("name", t.name).member("core", t.core).member("priority", t.priority);
    if (!s.file->more[i].variant.empty()) { json.member("variant", s.file->more[i].variant); }
    if (o.offsets) { json.member("offset", s.file->tasks.tasks[i].offset); }
    report::detail::write_time(json, "deadline", t.limited, t.deadline);
    const auto bound = s.said.promised(i);
    report::detail::write_time(json, "response_bound", bound.exists, bound.value);
    json.member("meets", s.said.tasks[i].meets).end_object();
  }
  json.end_array();
}

void write_chains(report::json_writer& json, const planned_system& s) {
  json.key("chains").begin_array();
  for (const report::chain_summary& c : s.chains) {
    json.begin_object().member("name", c.name);
    report::detail::write_time(json, "reaction", c.bounded(), c.bound.reaction);
    report::detail::write_time(json, "age", c.bounded(), c.bound.age);
    json.key("waits").begin_array();
    for (const report::chain_wait& w : c.waits) {
      if (w.obstacle != wait_obstacle::none) { continue; }
      json.begin_object().member("consumer", w.consumer).member("producer", w.producer).end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

/// The plan that was found, or the best of those that are not proven.
void write_plan(report::json_writer& json, const plan_options& o, const planned_system& s) {
  json.member("policy", s.rules.policy.empty() ? s.found->policy : s.rules.policy).member("cpus", s.rules.cpus);
  report::detail::write_kept(json, "plan", s.said.plan);
  write_tasks(json, o, s);
  write_chains(json, s);
}

void write_json(const plan_options& o, const plan_progress& s, const planned_system& system,
                const std::vector<report::miss_summary>& impossible, const std::vector<std::string>& notes) {
  report::json_writer json{std::cout};
  json.begin_object().member("format", "takt-plan/1");
  json.member("status", s.found ? "schedulable" : "not-proven");
  if (const std::string nearest = nearest_words(s); !nearest.empty()) { json.member("nearest", nearest); }
  json.member("complete", s.complete).member("answer", answer_words(o, s));
  json.member("evaluations", static_cast<std::int64_t>(s.evaluations));
  if (s.found) {
    switch (o.objective) {
      case mapping_objective::factor:
        json.member("factor_permille", system.factor);
        if (file_problem::factor_of(s.score) != system.factor) {
          json.member("factor_of_other_plans_permille", file_problem::factor_of(s.score));
        }
        break;
      case mapping_objective::chain: json.member("worst_chain", file_problem::latency_of(s.score)); break;
    }
    write_plan(json, o, system);
  } else {
    json.key("best").begin_object();
    if (system.found->judged) { write_plan(json, o, system); }
    json.end_object().key("short").begin_array();
    for (const shortfall& f : shortfalls_of(system)) {
      json.begin_object().member(f.what, f.name).member("limit", f.limit);
      report::detail::write_time(json, "bound", f.bound.has_value(), f.bound.value_or(0));
      report::detail::write_time(json, "late_by", f.bound.has_value(), f.bound.value_or(0) - f.limit);
      json.end_object();
    }
    json.end_array().key("impossible").begin_array();
    for (const report::miss_summary& m : impossible) {
      json.begin_object().member("reason", name_of(m.proof.reason));
      if (m.proof.task < system.said.tasks.size()) { json.member("task", system.said.tasks[m.proof.task].name); }
      json.member("value", m.proof.value).member("limit", m.proof.limit).member("words", m.sentence).end_object();
    }
    json.end_array();
  }
  json.key("notes").begin_array();
  for (const std::string& note : notes) { json.value(note); }
  json.end_array().end_object().finish();
}

/// What the answer repeats of a file whose tasks may still have a choice of cores and variants.
[[nodiscard]] auto said_by(const json_value& document) -> std::vector<std::string> {
  workload_file file;
  read_remarks(document, file);
  return words_of_file(file);
}

}  // namespace

auto plan_command(const plan_options& o) -> exit_code {
  const std::string text = read_text_file(o.file);
  try_files({o.file}, {{"--resume", o.state_file}, {"--svg", o.svg_file}, {"--write", o.written_file, true}});
  const json_value document = o.replan ? without_decisions(parse_json(text)) : parse_json(text);
  file_judge judge{document, rules_of(o, document), place_of_cpu_rules(o)};
  std::vector<std::string> notes = judge.drop_unjudged();
  const auto menus = judge.menus();
  const auto problem = std::make_unique<file_problem>(judge, o.objective, *menus, judge.core_types());
  const std::string key = search_key(o, text);
  const auto s = std::make_unique<plan_progress>();
  if (o.offsets) {
    judge.choose_release_offsets(o.seed);
    notes.emplace_back("offsets are the best of those that were looked at for each mapping, which are not all");
  }
  const std::vector<std::string> said = said_by(document);
  if (o.json) { notes.insert(notes.end(), said.begin(), said.end()); }
  if (!o.state_file.empty()) { *s = read_state(o.state_file, key, *problem); }
  // One stack for all of them: a new one for each mapping costs more than the analyses.
  better_answers growth;
  written_files written;
  const studies::interruption signals;
  on_large_stack([&] { search(o, key, judge, *problem, *s, growth, written, notes); });

  const bool by_factor = o.objective == mapping_objective::factor;
  const auto decisions_to_show = [&] {
    if (s->found) { return s->best; }
    if (s->nearest > 0) { return s->closest; }
    decisions<file_problem::max_decisions> first;
    // Bound: the decisions of the problem.
    for (std::size_t i = 0; i < problem->size(); ++i) { first.unchecked_push_back(0); }
    return first;
  };
  const file_mapping shown = problem->mapping_of(decisions_to_show());
  const planned_system system = system_of(judge, shown, s->found && by_factor ? file_problem::factor_of(s->score) : 0);
  const auto impossible = s->found ? std::vector<report::miss_summary>{} : judge.impossible();
  if (s->found) {
    if (!system.found->judged || !system.found->verdict.schedulable()) {
      throw environment_error{"the plan that was found is not proven again: this is a fault of takt, please report it"};
    }
    for (const report::chain_summary& c : system.chains) {
      if (const std::string waits = report::wait_words(c); !waits.empty()) {
        notes.push_back(c.name + ": counts on it that " + waits);
      }
    }
    if (!system.chains.empty()) {
      for (const std::string& a : assumptions_of(system.chains, *system.file, false)) {
        notes.push_back("assumed of chains: " + a);
      }
    }
    if (!o.svg_file.empty()) {
      report::plan_view view = picture_of(*system.file, system.said, system.chains);
      view.title = system.file->name.empty() ? "plan" : system.file->name;
      view.answer =
          fmt::format("{}; {}, processors under {}", answer_words(o, *s),
                      by_factor ? factor_words(system.factor) : score_words(o.objective, s->score), system.found->cpus);
      if (!system.file->board.gpus.empty()) { view.gpu = gpu_words(system.found->policy, system.said); }
      view.growth = growth;
      view.evaluations = s->evaluations;
      view.notes = notes;
      written.add(o.svg_file,
                  [&] { write_picture(o.svg_file, [&](std::ostream& out) { report::write_svg_plan(out, view); }); });
    }
    if (!o.written_file.empty()) {
      written.add(o.written_file, [&] {
        // What is printed below is about the file before it takes the plan over.
        std::unique_ptr<workload_file> planned;
        on_large_stack([&] { planned = read_workload(judge.planned(shown)); });
        take_over(*planned, input_of(*planned, system.rules), *system.found);
        write_file(o.written_file, [&](std::ostream& out) { print_workload(out, *planned); });
      });
    }
  }
  const workload_file& file = *system.file;
  if (o.json) {
    for (const std::string& fault : written.faults()) { notes.push_back(fault); }
    write_json(o, *s, system, impossible, notes);
  } else {
    if (system.found->judged) { print_verdict(file.name, system.said); }
    if (s->found) {
      fmt::print("\npolicy: {}, processors: {}\n", system.found->policy, system.found->cpus);
      for (std::size_t i = 0; i < file.tasks.size(); ++i) {
        const std::string& variant = file.more[i].variant;
        if (!variant.empty()) { fmt::print("variant: {} {}\n", file.tasks.tasks[i].name, variant); }
        const ticks offset = file.tasks.tasks[i].offset;
        if (offset != 0) { fmt::print("offset: {} {}\n", file.tasks.tasks[i].name, report::format_duration(offset)); }
      }
      if (by_factor) {
        fmt::print("factor: {}.{:03}\n", system.factor / 1000, system.factor % 1000);
        const std::int64_t others = file_problem::factor_of(s->score);
        if (others != system.factor) { fmt::print("other plans: up to {}\n", factor_words(others)); }
      } else {
        fmt::print("longest chain: {}\n", report::format_duration(file_problem::latency_of(s->score)));
      }
    } else {
      fmt::print("\nbest that was found: policy {}, processors {}\n", system.found->policy, system.rules.cpus);
      for (const shortfall& f : shortfalls_of(system)) { fmt::print("short: {}\n", f.words()); }
      for (const report::miss_summary& m : impossible) { fmt::print("impossible: {}\n", m.sentence); }
    }
    if (!system.chains.empty()) { fmt::print("\n{}\n", report::text_of(report::chain_table(system.chains))); }
    if (!system.found->judged) { notes.insert(notes.end(), said.begin(), said.end()); }
    fmt::print("plan: {}\n", answer_words(o, *s));
    if (const std::string nearest = nearest_words(*s); !nearest.empty()) { fmt::print("nearest: {}\n", nearest); }
    for (const std::string& note : notes) { fmt::print("  note: {}\n", note); }
    if (!o.written_file.empty() && !written.has_failed(o.written_file)) {
      fmt::print("\nwritten: {}\n", s->found ? o.written_file : "nothing, since no plan is proven");
    }
    if (!o.svg_file.empty() && !written.has_failed(o.svg_file)) {
      fmt::print("{}picture: {}\n", o.written_file.empty() ? "\n" : "",
                 s->found ? o.svg_file : "nothing, since no plan is proven");
    }
  }
  written.require_all();
  return s->found ? exit_code::ok : exit_code::not_proven;
}

}  // namespace takt::program
