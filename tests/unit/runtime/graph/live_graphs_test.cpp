// SPDX-License-Identifier: Apache-2.0
// Alone: it takes long to compile.
// A run of graphs while it goes on: it is watched, asked to stop, and ends at a violation.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>

#include <takt/allocation/analyze.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/runtime/run_watch.hpp>
#include <takt/systems/methods.hpp>

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::nonpreemptive(takt::g_edf)));
constexpr auto graphs = takt::graph_set(takt::graph("g", takt::period(10_ms), takt::node("a", takt::cpu(100_us)),
                                                    takt::node("b", takt::cpu(100_us)), takt::node("c"),
                                                    takt::edge("a", "b"), takt::edge("b", "c")));

[[nodiscard]] auto long_run() -> rt::graph_run_options {
  rt::graph_run_options out;
  out.length = 100_s;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}
[[nodiscard]] auto plan_of() { return takt::analyze(board, graphs, takt::published_methods).plan; }

}  // namespace

TEST_CASE("a run of graphs that is asked to stop delivers what was invoked, and no more") {
  std::atomic<bool> stop = false;
  auto options = long_run();
  options.stop = &stop;
  rt::run_watch watch{1};
  options.watch = &watch;
  rt::graph_code code;
  code.cpu(0, [&stop](const rt::graph_job& job) { stop = stop || job.number == 3; });
  const auto result = rt::run(board, graphs, plan_of(), options, code);
  REQUIRE_FALSE(result.error);
  CHECK(result.stopped);
  CHECK(result.tasks[0].released >= 4);
  CHECK(result.tasks[0].completed == result.tasks[0].released);
  CHECK(watch.row(0).completed == result.tasks[0].completed);
  CHECK(watch.row(0).worst_response == result.tasks[0].worst_response);
}

TEST_CASE("a violation ends a run of graphs that is to stop at one") {
  auto options = long_run();
  options.expected = {{.response = {1, true}, .visits = {}}};
  options.at_violation = rt::violation_handling::stop;
  const auto result = rt::run(board, graphs, plan_of(), options);
  CHECK(result.stopped);
  REQUIRE(result.first_violation.has_value());
  CHECK(result.tasks[0].completed == result.tasks[0].released);
}

TEST_CASE("a run of graphs refuses to drop jobs, and to look for an instant without any") {
  const std::atomic<bool> idle = false;
  auto options = long_run();
  options.at_violation = rt::violation_handling::drop;
  CHECK(rt::run(board, graphs, plan_of(), options).error.fault == takt::model_fault::violation_not_handled);
  options = long_run();
  options.stop_when_idle = &idle;
  CHECK(rt::run(board, graphs, plan_of(), options).error.fault == takt::model_fault::violation_not_handled);
}
