// SPDX-License-Identifier: Apache-2.0
// A set that the compiler proves: a deadline that can be missed is a sentence of the compiler, and no program.
#include <iostream>

#include <takt/systems/explain.hpp>
#include <takt/systems/rtgpu.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto tasks = takt::task_set(
    takt::task("camera", takt::period(33_ms), takt::deadline(30_ms), takt::cpu(1_ms, 2_ms), takt::copy(400_us, 500_us),
               takt::kernel(takt::work(8_ms, 12_ms), takt::overhead(20_us), takt::interleave(9, 5)),
               takt::copy(150_us, 200_us), takt::cpu(500_us, 1_ms)),
    takt::task("control", takt::period(5_ms), takt::cpu(300_us, 700_us)));

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(10, 2), takt::federated));

constexpr auto verdict = takt::analyze(board, tasks, takt::rtgpu_methods);
static_assert(takt::require_schedulable<verdict>);
static_assert(verdict.end_to_end(0) <= 20_ms);  // sharper than the deadline, and proven as well

auto main() -> int { takt::explain(std::cout, board, tasks, verdict); }
