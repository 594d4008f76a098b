// EXPECT: takt: shares\(applications\) sizes what kernels hold of a GPU that is granted by per cent
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto row = takt::scaling_wcet(4_ms, 200);
constexpr auto kernels =
    takt::application_set(takt::application("see", takt::period(20_ms), takt::deadline(10_ms), row));
constexpr auto tasks =
    takt::task_set(takt::task("see", takt::period(20_ms), takt::cpu(1_ms), takt::kernel(row), takt::cpu(1_ms)));
#ifdef TAKT_FIXED
constexpr auto gpu = takt::gpu_shares();
#else
constexpr auto gpu = takt::virtual_sms(8, 1);
#endif
constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(gpu, takt::shares(kernels)));
constexpr auto verdict = takt::analyze(board, tasks);
