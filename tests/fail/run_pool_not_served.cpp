// EXPECT: takt: a run of chains serves processors, copy_engines and virtual_sms, and this platform has another pool
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/run.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto other = takt::platform(cores, engine, gpu);
#else
constexpr auto blocks = takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded));
constexpr auto other = takt::platform(cores, engine, gpu, blocks);
#endif
auto seen(takt::runtime::emulated_device& device) {
  return takt::runtime::run(other, takt::task_set(camera), takt::dedicate(1), device);
}
