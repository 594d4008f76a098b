// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "bounds.hpp"
#include "semihosting.hpp"

namespace {

constexpr auto known =
    takt::analysis::analyze_by<takt::chain_methods>(twenty_tasks::board, twenty_tasks::tasks, twenty_tasks::plan);
static_assert(takt::require_schedulable<known>);

}  // namespace

auto run() -> bool;

auto run() -> bool {
  const auto computed = twenty_tasks::analyze_at_run_time();
  bool same = computed.schedulable() && computed.tasks.size() == known.tasks.size();
  for (std::size_t i = 0; i < known.tasks.size(); ++i) {
    semihosting::write(known.tasks[i].name.data());
    semihosting::write(" constexpr ");
    semihosting::write(known.tasks[i].bound.value);
    semihosting::write(" run time ");
    semihosting::write(computed.tasks[i].bound.value);
    semihosting::write("\n");
    same = same && known.tasks[i].bound.value == computed.tasks[i].bound.value;
  }
  semihosting::write(same ? "PASS\n" : "FAIL\n");
  return same;
}
