// SPDX-License-Identifier: Apache-2.0
// A comparison of policies by the compiler.
#include <takt/compare.hpp>
#include <takt/systems/policies.hpp>

namespace {

using namespace takt::literals;

constexpr auto tasks = takt::task_set(
    takt::task("detect", takt::period(60_ms), takt::cpu(1_ms, 2_ms), takt::copy(500_us),
               takt::kernel(takt::work(24_ms), takt::interleave(1), takt::wcet(4_ms), takt::preemption_cost(300_us)),
               takt::copy(200_us), takt::cpu(1_ms)),
    takt::task("track", takt::period(40_ms), takt::cpu(1_ms), takt::copy(300_us),
               takt::kernel(takt::work(8_ms), takt::interleave(1), takt::wcet(1_ms)), takt::copy(100_us),
               takt::cpu(500_us)));

constexpr auto board = [] {
  takt::hardware out{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  out.gpus.unchecked_push_back({.sms = 8, .virtual_per_sm = 2, .context_switch = 250'000, .switch_is_known = true});
  return out;
}();

constexpr auto table = takt::compare<takt::published_judges>(
    tasks, board,
    takt::policies(takt::federated_policy{}, takt::time_sliced_policy{}, takt::tokens_k_fmlp_policy{},
                   takt::busy_waiting_policy{}, takt::fifo_blocks_policy{}));

static_assert(table.lines.size() == 5);
static_assert(table.schedulable() && table.best().schedulable());
static_assert(table.best().slack() >= table.under("time-sliced")->slack());
static_assert(table.under("time-sliced")->schedulable(), "what the board does anyway would do");
static_assert(table.under("tokens-k-fmlp")->parameter > 0, "a number of tokens was chosen");
static_assert(!table.under("fifo-blocks")->judged);
static_assert(table.under("fifo-blocks")->missing[0].fact == "threads_per_sm", "and what keeps one from being judged");

}  // namespace
