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

/// Returns the status that goes with a fault.
[[nodiscard]] constexpr auto status_of(const model_error& error) noexcept -> verdict_status {
  return error.fault == model_fault::time_overflow ? verdict_status::overflow : verdict_status::invalid_model;
}

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
    status = status_of(why_not);
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

/// Names what a part of a bound is spent on.
enum class term_kind : std::uint8_t {
  cpu,
  copy,
  gpu,
  cpu_interference,
  copy_interference,
  copy_blocking,
  gpu_interference,
  gpu_blocking,
  gpu_section,       ///< its own copies and kernels, and its waits for engines in between
  token_wait,        ///< its waits for tokens, and for the end of a loan
  job_interference,  ///< another task's jobs with their sections and waits
  engine_wait,       ///< for execution and copy engines that others use
  loan,              ///< its priority is lent to a token holder
  overheads,         ///< of the system, and the interrupts of other tasks' operations
  competition,       ///< for the CPUs of its cluster
  history,           ///< the past that a graph waits for
  node,              ///< a node on the longest path of a graph; `visit` says which
};

[[nodiscard]] constexpr auto name_of(term_kind k) noexcept -> std::string_view {
  switch (k) {
    case term_kind::cpu: return "cpu";
    case term_kind::copy: return "copy";
    case term_kind::gpu: return "gpu";
    case term_kind::cpu_interference: return "cpu-interference";
    case term_kind::copy_interference: return "copy-interference";
    case term_kind::copy_blocking: return "copy-blocking";
    case term_kind::gpu_interference: return "gpu-interference";
    case term_kind::gpu_blocking: return "gpu-blocking";
    case term_kind::gpu_section: return "gpu-section";
    case term_kind::token_wait: return "token-wait";
    case term_kind::job_interference: return "job-interference";
    case term_kind::engine_wait: return "engine-wait";
    case term_kind::loan: return "loan";
    case term_kind::overheads: return "overheads";
    case term_kind::competition: return "competition";
    case term_kind::history: return "history";
    case term_kind::node: return "node";
  }
  return "";
}

/// One summand of a bound; all terms of a task add up to its bound exactly.
template <class Number>
struct term {
  term_kind what = term_kind::cpu;
  std::uint32_t by = no_index;  ///< the task that causes it, in the given order
  Number time{};
  std::uint32_t visit = no_index;
};

}  // namespace takt::inline TAKT_ABI
