// EXPECT: takt: this rule preempts, and kernels are not taken from SMs
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto rule = takt::levels(takt::edf);
#else
constexpr auto rule = takt::edf;
#endif
constexpr auto board = takt::platform(takt::pool(takt::accelerator(2, 2), rule));
constexpr auto tasks = takt::task_set(takt::task("detect", takt::period(33_ms), takt::kernel(takt::wcet(6_ms))));
auto seen(takt::runtime::emulated_accelerator& device) {
  takt::runtime::board_devices devices;
  devices.kernels(0, device);
  return takt::runtime::run(board, tasks, takt::plan<1>{}, devices);
}
