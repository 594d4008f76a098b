// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

#include <type_traits>

namespace {

using namespace takt::literals;

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
constexpr auto tasks = takt::task_set(takt::task("only", takt::period(10_ms), takt::deadline(2_ms), takt::cpu(2_ms)));
constexpr auto edge = takt::analysis::analyze_by<takt::published>(board, tasks, takt::dedicate(0));
static_assert(edge.tasks[0].bound.value == edge.tasks[0].deadline, "response = deadline is kept");
static_assert(takt::require_schedulable<edge>);

// The refusal is a temporary of the call: nothing of it stays in what the call returns.
static_assert(std::is_trivially_copyable_v<decltype(edge)>);
static_assert(std::is_trivially_destructible_v<decltype(tasks)> && std::is_trivially_destructible_v<decltype(board)>);

// At run time a wrong model is a value, not a refusal.
[[maybe_unused]] auto at_run_time(takt::duration deadline) {
  const auto wrong = takt::task_set(takt::task("late", takt::period(1_ms), takt::deadline(deadline), takt::cpu(1_us)));
  return takt::analysis::analyze_by<takt::published>(board, wrong, takt::dedicate(0)).status;
}

}  // namespace
