// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// A published method that judges described tasks under a policy. Specialize it with
/// `judge(policy, cpu_rule, tasks, board)`, which returns a `verdict<ticks, N, V>`: a proof that is better counts. With
/// `judge_under(policy, cpu_rule, tasks, board, plan)` it is asked about plans of other methods, too. With
/// `with_board(policy, cpu_rule, tasks, board, f)` it lets reports and hosts see what the method sees: f(platform,
/// table, ...). Error: why it cannot read the tasks; then f is not called.
template <class Policy, class CpuRule>
struct known_under {};

/// Says whether a published method judges tasks under a policy and a rule of the processors, where they have its shape.
template <class Policy, class CpuRule>
inline constexpr bool is_covered = requires { typename known_under<Policy, CpuRule>::method; };

}  // namespace takt::inline TAKT_ABI
