// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <chrono>

using namespace std::chrono_literals;

namespace {

constexpr auto tasks =
    takt::task_set(takt::task("camera", takt::period(33ms), takt::cpu(1ms, 2ms), takt::copy(400us, 500us),
                              takt::kernel(takt::work(8ms, 12ms), takt::overhead(20us), takt::interleave(9, 5)),
                              takt::copy(150us, 200us), takt::cpu(500us, 1ms)),
                   takt::task("planner", takt::period(15ms), takt::deadline(12ms), takt::cpu(2ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(10, 2), takt::federated));
constexpr auto plan = takt::allocate(board, tasks);
constexpr auto verdict = takt::analyze(board, tasks, plan);
static_assert(takt::require_schedulable<verdict>);

}  // namespace

auto main() -> int { return verdict.schedulable() ? 0 : 1; }
