// EXPECT: takt: a run does not enforce this rule on the virtual_sms pool
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/run.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto rule = takt::federated;
#else
constexpr auto rule = takt::serialized(takt::federated);
#endif
constexpr auto other = takt::platform(cores, engine, takt::pool(takt::virtual_sms(2, 2), rule));
auto seen(takt::runtime::emulated_device& device) {
  return takt::runtime::run(other, takt::task_set(camera), takt::dedicate(1), device);
}
