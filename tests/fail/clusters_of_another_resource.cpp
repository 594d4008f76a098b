// EXPECT: takt: clusters are of processors, and a pool of this resource
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

struct npu {
  std::int32_t count = 2;
};
constexpr auto tasks =
    takt::task_set(takt::task("t", takt::period(20_ms), takt::cpu(1_ms), takt::visit<npu>(takt::takes(2_ms))));
constexpr auto cores = takt::pool(takt::processors(4), takt::clustered(takt::edf, 2));
#ifdef TAKT_FIXED
constexpr auto board = takt::platform(cores, takt::pool(npu{}, takt::nonpreemptive(takt::edf)));
#else
constexpr auto board = takt::platform(cores, takt::pool(npu{}, takt::clustered(takt::nonpreemptive(takt::edf), 1)));
#endif
constexpr auto verdict = takt::analyze(board, tasks);
