// SPDX-License-Identifier: Apache-2.0
#include "library_door.hpp"

#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/allocation/analyze.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/allocation/policies/known_under.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/report/summarize_composed.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/policies.hpp>
#include <takt/systems/summarize.hpp>

namespace takt_tests {

namespace {

using takt::program::file_tasks;
using takt::program::judged_policy;
using takt::program::policy_input;

template <class Verdict>
auto said_of(const Verdict& v) -> said {
  said out;
  if (v.error) {
    out.refused = "by a fault of the model";
    return out;
  }
  out.status = name_of(v.status);
  out.method = v.method;
  for (const auto& t : v.tasks) {
    out.bounds[std::string{t.name}] = t.bound.exists ? nlohmann::json(t.bound.value) : nlohmann::json{};
  }
  return out;
}

/// Adds the terms of a verdict as reports have them.
template <class Board, class Tasks, class Verdict>
void add_terms(const Board& board, const Tasks& tasks, const Verdict& v, said& out) {
  if (v.error) { return; }
  std::ostringstream text;
  takt::report::write_verdict_json(text, takt::report::summarize(board, tasks, v));
  out.terms = terms_of(nlohmann::json::parse(text.str()).at("tasks"));
}

template <class Plan>
auto json_of(const Plan& p) -> nlohmann::json {
  nlohmann::json out;
  for (const auto& s : p.shares) { out["shares"].push_back({s.gpu, s.sms}); }
  out["cores"] = std::vector<std::int32_t>(p.cores.begin(), p.cores.end());
  out["priorities"] = std::vector<std::int32_t>(p.priorities.begin(), p.priorities.end());
  out["percents"] = std::vector<std::int32_t>(p.percents.begin(), p.percents.end());
  out["offsets"] = std::vector<takt::ticks>(p.offsets.begin(), p.offsets.end());
  return out;
}

/// Asks about a board in types, as published methods read it, under the plan of a proof.
template <class Board, class Table>
auto analyze_typed(const Board& board, const Table& table, const judged_policy& found) {
  takt::detail::refusal ignored{};
  if constexpr (takt::KnownComposition<Board>) {
    takt::plan<file_tasks::max_tasks> given;
    given.shares = found.verdict.plan.shares;
    given.cores = found.verdict.plan.cores;
    given.priorities = found.verdict.plan.priorities;
    return takt::analyze(board, table, given, takt::published_methods, std::move(ignored));
  } else {
    return takt::analyze(board, table, takt::plan<1>{}, takt::published_methods, std::move(ignored));
  }
}

template <class Rule, class Policy>
void ask(const Policy& open_policy, const Policy& policy, const Rule& rule, const takt::hardware& hardware,
         const file_tasks& tasks, const judged_policy& found, library_answers& out) {
  using known = takt::known_under<Policy, Rule, takt::published_judges>;
  out.has_choices = requires { policy.choice_count(takt::gpu_hardware{}, tasks); };
  if constexpr (takt::detail::orders_jobs<Rule>) {
    const auto board = takt::any_board_of<file_tasks::max_visits>(policy, hardware, rule);
    auto given = found.verdict.plan;
    given.may_guard = false;
    takt::detail::refusal ignored{};
    const auto planned = takt::analyze(board, tasks, given, takt::published_methods, std::move(ignored));
    out.under_plan = said_of(planned);
    const auto free = takt::analyze(board, tasks, takt::published_methods);
    out.alone = said_of(free);
    out.alone.plan = json_of(free.plan);
    out.under_plan.plan = json_of(found.verdict.plan);
    out.asked = true;
    if constexpr (!takt::is_covered<Policy, Rule, takt::published_judges>) {
      const auto judged = takt::judge_at_run_time(open_policy, rule, tasks, hardware);
      out.judged = said_of(judged.verdict);
      out.judged.plan = json_of(judged.verdict.plan);
      out.is_judged = judged.judged;
    }
  }
  const auto nothing = [](const auto&...) {};
  if constexpr (requires { known::with_board(policy, rule, tasks, hardware, nothing); }) {
    static_cast<void>(known::with_board(policy, rule, tasks, hardware, [&](const auto& board, const auto& table) {
      using board_type = std::remove_cvref_t<decltype(board)>;
      const auto v = analyze_typed(board, table, found);
      out.typed = said_of(v);
      add_terms(board, table, v, out.typed);
      out.is_typed = true;
      if constexpr (takt::DedicatedGpuPlatform<board_type> && !takt::keeps_processor<Policy>()) {
        const auto fewest = takt::analysis::analyze_by<takt::chain_methods>(board, table);
        out.fewest = said_of(fewest);
        out.fewest.plan = nlohmann::json::object();
        for (std::size_t i = 0; i < fewest.plan.shares.size(); ++i) {
          if (fewest.plan.shares[i].sms > 0) {
            out.fewest.plan[std::string{fewest.tasks[i].name}] = fewest.plan.shares[i].sms;
          }
        }
        out.has_fewest = true;
      }
    }));
  }
}

}  // namespace

auto ask_library(const takt::program::workload_file& file, const policy_input& input, const judged_policy& found)
    -> library_answers {
  library_answers out;
  const auto& q = input.question;
  const auto with_rule = [&](const auto& rule) {
    static_cast<void>(takt::with_policy(takt::published_policies, q.policy, [&](const auto& word) {
      auto policy = word;
      take_parameters(policy, found.rule);
      ask(word, policy, rule, file.board, *input.tasks, found, out);
    }));
  };
  if (q.engines || q.granted || q.overlapping_graphs) { return out; }
  if (q.cpus == "fixed-priority") { with_rule(takt::fixed_priority); }
  if (q.cpus == "edf") { with_rule(takt::edf); }
  if (q.cpus == "g-edf") { with_rule(takt::clustered(takt::g_edf, q.cluster_size)); }
  return out;
}

}  // namespace takt_tests
