// EXPECT: takt: no bound is known for this rule on the virtual_sms pool
// SPDX-License-Identifier: Apache-2.0
#include <takt/simulation/simulate.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto rule = takt::federated;
#else
constexpr auto rule = takt::whole_gpu;
#endif
constexpr auto other = takt::platform(cores, engine, takt::pool(takt::virtual_sms(2, 2), rule));
auto simulated() { return takt::simulate(other, takt::task_set(camera), takt::dedicate(1)); }
