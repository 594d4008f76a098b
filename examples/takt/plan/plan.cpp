// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>
#include <takt/report/json.hpp>
#include <takt/report/svg_plan.hpp>
#include <takt/study/interruption.hpp>

#include "../command.hpp"
#include "../json_value.hpp"
#include "../large_stack.hpp"
#include "../picture_file.hpp"
#include "../progress.hpp"
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

/// How many ways there are, symmetric ones and bad ones counted.
[[nodiscard]] auto space_of(file_problem& problem) -> double {
  double out = 1;
  for (std::size_t i = 0; i < problem.size(); ++i) { out *= problem.values(i); }
  return out;
}

/// How good an answer is, in words.
[[nodiscard]] auto score_words(mapping_objective objective, std::int64_t score) -> std::string {
  switch (objective) {
    case mapping_objective::chain: return "chain " + report::format_duration(file_problem::latency_of(score));
    case mapping_objective::factor: break;
  }
  const std::int64_t factor = file_problem::factor_of(score);
  return fmt::format("factor {}.{:03}", factor / 1000, factor % 1000);
}

/// The best answers, one after the other.
using better_answers = std::vector<report::plan_view::step>;

void search(const plan_options& o, const std::string& key, file_problem& problem, plan_progress& s,
            better_answers& growth) {
  const studies::interruption signals;
  progress shown{"planning: mappings judged"};
  const auto begin = steady::now();
  const auto end = begin + std::chrono::nanoseconds{option_time("--for", o.time)};
  const std::uint64_t last = o.evaluations == 0 ? UINT64_MAX : o.evaluations;
  auto kept = begin;
  const auto keep_answer = [&](const plan_progress& at) {
    if (!at.found || (!growth.empty() && growth.back().value == at.score)) { return; }
    growth.push_back({at.evaluations, at.score, score_words(o.objective, at.score)});
  };
  const auto ends = [&](const plan_progress& at) {
    shown.show(at.evaluations, o.evaluations);
    keep_answer(at);
    const auto now = steady::now();
    if (!o.state_file.empty() && now - kept > between_states) {
      write_state(o.state_file, key, at);
      kept = now;
    }
    return at.evaluations >= last || now >= end || studies::interruption::asked();
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
  if (!o.state_file.empty()) { write_state(o.state_file, key, s); }
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

void write_json(const plan_options& o, const plan_progress& s, const workload_file* file,
                const report::verdict_summary* proven, const std::vector<report::chain_summary>& chains,
                const rule_wishes* rules, const std::vector<std::string>& notes) {
  report::json_writer json{std::cout};
  json.begin_object().member("format", "takt-plan/1");
  json.member("status", s.found ? "schedulable" : "not-proven");
  if (const std::string nearest = nearest_words(s); !nearest.empty()) { json.member("nearest", nearest); }
  json.member("complete", s.complete).member("answer", answer_words(o, s));
  json.member("evaluations", static_cast<std::int64_t>(s.evaluations));
  if (s.found) {
    json.member("policy", rules->policy).member("cpus", rules->cpus);
    switch (o.objective) {
      case mapping_objective::factor: json.member("factor_permille", file_problem::factor_of(s.score)); break;
      case mapping_objective::chain: json.member("worst_chain", file_problem::latency_of(s.score)); break;
    }
    json.key("tasks").begin_array();
    for (std::size_t i = 0; i < file->tasks.size(); ++i) {
      const described_task& t = file->tasks.tasks[i];
      json.begin_object().member("name", t.name).member("core", t.core).member("priority", t.priority);
      if (!file->more[i].variant.empty()) { json.member("variant", file->more[i].variant); }
      if (o.offsets) { json.member("offset", file->tasks.tasks[i].offset); }
      json.member("response_bound", proven->promised(i).value).end_object();
    }
    json.end_array().key("chains").begin_array();
    for (const report::chain_summary& c : chains) {
      json.begin_object().member("name", c.name).member("reaction", c.bound.reaction).member("age", c.bound.age);
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
  const json_value document = parse_json(text);
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
  on_large_stack([&] { search(o, key, *problem, *s, growth); });

  std::unique_ptr<workload_file> file;
  std::unique_ptr<judged_policy> found;
  report::verdict_summary proven;
  std::vector<report::chain_summary> chains;
  rule_wishes rules;
  if (s->found) {
    const file_mapping best = problem->mapping_of(s->best);
    rules = judge.wishes_of(best);
    on_large_stack([&] { file = read_workload(judge.planned(best)); });
    const policy_input input = input_of(*file, rules);
    found = judge_file(*file, input);
    if (!found->judged || !found->verdict.schedulable()) {
      throw environment_error{"the plan that was found is not proven again: this is a fault of takt, please report it"};
    }
    proven = explained_summary(*file, input, *found);
    const auto waiting = waiting_in(*file, input, *found);
    for (const chain_facts& c : file->chains) {
      chains.push_back(judge_chain(c, *file, proven, waiting, false).summary);
    }
    if (!chains.empty()) {
      for (const report::chain_summary& c : chains) {
        if (const std::string waits = report::wait_words(c); !waits.empty()) {
          notes.push_back(c.name + ": counts on it that " + waits);
        }
      }
      for (const std::string& a : assumptions_of(chains, *file, false)) { notes.push_back("assumed of chains: " + a); }
    }
    if (!o.written_file.empty()) {
      take_over(*file, input, *found);
      write_file(o.written_file, [&](std::ostream& out) { print_workload(out, *file); });
    }
    if (!o.svg_file.empty()) {
      report::plan_view view = picture_of(*file, proven, chains);
      view.title = file->name.empty() ? "plan" : file->name;
      view.answer = fmt::format("{}; {}, processors under {}", answer_words(o, *s), score_words(o.objective, s->score),
                                found->cpus);
      if (!file->board.gpus.empty()) { view.gpu = gpu_words(found->policy, proven); }
      view.growth = growth;
      view.evaluations = s->evaluations;
      view.notes = notes;
      write_picture(o.svg_file, [&](std::ostream& out) { report::write_svg_plan(out, view); });
    }
  }
  if (o.json) {
    write_json(o, *s, file.get(), &proven, chains, &rules, notes);
    return s->found ? exit_code::ok : exit_code::not_proven;
  }
  if (s->found) {
    print_verdict(file->name, proven);
    fmt::print("\npolicy: {}, processors: {}\n", found->policy, found->cpus);
    for (std::size_t i = 0; i < file->tasks.size(); ++i) {
      const std::string& variant = file->more[i].variant;
      if (!variant.empty()) { fmt::print("variant: {} {}\n", file->tasks.tasks[i].name, variant); }
      const ticks offset = file->tasks.tasks[i].offset;
      if (offset != 0) { fmt::print("offset: {} {}\n", file->tasks.tasks[i].name, report::format_duration(offset)); }
    }
    switch (o.objective) {
      case mapping_objective::factor: {
        const std::int64_t factor = file_problem::factor_of(s->score);
        fmt::print("factor: {}.{:03}\n", factor / 1000, factor % 1000);
        break;
      }
      case mapping_objective::chain:
        fmt::print("longest chain: {}\n", report::format_duration(file_problem::latency_of(s->score)));
        break;
    }
    if (!chains.empty()) { fmt::print("\n{}\n", report::text_of(report::chain_table(chains))); }
  }
  fmt::print("plan: {}\n", answer_words(o, *s));
  if (!s->found) { notes.insert(notes.end(), said.begin(), said.end()); }
  if (const std::string nearest = nearest_words(*s); !nearest.empty()) { fmt::print("nearest: {}\n", nearest); }
  for (const std::string& note : notes) { fmt::print("  note: {}\n", note); }
  if (!o.written_file.empty()) {
    fmt::print("\nwritten: {}\n", s->found ? o.written_file : "nothing, since no plan is proven");
  }
  if (!o.svg_file.empty()) {
    fmt::print("{}picture: {}\n", o.written_file.empty() ? "\n" : "",
               s->found ? o.svg_file : "nothing, since no plan is proven");
  }
  return s->found ? exit_code::ok : exit_code::not_proven;
}

}  // namespace takt::program
