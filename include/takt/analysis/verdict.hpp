// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/duration.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/rules/bound_parts.hpp>

namespace takt::inline TAKT_ABI {

enum class verdict_status : std::uint8_t {
  schedulable,    ///< every task is proven to meet its deadline, or to have a bound where it has none
  unschedulable,  ///< some legal run misses a deadline
  not_proven,     ///< neither of the above is known
  invalid_model,  ///< the model is wrong or does not fit the analysis: see `error`
  overflow,       ///< the times are too large for exact 64-bit arithmetic
};

[[nodiscard]] constexpr auto name_of(verdict_status s) noexcept -> std::string_view {
  switch (s) {
    case verdict_status::schedulable: return "schedulable";
    case verdict_status::unschedulable: return "unschedulable";
    case verdict_status::not_proven: return "not-proven";
    case verdict_status::invalid_model: return "invalid-model";
    case verdict_status::overflow: return "overflow";
  }
  return "";
}

namespace detail {

/// Returns the status that goes with a fault.
[[nodiscard]] constexpr auto status_of(const model_error& error) noexcept -> verdict_status {
  return error.fault == model_fault::time_overflow ? verdict_status::overflow : verdict_status::invalid_model;
}

}  // namespace detail

/// Names what keeps bounds from being a proof, where the method knows.
enum class obstacle : std::uint8_t {
  none,
  deadline,    ///< a bound exceeds its deadline
  processors,  ///< no bound is known for the CPUs of a cluster
  gpu,         ///< no bound is known for the kernels
  copies,      ///< no bound is known for the copies
  tokens,      ///< no bound is known for waits for tokens
  history,     ///< a graph waits for its own past for too long
  interrupts,  ///< they leave no time for jobs on a cluster
  passes,      ///< bounds still grew when the analysis had made as many passes, or rounds of one task, as it may
  overflow,
  invalid_model,
};

[[nodiscard]] constexpr auto name_of(obstacle o) noexcept -> std::string_view {
  switch (o) {
    case obstacle::none: return "";
    case obstacle::deadline: return "deadline";
    case obstacle::processors: return "processors";
    case obstacle::gpu: return "gpu";
    case obstacle::copies: return "copies";
    case obstacle::tokens: return "tokens";
    case obstacle::history: return "history";
    case obstacle::interrupts: return "interrupts";
    case obstacle::passes: return "passes";
    case obstacle::overflow: return "overflow";
    case obstacle::invalid_model: return "invalid-model";
  }
  return "";
}

namespace detail {

[[nodiscard]] constexpr auto status_of(obstacle o) noexcept -> verdict_status {
  switch (o) {
    case obstacle::none: return verdict_status::schedulable;
    case obstacle::overflow: return verdict_status::overflow;
    case obstacle::invalid_model: return verdict_status::invalid_model;
    case obstacle::deadline:
    case obstacle::processors:
    case obstacle::gpu:
    case obstacle::copies:
    case obstacle::tokens:
    case obstacle::history:
    case obstacle::interrupts:
    case obstacle::passes: break;
  }
  return verdict_status::not_proven;
}

}  // namespace detail

/// A response-time bound, or the knowledge that none was found.
template <class Number>
struct response_bound {
  Number value{};
  bool exists = false;
};

/// Returns the lesser of two bounds.
template <class Number>
[[nodiscard]] constexpr auto tighter(const response_bound<Number>& a, const response_bound<Number>& b)
    -> response_bound<Number> {
  if (!a.exists) { return b; }
  return b.exists && b.value < a.value ? b : a;
}

/// Holds the verdict on a task, a graph or an application.
template <class Number>
struct task_verdict {
  std::string_view name;
  Number deadline{};
  response_bound<Number> bound{};
  bool evaluated = false;  ///< false below the first failing task: bounds of lower priorities rest on those above
  bool meets = false;
  bool limited = true;        ///< false: there is no deadline, and any bound will do
  std::string_view method{};  ///< whose bound it is, where a verdict has bounds of several; else empty
  /// The part of the bound for which a job waits for tokens and for sections of less important tasks, where the rules
  /// of pools say it.
  Number blocking{};
  /// Says what the bound consists of: see `for_each_term`. Without a bound, it says what may claim time before the
  /// deadline, if the method knows.
  parts_of_task<Number> parts{};
};

/// Holds the verdict on a visit that is bounded by itself, such as a node of a graph.
template <class Number>
struct visit_verdict {
  std::string_view name;
  std::uint32_t task = 0;
  std::uint32_t segment = 0;  ///< position in the chain that it was described in
  std::uint8_t part = 0;      ///< of what was described: see `node_part`
  Number response{};          ///< bound, from the nominal release
};

/// The answer of an analysis. Tasks stand in the order in which they were given.
template <class Number, std::size_t MaxTasks, std::size_t MaxVisits = 0>
struct verdict {
  using number = Number;
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_visits = MaxVisits;

