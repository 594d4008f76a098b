// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>

#include <takt/runtime.hpp>
#include <takt/runtime/run_watch.hpp>

namespace {

using namespace takt::literals;

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(2, 2), takt::federated));

constexpr auto tasks =
    takt::task_set(takt::task("easy", takt::period(20_ms), takt::cpu(100_us, 100_us)),
                   takt::task("hard", takt::period(30_ms), takt::cpu(100_us, 200_us), takt::copy(300_us, 400_us),
                              takt::kernel(takt::work(1_ms, 2_ms), takt::interleave(1)), takt::cpu(100_us, 200_us)));

constexpr takt::response_bound<takt::ticks> impossible{1, true};
constexpr takt::response_bound<takt::ticks> certain{3'600'000'000'000, true};

}  // namespace

TEST_CASE("the monitor reports a response above its bound, with segment and time, and leaves others alone") {
  takt::runtime::run_options options;
  options.length = 100_ms;
  options.expected = {{.response = certain, .visits = {}}, {.response = impossible, .visits = {}}};
  std::atomic<int> calls = 0;
  options.on_violation = [&calls](const takt::runtime::violation&) { ++calls; };
  takt::runtime::emulated_device device{board.record()};
  const auto result = takt::runtime::run(board, tasks, takt::dedicate(0, 1), device, options);
  CHECK(result.tasks[0].within_bound);
  CHECK(result.tasks[0].has_bound);
  CHECK(result.tasks[0].bound == certain.value);
  CHECK_FALSE(result.tasks[1].within_bound);
  CHECK(result.status() != takt::observation_status::no_miss);
  REQUIRE(result.first_violation.has_value());
  CHECK(result.first_violation->task == 1);
  CHECK(result.first_violation->visit == 0);
  CHECK(result.first_violation->job == 0);
  CHECK_FALSE(result.first_violation->of_visit);
  CHECK(result.first_violation->bound == 1);
  CHECK(result.first_violation->observed > 1);
  CHECK(result.first_violation->time > 0);
  CHECK(calls == 1);
}

TEST_CASE("the monitor reports the segment whose own bound is exceeded") {
  takt::runtime::run_options options;
  options.length = 100_ms;
  options.expected.resize(2);
  options.expected[1].visits = {certain, certain, impossible, certain};
  takt::runtime::emulated_device device{board.record()};
  const auto result = takt::runtime::run(board, tasks, takt::dedicate(0, 1), device, options);
  REQUIRE(result.first_violation.has_value());
  CHECK(result.first_violation->task == 1);
  CHECK(result.first_violation->visit == 2);
  CHECK(result.first_violation->of_visit);
}

TEST_CASE("the monitor counts a job that had no chance to complete") {
  takt::runtime::run_options options;
  options.length = 20_ms;
  options.expected = {{.response = impossible, .visits = {}}};
  constexpr auto endless = takt::task_set(takt::task("endless", takt::period(100_s), takt::cpu(50_s, 50_s)));
  takt::runtime::emulated_device device{board.record()};
  const auto result = takt::runtime::run(board, endless, takt::dedicate(0), device, options);
  CHECK(result.tasks[0].unfinished == 1);
  CHECK_FALSE(result.tasks[0].within_bound);
}

TEST_CASE("bounds of a verdict become expectations") {
  takt::verdict<takt::ticks, 2> proven;
  proven.tasks.unchecked_push_back({.name = "a", .deadline = 10, .bound = {7, true}, .evaluated = true, .meets = true});
  proven.tasks.unchecked_push_back({.name = "b"});
  const auto expected = takt::runtime::expect(proven);
  REQUIRE(expected.size() == 2);
  CHECK(expected[0].response.value == 7);
  CHECK(expected[0].response.exists);
  CHECK_FALSE(expected[1].response.exists);
  CHECK(expected[1].visits.empty());
}

