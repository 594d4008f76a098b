// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <takt/analysis/demand/edf_verdict.hpp>
#include <takt/analysis/judge_accelerator.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/accelerator_tags.hpp>

namespace takt {

namespace analysis {

/// What a test says of the tasks that compete with one another: of one core, or with `any_core` of all cores at once.
/// A demand test names the window that fails or is the tightest; response times stand with the tasks.
template <class Number>
struct accelerator_part {
  std::int32_t core = any_core;
  edf_verdict<Number> test{};
};

/// A verdict, and the tests that it follows from. Under EDF a task meets its deadline if its part passes, and none has
/// a bound of its own.
template <class Number, std::size_t MaxTasks>
struct accelerator_evidence {
  takt::verdict<Number, MaxTasks> verdict;
  inline_vector<accelerator_part<Number>, MaxTasks> parts;
};

/// The name of the test that `analyze` takes for a rule.
template <AcceleratorRule Rule>
[[nodiscard]] constexpr auto accelerator_test_name() noexcept -> std::string_view {
  constexpr bool edf_first = EarliestDeadlineFirst<kernel_order<Rule>>;
  if constexpr (SingleStream<Rule>) {
    return edf_first ? "single-stream-edf" : "single-stream-fixed-priority";
  } else if constexpr (StreamLevels<Rule>) {
    return edf_first ? "level-stack-edf" : "level-stack-fixed-priority";
  } else if constexpr (CoreSlots<Rule>) {
    return edf_first ? "slot-edf" : "slot-fixed-priority";
  } else {
    return edf_first ? "gang-edf" : "gang-fixed-priority";
  }
}

namespace detail {

/// How much a status of a part says about the whole.
[[nodiscard]] constexpr auto weight(verdict_status s) noexcept -> int {
  switch (s) {
    case verdict_status::schedulable: return 0;
    case verdict_status::not_proven: return 1;
    case verdict_status::overflow: return 2;
    case verdict_status::invalid_model: return 3;
    case verdict_status::unschedulable: return 4;
  }
  return 0;
}

template <std::size_t MaxTasks>
constexpr void add_part(accelerator_evidence<ticks, MaxTasks>& out, const accelerator_table<ticks, MaxTasks>& part,
                        std::int32_t core, const part_answer<ticks, MaxTasks>& answer) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    auto& t = out.verdict.tasks[part.tasks[i].id];
    t.evaluated = true;
    t.meets = answer.test.schedulable();
    if (i < answer.bounds.tasks.size()) {
      t.meets = answer.bounds.tasks[i].meets;
      t.bound = answer.bounds.tasks[i].bound;
    }
  }
  static_cast<void>(out.parts.push_back({core, answer.test}));
  const auto status = answer.must_miss ? verdict_status::unschedulable : answer.test.status;
  if (weight(out.verdict.status) < weight(status)) {
    out.verdict.status = status;
    out.verdict.error =
        status == verdict_status::overflow ? model_error{.fault = model_fault::time_overflow} : answer.test.error;
  }
}

/// Calls `f` with the pinned tasks of each core that has any.
template <std::size_t MaxTasks, class F>
constexpr void for_each_core(const accelerator_table<ticks, MaxTasks>& table, F f) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    bool first = !needs_all_cores(t.width);
    for (std::size_t j = 0; j < i; ++j) {
      first = first && (needs_all_cores(table.tasks[j].width) || table.tasks[j].core != t.core);
    }
    if (first) { f(t.core, pinned_tasks(table, t.core)); }
  }
}

