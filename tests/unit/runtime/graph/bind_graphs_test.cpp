// SPDX-License-Identifier: Apache-2.0
// Code is bound by the names of graphs and nodes.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include <takt/allocation/analyze.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/runtime/graph/bind_graphs.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/systems/methods.hpp>

using namespace takt::literals;

namespace {

namespace rt = takt::runtime;
using rt::graph_job;
using takt::detail::find_in_graphs;

constexpr auto board =
    takt::platform(takt::pool(takt::processors(2), takt::g_edf), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
constexpr auto graphs = takt::graph_set(
    takt::graph(
        "vision", takt::period(20_ms), takt::node("resize", takt::cpu(40_us)),
        takt::node("detect", takt::copy(10_us),
                   takt::kernel(takt::grid(4, 256), takt::block_length(50_us), takt::launch(10_us), takt::await(10_us)),
                   takt::copy(20_us), takt::cpu(30_us)),
        takt::edge("resize", "detect")),
    takt::graph("sound", takt::period(40_ms), takt::node("resize", takt::cpu(50_us))));

/// Left to the system, so that a test does as little as possible to the machine it runs on.
auto quietly(std::int64_t invocations) -> rt::graph_run_options {
  rt::graph_run_options o;
  o.length = 3600_s;
  o.invocations = invocations;
  o.real_time = o.pin_to_cores = o.lock_memory = false;
  return o;
}

}  // namespace

TEST_CASE("a node is found by its graph and its name, and a segment of it by its kind and number") {
  static_assert(find_in_graphs<graphs>("vision", "resize", "").owner == 0);
  static_assert(find_in_graphs<graphs>("sound", "resize", "").owner == 2);
  static_assert(find_in_graphs<graphs>("sound", "resize", "cpu").owner == 2);
  static_assert(find_in_graphs<graphs>("vision", "detect", "copy").segment == 0);
  static_assert(find_in_graphs<graphs>("vision", "detect", "kernel").segment == 1);
  static_assert(find_in_graphs<graphs>("vision", "detect", "launch").part == takt::node_part::launch);
  static_assert(find_in_graphs<graphs>("vision", "detect", "await").part == takt::node_part::await);
  static_assert(find_in_graphs<graphs>("vision", "detect", "copy 2").segment == 2);
  static_assert(find_in_graphs<graphs>("vision", "detect", "cpu").segment == 3);
  static_assert(find_in_graphs<graphs>("vision", "detect", "").found == 4);
  static_assert(find_in_graphs<graphs>("vision", "detect", "cpu 2").found == 0);
  static_assert(find_in_graphs<graphs>("vision", "detect", "launch 2").found == 0);
  static_assert(find_in_graphs<graphs>("vision", "resize", "launch").found == 0);
  static_assert(find_in_graphs<graphs>("vision", "colour", "").found == 0);
  static_assert(find_in_graphs<graphs>("radar", "resize", "").found == 0);
}

TEST_CASE("bound code of graphs runs in place of its segments, once per job, and that of a kernel once per block") {
  std::atomic<std::int64_t> resized{0};
  std::atomic<std::int64_t> heard{0};
  std::atomic<std::int64_t> sent{0};
  std::atomic<std::int64_t> blocks{0};
  std::atomic<std::int64_t> launched{0};
  std::atomic<std::int64_t> begun{0};
  std::atomic<std::int64_t> over{0};
  const auto count = [](std::atomic<std::int64_t>& calls) { return [&calls](const graph_job& /*job*/) { ++calls; }; };
  const auto code = takt::codes<graphs>(
      takt::bind<"vision", "resize">(count(resized)), takt::bind<"sound", "resize">(count(heard)),
      takt::bind<"vision", "detect", "copy 2">(count(sent)), takt::bind<"vision", "detect", "launch">(count(launched)),
      takt::bind<"vision", "detect", "kernel">(
          [&](const graph_job& /*job*/, std::int64_t block) { blocks += block + 1; }),
      takt::bind_input<"vision">(count(begun)), takt::bind_output<"sound">(count(over)));
  CHECK(code.jobs().size() == 3);
  CHECK(code.copies().size() == 1);
  CHECK(code.blocks().size() == 1);
  CHECK(code.inputs().size() == 1);
  CHECK(code.outputs().size() == 1);
  const auto plan = takt::analysis::analyze_by<takt::published>(board, graphs).plan;
  const auto seen = rt::run(board, graphs, plan, quietly(3), code);
  REQUIRE(seen.status() != takt::observation_status::wrong_binding);
  REQUIRE(seen.tasks.size() == 2);
  CHECK(seen.tasks[0].completed == 3);
  CHECK(resized == 3);
  CHECK(launched == 3);
  CHECK(sent == 3);
  CHECK(blocks == 3 * (1 + 2 + 3 + 4));
  CHECK(begun == 3);
  CHECK(heard == 3);
  CHECK(over == 3);
}
