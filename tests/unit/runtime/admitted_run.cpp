// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/executor/admitted_run.hpp>

#include <atomic>
#include <cstdint>
#include <string_view>

#include <doctest/doctest.h>

#include <takt/allocation/admission.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/compare.hpp>
#include <takt/systems/policies.hpp>

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;

constexpr std::size_t most_visits = 12;
constexpr auto board = [] {
  takt::hardware out{.processors = 1, .copy_engines = 1, .gpus = {}, .own = {}};
  out.gpus.unchecked_push_back({.sms = 8, .virtual_per_sm = 2});
  return out;
}();

template <class Task>
[[nodiscard]] constexpr auto described(const Task& task) {
  return takt::to_runtime_tasks(takt::task_set(task)).tasks;
}
constexpr auto first = described(takt::task("first", takt::period(20_ms), takt::cpu(100_us)));
constexpr auto second = described(takt::task("second", takt::period(30_ms), takt::cpu(100_us)));
constexpr auto endless = described(takt::task("endless", takt::period(20_ms), takt::cpu(21_ms)));

[[nodiscard]] auto open_door() {
  return takt::admit<3, most_visits, takt::published_judges>(takt::federated_policy{}, takt::fixed_priority, board);
}
using live = rt::admitted_run<decltype(open_door())>;

constexpr auto board_of = [](const auto& judged) {
  takt::hardware all = board;
  return takt::any_board_of<most_visits>(judged.policy, all, takt::fixed_priority);
};
constexpr auto no_code = [](const auto& /*tasks*/) { return rt::visit_codes{}; };

[[nodiscard]] auto plain(takt::duration length) -> rt::run_options {
  rt::run_options out;
  out.length = length;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}

}  // namespace

TEST_CASE("a task that joins a running set runs from the next instant at which no job is under way") {
  live tasks{open_door()};
  REQUIRE(tasks.join(first).granted);
  std::atomic<bool> stop = false;
  auto options = plain(100_s);
  options.stop = &stop;
  // The first task asks for the second one, which ends the run.
  const auto codes = [&](const auto& all) {
    rt::visit_codes out;
    out.cpu(0, 0, [&tasks](std::uint64_t job) {
      if (job == 2) { (void)tasks.join(second); }
    });
    if (all.size() > 1) {
      out.cpu(1, 0, [&stop](std::uint64_t job) { stop = stop || job == 1; });
    }
    return out;
  };
  const auto rounds = tasks.run(options, board_of, codes);
  REQUIRE(rounds.size() == 2);
  CHECK(rounds[0].tasks.size() == 1);
  CHECK(rounds[0].seen.stopped);
  CHECK(rounds[0].seen.tasks[0].unfinished == 0);
  CHECK(rounds[0].seen.tasks[0].completed >= 3);
  REQUIRE(rounds[1].tasks.size() == 2);
  CHECK(rounds[1].seen.tasks[1].name == "second");
  CHECK(rounds[1].seen.tasks[1].has_bound);
  CHECK(rounds[1].seen.tasks[1].completed >= 1);
}

TEST_CASE("who is not let in does not disturb the run") {
  live tasks{open_door()};
  REQUIRE(tasks.join(first).granted);
  bool granted = true;
  const auto codes = [&](const auto& /*all*/) {
    rt::visit_codes out;
    out.cpu(0, 0, [&](std::uint64_t job) {
      if (job == 1) { granted = tasks.join(endless).granted; }
    });
    return out;
  };
  const auto rounds = tasks.run(plain(100_ms), board_of, codes);
  CHECK_FALSE(granted);
  CHECK(rounds.size() == 1);
}

TEST_CASE("when the last task has left the run waits for its end, or for somebody") {
  live tasks{open_door()};
  REQUIRE(tasks.join(first).granted);
  const auto codes = [&](const auto& /*all*/) {
    rt::visit_codes out;
    out.cpu(0, 0, [&](std::uint64_t job) {
      if (job == 1) { (void)tasks.leave("first"); }
    });
    return out;
  };
  const auto rounds = tasks.run(plain(200_ms), board_of, codes);
  REQUIRE(rounds.size() == 1);
  CHECK(rounds[0].seen.stopped);
  CHECK(rounds[0].seen.tasks[0].completed >= 2);
  CHECK(tasks.run(plain(30_ms), board_of, no_code).empty());
}

TEST_CASE("expectations by position are refused where positions change") {
  live tasks{open_door()};
  auto options = plain(10_ms);
  options.expected.resize(1);
  const auto rounds = tasks.run(options, board_of, no_code);
  REQUIRE(rounds.size() == 1);
  CHECK(rounds[0].seen.status() == takt::observation_status::wrong_binding);
}
