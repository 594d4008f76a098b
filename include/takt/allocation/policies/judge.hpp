// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/allocation/compose.hpp>
#include <takt/allocation/policies/cores.hpp>
#include <takt/analysis/combiners/spinning.hpp>
#include <takt/analysis/compose.hpp>
#include <takt/analysis/must_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/described_tasks.hpp>
#include <takt/model/described_visits.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/policies/sharing_policy.hpp>

namespace takt {

/// A fact that a policy needs and nobody states: of the hardware where no task is named, of a task as a whole where no
/// visit is.
struct missing_part {
  std::uint32_t task = nowhere;
  std::uint32_t visit = nowhere;  ///< within the task
  std::string_view fact{};
};

/// What a policy makes of tasks on a board. Without `judged` the verdict says nothing: facts are missing, or `error`
/// says why.
template <SharingPolicy P, std::size_t N, std::size_t V>
struct policy_verdict {
  P policy{};  ///< with what was chosen
  bool judged = false;
  takt::verdict<ticks, N, V> verdict{};
  inline_vector<missing_part, V> missing;

  [[nodiscard]] constexpr auto schedulable() const noexcept -> bool { return judged && verdict.schedulable(); }
};

/// A published method that judges described tasks under a policy. Specialize it with
/// `judge(policy, cpu_rule, tasks, board)`, which returns a `verdict<ticks, N, V>`: a proof that is better counts.
template <class Policy, class CpuRule>
struct known_under {};

/// Least (deadline - bound) / deadline of tasks that have a deadline, in thousandths, rounded down. Pre: all of them
/// have bounds.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto slack_permille(const verdict<ticks, N, V>& v) -> std::int64_t {
  std::int64_t least = 1000;
  for (const auto& t : v.tasks) {
    if (!t.limited || t.deadline < 1 || !t.bound.exists) { continue; }
    const ticks left = t.deadline - t.bound.value;
    const ticks unit = t.deadline / 1000;
    const bool is_small = t.deadline <= longest_visit_time / 1024;
    std::int64_t part = is_small ? left * 1000 / t.deadline : left / (unit + 1);
    if (left < 0 && (is_small ? left * 1000 % t.deadline != 0 : true)) { --part; }
    least = part < least ? part : least;
  }
  return least;
}

namespace detail {

template <class Verdict>
[[nodiscard]] constexpr auto better(const Verdict& a, const Verdict& b) -> bool {
  if (a.schedulable() != b.schedulable()) { return a.schedulable(); }
  return a.schedulable() && slack_permille(b) < slack_permille(a);
}

/// What tasks ask of a board.
struct board_needs {
  bool processors = false;
  bool copies = false;
  bool gpus = false;
  bool own = false;
};
template <class Tasks>
[[nodiscard]] constexpr auto needs_of_board(const Tasks& all) -> board_needs {
  board_needs out;
  for (const described_visit& v : all.visits) {
    switch (v.where) {
      case visit_place::processor: out.processors = true; break;
      case visit_place::copy_engine: out.copies = true; break;
      case visit_place::gpu: out.gpus = true; break;
      case visit_place::own: out.own = true; break;
    }
  }
  return out;
}

/// Kernels whose times the rule of a GPU does not find, where each task with kernels has an equal part.
template <class Board, std::size_t N, std::size_t V>
struct missing_finder {
  const Board* board;
  const std::int32_t users;
  inline_vector<missing_part, V>* out;
  std::uint32_t task = 0;
  std::uint32_t position = 0;
  bool begun = false;

