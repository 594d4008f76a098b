// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <takt/allocation/policies/judge_any.hpp>
#include <takt/allocation/policies/known_under.hpp>
#include <takt/allocation/policies/limits_under.hpp>
#include <takt/analysis/cause_effect/waiting_consumers.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/report/policies/judged_policy.hpp>
#include <takt/report/policies/policy_query.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/needed_shares.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/granted_shares.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/asked_policy.hpp>
#include <takt/systems/method_words.hpp>
#include <takt/systems/policies.hpp>
#include <takt/systems/simulate_method.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Tells whether a policy is judged by its published method alone.
template <class P>
inline constexpr bool is_judged_alone = requires { requires P::is_judged_alone; };
/// Tells whether boards of pools have the rules of a policy.
template <class P>
inline constexpr bool has_board = !is_judged_alone<P> || requires { requires P::has_board; };

template <class Known>
inline constexpr bool judges_kernels = requires { requires AcceleratorRule<typename Known::method>; };

/// Tells whether a method knows runs that boards of pools do not have: jobs that are late, or overlap.
template <class Known>
inline constexpr bool overlaps_jobs = requires { requires Known::counts_late_jobs; };

/// Applications on shares: their GPU is a pool of its own, whose server sizes the shares of jobs by need.
template <class P, class Rule, class Tasks>
void add_stand_in(const P& policy, const Rule& rule, const Tasks& tasks, const hardware& board,
                  judged_policy<Tasks>& out) {
  using known = known_under<P, Rule, published_judges>;
  if constexpr (std::is_same_v<P, granted_shares_policy<Tasks::max_tasks>> && requires { typename known::method; }) {
    auto made = std::make_unique<typename judged_policy<Tasks>::stand_in>();
    bool fits = false;
    const auto unread = known::with_board(policy, rule, tasks, board, [&](const auto& platform, const auto& table) {
      const auto kept = std::make_shared<std::remove_cvref_t<decltype(table)>>(table);
      const auto& own = share_rule_of(platform);
      fits = made->board.add(pool(share_pool_of(platform).resource, shares(*kept, own.rules, own.triggers)));
      made->kept = kept;
    });
    if (fits && !unread) { out.on_threads = std::move(made); }
  }
}

/// Judges by what a published method says, and by nothing beside it.
template <class P, class Rule, class Tasks>
void judge_alone(const P& policy, const Rule& rule, const Tasks& tasks, const hardware& board,
                 const decided_plan<Tasks::max_tasks, Tasks::max_visits>& decided, judged_policy<Tasks>& out) {
  using known = known_under<P, Rule, published_judges>;
  if constexpr (!requires { known::judge(policy, rule, tasks, board); }) {
    out.verdict.refuse({.fault = model_fault::option_unused});
  } else {
    const auto* const planned = decided.parts;
    if (!decided.says_more()) {
      out.verdict = known::judge(policy, rule, tasks, board);
    } else if constexpr (requires { known::judge_under(policy, rule, tasks, board, *planned); }) {
      out.verdict = known::judge_under(policy, rule, tasks, board, *planned);
    } else {
      out.verdict.refuse({.fault = model_fault::plan_part_unused});
    }
    out.judged = !out.verdict.error;
    if (!takt::detail::counts_late_jobs<known>(out.verdict.method)) {
      takt::detail::drop_late_bounds(out.verdict, tasks);
    }
    add_stand_in(policy, rule, tasks, board, out);
    if (out.verdict.status == verdict_status::unschedulable) {
      if constexpr (requires { requires P::decides_shares; }) {
        out.misses = takt::detail::misses_under<takt::detail::any_boards>(policy, rule, tasks, board);
      } else {
        out.misses = takt::detail::misses_beside(rule, tasks, board);
      }
      if (out.misses.empty() && analysis::some_are_strict(tasks)) {
        out.verdict.status = verdict_status::not_proven;  // its runs have sporadic releases
      } else if (out.misses.empty()) {
        // Bound: the first one.
        out.misses.unchecked_push_back({.reason = miss_reason::known_method, .method = out.verdict.method});
      }
    }
    if (planned == nullptr || planned->priorities.empty()) { out.verdict.plan.priorities.clear(); }
    out.verdict.plan.tokens.clear();
    if (board.gpus.empty()) { out.verdict.plan.shares.clear(); }
    if constexpr (has_board<P>) { out.board = any_board_of<Tasks::max_visits>(policy, board, rule); }
  }
}

/// Judges unused GPUs without their facts, and simulates and runs them so where these are missing.
template <class Tasks>
[[nodiscard]] auto with_gpus_as_judged(const Tasks& tasks, hardware board) -> hardware {
  hardware judged = board;
  if (!board.gpus.empty() && complete(tasks, judged) == model_fault::none) { board.gpus = judged.gpus; }
  return board;
}

