// EXPECT: takt: no bound is known for this rule on the virtual_sms pool
// TAKT-TEST: RTGPU-51 a rule without a bound on the SMs is refused with a message
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto other = takt::platform(cores, engine, takt::pool(takt::virtual_sms(2, 2), takt::federated));
constexpr auto plan = takt::allocate(other, takt::task_set(camera));
#else
constexpr auto other = takt::platform(cores, engine, takt::pool(takt::virtual_sms(2, 2), takt::whole_gpu));
constexpr auto plan = takt::allocate(other, takt::task_set(camera));
#endif
