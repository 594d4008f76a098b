// EXPECT: takt: a time slice is not positive or longer than 18 minutes
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto slice = takt::duration{1'024'000};
#else
constexpr auto slice = takt::duration{0};
#endif
constexpr auto sliced = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), engine,
                                       takt::pool(takt::virtual_sms(2, 2), takt::time_slices(slice, {})));
constexpr auto verdict = takt::analyze(sliced, takt::task_set(camera));
