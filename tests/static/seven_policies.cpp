// SPDX-License-Identifier: Apache-2.0
// One set of tasks under seven policies: nothing changes but the platform.
#include <takt/takt.hpp>

#include <takt/rules/policies/published.hpp>
#include <takt/systems/methods.hpp>

namespace {

using namespace takt::literals;

constexpr auto detect = takt::kernel(takt::work(12_ms), takt::interleave(9, 5), takt::wcet(4_ms),
                                     takt::preemption_cost(300_us), takt::grid(64, 256), takt::block_length(200_us),
                                     takt::wcet_by_share(takt::wcet_row::scaling(4'000'000, 200)));
constexpr auto track = takt::kernel(takt::work(3_ms), takt::interleave(1), takt::wcet(1_ms),
                                    takt::preemption_cost(100_us), takt::grid(16, 128), takt::block_length(100_us),
                                    takt::wcet_by_share(takt::wcet_row::scaling(1'000'000, 300)));
constexpr auto tasks = takt::task_set(takt::task("detect", takt::period(60_ms), takt::on_core(0), takt::cpu(1_ms, 2_ms),
                                                 takt::copy(500_us), detect, takt::copy(200_us), takt::cpu(1_ms)),
                                      takt::task("track", takt::period(40_ms), takt::on_core(1), takt::cpu(1_ms),
                                                 takt::copy(300_us), track, takt::copy(100_us), takt::cpu(500_us)),
                                      takt::task("control", takt::period(20_ms), takt::on_core(0), takt::cpu(1_ms)));

constexpr auto hardware = [] {
  takt::hardware out{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  out.gpus.unchecked_push_back({.sms = 8,
                                .virtual_per_sm = 2,
                                .threads_per_sm = 1024,
                                .blocks_per_sm = 16,
                                .preemption_levels = 2,
                                .context_switch = 250'000,
                                .switch_is_known = true});
  return out;
}();

template <class Policy>
constexpr auto verdict_under =
    takt::analyze(takt::board_of(Policy{}, hardware, takt::fixed_priority), tasks, takt::published_methods);

static_assert(verdict_under<takt::federated_policy>.schedulable());
static_assert(verdict_under<takt::whole_gpu_policy>.schedulable());
static_assert(verdict_under<takt::time_sliced_policy>.schedulable());
static_assert(verdict_under<takt::fifo_blocks_policy>.schedulable());
static_assert(verdict_under<takt::tokens_k_fmlp_policy>.schedulable());
static_assert(verdict_under<takt::levels_policy>.schedulable());
static_assert(verdict_under<takt::shares_policy>.schedulable());

}  // namespace
