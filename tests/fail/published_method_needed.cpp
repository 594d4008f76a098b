// EXPECT: takt: rules of pools do not say what this board does with these tasks
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/rtgpu.hpp>

#include "board.hpp"

constexpr auto one_lock = takt::pool(takt::virtual_sms(2, 2), takt::serialized(takt::federated));
constexpr auto other = takt::platform(cores, engine, one_lock);
#ifdef TAKT_FIXED
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::rtgpu_methods);
#else
constexpr auto verdict = takt::analyze(other, takt::task_set(camera));
#endif