/// Returns the best of all: the policy of which nothing is left open.
template <class P, class Rule, class Tasks>
[[nodiscard]] auto judge_pools(const P& policy, const Rule& rule, const Tasks& tasks, const hardware& board,
                               const decided_plan<Tasks::max_tasks, Tasks::max_visits>& decided,
                               judged_policy<Tasks>& out) -> P {
  const auto best = judge_at_run_time<published_judges>(policy, rule, tasks, board, default_share_rounds, decided);
  static_cast<board_verdict<Tasks::max_tasks, Tasks::max_visits>&>(out) = best;
  if constexpr (takt::detail::orders_jobs<Rule>) {
    if (out.judged && out.missing.empty()) {
      out.board = any_board_of<Tasks::max_visits>(best.policy, board, rule);
      if (out.board.validate()) {
        out.board = any_board_of<Tasks::max_visits>(best.policy, with_gpus_as_judged(tasks, board), rule);
      }
    }
  }
  return best.policy;
}

/// Adds how the policy is simulated and explained where its published method does so.
template <class P, class Rule, class Tasks>
void add_methods(const P& policy, const Rule& rule, judged_policy<Tasks>& out) {
  using known = known_under<P, Rule, published_judges>;
  if constexpr (overlaps_jobs<known> || (!has_board<P> && requires { typename known::method; })) {
    if (!has_board<P> || !is_of_pools(policy, rule) || !out.verdict.plan.instances.empty()) {
      out.simulate = [policy, rule](const judged_policy<Tasks>& self, const Tasks& asked, const hardware& on,
                                    const simulation_options& o, trace* kept) {
        return simulate_method(policy, rule, self.verdict, asked, on, o, kept);
      };
    }
  }
  if constexpr (has_board<P> && takt::detail::orders_jobs<Rule>) {
    if (!out.simulate && out.board.size() > 0) {
      out.waiting = [rule](const judged_policy<Tasks>& self, const Tasks& asked, std::size_t producer,
                           std::size_t consumer) {
        return obstacle_to_waiting(rule, self.board, asked, self.verdict.plan, producer, consumer);
      };
    }
  }
  // Without processors the order of kernels has a word of its own.
  constexpr bool has_own_word = takt::detail::has_clusters<Rule> && judges_kernels<known>;
  const auto nothing = [](const auto&...) {};
  if constexpr (!has_own_word && requires(const Tasks& tasks, const hardware& board) {
                  known::with_board(policy, rule, tasks, board, nothing);
                }) {
    out.explain = [policy, rule](judged_policy<Tasks>& self, const Tasks& asked, const hardware& on) {
      typename judged_policy<Tasks>::explanation said;
      self.unread = known::with_board(policy, rule, asked, on, [&](const auto& platform, const auto& table) {
        said = method_words(platform, table, self);
      });
      return said;
    };
  }
}

}  // namespace detail

/// Returns what the policy that is asked for makes of tasks under a rule of processors, at run time. It is refused
/// where the question is about something that the policy does not have, or needs a system that is not there. Pre: the
/// words of the question are known; `cpus` is that of the rule.
template <class Rule, class Tasks>
[[nodiscard]] auto judge_by_keyword(const Rule& rule, const policy_query<Tasks>& q, const Tasks& tasks,
                                    const hardware& board) -> std::unique_ptr<judged_policy<Tasks>> {
  auto out = std::make_unique<judged_policy<Tasks>>();
  bool is_known = false;
  with_asked_policy(q, [&](const auto& policy) {
    is_known = true;
    using policy_type = std::remove_cvref_t<decltype(policy)>;
    policy_type found = policy;
    if constexpr (detail::is_judged_alone<policy_type>) {
      detail::judge_alone(policy, rule, tasks, board, q.decided(), *out);
    } else {
      found = detail::judge_pools(policy, rule, tasks, board, q.decided(), *out);
    }
    detail::add_methods(found, rule, *out);
    out->policy = out->verdict.schedulable() ? keyword_of_policy(found) : q.policy;
    out->search = q.search.value_or(default_search);
    out->searched = !q.decided().says_units();
    out->copies =
        q.engines ? std::string_view{} : cpu_keyword<std::remove_cvref_t<decltype(copy_rule_of(policy, rule))>>;
    out->devices = cpu_keyword<std::remove_cvref_t<decltype(device_rule(rule))>>;
    out->rule = rule_of_policy(found);
  });
  if (!is_known) { out->verdict.refuse({.fault = model_fault::option_unused}); }
  out->cpus = q.cpus;
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
