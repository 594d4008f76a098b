// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>

namespace takt {

enum class verdict_status : std::uint8_t {
  schedulable,    ///< every task is proven to meet its deadline
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

/// A response-time bound, or the knowledge that none was found.
template <class Number>
struct response_bound {
  Number value{};
  bool exists = false;
};

/// The lesser of two bounds.
template <class Number>
[[nodiscard]] constexpr auto tighter(const response_bound<Number>& a, const response_bound<Number>& b)
    -> response_bound<Number> {
  if (!a.exists) { return b; }
  return b.exists && b.value < a.value ? b : a;
}

template <class Number>
struct task_verdict {
  std::string_view name;
  Number deadline{};
  response_bound<Number> bound{};
  bool evaluated = false;  ///< false below the first failing task: bounds of lower priorities rest on those above
  bool meets = false;
};

/// The answer of an analysis. Tasks stand in the order in which they were given.
template <class Number, std::size_t MaxTasks>
struct verdict {
  verdict_status status = verdict_status::not_proven;
  std::string_view analysis;
  model_error error{};
  inline_vector<task_verdict<Number>, MaxTasks> tasks;

  [[nodiscard]] constexpr auto schedulable() const noexcept -> bool { return status == verdict_status::schedulable; }
  /// Position of the first task that is not proven to meet its deadline, in the given order; `nowhere` if none.
  [[nodiscard]] constexpr auto first_unproven() const noexcept -> std::uint32_t {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks[i].evaluated && !tasks[i].meets) { return static_cast<std::uint32_t>(i); }
    }
    return nowhere;
  }
};

/// What a part of a bound is spent on.
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
  }
  return "";
}

/// One summand of a bound; all terms of a task add up to its bound exactly.
template <class Number>
struct term {
  term_kind what = term_kind::cpu;
  std::uint32_t by = nowhere;  ///< the task that causes it, in the given order
  Number time{};
};

}  // namespace takt
