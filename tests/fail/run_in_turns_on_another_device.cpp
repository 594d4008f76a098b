// EXPECT: takt: this device does not let the tasks of one process take turns
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/run.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
using device_type = takt::runtime::emulated_accelerator;
#else
using device_type = takt::runtime::emulated_device;
#endif
constexpr auto sliced =
    takt::platform(cores, engine, takt::pool(takt::virtual_sms(2, 2), takt::time_slices(1024_us, 200_us)));
auto seen(device_type& device) { return takt::runtime::run(sliced, takt::task_set(camera), takt::plan<1>{}, device); }
