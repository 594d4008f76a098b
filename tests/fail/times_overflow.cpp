// EXPECT: takt: times overflow 64-bit nanoseconds
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks =
    takt::task_set(takt::task("archive", takt::period(takt::duration{86'400'000'000'000}), takt::cpu(1_s)));
constexpr auto verdict = takt::analyze(board, tasks, takt::dedicate(0));
#else
constexpr auto tasks =
    takt::task_set(takt::task("archive", takt::period(takt::duration{9'223'372'036'854'775'806}), takt::cpu(1_s)));
constexpr auto verdict = takt::analyze(board, tasks, takt::dedicate(0));
#endif
