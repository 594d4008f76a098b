// TAKT-TEST: RTGPU-19 a set of twenty tasks is proven schedulable in a static_assert under default compiler limits
// SPDX-License-Identifier: Apache-2.0
#include "twenty_tasks.hpp"

namespace {

constexpr auto plan = takt::dedicate(0, 0, 0, 2, 3, 2, 2, 2, 2, 2, 0, 2, 2, 1, 2, 0, 3, 2, 2, 0);
constexpr auto verdict =
    takt::analysis::analyze_by<takt::chain_methods>(twenty_tasks::board, twenty_tasks::tasks, plan);

}  // namespace

static_assert(verdict.schedulable());
static_assert(takt::require_schedulable<verdict>);
