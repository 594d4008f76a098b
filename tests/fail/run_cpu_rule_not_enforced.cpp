// EXPECT: takt: a run does not enforce this rule on the processors pool
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/run.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto rule = takt::fixed_priority;
#else
constexpr auto rule = takt::busy_waiting(takt::fixed_priority);
#endif
constexpr auto other = takt::platform(takt::pool(takt::processors(1), rule), engine, gpu);
auto seen(takt::runtime::emulated_device& device) {
  return takt::runtime::run(other, takt::task_set(camera), takt::dedicate(1), device);
}
