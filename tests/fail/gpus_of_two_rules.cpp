// EXPECT: takt: two GPUs of the platform have different rules
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto second = gpu;
#else
constexpr auto second = takt::pool(takt::virtual_sms(2, 2), takt::serialized(takt::federated));
#endif
constexpr auto mixed = takt::platform(cores, engine, gpu, second);
constexpr auto verdict = takt::analyze(mixed, takt::task_set(camera), takt::dedicate(1));