TEST_CASE("bounds of visits become expectations of their task") {
  takt::verdict<takt::ticks, 2, 4> proven;
  proven.tasks.unchecked_push_back({.name = "a", .bound = {9, true}, .limited = false});
  proven.tasks.unchecked_push_back({.name = "b", .bound = {5, true}, .limited = false});
  for (const std::uint32_t task : {0U, 0U, 1U}) {
    proven.visits.unchecked_push_back({.name = "v", .task = task, .response = 2 + takt::ticks{task}});
  }
  const auto expected = takt::runtime::expect(proven);
  REQUIRE(expected[0].visits.size() == 2);
  REQUIRE(expected[1].visits.size() == 1);
  CHECK(expected[1].visits[0].value == 3);
}

TEST_CASE("expectations of tasks or segments that there are not are refused") {
  takt::runtime::emulated_device device{board.record()};
  takt::runtime::run_options options;
  options.length = 20_ms;
  options.expected.resize(3);
  CHECK(takt::runtime::run(board, tasks, takt::dedicate(0, 1), device, options).status() ==
        takt::observation_status::wrong_binding);
  options.expected.resize(1);
  options.expected[0].visits.resize(2);
  CHECK(takt::runtime::run(board, tasks, takt::dedicate(0, 1), device, options).status() ==
        takt::observation_status::wrong_binding);
}

TEST_CASE("a chain that is dropped does none of the segments after the late one, and counts as skipped") {
  takt::runtime::run_options options;
  options.length = 100_ms;
  options.expected = {{.response = certain, .visits = {}}, {.response = certain, .visits = {impossible}}};
  options.at_violation = takt::runtime::violation_handling::drop;
  takt::runtime::run_watch watch{2};
  options.watch = &watch;
  takt::runtime::emulated_device device{board.record()};
  takt::runtime::visit_codes code;
  std::atomic<int> last = 0;
  code.cpu(1, 3, [&last](std::uint64_t) { ++last; });
  const auto result = takt::runtime::run(board, tasks, takt::dedicate(0, 1), device, options, code);
  REQUIRE_FALSE(result.error);
  CHECK(last == 0);
  CHECK(result.tasks[1].completed == 0);
  CHECK(result.tasks[1].skipped > 0);
  CHECK(result.tasks[1].skipped + result.tasks[1].unfinished == result.tasks[1].released);
  CHECK(result.tasks[0].completed > 0);
  CHECK_FALSE(result.stopped);
  CHECK(watch.row(0).completed == result.tasks[0].completed);
  CHECK(watch.row(1).skipped == result.tasks[1].skipped);
  CHECK(watch.row(1).violations > 0);
}

TEST_CASE("a violation ends a run of chains that is to stop at one") {
  takt::runtime::run_options options;
  options.length = 100_s;
  options.expected = {{}, {.response = impossible, .visits = {}}};
  options.at_violation = takt::runtime::violation_handling::stop;
  takt::runtime::emulated_device device{board.record()};
  const auto result = takt::runtime::run(board, tasks, takt::dedicate(0, 1), device, options);
  CHECK(result.stopped);
  CHECK(result.end < (100_s).count());
  REQUIRE(result.first_violation.has_value());
  CHECK(result.first_violation->task == 1);
  CHECK(result.tasks[1].completed + result.tasks[1].unfinished == result.tasks[1].released);
}

TEST_CASE("a run of chains ends when it is asked to") {
  std::atomic<bool> stop = false;
  takt::runtime::run_options options;
  options.length = 100_s;
  options.stop = &stop;
  takt::runtime::emulated_device device{board.record()};
  takt::runtime::visit_codes code;
  code.cpu(0, 0, [&stop](std::uint64_t job) { stop = stop || job == 2; });
  const auto result = takt::runtime::run(board, tasks, takt::dedicate(0, 1), device, options, code);
  CHECK(result.stopped);
  CHECK(result.end < (100_s).count());
  CHECK(result.tasks[0].completed >= 2);

  options.stop = nullptr;
  options.stop_when_idle = &stop;
  const auto idle = takt::runtime::run(board, tasks, takt::dedicate(0, 1), device, options);
  CHECK(idle.stopped);
  CHECK(idle.tasks[0].unfinished + idle.tasks[1].unfinished == 0);
}
