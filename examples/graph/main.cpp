// SPDX-License-Identifier: Apache-2.0
// A vision graph whose kernels share one queue of blocks: its bound, the path that decides it, and a simulation.
#include <iostream>

#include <takt/simulation.hpp>
#include <takt/systems/explain.hpp>
#include <takt/systems/graphs.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto graphs = takt::graph_set(
    takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms), takt::writes("frame")),
                takt::node("filter", takt::kernel(takt::grid(96, 256), takt::block_length(1_ms)), takt::reads("frame"),
                           takt::writes("edges")),
                takt::node("people", takt::cpu(6_ms), takt::reads("edges"), takt::writes("boxes")),
                takt::node("lanes", takt::cpu(4_ms), takt::reads("edges"), takt::writes("curves")),
                takt::node("merge", takt::cpu(3_ms), takt::reads("boxes"), takt::reads("curves"))));
constexpr auto board = takt::platform(
    takt::pool(takt::processors(4), takt::g_fl),
    takt::pool(takt::block_slots(16, 2048, 32), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));

constexpr auto verdict = takt::analyze(board, graphs, takt::graph_methods);
static_assert(verdict.end_to_end(0) <= 33_ms);

auto main() -> int {
  takt::explain(std::cout, board, graphs, verdict);
  const auto seen = takt::simulate(board, graphs, verdict.plan, {.horizon = 10_s});
  std::cout << '\n';
  takt::explain(std::cout, board, graphs, verdict, seen);
  return seen.tasks[0].worst_response <= verdict.tasks[0].bound.value ? 0 : 1;
}
