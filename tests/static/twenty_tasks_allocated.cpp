// TAKT-TEST: RTGPU-19 a plan for twenty tasks is found and proven in a static_assert under default compiler limits
// SPDX-License-Identifier: Apache-2.0
#include "twenty_tasks.hpp"

namespace {

constexpr auto plan = takt::allocate_by<takt::chain_methods>(twenty_tasks::board, twenty_tasks::tasks);

}  // namespace

static_assert(plan.feasible);
static_assert(
    takt::analysis::analyze_by<takt::chain_methods>(twenty_tasks::board, twenty_tasks::tasks, plan).schedulable());
