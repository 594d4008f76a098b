// SPDX-License-Identifier: Apache-2.0
#include "bounds.hpp"

namespace twenty_tasks {

auto analyze_at_run_time() -> answer {
  static auto table = tasks.table();
  // A value the optimiser cannot know, so that nothing is computed in advance.
  const volatile takt::ticks zero = 0;
  table.tasks[0].period = table.tasks[0].period + zero;
  return takt::analysis::analyze_by<takt::chain_methods>(board, table, plan);
}

}  // namespace twenty_tasks