  constexpr void open(const flow_attributes& /*t*/) {
    task += begun ? 1 : 0;
    begun = true;
    position = 0;
  }
  template <class S>
  constexpr auto visit(const S& asked, visit_mask /*before*/) -> visit_mask {
    if constexpr (std::same_as<typename resource_of_segment<S>::type, takt::gpu>) {
      bool first = true;
      board->each([&](const auto& p) {
        using pool_type = std::remove_cvref_t<decltype(p)>;
        if constexpr (is_gpu<typename pool_type::resource_type>) {
          if (first) { this->ask(p, asked); }
          first = false;
        }
      });
    }
    return visit_mask{1} << position++;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  constexpr void refuse(const model_error& /*told by the flattening*/) {}

 private:
  template <class Pool, class S>
  constexpr void ask(const Pool& p, const S& asked) {
    using rule_type = typename Pool::rule_type;
    visit_placement at{.units = 1, .task = task, .percent = hands_out_percents<rule_type>() ? 100 / users : 0};
    if constexpr (has_sms<typename Pool::resource_type>) {
      at.gpu = gpu_of(p.resource, shares_physical_sms<rule_type>());
      const std::int32_t step = at.gpu.granularity < 1 ? 1 : at.gpu.granularity;
      at.sms = hands_out_sms<rule_type>() ? at.gpu.budget() / users / step * step : 0;
    }
    visit_view seen{};
    if constexpr (Views<rule_type, S>) {
      seen = view_by(p.rule, asked, at);
    } else if constexpr (LeavesTime<rule_type, S>) {
      seen = time_by_itself(asked, at);
    }
    if (seen.fault != model_fault::visit_time_unknown || !seen.lacks) { return; }
    static_cast<void>(out->push_back({task, position, name_of(seen.lacks.first)}));
  }
};

template <class Board, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
constexpr void find_missing(const Board& board, const described_tasks<N, V, R, S>& all,
                            inline_vector<missing_part, V>& out) {
  std::int32_t users = 0;
  for (const described_task& t : all.tasks) {
    bool uses = false;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      uses = uses || all.visits[t.first_visit + p].where == visit_place::gpu;
    }
    users += uses ? 1 : 0;
  }
  missing_finder<Board, N, V> sink{&board, users < 1 ? 1 : users, &out};
  visit_source<described_tasks<N, V, R, S>>::each(all, sink);
}

/// What analyses say of a plan under a policy.
template <class Policy, class Board, class Tasks>
class policy_test {
 public:
  using plan_type = plan<tasks_of<Tasks>, visits_of<Tasks>>;
  using verdict_type = verdict<ticks, tasks_of<Tasks>, visits_of<Tasks>>;

  constexpr policy_test(const Board& board, const Tasks& tasks) : board_{&board}, tasks_{&tasks} {}

  constexpr auto operator()(const plan_type& p) const -> verdict_type {
    if constexpr (keeps_processor<Policy>()) {
      const auto flat = board_flattener<Board, tasks_of<Tasks>, visits_of<Tasks>>{*board_, p}.run(*tasks_);
      verdict_type out;
      if (flat.error) {
        out.refuse(flat.error);
        return out;
      }
      out = analysis::spinning(flat.table, analysis::bounded_stations<std::remove_cvref_t<decltype(flat.stations)>>{
                                               flat.stations});
      out.plan = p;
      out.plan.feasible = out.schedulable();
      return out;
    } else {
      model_error ignored;
      return analysis::detail::judge_pools(*board_, *tasks_, p, ignored);
    }
  }

