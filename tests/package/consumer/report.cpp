// SPDX-License-Identifier: Apache-2.0
// Includes what needs range-v3.
#include <vector>

#include <takt/report/trace_queries.hpp>

auto main() -> int {
  const std::vector<takt::slice> slices(2, {.task = 1, .start = 3, .end = 8});
  return takt::views::busy_time(slices | takt::views::of_task(1)) == 5 ? 0 : 1;
}
