// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_string.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what compilers print of a verdict that is not `schedulable`: the first task that fails, by name, with its
/// bound and its deadline in nanoseconds.
namespace unmet {

struct response_bound {
  ticks nanoseconds;
};
struct no_bound {};
struct deadline {
  ticks nanoseconds;
};

template <fixed_string Task, auto Bound, deadline Deadline, bool Holds = false>
struct deadline_not_proven {
  static constexpr bool stated = true;
  static_assert(Holds,
                "takt: a task is not proven to meet its deadline; its name, bound and deadline are the template "
                "arguments. See docs/errors.md#E32");
};
template <fixed_string Task, auto Bound, deadline Deadline, bool Holds = false>
struct deadline_can_be_missed {
  static constexpr bool stated = true;
  static_assert(Holds,
                "takt: some legal run misses a deadline under every plan; the first task without a proof, its "
                "bound and deadline are the template arguments. See docs/errors.md#E33");
};
template <model_fault Fault, bool Holds = false>
struct invalid_model {
  static constexpr bool stated = true;
  static_assert(Holds,
                "takt: the verdict is about an invalid model; its fault is the template argument. "
                "See docs/errors.md#E34");
};

}  // namespace unmet

namespace detail {

template <bool Exists>
[[nodiscard]] consteval auto bound_to_print(ticks value) {
  if constexpr (Exists) {
    return unmet::response_bound{value};
  } else {
    return unmet::no_bound{};
  }
}

template <const auto& Verdict>
[[nodiscard]] consteval auto state_verdict() -> bool {
  if constexpr (Verdict.error) {
    return unmet::invalid_model<Verdict.error.fault>::stated;
  } else if constexpr (!Verdict.schedulable()) {
    constexpr const auto& task = Verdict.tasks[Verdict.first_unproven()];
    // Of exact length: clang prints padded text as numbers.
    constexpr fixed_string<task.name.size()> name{task.name};
    constexpr unmet::deadline deadline{task.deadline};
    constexpr auto bound = bound_to_print<task.bound.exists>(task.bound.value);
    if constexpr (Verdict.status == verdict_status::unschedulable) {
      return unmet::deadline_can_be_missed<name, bound, deadline>::stated;
    } else {
      return unmet::deadline_not_proven<name, bound, deadline>::stated;
    }
  }
  return true;
}

}  // namespace detail

/// True, or no compilation: `static_assert(takt::require_schedulable<verdict>)`. Unlike an assertion of
/// `verdict.schedulable()` it names the task, its bound and its deadline. Pre: `verdict` is constexpr and at namespace
/// scope or static, and its bounds are in `ticks`.
template <const auto& Verdict>
inline constexpr bool require_schedulable = detail::state_verdict<Verdict>();

}  // namespace takt::inline TAKT_ABI