 private:
  const Board* board_;
  const Tasks* tasks_;
};

/// Of one policy of which nothing is left open.
template <SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto judge_one(const P& policy, const CpuRule& rule, const described_tasks<N, V, R, S>& all,
                                       const hardware& given, std::int32_t rounds) -> policy_verdict<P, N, V> {
  using tasks_type = described_tasks<N, V, R, S>;
  policy_verdict<P, N, V> out;
  out.policy = policy;
  const board_needs needs = needs_of_board(all);
  const auto refuse = [&out](model_fault fault) {
    out.verdict.refuse({.fault = fault});
    return out;
  };
  // Pools that nobody asks for: what is not there has one unit that stays idle.
  hardware board = given;
  if (needs.gpus && board.gpus.empty()) { return refuse(model_fault::kernel_without_gpu); }
  if (needs.copies && board.copy_engines < 1) { return refuse(model_fault::copy_without_engine); }
  if (needs.processors && board.processors < 1) { return refuse(model_fault::platform_size_out_of_range); }
  if (board.gpus.size() > 1 || needs.own) { return refuse(model_fault::platform_size_out_of_range); }
  if (board.copy_engines < 1) { board.copy_engines = 1; }
  if (board.processors < 1) { board.processors = 1; }
  if (board.gpus.empty()) { static_cast<void>(board.gpus.push_back({.sms = 1})); }

  const std::string_view fact = missing_fact(policy, board.gpus[0]);
  if (needs.gpus && !fact.empty()) {
    static_cast<void>(out.missing.push_back({nowhere, nowhere, fact}));
    return out;
  }
  const auto platform = board_of(policy, board, rule);
  bool open = false;
  const std::int32_t together = cluster_of(rule, board.processors);
  for (const described_task& t : all.tasks) { open = open || t.core == any_core; }
  open = open && reads_cores<CpuRule> && together < board.processors;
  const bool names = reads_cores<CpuRule>;
  for (std::size_t c = 0; c < (open ? core_choices : 1); ++c) {
    tasks_type placed = all;
    if (open) { choose_cores(placed, board.processors, together, static_cast<core_choice>(c)); }
    const policy_test<P, std::remove_cvref_t<decltype(platform)>, tasks_type> test{platform, placed};
    auto found = share_search{.rounds = rounds}.find(platform, placed, test);
    if (names && !found.error && found.plan.cores.empty()) {
      for (const described_task& t : placed.tasks) {
        static_cast<void>(found.plan.cores.push_back(t.core == any_core ? 0 : t.core));
      }
    }
    if (c == 0 || (!out.verdict.schedulable() && found.schedulable())) { out.verdict = found; }
    if (found.schedulable() || found.error) { break; }
  }
  if (out.verdict.error.fault == model_fault::visit_time_unknown) {
    find_missing(platform, all, out.missing);
    const model_error& error = out.verdict.error;
    if (out.missing.empty() && error.lacks) {
      static_cast<void>(out.missing.push_back({error.task, error.visit, name_of(error.lacks.first)}));
    }
    return out;
  }
  out.judged = !out.verdict.error;
  return out;
}

/// Rows with the deadlines that were given: analyses hold tasks to the lesser of deadline and period.
template <class Verdict, class Tasks>
constexpr void restate(Verdict& out, const Tasks& all) {
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    auto& t = out.tasks[i];
    t.limited = all.tasks[i].limited;
    t.deadline = all.tasks[i].deadline;
    t.meets = t.bound.exists && (!t.limited || t.bound.value <= t.deadline);
  }
}

}  // namespace detail

/// What is proven of tasks under a policy and a rule of processors, under the plan that is found for them: the best of
/// all choices that the policy leaves open, of the combiners, and of a published method where `known_under` has one.
/// `unschedulable` where `must_miss` says so. One GPU. Cost: `share_search` for each choice, twice where cores are to
/// be chosen.
template <SharingPolicy P, RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto judge(const P& policy, const CpuRule& rule, const described_tasks<N, V, R, S>& all,
                                   const hardware& board, std::int32_t rounds = default_share_rounds)
    -> policy_verdict<P, N, V> {
  policy_verdict<P, N, V> out;
  if constexpr (requires { policy.choice_count(gpu_hardware{}, all); }) {
    const gpu_hardware gpu = board.gpus.empty() ? gpu_hardware{} : board.gpus[0];
    const std::size_t count = policy.choice_count(gpu, all);
    for (std::size_t k = 0; k < count; ++k) {
      const auto tried = detail::judge_one(policy.choice(gpu, all, k), rule, all, board, rounds);
      const bool is_first = k == 0 || (!out.judged && tried.judged);
      if (is_first || (tried.judged && detail::better(tried.verdict, out.verdict))) { out = tried; }
    }
  } else {
    out = detail::judge_one(policy, rule, all, board, rounds);
  }
  if constexpr (requires { known_under<P, CpuRule>::judge(out.policy, rule, all, board); }) {
    const auto known = known_under<P, CpuRule>::judge(out.policy, rule, all, board);
    const bool counts = !known.error && (!out.judged || detail::better(known, out.verdict));
    if (counts && known.schedulable()) {
      out.verdict = known;
      out.judged = true;
      out.missing.clear();
    }
  }
  if (!out.judged) { return out; }
  detail::restate(out.verdict, all);
  const analysis::board_capacity capacity{.processors = board.processors,
                                          .named_cores = detail::cluster_of(rule, board.processors) == 1,
                                          .kernels = kernels_at_once(out.policy)};
  if (!out.verdict.schedulable() && analysis::must_miss(all, board, capacity)) {
    out.verdict.status = verdict_status::unschedulable;
  }
  return out;
}

}  // namespace takt
