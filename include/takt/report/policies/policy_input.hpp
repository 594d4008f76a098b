// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <takt/analysis/combiners/closed_part.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/scaled.hpp>
#include <takt/model/shares/contention.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/model/with_contention.hpp>
#include <takt/report/policies/judged_policy.hpp>

namespace takt::inline TAKT_ABI::report {

/// Describes a workload as a policy is asked about it. `Question`: the policy in words, and what is asked of it.
template <class Tasks, class Question>
struct policy_input {
  Question question;
  std::unique_ptr<Tasks> tasks;  ///< with what contention and the operating system add
  std::unique_ptr<Tasks> alone;  ///< without, where contention makes them longer: what a job may take by itself
  bool timers_are_late = false;
  bool has_overheads = false;  ///< `tasks` take what the operating system adds
  std::vector<std::string> notes;
};

/// Takes back bounds of some tasks of a set that is not proven, where overheads are charged: late jobs interrupt others
/// more often than these tell.
template <std::size_t N, std::size_t V>
constexpr void drop_closed_part(verdict<ticks, N, V>& v) {
  for (auto& t : v.tasks) {
    if (!analysis::is_of_closed_part(t.method)) { continue; }
    t.bound = {};
    t.parts.clear();
    t.meets = false;
    t.method = {};
  }
}

/// Takes back a proof that rests on guards, which prove nothing where timers are late.
template <std::size_t N, std::size_t V>
constexpr void drop_guards(verdict<ticks, N, V>& v) {
  if (v.plan.offsets.empty()) { return; }
  v.status = verdict_status::not_proven;
  v.plan.offsets.clear();
  v.plan.local_deadlines.clear();
  v.plan.feasible = false;
  for (auto& t : v.tasks) {
    t.bound = {};
    t.parts.clear();
    t.meets = false;
  }
}

/// Returns what a policy makes of it, with all execution times by a factor in thousandths; null where these are out of
/// range. That a deadline is missed is proven without contention. `question`: that of the input, or one about some
/// plan. `judge(question, tasks)`: see `judge_by_keyword`.
template <class Tasks, class Question, class Judge>
[[nodiscard]] auto judge_input(const policy_input<Tasks, Question>& input, const Question& question, const Judge& judge,
                               std::int64_t factor = 1000) -> std::unique_ptr<judged_policy<Tasks>> {
  const auto judged = [&](const Tasks& tasks) -> std::unique_ptr<judged_policy<Tasks>> {
    if (factor == 1000) { return judge(question, tasks); }
    const auto longer = std::make_unique<takt::runtime_conversion<Tasks>>(scaled(tasks, factor));
    return longer->error ? nullptr : judge(question, longer->tasks);
  };
  auto out = judged(*input.tasks);
  if (out == nullptr) { return out; }
  auto& v = out->verdict;
  if (v.status == verdict_status::unschedulable && input.alone) {
    const auto apart = judged(*input.alone);
    if (apart == nullptr || apart->verdict.status != v.status) {
      v.status = verdict_status::not_proven;
      out->misses.clear();
    }
  }
  if (input.has_overheads) { drop_closed_part(v); }
  if (input.timers_are_late) { drop_guards(v); }
  return out;
}

template <class Tasks, class Question, class Judge>
[[nodiscard]] auto judge_input(const policy_input<Tasks, Question>& input, const Judge& judge,
                               std::int64_t factor = 1000) -> std::unique_ptr<judged_policy<Tasks>> {
  return judge_input(input, input.question, judge, factor);
}

/// Returns "kernels of camera take 5.0000 % more beside those of other tasks", of each task that others slow down.
template <class Tasks>
[[nodiscard]] auto contention_words(const Tasks& tasks, const contention_matrix<Tasks::max_tasks>& contention)
    -> std::vector<std::string> {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::int64_t ppm = growth_ppm(contention, i);
    if (ppm == 0) { continue; }
    const std::string parts = std::to_string(ppm % 10'000);
    out.push_back("kernels of " + std::string{tasks.tasks[i].name} + " take " + std::to_string(ppm / 10'000) + "." +
                  std::string(4 - parts.size(), '0') + parts + " % more beside those of other tasks");
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
