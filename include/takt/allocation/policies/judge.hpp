// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/allocation/analyze.hpp>
#include <takt/allocation/policies/judge_board.hpp>
#include <takt/allocation/policies/known_under.hpp>
#include <takt/allocation/policies/limits_under.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/scaled.hpp>
#include <takt/rules/composed_plan.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/pool_rule.hpp>
#include <takt/rules/units.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a policy makes of tasks on a board, with what was chosen.
template <SharingPolicy P, std::size_t N, std::size_t V>
struct policy_verdict : board_verdict<N, V> {
  P policy{};
};

/// The largest factor that is tried, in thousandths.
inline constexpr std::int64_t most_factor_permille = 64'000;
namespace detail {

inline constexpr std::int64_t least_factor_permille = 10;

/// Says what tasks ask of a board.
struct board_needs {
  bool processors = false;
  bool copies = false;
  bool gpus = false;
};
template <class Tasks>
[[nodiscard]] constexpr auto needs_of_board(const Tasks& all) -> board_needs {
  board_needs out;
  for (const runtime_visit& v : all.visits) {
    switch (v.where) {
      case resource_kind::processor: out.processors = true; break;
      case resource_kind::copy_engine: out.copies = true; break;
      case resource_kind::gpu: out.gpus = true; break;
      case resource_kind::own: break;
    }
  }
  return out;
}

}  // namespace detail

/// Completes the hardware as policies see it. What no task asks for and is not there gets one unit, which stays idle.
/// GPUs that no task uses need no facts. Error: what keeps a board from having pools for what tasks ask for.
template <class Tasks>
[[nodiscard]] constexpr auto complete(const Tasks& all, hardware& board) -> model_fault {
  const detail::board_needs needs = detail::needs_of_board(all);
  if (needs.gpus && board.gpus.empty()) { return model_fault::kernel_without_gpu; }
  if (needs.copies && board.copy_engines < 1) { return model_fault::copy_without_engine; }
  if (needs.processors && board.processors < 1) { return model_fault::platform_size_out_of_range; }
  if (board.copy_engines < 1) { board.copy_engines = 1; }
  if (board.processors < 1) { board.processors = 1; }
  if (!needs.gpus) {
    board.gpus.clear();
    // Bound: the first.
    board.gpus.unchecked_push_back(
        {.sms = 1, .threads_per_sm = 1, .blocks_per_sm = 1, .preemption_levels = 1, .switch_is_known = true});
  }
  return model_fault::none;
}

