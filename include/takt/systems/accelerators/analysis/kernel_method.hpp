// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/methods/demand/edf_verdict.hpp>
#include <takt/analysis/methods/whole_kernels/fixed_order.hpp>
#include <takt/analysis/methods/whole_kernels/parts.hpp>
#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/accelerator_tags.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Holds what a test says of the tasks that compete with one another: of one core, or with `unassigned_core` of all
/// cores at once. A demand test names the window that fails or is the tightest; response times stand with the tasks.
template <class Number>
struct accelerator_part {
  std::int32_t core = unassigned_core;
  edf_verdict<Number> test{};
};

namespace detail {

/// Holds a verdict, and the tests that it follows from. Under EDF a task meets its deadline if its part passes, and
/// none has a bound of its own.
template <class Number, std::size_t MaxTasks>
struct accelerator_evidence {
  takt::verdict<Number, MaxTasks> verdict;
  inline_vector<accelerator_part<Number>, MaxTasks> parts;
};

/// Holds what is known of tasks that compete with one another: whether they all meet their deadlines, and whether some
/// legal run must miss. Under fixed priorities it also has the bound of each task.
template <class Number, std::size_t MaxTasks>
struct part_result {
  edf_verdict<Number> test{};
  verdict<Number, MaxTasks> bounds{};
  bool must_miss = false;

  constexpr part_result() = default;
  constexpr explicit part_result(const edf_verdict<Number>& demand) : test{demand} {}
  constexpr explicit part_result(const verdict<Number, MaxTasks>& responses)
      : test{.status = responses.status, .error = responses.error}, bounds{responses} {}

  [[nodiscard]] constexpr auto fails() const noexcept -> bool { return test.status == verdict_status::not_proven; }
};

template <class Number>
[[nodiscard]] constexpr auto fails(const edf_verdict<Number>& test) -> bool {
  return test.status == verdict_status::not_proven;
}

template <KernelOrder Order, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto ranks(const task_rows<accelerator_task<Number>, MaxTasks>& table) -> rank_order<MaxTasks> {
  return rank(table, order_of<Order>{});
}

template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto stops_anywhere(const task_rows<accelerator_task<Number>, MaxTasks>& table) -> bool {
  return !(Number(0) < guard_band(table));
}

/// Returns how much a status of a part says about the whole.
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
constexpr void add_part(accelerator_evidence<ticks, MaxTasks>& out,
                        const task_rows<accelerator_task<ticks>, MaxTasks>& part, std::int32_t core,
                        const part_result<ticks, MaxTasks>& answer) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    auto& t = out.verdict.tasks[part.tasks[i].id];
    t.evaluated = true;
    t.meets = answer.test.schedulable();
    if (i < answer.bounds.tasks.size()) {
      t.meets = answer.bounds.tasks[i].meets;
      t.bound = answer.bounds.tasks[i].bound;
      t.parts = answer.bounds.tasks[i].parts;
      for (auto& said : t.parts) { said.by = said.by < part.size() ? part.tasks[said.by].id : said.by; }
    }
  }
  // Bound: each part has a task of its own.
  out.parts.unchecked_push_back({core, answer.test});
  const auto status = answer.must_miss ? verdict_status::unschedulable : answer.test.status;
  if (weight(out.verdict.status) < weight(status)) {
    out.verdict.status = status;
    out.verdict.error =
        status == verdict_status::overflow ? model_error{.fault = model_fault::time_overflow} : answer.test.error;
  }
}

/// Calls `f` with the pinned tasks of each core that has any.
template <std::size_t MaxTasks, class F>
constexpr void for_each_core(const task_rows<accelerator_task<ticks>, MaxTasks>& table, F f) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    bool first = !needs_all_cores(t.width);
    for (std::size_t j = 0; j < i; ++j) {
      first = first && (needs_all_cores(table.tasks[j].width) || table.tasks[j].core != t.core);
    }
    if (first) { f(t.core, pinned_tasks(table, t.core)); }
  }
}

}  // namespace detail

/// Describes a method of kernels on an accelerator and nothing else. `Parts::judge_parts<Order>(table, accelerator,
/// rule, out)` adds what is known of the tasks that compete with one another, part by part; tasks are the same under
/// every rule. Under a plan that is given, on the cores and with the priorities of that plan.
template <class Parts>
struct kernel_method {
  static constexpr bool follows_pools = true;
  template <class T>
  static constexpr bool judges = AcceleratorTaskSet<T>;

  /// Returns what is known of the kernels, and why.
  template <AcceleratorPlatform P, AcceleratorTaskSet T, std::size_t N, std::size_t V>
  [[nodiscard]] constexpr auto evidence(const P& platform, const T& tasks, const plan<N, V>& p) const {
    model_error error;
    const auto table = takt::detail::ranked_kernels(platform, tasks, p, error);  // parts are ranked as the whole set is
    detail::accelerator_evidence<ticks, std::remove_const_t<decltype(table)>::max_tasks> out;
    auto& verdict = out.verdict;
    verdict.method = Parts::name;
    verdict.error = error;
    if (verdict.error) {
      verdict.status = takt::detail::status_of(verdict.error);
      return out;
    }
    for (const auto& t : table.tasks) {
      // Bound: one per task, as in the table.
      verdict.tasks.unchecked_push_back({.name = t.name, .deadline = t.deadline});
    }
    verdict.status = verdict_status::schedulable;
    Parts::judge_parts(table, platform.accelerator(), platform.strategy(), out);
    complete_plan(platform.strategy(), table, verdict.plan);
    return out;
  }

  /// Returns `schedulable` for sporadic and hence for periodic releases, `unschedulable` only with a proof of a miss in
  /// a legal run. Cost: see the tests.
  template <AcceleratorPlatform P, AcceleratorTaskSet T, std::size_t N, std::size_t V>
  [[nodiscard]] constexpr auto judge(const P& platform, const T& tasks, const plan<N, V>& p) const {
    return evidence(platform, tasks, p).verdict;
  }
};

}  // namespace takt::inline TAKT_ABI::analysis
