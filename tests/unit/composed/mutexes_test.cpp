// SPDX-License-Identifier: Apache-2.0
// Mutexes of tasks beside devices, as typed tasks and as a table.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include <takt/analysis/any_stations.hpp>
#include <takt/checking.hpp>
#include <takt/compose.hpp>
#include <takt/simulation.hpp>

namespace {

using namespace takt::literals;

struct queue_mutex {};
struct log_mutex {};

constexpr auto cores = takt::pool(takt::processors(2), takt::fixed_priority);
constexpr auto engine = takt::pool(takt::copy_engines(1), takt::fifo);
constexpr auto sms = takt::pool(takt::virtual_sms(4, 2), takt::locked(takt::k_fmlp_order, 1));
constexpr auto queue = takt::pool(queue_mutex{}, takt::locked(takt::priority_inheritance_order));
constexpr auto log_of = takt::pool(log_mutex{}, takt::locked(takt::priority_ceiling_order));
constexpr auto board = takt::platform(cores, engine, sms, queue, log_of);

constexpr auto tasks = takt::task_set(
    takt::task("control", takt::period(10_ms), takt::cpu(500_us, 1_ms), takt::locks<queue_mutex>(takt::cpu(500_us)),
               takt::copy(1_ms), takt::kernel(takt::work(2_ms)), takt::cpu(1_ms)),
    takt::task("plan", takt::period(30_ms), takt::cpu(1_ms), takt::copy(1_ms), takt::cpu(2_ms)),
    takt::task("log", takt::period(60_ms), takt::locks<log_mutex>(takt::cpu(1_ms), takt::cpu(1_ms)), takt::cpu(2_ms),
               takt::locks<queue_mutex>(takt::cpu(700_us)), takt::cpu(1_ms)),
    takt::task("ship", takt::period(80_ms), takt::kernel(takt::work(4_ms)), takt::locks<log_mutex>(takt::cpu(300_us)),
               takt::cpu(2_ms)));
constexpr auto verdict = takt::analyze(board, tasks);

}  // namespace

TEST_CASE("a set with mutexes is proven and simulated in constant expressions") {
  static_assert(verdict.schedulable() && verdict.method == "holistic");
  static_assert(verdict.tasks[0].blocking > 0);
  constexpr auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 60_ms});
  static_assert(!seen.error && seen.misses() == 0 && seen.tasks[0].completed == 6);
  CHECK(verdict.tasks[0].bound.value > 0);
}

TEST_CASE("nodes of graphs lock mutexes beside kernels of a block queue") {
  constexpr auto fusion = takt::graph_set(
      takt::graph("fusion", takt::period(20_ms), takt::on_cluster(0),
                  takt::node("read", takt::cpu(1_ms), takt::locks<queue_mutex>(takt::cpu(500_us)), takt::copy(1_ms)),
                  takt::node("fuse", takt::kernel(takt::grid(4, 128), takt::block_length(1_ms), takt::launch(100_us),
                                                  takt::await(100_us))),
                  takt::node("log", takt::locks<log_mutex>(takt::cpu(1_ms), takt::cpu(500_us))),
                  takt::edge("read", "fuse"), takt::edge("fuse", "log")),
      takt::graph("monitor", takt::period(50_ms), takt::on_cluster(0),
                  takt::node("watch", takt::cpu(2_ms), takt::locks<queue_mutex>(takt::cpu(800_us))),
                  takt::node("save", takt::locks<log_mutex>(takt::cpu(1_ms))), takt::edge("watch", "save")));
  static constexpr auto blocks = takt::platform(
      cores, engine, takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::unguarded)),
      queue, log_of);
  constexpr auto proven = takt::analyze(blocks, fusion);
  static_assert(proven.schedulable() && proven.tasks[0].blocking > 0);
  const auto seen = takt::simulate(blocks, fusion, proven.plan, {.horizon = 2_s, .releases = takt::release_pattern::sporadic});
  REQUIRE(!seen.error);
  CHECK(seen.misses() == 0);
  constexpr auto flat = takt::flatten(blocks, fusion, takt::plan<2, 27>{});
  static_assert(!flat.error && flat.table.sections.size() == 4);
  static_assert(flat.table.sections[0].visits == 0b10 && flat.table.sections[1].visits == 0b11000000);
}