namespace detail {

/// Boards of platforms, one GPU.
struct typed_boards {
  template <std::size_t /*Visits*/, class P, class CpuRule>
  [[nodiscard]] static constexpr auto make(const P& policy, const hardware& board, const CpuRule& rule) {
    return board_of(policy, board, rule);
  }
};

/// Judges one policy of which nothing is left open, as pools see it, under what is decided. Neither judged nor an
/// error: pools do not say all of it.
template <class Boards, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto judge_one(const P& policy, const CpuRule& rule, const runtime_task_set<N, V, R, S>& all,
                                       const hardware& given, std::int32_t rounds, const decided_plan<N, V>& decided)
    -> policy_verdict<P, N, V> {
  policy_verdict<P, N, V> out;
  out.policy = policy;
  if (!is_of_pools(policy, rule)) { return out; }
  if constexpr (keeps_processor<P>() && orders_jobs<CpuRule> && !InheritsPriorities<CpuRule>) {
    out.verdict.refuse({.fault = model_fault::waits_unpreempted});
    return out;
  }
  hardware board = given;
  model_fault fault = complete(all, board);
  if (std::same_as<Boards, typed_boards> && board.gpus.size() > 1) { fault = model_fault::platform_size_out_of_range; }
  if (fault != model_fault::none) {
    out.verdict.refuse({.fault = fault});
    return out;
  }
  for (const gpu_hardware& gpu : board.gpus) {
    const std::string_view fact = missing_fact(policy, gpu);
    if (fact.empty()) { continue; }
    // Bound: the first, of a set with a visit on a GPU.
    out.missing.unchecked_push_back({no_index, no_index, fact});
    return out;
  }
  if constexpr (orders_jobs<CpuRule>) {
    const auto made = Boards::template make<V>(policy, board, rule);
    static_cast<board_verdict<N, V>&>(out) = judge_board(made, all, keeps_processor<P>(), rounds, decided);
  }
  return out;
}

/// Returns whether bounds of a published method hold also where jobs are late.
template <class Known>
[[nodiscard]] constexpr auto counts_late_jobs(std::string_view method) -> bool {
  if constexpr (requires { requires Known::counts_late_jobs; }) { return method == Known::method::name; }
  return false;
}

template <class Verdict>
[[nodiscard]] constexpr auto rows_met(const Verdict& v) -> std::size_t {
  std::size_t count = 0;
  for (const auto& t : v.tasks) { count += t.meets ? 1U : 0U; }
  return count;
}

/// Judges as `judge_one`, or returns what a published method proves, or knows, beyond it; `misses` says whether it
/// proves that a deadline is missed under every plan. Where more is decided than cores and priorities, which are those
/// of the tasks, a method is asked only if it takes plans. It adds offsets only where guards may be chosen.
template <class Boards, class Judges, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R,
          std::size_t S>
[[nodiscard]] constexpr auto judge_best(const P& policy, const CpuRule& rule, const runtime_task_set<N, V, R, S>& all,
                                        const hardware& board, std::int32_t rounds, const decided_plan<N, V>& decided)
    -> policy_verdict<P, N, V> {
  auto out = judge_one<Boards>(policy, rule, all, board, rounds, decided);
  if constexpr (requires { known_under<P, CpuRule, Judges>::judge(policy, rule, all, board); }) {
    constexpr bool takes_plans =
        requires { known_under<P, CpuRule, Judges>::judge_under(policy, rule, all, board, out.verdict.plan); };
    const bool alone = !is_of_pools(policy, rule);
    if (decided.says_more() && !takes_plans) {
      if (alone) { out.verdict.refuse({.fault = model_fault::plan_part_unused}); }
      return out;
    }
    const auto ask = [&] {
      if constexpr (takes_plans) {
        if (decided.says_more()) {
          plan<N, V> p = *decided.parts;
          p.cores = out.verdict.plan.cores;
          return known_under<P, CpuRule, Judges>::judge_under(policy, rule, all, board, p);
        }
      }
      return known_under<P, CpuRule, Judges>::judge(policy, rule, all, board);
    };
    const auto known = ask();
    // Of proofs that are as good that of the method has more to say.
    const bool may_add = decided.may_guard || decided.says_more() || known.plan.offsets.empty();
    const bool proves = known.schedulable() && may_add && (!out.judged || !better(out.verdict, known));
    if constexpr (takes_plans) {
      if (!alone && !proves && !decided.says_units() && out.schedulable() && out.verdict.plan.offsets.empty()) {
        const auto again = known_under<P, CpuRule, Judges>::judge_under(policy, rule, all, board, out.verdict.plan);
        if (again.schedulable() && !better(out.verdict, again)) { out.verdict = again; }
      }
    }
    // Without a proof the method says more of what is in the way.
    const bool tells = !known.error && !known.schedulable() && !out.schedulable() && out.missing.empty() &&
                       rows_met(out.verdict) <= rows_met(known);
    if (alone || proves || tells) {
      out.verdict = known;
      if (tells) { out.verdict.status = verdict_status::not_proven; }
      out.judged = !known.error;
      out.missing.clear();
      if (const model_error& e = known.error; e.lacks) {
        // Bound: the first.
        out.missing.unchecked_push_back({e.task, e.visit, name_of(e.lacks.first)});
      }
    }
    // A method's proof is a run with sporadic releases.
    const bool is_legal = known.status == verdict_status::unschedulable && !analysis::some_are_strict(all);
    if (is_legal && !out.schedulable()) {
      // Bound: the first.
      out.misses.unchecked_push_back({.reason = miss_reason::known_method, .method = known.method});
    }
  } else if (!is_of_pools(policy, rule)) {
    out.verdict.refuse({.fault = model_fault::choice_out_of_range});
  }
  return out;
}

/// Adds why tasks that are not proven must miss a deadline. Of several choices some may not have been tried, so what
/// one of them cannot do is no reason.
template <class Boards, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
constexpr void add_misses(const CpuRule& rule, const runtime_task_set<N, V, R, S>& all, const hardware& given,
                          bool is_only_choice, policy_verdict<P, N, V>& out) {
  hardware board = given;
  const bool fits = complete(all, board) == model_fault::none;
  const auto method = out.misses;
  out.misses.clear();
  // What a policy cannot take is no run that misses.
  if (!fits || out.schedulable() || (!out.judged && out.missing.empty())) { return; }
  out.misses = is_only_choice ? misses_under<Boards>(out.policy, rule, all, board) : misses_beside(rule, all, board);
  if (out.misses.empty() && is_only_choice) { out.misses = method; }
  if (out.misses.empty()) { return; }
  if (!out.judged) {
    out.verdict = {};
    for (const runtime_task& t : all.tasks) {
      // Bound: one per task, at most N.
      out.verdict.tasks.unchecked_push_back({.name = t.name, .deadline = t.deadline, .limited = t.limited});
    }
  }
  out.judged = true;
  out.verdict.status = verdict_status::unschedulable;
}

/// Drops from a plan what is about processors that the hardware does not have.
template <class Boards, RuleTag CpuRule, class Verdict>
constexpr void drop_processors(const CpuRule& rule, const hardware& board, Verdict& out) {
  out.verdict.plan.cores.clear();
  if constexpr (orders_jobs<CpuRule>) {
    constexpr std::size_t visits = decltype(Verdict::verdict)::max_visits;
    if (!out.judged || !out.missing.empty()) { return; }
    const auto made = Boards::template make<visits>(out.policy, board, rule);
    if (!composed_plan_parts(made).priorities) { out.verdict.plan.priorities.clear(); }
  }
}

/// Judges tasks as `judge_best` does, with cores and priorities that are decided.
template <class Boards, class Judges, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R,
          std::size_t S>
[[nodiscard]] constexpr auto judge_decided(const P& policy, const CpuRule& rule,
                                           const runtime_task_set<N, V, R, S>& all, const hardware& board,
                                           std::int32_t rounds, const decided_plan<N, V>& decided)
    -> policy_verdict<P, N, V> {
  if (decided.parts == nullptr || (decided.parts->cores.empty() && decided.parts->priorities.empty())) {
    return judge_best<Boards, Judges>(policy, rule, all, board, rounds, decided);
  }
  const auto& cores = decided.parts->cores;
  const auto& priorities = decided.parts->priorities;
  policy_verdict<P, N, V> out;
  out.policy = policy;
  if ((!cores.empty() && cores.size() != all.size()) || (!priorities.empty() && priorities.size() != all.size())) {
    out.verdict.refuse({.fault = model_fault::plan_does_not_fit});
    return out;
  }
  plan<N, V> rest = *decided.parts;
  rest.cores.clear();
  out = judge_best<Boards, Judges>(policy, rule, with_decisions(all, *decided.parts), board, rounds,
                                   {&rest, decided.may_guard});
  if (out.judged) {
    if (!cores.empty()) { out.verdict.plan.cores = cores; }
    if (!priorities.empty()) { out.verdict.plan.priorities = priorities; }
  }
  return out;
}

template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto same_decisions(const plan<N, V>& a, const plan<N, V>& b) -> bool {
  return a.shares == b.shares && a.cores == b.cores && a.priorities == b.priorities && a.percents == b.percents &&
         a.offsets == b.offsets && a.local_deadlines == b.local_deadlines && a.instances == b.instances;
}

/// Takes the verdict on the very plan of a proof, where a part of that plan was chosen. So the same plan, given back,
/// has the same bounds: with all of it decided, another method may be sharper.
template <class Boards, class Judges, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R,
          std::size_t S>
constexpr void judge_its_plan(const CpuRule& rule, const runtime_task_set<N, V, R, S>& all, const hardware& board,
                              const decided_plan<N, V>& decided, policy_verdict<P, N, V>& out) {
  if constexpr (requires { known_under<P, CpuRule, Judges>::judge(out.policy, rule, all, board); }) {
    const plan<N, V> chosen = out.verdict.plan;
    if (!out.schedulable() || (decided.parts != nullptr && same_decisions(*decided.parts, chosen))) { return; }
    const auto again =
        judge_decided<Boards, Judges>(out.policy, rule, all, board, 0, decided_plan<N, V>{&chosen, false});
    if (!again.schedulable()) { return; }
    out = again;
    out.verdict.plan = chosen;
    out.verdict.plan.feasible = true;
  }
}

template <class Boards, class Judges, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R,
          std::size_t S>
[[nodiscard]] constexpr auto judge_on(const P& policy, const CpuRule& rule, const runtime_task_set<N, V, R, S>& all,
                                      const hardware& board, std::int32_t rounds,
                                      const decided_plan<N, V>& decided = {}) -> policy_verdict<P, N, V> {
  policy_verdict<P, N, V> out;
  std::size_t count = 1;
  if constexpr (requires { policy.choice_count(gpu_hardware{}, all); }) {
    const gpu_hardware gpu = board.gpus.empty() ? gpu_hardware{} : board.gpus[0];
    count = policy.choice_count(gpu, all);
    for (std::size_t k = 0; k < count; ++k) {
      const auto tried = judge_decided<Boards, Judges>(policy.choice(gpu, all, k), rule, all, board, rounds, decided);
      const bool is_first = k == 0 || (!out.judged && tried.judged);
      if (is_first || (tried.judged && better(tried.verdict, out.verdict))) { out = tried; }
    }
  } else {
    out = judge_decided<Boards, Judges>(policy, rule, all, board, rounds, decided);
  }
  judge_its_plan<Boards, Judges>(rule, all, board, decided, out);
  if (board.processors < 1) { drop_processors<Boards>(rule, board, out); }
  if (out.judged) { restate(out.verdict, all); }
  if (out.judged && !counts_late_jobs<known_under<P, CpuRule, Judges>>(out.verdict.method)) {
    drop_late_bounds(out.verdict, all);
  }
  add_misses<Boards>(rule, all, board, count == 1, out);
  return out;
}

/// Returns the largest factor on all execution times, in thousandths, with which the plan that was found is proven, by
/// bisection. With `rounds` above 0 it is that of some plan. 0: there is none.
template <class Boards, class Judges, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R,
          std::size_t S>
[[nodiscard]] constexpr auto factor_on(const policy_verdict<P, N, V>& found, const CpuRule& rule,
                                       const runtime_task_set<N, V, R, S>& all, const hardware& given,
                                       std::int32_t rounds) -> std::int64_t {
  if (!found.judged || !found.missing.empty()) { return 0; }
  const decided_plan<N, V> decided{&found.verdict.plan, false};
  const auto holds = [&](std::int64_t permille) {
    const auto trial = scaled(all, permille);
    if (trial.error) { return false; }
    return judge_decided<Boards, Judges>(found.policy, rule, trial.tasks, given, 0, decided).schedulable() ||
           (rounds > 0 && judge_best<Boards, Judges>(found.policy, rule, trial.tasks, given, rounds, {}).schedulable());
  };
  std::int64_t low = 0;
  std::int64_t high = 1000;
  if (found.verdict.schedulable()) {
    low = 1000;
    for (high = 2000; high <= most_factor_permille && holds(high); high *= 2) { low = high; }
    if (high > most_factor_permille) { return low; }
  } else {
    std::int64_t tried = 500;
    for (; tried >= least_factor_permille && !holds(tried); tried /= 2) { high = tried; }
    if (tried < least_factor_permille) { return 0; }
    low = tried;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace detail

/// Returns what is proven of tasks under a policy and a rule of processors, with the plan that is found. It is the best
/// of all choices that the policy leaves open, of the combiners, and of a published method where one of the judges
/// knows one: see `known_under`. Judges are a list, such as `published_judges` of <takt/systems/policies.hpp>, or
/// nobody. `unschedulable` with the reasons in `misses`, also where facts are missing. One GPU, and no resources of
/// one's own: see `judge_at_run_time`. Cost: `share_search` for each choice, twice where cores are to be chosen.
template <class Judges = methods<>, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R,
          std::size_t S>
[[nodiscard]] constexpr auto judge(const P& policy, const CpuRule& rule, const runtime_task_set<N, V, R, S>& all,
                                   const hardware& board, std::int32_t rounds = default_share_rounds)
    -> policy_verdict<P, N, V> {
  return detail::judge_on<detail::typed_boards, Judges>(policy, rule, all, board, rounds);
}

/// Returns the largest factor on all execution times, in thousandths, with which the tasks are proven, as far as
/// bisection finds it. Tasks that are not proven as they are have one below 1000. With `rounds` 0 only the plan that
/// was found counts, else any that so many rounds of a search find. 0: none is known. Cost: some twenty times that of
/// `judge` under one plan, and of `rounds` plans.
template <class Judges = methods<>, SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R,
          std::size_t S>
[[nodiscard]] constexpr auto factor_permille(const policy_verdict<P, N, V>& found, const CpuRule& rule,
                                             const runtime_task_set<N, V, R, S>& all, const hardware& board,
                                             std::int32_t rounds = 0) -> std::int64_t {
  return detail::factor_on<detail::typed_boards, Judges>(found, rule, all, board, rounds);
}

}  // namespace takt::inline TAKT_ABI
