// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <takt/runtime/emulated_accelerator.hpp>
#include <takt/runtime/accelerator/run_accelerator.hpp>
#include <takt/takt.hpp>

#include "fixtures.hpp"

namespace {

using namespace takt::literals;
using takt::observation_status;
using takt::runtime::emulated_accelerator;
using takt_test::recording;

constexpr auto tasks =
    takt::task_set(takt::task("t1", takt::period(40_ms),
                              takt::kernel(takt::wcet(3_ms), takt::preemption_cost(500_us), takt::on_sm(0))),
                   takt::task("t2", takt::period(60_ms),
                              takt::kernel(takt::wcet(5_ms), takt::preemption_cost(500_us), takt::on_sm(1))),
                   takt::task("t3", takt::period(48_ms), takt::kernel(takt::wcet(4_ms), takt::preemption_cost(1_ms))));

template <class Rule>
constexpr auto board(const Rule& rule, std::int32_t cores = 2, std::int32_t levels = 2) {
  return takt::platform(takt::pool(takt::accelerator(cores, levels), rule));
}

auto options(takt::duration length) -> takt::runtime::run_options {
  takt::runtime::run_options o;
  o.length = length;
  o.lock_memory = false;
  return o;
}

template <class Rule>
void check_run(const Rule& rule) {
  const auto platform = board(rule);
  emulated_accelerator device{platform.accelerator()};
  auto o = options(120_ms);
  o.expected = takt::runtime::expect(takt::analyze(platform, tasks));
  recording trace;
  const auto result = takt::runtime::run(platform, tasks, takt::plan<1>{}, device, o, trace);
  CHECK(result.ended == observation_status::no_miss);
  CHECK_FALSE(result.error);
  REQUIRE(result.tasks.size() == 3);
  constexpr std::array<std::uint64_t, 3> released{3, 2, 3};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto& t = result.tasks[i];
    CAPTURE(t.name);
    CHECK(t.completed + t.unfinished == released[i]);
    CHECK(t.has_bound == o.expected[i].response.exists);
    CHECK((t.has_bound || takt::analysis::GangScheduled<Rule>));
    CHECK(trace.count(takt::mark_kind::release, i) == released[i]);
    CHECK(trace.count(takt::mark_kind::completion, i) == t.completed);
    CHECK(trace.count(takt::mark_kind::miss, i) == t.misses);
    if (t.within_bound) {
      CHECK((!t.has_bound || t.worst_response <= t.bound));
    } else {
      CHECK((t.worst_response > t.bound || t.unfinished > 0));
    }
  }
  for (const takt::slice& s : trace.slices) {
    CHECK(s.where.where == takt::stage::kernel);
    CHECK(s.where.index < 2);
  }
  CHECK(std::ranges::any_of(result.notes, [](const std::string& n) { return n == "device: emulated accelerator"; }));
}

}  // namespace

TEST_CASE("AP-07 AP-35 one task set runs under the rule of the pool, whichever that is") {
  check_run(takt::nonpreemptive(takt::edf));
  check_run(takt::nonpreemptive(takt::deadline_monotonic));
  check_run(takt::levels(takt::edf));
  check_run(takt::levels(takt::rate_monotonic));
  check_run(takt::gang(takt::edf));
  check_run(takt::gang(takt::deadline_monotonic, takt::strict));
  check_run(takt::slots(takt::edf, takt::pinned_slot(0_ms, 6_ms), takt::gang_slot(6_ms, 6_ms), takt::period(12_ms)));
  check_run(takt::slots(takt::deadline_monotonic, takt::pinned_slot(0_ms, 6_ms), takt::gang_slot(6_ms, 6_ms),
                        takt::period(12_ms)));
}

TEST_CASE("a run on an accelerator calls bound kernels, block by block, and tells its hooks") {
  constexpr auto platform = board(takt::gang(takt::edf));
  emulated_accelerator device{platform.accelerator()};
  std::array<std::atomic<std::uint64_t>, 5> runs{};
  const takt::runtime::kernel_bindings<emulated_accelerator> bound{
      {2, {5, [&runs](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; }}}};
  std::array<std::uint64_t, 3> completions{};
  takt::runtime::accelerator_hooks hooks;
  hooks.on_completion = [&completions](const takt::runtime::job_event& e) { ++completions[e.task]; };
  takt::no_trace nothing;
  const auto result =
      takt::runtime::run(platform, tasks, takt::plan<1>{}, device, options(100_ms), nothing, bound, hooks);
  for (std::size_t i = 0; i < 3; ++i) { CHECK(completions[i] == result.tasks[i].completed); }
  for (const auto& n : runs) {
    CHECK(n >= result.tasks[2].completed);
    CHECK(n <= result.tasks[2].completed + result.tasks[2].unfinished);
  }
}

TEST_CASE("a run on an accelerator refuses what cannot run, with the reason") {
  emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  const auto run_on = [&](const auto& platform, const auto& set) {
    return takt::runtime::run(platform, set, takt::plan<1>{}, device, options(10_ms));
  };
  CHECK(run_on(board(takt::gang(takt::edf), 3), tasks).status() == observation_status::wrong_device);
  CHECK(run_on(board(takt::levels(takt::edf), 2, 3), tasks).status() == observation_status::wrong_device);
  const auto outside = run_on(board(takt::gang(takt::edf), 1), tasks);
  CHECK(outside.status() == observation_status::invalid_model);
  CHECK(outside.error.fault == takt::model_fault::core_out_of_range);
  CHECK(outside.error.task == 1);
  CHECK(run_on(board(takt::gang(takt::edf), 513), tasks).error.fault == takt::model_fault::platform_size_out_of_range);
  takt::no_trace nothing;
  const takt::runtime::kernel_bindings<emulated_accelerator> bound{{3, takt::runtime::wave_kernel{1, 1}}};
  CHECK(takt::runtime::run(board(takt::gang(takt::edf)), tasks, takt::plan<1>{}, device, options(10_ms), nothing, bound)
            .status() == observation_status::wrong_binding);
  takt_test::manual_device broken;
  broken.opens = false;
  CHECK(takt::runtime::run(board(takt::gang(takt::edf)), tasks, takt::plan<1>{}, broken, options(10_ms)).status() ==
        observation_status::no_threads);
}

