// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/analysis/method_list.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Stands where no judge that is asked knows a published method for a policy.
struct no_judge {};

template <class Policy, class CpuRule, class Judges>
struct first_judge {
  using type = no_judge;
};
template <class Policy, class CpuRule, class J, class... More>
struct first_judge<Policy, CpuRule, methods<J, More...>> : first_judge<Policy, CpuRule, methods<More...>> {};
template <class Policy, class CpuRule, class J, class... More>
  requires requires { typename J::template under<Policy, CpuRule>::method; }
struct first_judge<Policy, CpuRule, methods<J, More...>> {
  using type = typename J::template under<Policy, CpuRule>;
};

}  // namespace detail

/// Names what judges run-time tasks under a policy and a rule of the processors: of a list of judges, `methods<...>`,
/// the first one that knows a published method. A judge has a member template that names what it knows, such as
///
///     struct my_judges {
///       template <class Policy, class CpuRule>
///       struct under {};
///     };
///     template <class CpuRule>
///     struct my_judges::under<my_policy, CpuRule> { ... };
///
/// where the type has a `method` and `judge(policy, cpu_rule, tasks, board)`, which returns a `verdict<ticks, N, V>`:
/// a proof that is better counts. Optional:
/// - `judge_under(policy, cpu_rule, tasks, board, plan)`: it is asked about plans of other methods, too;
/// - `counts_late_jobs`: true where bounds hold also where jobs are late;
/// - `with_board(policy, cpu_rule, tasks, board, f)`: reports and hosts see what the method sees, f(platform, table).
///   Error: why it cannot read the tasks; then f is not called.
template <class Policy, class CpuRule, class Judges>
using known_under = typename detail::first_judge<Policy, CpuRule, Judges>::type;

/// Says whether a judge of a list knows a published method for tasks under a policy and a rule of the processors, where
/// they have its shape.
template <class Policy, class CpuRule, class Judges>
inline constexpr bool is_covered = requires { typename known_under<Policy, CpuRule, Judges>::method; };

}  // namespace takt::inline TAKT_ABI
