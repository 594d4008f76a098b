// SPDX-License-Identifier: Apache-2.0
#include "../bounds.hpp"

namespace {

constexpr auto verdict =
    takt::analysis::analyze_by<takt::chain_methods>(twenty_tasks::board, twenty_tasks::tasks, twenty_tasks::plan);
static_assert(takt::require_schedulable<verdict>);

}  // namespace

auto control_step(int measured) -> int { return measured / 2; }
