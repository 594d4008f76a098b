// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/systems/rtgpu.hpp>
#include <takt/takt.hpp>

/// Twenty tasks of a driving computer with a 40-SM GPU: perception on the GPU, planning and control on two cores.
namespace twenty_tasks {

using namespace takt::literals;

constexpr auto kernel(takt::duration work) {
  return takt::kernel(takt::work(work, work * 2), takt::overhead(20_us), takt::interleave(9, 5));
}
constexpr auto load(takt::duration time) { return takt::copy(time, time * 2, takt::to_device); }
constexpr auto store(takt::duration time) { return takt::copy(time, time * 2, takt::to_host); }
constexpr auto compute(takt::duration time) { return takt::cpu(time, time * 2); }

inline constexpr auto board =
    takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                   takt::pool(takt::copy_engines(2), takt::nonpreemptive(takt::fixed_priority)),
                   takt::pool(takt::virtual_sms(40, 2), takt::federated));

inline constexpr auto tasks = takt::task_set(
    takt::task("brake", takt::period(5_ms), takt::deadline(4_ms), compute(100_us)),
    takt::task("steer", takt::period(10_ms), takt::deadline(8_ms), takt::on_core(1), compute(200_us)),
    takt::task("can-bus", takt::period(10_ms), compute(150_us)),
    takt::task("radar", takt::period(20_ms), takt::deadline(18_ms), compute(100_us), load(60_us), kernel(4_ms),
               store(30_us), compute(100_us)),
    takt::task("stereo", takt::period(33_ms), takt::deadline(30_ms), takt::on_core(1), compute(200_us), load(200_us),
               kernel(12_ms), store(100_us), compute(150_us)),
    takt::task("camera-front", takt::period(33_ms), compute(150_us), load(150_us), kernel(10_ms), store(50_us),
               compute(100_us)),
    takt::task("camera-rear", takt::period(33_ms), takt::on_core(1), compute(150_us), load(150_us), kernel(10_ms),
               store(50_us), compute(100_us)),
    takt::task("camera-left", takt::period(40_ms), compute(150_us), load(150_us), kernel(8_ms), store(50_us),
               compute(100_us)),
    takt::task("camera-right", takt::period(40_ms), takt::on_core(1), compute(150_us), load(150_us), kernel(8_ms),
               store(50_us), compute(100_us)),
    takt::task("lidar", takt::period(50_ms), takt::deadline(45_ms), compute(300_us), load(200_us), kernel(6_ms),
               store(100_us), compute(200_us), load(100_us), kernel(4_ms), store(50_us), compute(200_us)),
    takt::task("odometry", takt::period(50_ms), takt::on_core(1), compute(400_us)),
    takt::task("lanes", takt::period(66_ms), compute(200_us), load(100_us), kernel(9_ms), compute(200_us)),
    takt::task("signs", takt::period(66_ms), takt::on_core(1), compute(200_us), load(100_us), kernel(9_ms),
               compute(200_us)),
    takt::task("fusion", takt::period(66_ms), compute(300_us), kernel(5_ms), compute(300_us)),
    takt::task("tracking", takt::period(100_ms), takt::on_core(1), compute(300_us), load(100_us), kernel(6_ms),
               store(50_us), compute(200_us), load(80_us), kernel(5_ms), store(50_us), compute(200_us)),
    takt::task("planner", takt::period(100_ms), takt::deadline(90_ms), compute(900_us)),
    takt::task("pedestrians", takt::period(100_ms), takt::on_core(1), compute(200_us), load(150_us), kernel(20_ms),
               store(50_us), compute(200_us)),
    takt::task("map", takt::period(200_ms), compute(500_us), load(300_us), kernel(15_ms), store(200_us),
               compute(500_us)),
    takt::task("driver-watch", takt::period(200_ms), takt::on_core(1), compute(300_us), load(100_us), kernel(12_ms),
               compute(200_us)),
    takt::task("log", takt::period(500_ms), takt::on_core(1), compute(1_ms)));

}  // namespace twenty_tasks
