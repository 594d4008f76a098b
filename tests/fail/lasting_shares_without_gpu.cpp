// EXPECT: takt: lasting_shares hands out parts of a GPU, and this resource has none
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

struct npu {};

#ifdef TAKT_FIXED
constexpr auto rule = takt::fifo;
#else
constexpr auto rule = takt::lasting_shares;
#endif
constexpr auto tasks = takt::task_set(
    takt::task("a", takt::period(20_ms), takt::cpu(1_ms), takt::visit<npu>(takt::takes(1_ms)), takt::cpu(1_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(npu{}, rule));
constexpr auto verdict = takt::analyze(board, tasks);