TEST_CASE("what is proven for a kernel is expected of it: its bound, or under EDF its deadline") {
  const auto by_rank = takt::runtime::expect(takt::analyze(board(takt::levels(takt::deadline_monotonic)), tasks));
  const auto by_deadline = takt::runtime::expect(takt::analyze(board(takt::levels(takt::edf)), tasks));
  REQUIRE(by_rank.size() == 3);
  REQUIRE(by_deadline.size() == 3);
  CHECK(by_rank[0].response.exists);
  CHECK(by_rank[0].response.value < (40_ms).count());
  CHECK(by_deadline[0].response.value == (40_ms).count());
  constexpr auto heavy = takt::task_set(takt::task("a", takt::period(10_ms), takt::kernel(takt::wcet(9_ms))),
                                        takt::task("b", takt::period(10_ms), takt::kernel(takt::wcet(9_ms))));
  for (const auto& e : takt::runtime::expect(takt::analyze(board(takt::levels(takt::edf)), heavy))) {
    CHECK_FALSE(e.response.exists);
  }
}

TEST_CASE("a run on an accelerator reports a response above its bound while it goes on") {
  auto o = options(100_ms);
  o.expected.resize(3);
  o.expected[1].response = {1, true};
  std::atomic<int> calls = 0;
  o.on_violation = [&calls](const takt::runtime::violation&) { ++calls; };
  emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  const auto result = takt::runtime::run(board(takt::levels(takt::edf)), tasks, takt::plan<1>{}, device, o);
  REQUIRE(result.first_violation.has_value());
  CHECK(result.first_violation->task == 1);
  CHECK(result.first_violation->job == 0);
  CHECK(result.first_violation->bound == 1);
  CHECK(calls == 1);
  CHECK(result.tasks[0].within_bound);
  CHECK_FALSE(result.tasks[1].within_bound);
}

TEST_CASE("a run on an accelerator ends when it is asked to, or at a violation where that is its order") {
  emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  std::atomic<bool> stop = true;
  auto o = options(100_s);
  o.stop = &stop;
  auto result = takt::runtime::run(board(takt::levels(takt::edf)), tasks, takt::plan<1>{}, device, o);
  REQUIRE_FALSE(result.error);
  CHECK(result.stopped);
  CHECK(result.end < (100_s).count());

  o = options(100_s);
  o.expected.resize(2);
  o.expected[1].response = {1, true};
  o.at_violation = takt::runtime::violation_handling::stop;
  takt::runtime::run_watch watch{3};
  o.watch = &watch;
  emulated_accelerator other{{.cores = 2, .preemption_levels = 2}};
  result = takt::runtime::run(board(takt::levels(takt::edf)), tasks, takt::plan<1>{}, other, o);
  CHECK(result.stopped);
  REQUIRE(result.first_violation.has_value());
  CHECK(result.first_violation->task == 1);
  CHECK(watch.row(1).violations >= 1);
  CHECK(watch.row(1).completed == result.tasks[1].completed);

  o.at_violation = takt::runtime::violation_handling::drop;
  CHECK(takt::runtime::run(board(takt::levels(takt::edf)), tasks, takt::plan<1>{}, other, o).error.fault ==
        takt::model_fault::violation_not_handled);
}

TEST_CASE("a run on an accelerator places kernels as its plan says, and refuses what it would not follow") {
  constexpr auto platform = board(takt::gang(takt::edf));
  emulated_accelerator device{platform.accelerator()};
  takt::plan<3> p;
  for (const std::int32_t core : {1, 0, takt::any_core}) { p.cores.push_back(core); }
  recording trace;
  const auto result = takt::runtime::run(platform, tasks, p, device, options(100_ms), trace);
  CHECK(result.tasks[0].completed >= 1);
  for (const takt::slice& s : trace.slices) {
    if (s.task < 2) { CHECK(s.where.index == (s.task == 0 ? 1 : 0)); }
  }
  CHECK(result.tasks[2].visit_count == 1);
  CHECK(result.visit_response(2, 0) == result.tasks[2].worst_response);

  p.percents.push_back(10);
  CHECK(takt::runtime::run(platform, tasks, p, device, options(10_ms)).error.fault ==
        takt::model_fault::plan_part_unused);
  p.percents.clear();
  p.cores[0] = 2;
  CHECK(takt::runtime::run(platform, tasks, p, device, options(10_ms)).error.fault ==
        takt::model_fault::core_out_of_range);
  p.cores[0] = 0;
  auto o = options(10_ms);
  o.expected.resize(1);
  o.expected[0].visits.resize(2);
  CHECK(takt::runtime::run(platform, tasks, p, device, o).status() == observation_status::wrong_binding);
}

TEST_CASE("a run on an accelerator says that it pins no task to a core") {
  emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  const auto result =
      takt::runtime::run(board(takt::levels(takt::edf)), tasks, takt::plan<1>{}, device, options(10_ms));
  CHECK_FALSE(result.granted.pinned);
  CHECK(std::ranges::any_of(result.notes, [](const std::string& n) { return n.starts_with("affinity: not pinned"); }));
}