  verdict_status status = verdict_status::not_proven;
  std::string_view method;
  model_error error{};
  obstacle why = obstacle::none;
  std::uint32_t where = no_index;  ///< the cluster, or the task, that `why` is about
  inline_vector<task_verdict<Number>, MaxTasks> tasks;
  inline_vector<visit_verdict<Number>, MaxVisits> visits;
  takt::plan<MaxTasks, MaxVisits> plan;  ///< what was judged

  [[nodiscard]] constexpr auto schedulable() const noexcept -> bool { return status == verdict_status::schedulable; }
  /// Returns whether every task has a bound, within its deadline or not.
  [[nodiscard]] constexpr auto bounded() const noexcept -> bool {
    for (const auto& t : tasks) {
      if (!t.bound.exists) { return false; }
    }
    return !error && !tasks.empty();
  }
  /// Returns the bound of a task; the largest duration without one.
  [[nodiscard]] constexpr auto end_to_end(std::size_t task) const noexcept -> duration
    requires std::same_as<Number, ticks>
  {
    return task < tasks.size() && tasks[task].bound.exists ? duration{tasks[task].bound.value} : duration::max();
  }
  /// Returns the position of the first task that is not proven to meet its deadline; `no_index` if none.
  [[nodiscard]] constexpr auto first_unproven() const noexcept -> std::uint32_t {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks[i].evaluated && !tasks[i].meets) { return static_cast<std::uint32_t>(i); }
    }
    return no_index;
  }

  constexpr void refuse(const model_error& why_not) noexcept {
    error = why_not;
    status = detail::status_of(why_not);
  }
  /// Holds a task to a deadline that its analysis did not know of.
  constexpr void limit(std::size_t task, const Number& deadline) {
    auto& t = tasks[task];
    t.deadline = deadline;
    t.limited = true;
    t.meets = t.bound.exists && t.bound.value <= deadline;
    if (!t.meets && status == verdict_status::schedulable) {
      status = verdict_status::not_proven;
      why = obstacle::deadline;
      where = static_cast<std::uint32_t>(task);
    }
  }
};

/// One summand of a bound; all terms of a task add up to its bound exactly.
template <class Number>
struct term {
  term_kind what = term_kind::cpu;
  std::uint32_t by = no_index;  ///< the task that causes it, in the given order
  Number time{};
  std::uint32_t visit = no_index;  ///< its position in the job
  std::uint32_t pool = no_index;   ///< of the board, where the visit is
};

namespace detail {

/// Returns whether the parts that a method has said of a bound add up to it.
template <class Number>
[[nodiscard]] constexpr auto is_explained(const task_verdict<Number>& t) -> bool {
  return t.bound.exists && t.parts.sum() == t.bound.value;
}

}  // namespace detail

/// Calls `f(term)` for each part of the bound of a task; the times add up to the bound. A bound of which its method
/// says nothing is one term. Without a bound there is none. Pre: task < v.tasks.size().
template <class Number, std::size_t N, std::size_t V, class F>
constexpr void for_each_term(const verdict<Number, N, V>& v, std::size_t task, F f) {
  TAKT_EXPECTS(task < v.tasks.size());
  const auto& t = v.tasks[task];
  if (!t.bound.exists) { return; }
  if (!detail::is_explained(t)) {
    f(term<Number>{.what = term_kind::bound, .by = static_cast<std::uint32_t>(task), .time = t.bound.value});
    return;
  }
  for (const auto& part : t.parts) {
    f(term<Number>{.what = part.what,
                   .by = part.by,
                   .time = part.time,
                   .visit = part.position == detail::whole_job ? no_index : part.position,
                   .pool = part.pool == detail::unknown_pool ? no_index : part.pool});
  }
}

}  // namespace takt::inline TAKT_ABI
