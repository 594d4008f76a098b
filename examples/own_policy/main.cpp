// SPDX-License-Identifier: Apache-2.0
// A way of sharing the GPU of one's own beside published ones: kernels queue first come, first served. A name and a
// pool make it one; the comparison does the rest, here at compile time.
#include <cstdint>
#include <iostream>
#include <string_view>

#include <takt/compare.hpp>
#include <takt/report/comparison_report.hpp>
#include <takt/systems/policies.hpp>

using namespace takt::literals;

struct kernel_queue {
  static constexpr std::string_view name = "kernel-queue";
  template <takt::RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const takt::gpu_hardware& gpu, const CpuRule& /*rule*/) {
    return takt::pool(takt::sms_of(gpu), takt::fifo);
  }
  [[nodiscard]] static constexpr auto kernels_at_once() noexcept -> std::int32_t { return 1; }
};

constexpr auto tasks =
    takt::task_set(takt::task("camera", takt::period(33_ms), takt::on_core(0), takt::cpu(4_ms), takt::copy(500_us),
                              takt::kernel(takt::work(20_ms), takt::wcet(5_ms)), takt::cpu(1_ms)),
                   takt::task("lidar", takt::period(50_ms), takt::on_core(1), takt::cpu(3_ms), takt::copy(800_us),
                              takt::kernel(takt::work(30_ms), takt::wcet(9_ms)), takt::cpu(2_ms)));

// Of this board the switch between contexts is known, and the threads that an SM holds are not.
constexpr auto board = [] {
  takt::hardware out{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  out.gpus.unchecked_push_back({.sms = 8, .context_switch = 250'000, .switch_is_known = true});
  return out;
}();

constexpr auto table = takt::compare<takt::published_judges>(
    tasks, board,
    takt::policies(takt::time_sliced_policy{}, takt::federated_policy{}, takt::whole_gpu_policy{},
                   takt::fifo_blocks_policy{}, kernel_queue{}),
    takt::cpu_rules(takt::fixed_priority, takt::edf));
static_assert(table.schedulable());
static_assert(table.under("kernel-queue")->schedulable());
auto main() -> int {
  takt::explain(std::cout, board, tasks, table);
  return table.best().schedulable() ? 0 : 1;
}
