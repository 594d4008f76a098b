// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/model/graph/graph_table.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/runtime/graph/measured_times.hpp>
#include "support/traces.hpp"

namespace {

using graph = takt::graph_table<takt::ticks, 4, 4, 1>;

/// Two sources, of which one is a kernel with a launch and an await: refined, a source comes before them.
[[nodiscard]] auto two_nodes() -> graph {
  graph out;
  static_cast<void>(out.add_graph("g", 1'000'000));
  takt::graph_node<takt::ticks> cpu;
  cpu.name = "cpu";
  cpu.wcet = 7;
  static_cast<void>(out.add_node(cpu));
  takt::graph_node<takt::ticks> kernel;
  kernel.name = "kernel";
  kernel.kind = takt::node_kind::kernel;
  kernel.split = true;
  kernel.block_length = kernel.launch = kernel.await = 7;
  kernel.blocks = 3;
  kernel.block_threads = 64;
  static_cast<void>(out.add_node(kernel));
  return out;
}

constexpr std::uint32_t cpu_node = 1;
constexpr std::uint32_t launch_node = 2;
constexpr std::uint32_t kernel_node = 3;
constexpr std::uint32_t await_node = 4;

}  // namespace

TEST_CASE("times of nodes become percentiles of what was measured, of kernels those of single blocks" *
          takt_tests::traces("OVX-34")) {
  takt::runtime::node_times seen;
  // Executions of 1 to 100, in no order; blocks of 1000 to 1099; launches always of 5; no await was seen.
  for (takt::ticks i = 0; i < 100; ++i) {
    const takt::ticks mixed = i * 37 % 100;
    seen.record(takt::slice{.task = cpu_node, .start = i * 500, .end = i * 500 + mixed + 1});
    seen.record(takt::slice{.task = kernel_node, .start = i, .end = i + 1000 + mixed});
    if (i < 40) { seen.record(takt::slice{.task = launch_node, .start = i, .end = i + 5}); }
  }
  seen.record(takt::mark{takt::mark_kind::completion, cpu_node, 0, 1'000'000});
  graph table = two_nodes();
  const auto report = takt::runtime::set_measured(table, {}, seen, 990);
  CHECK(table.nodes[0].wcet == 99);
  CHECK(table.nodes[1].block_length == 1098);
  CHECK(table.nodes[1].launch == 5);
  CHECK(table.nodes[1].await == 7);
  CHECK(table.nodes[1].blocks == 3);
  CHECK(table.nodes[1].block_threads == 64);
  CHECK(report.per_mille == 990);
  CHECK(report.fewest_samples == 40);
  CHECK(report.unmeasured == 1);
  CHECK(seen.of(await_node).empty());

  // Between two measured times the longer one counts, down to the shortest and up to the longest.
  const std::vector<takt::ticks> ten{30, 10, 50, 20, 40, 60, 100, 90, 70, 80};
  using takt::runtime::percentile;
  CHECK(percentile(ten, 500) == 50);
  CHECK(percentile(ten, 501) == 60);
  CHECK(percentile(ten, 599) == 60);
  CHECK(percentile(ten, 600) == 60);
  CHECK(percentile(ten, 990) == 100);
  CHECK(percentile(ten, 1000) == 100);
  CHECK(percentile(ten, 1) == 10);
  CHECK(percentile(ten, 0) == 10);
  CHECK(percentile({}, 990) == 0);
  table = two_nodes();
  CHECK(takt::runtime::set_measured(table, {}, seen, 985).per_mille == 985);
  CHECK(table.nodes[0].wcet == 99);
  CHECK(table.nodes[1].block_length == 1098);
}

TEST_CASE("a percentile is one of the times, and 1000 thousandths are the longest") {
  CHECK(takt::runtime::percentile({}, 500) == 0);
  CHECK(takt::runtime::percentile({4}, 1) == 4);
  CHECK(takt::runtime::percentile({30, 10, 20, 40}, 500) == 20);
  CHECK(takt::runtime::percentile({30, 10, 20, 40}, 501) == 30);
  CHECK(takt::runtime::percentile({30, 10, 20, 40}, 999) == 40);
  CHECK(takt::runtime::percentile({30, 10, 20, 40}, 1000) == 40);
}
