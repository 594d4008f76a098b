// EXPECT: takt: a run of chains serves processors, copy_engines, virtual_sms and resources whose rule makes a server
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/run.hpp>

#include "board.hpp"

struct scratchpad {};

#ifdef TAKT_FIXED
constexpr auto rule = takt::fifo;
#else
constexpr auto rule = takt::busy_waiting(takt::fixed_priority);
#endif
constexpr auto other = takt::platform(cores, engine, gpu, takt::pool(scratchpad{}, rule));
auto seen(takt::runtime::emulated_device& device) {
  return takt::runtime::run(other, takt::task_set(camera), takt::dedicate(1), device);
}