template <AcceleratorRule Rule, std::size_t MaxTasks>
constexpr void judge_parts(const accelerator_table<ticks, MaxTasks>& table, const accelerator_record& accelerator,
                           const Rule& rule, accelerator_evidence<ticks, MaxTasks>& out) {
  using order = kernel_order<Rule>;
  if constexpr (SingleStream<Rule>) {
    add_part(out, table, any_core, judge_single_stream<order>(table));
  } else if constexpr (StreamLevels<Rule>) {
    add_part(out, table, any_core, judge_levels<order>(table, accelerator.preemption_levels, rule.cost));
  } else if constexpr (CoreSlots<Rule>) {
    for_each_core(table, [&](std::int32_t core, const auto& part) {
      add_part(out, part, core, judge_slot<order>(part, rule.pinned));
    });
    if (const auto part = gang_tasks(table); part.size() > 0) {
      add_part(out, part, any_core, judge_slot<order>(part, rule.gang));
    }
  } else {
    const std::size_t gang = gang_tasks(table).size();
    bool must_miss = false;
    for_each_core(table, [&](std::int32_t core, const auto& part) {
      if (gang == 0) { add_part(out, part, core, judge_gang<order>(part, false)); }
      must_miss = must_miss || core_must_miss(table, core);
    });
    if (gang > 0) {
      auto answer = judge_gang<order>(table, gang < table.size());
      answer.must_miss = answer.fails() && (gang == table.size() ? answer.must_miss : must_miss);
      add_part(out, table, any_core, answer);
    }
  }
}

}  // namespace detail

/// What is known of the kernels under a plan, and why.
template <AcceleratorPlatform P, AcceleratorTaskSet T, std::size_t N>
[[nodiscard]] constexpr auto accelerator_evidence_of(const P& platform, const T& tasks, const plan<N>& p) {
  using rule = typename P::accelerator_rule;
  auto table = tasks.template table<ticks>();
  accelerator_evidence<ticks, decltype(table)::max_tasks> out;
  auto& verdict = out.verdict;
  verdict.method = accelerator_test_name<rule>();
  verdict.error = platform.validate();
  if (!verdict.error) { verdict.error = plan_fault(platform.strategy(), table, p); }
  if (!verdict.error) {
    table = planned_kernels(table, p);
    verdict.error = located(fits_accelerator<rule>(table, platform.accelerator()), table.tasks);
  }
  if (verdict.error) {
    verdict.status = status_of(verdict.error);
    return out;
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    static_cast<void>(verdict.tasks.push_back({.name = table.tasks[i].name, .deadline = table.tasks[i].deadline}));
  }
  rank_kernels<kernel_order<rule>>(table);  // parts are ranked as the whole set is
  verdict.status = verdict_status::schedulable;
  detail::judge_parts(table, platform.accelerator(), platform.strategy(), out);
  complete_plan(platform.strategy(), table, verdict.plan);
  return out;
}

}  // namespace analysis

/// Proves, or fails to prove, that every kernel meets its deadline on an accelerator, for sporadic and hence for
/// periodic releases. The rule of the pool decides how; tasks are the same under every rule.
///
/// `nonpreemptive` and `slots` of kernels that stop anywhere are decided exactly, for the others `not_proven` can be
/// the answer. `unschedulable` only with a proof of a miss in a legal run. Error: `invalid_model` and `overflow`, with
/// the field in `error`; in a constant expression these stop compilation with a sentence. Cost: see the tests.
template <HasAccelerator P, TaskSet T, std::size_t N>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N>& p,
                                     detail::refusal&& refused = detail::refusal{
                                         detail::check_accelerator<P, T>::passed}) {
  if constexpr (AcceleratorPlatform<P> && AcceleratorTaskSet<T>) {
    const auto out = analysis::accelerator_evidence_of(platform, tasks, p).verdict;
    refused.error = out.error;
    return out;
  }
}

/// The same for kernels on the cores that they name.
template <HasAccelerator P, TaskSet T>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks,
                                     detail::refusal&& refused = detail::refusal{
                                         detail::check_accelerator<P, T>::passed}) {
  if constexpr (AcceleratorPlatform<P> && AcceleratorTaskSet<T>) {
    return analyze(platform, tasks, plan<1>{}, std::move(refused));
  }
}

}  // namespace takt
