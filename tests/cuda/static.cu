// TAKT-TEST: RTGPU-19 a set of twenty tasks is proven schedulable in a static_assert of a CUDA translation unit
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "twenty_tasks.hpp"

namespace {

constexpr auto plan = takt::allocate_by<takt::chain_methods>(twenty_tasks::board, twenty_tasks::tasks);
constexpr auto verdict = takt::analysis::analyze_by<takt::chain_methods>(twenty_tasks::board, twenty_tasks::tasks, plan);
static_assert(verdict.schedulable());
static_assert(takt::require_schedulable<verdict>);

}  // namespace

auto main() -> int {
  const auto table = twenty_tasks::tasks.table();
  const auto computed = takt::analysis::analyze_by<takt::chain_methods>(twenty_tasks::board, table, plan);
  const auto last = computed.tasks.size() - 1;
  const bool same = computed.tasks[last].bound.value == verdict.tasks[last].bound.value;
  std::puts(same ? "PASS" : "FAIL");
  return same ? 0 : 1;
}
