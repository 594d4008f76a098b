// SPDX-License-Identifier: Apache-2.0
// Alone: it takes long to compile.
// Whole kernels on the executor: every command to a device that the test plays itself, and runs on the emulated one.
#include <takt/kernels.hpp>
#include <takt/runtime/executor/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

#include "support/limited_wait.hpp"
#include "support/manual_device.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
namespace rt = takt::runtime;
using takt::kernel_id;
using takt::mark_kind;
using takt::observation_status;
using takt::ticks;
using takt::unassigned_core;
using takt_test::manual_device;
using takt_test::recording;
using command = takt::detail::accelerator_command;
using kind = takt::detail::accelerator_command_kind;

constexpr ticks ms = 1'000'000;
constexpr ticks hour = 3'600'000 * ms;

template <class Rule>
constexpr auto board(const Rule& rule, std::int32_t cores = 2, std::int32_t levels = 2) {
  return takt::platform(takt::pool(takt::accelerator(cores, levels), rule));
}
auto options(takt::duration length) -> rt::run_options {
  rt::run_options o;
  o.length = length;
  o.lock_memory = o.real_time = false;
  return o;
}
/// Jobs of the start come, and no others, and all of them end.
auto once() -> rt::run_options {
  rt::run_options o = options(takt::duration{1});
  o.drain = 60_s;
  return o;
}

using kernel_table = takt::task_rows<takt::accelerator_task<ticks>, 4>;
/// A kernel for all cores whose one job comes at the start.
auto kernel(ticks deadline, std::int32_t priority = takt::no_priority) -> takt::accelerator_task<ticks> {
  return {.name = "k",
          .wcet = ms,
          .period = hour,
          .deadline = deadline,
          .width = takt::kernel_width::all_cores,
          .priority = priority};
}
auto on_core(takt::accelerator_task<ticks> t, std::int32_t core) -> takt::accelerator_task<ticks> {
  t.width = takt::kernel_width::one_core;
  t.core = core;
  return t;
}
auto table_of(const std::vector<takt::accelerator_task<ticks>>& tasks) -> kernel_table {
  constexpr std::array<std::string_view, 4> names{"a", "b", "c", "d"};
  kernel_table out;
  for (takt::accelerator_task<ticks> t : tasks) {
    t.name = names[out.size()];
    REQUIRE(out.add(t));
  }
  return out;
}

/// A run on a device that the test plays.
template <class Device = manual_device>
struct played {
  Device device;
  rt::run_result result{};
  recording trace{};
  std::thread thread{};

  template <class Platform>
  void start(const Platform& platform, const kernel_table& tasks, const rt::run_options& o,
             const rt::visit_codes& codes = {}) {
    thread = std::thread{[=, this] {
      rt::board_devices devices;
      devices.kernels(0, device);
      result = rt::run(platform, tasks, takt::plan<4>{}, devices, o, trace, codes);
    }};
  }
  /// Launches end as soon as they are made, until the run is over.
  void end_all(const std::atomic<bool>& over) {
    while (!over) {
      if (device.left() > 0) { device.end(device.next().kernel); }
      std::this_thread::yield();
    }
  }
};

auto submitted(kernel_id k, std::int32_t core, std::int32_t level) -> command {
  return {kind::submit, k, {core, level}};
}

}  // namespace

TEST_CASE("jobs of one instant are told before the server decides, which fills one stream by priority" *
          takt_tests::traces("AP-05 AP-08")) {
  played run;
  run.start(board(takt::nonpreemptive(takt::edf)), table_of({kernel(hour), kernel(hour / 4), kernel(hour / 2)}),
            once());
  for (const kernel_id k : {1, 2, 0}) {
    CHECK(run.device.next() == submitted(k, unassigned_core, 0));
    CHECK(run.device.left() == 0);
    run.device.end(k);
  }
  run.thread.join();
  CHECK(run.device.left() == 0);
  CHECK(run.device.closed == 1);
  CHECK(run.result.status() == observation_status::no_miss);
  CHECK_FALSE(run.result.stopped);
  REQUIRE(run.result.tasks.size() == 3);
  for (const auto& t : run.result.tasks) { CHECK(t.completed == 1); }
}

TEST_CASE("fixed priorities order the same jobs in their way" * takt_tests::traces("AP-35")) {
  played run;
  run.start(board(takt::nonpreemptive(takt::fixed_priority)),
            table_of({kernel(hour / 4, 2), kernel(hour, 0), kernel(hour / 2, 1)}), once());
  for (const kernel_id k : {1, 2, 0}) {
    CHECK(run.device.next() == submitted(k, unassigned_core, 0));
    run.device.end(k);
  }
  run.thread.join();
}

TEST_CASE("a better job that is released later is pushed above the started one, as long as a level is left" *
          takt_tests::traces("AP-09")) {
  played run;
  auto o = once();
  o.length = 401_ms;
  o.offsets = {0_ms, 200_ms, 400_ms};
  run.start(board(takt::levels(takt::edf)), table_of({kernel(hour), kernel(hour / 2), kernel(hour / 4)}), o);
  CHECK(run.device.next() == submitted(0, unassigned_core, 0));
  CHECK(run.device.next() == submitted(1, unassigned_core, 1));
  rt::sleep_until(rt::now() + 300 * ms);
  CHECK(run.device.left() == 0);
  run.device.end(1);
  CHECK(run.device.next() == submitted(2, unassigned_core, 1));
  CHECK(run.device.setup().streams.levels == 2);
  // Its last wave may end while the kernel above waits for that.
  run.device.end(0);
  run.device.end(2);
  run.thread.join();
  CHECK(run.device.left() == 0);
  for (const auto& t : run.result.tasks) { CHECK(t.completed == 1); }
}

TEST_CASE("where a device has too few levels, the one below is asked to yield, and goes on behind the one above") {
  struct flat : manual_device {
    flat() : manual_device{2, 1} {}
  };
  played<flat> run;
  auto o = once();
  o.length = 201_ms;
  o.offsets = {0_ms, 200_ms};
  run.start(board(takt::levels(takt::edf)), table_of({kernel(hour), kernel(hour / 2)}), o);
  CHECK(run.device.next() == submitted(0, unassigned_core, 0));
  CHECK(run.device.next() == command{kind::request_yield, 0, {}});
  CHECK(run.device.left() == 0);
  run.device.end(0, rt::launch_end::yielded);
  CHECK(run.device.next() == submitted(1, unassigned_core, 0));
  run.device.end(1);
  CHECK(run.device.next() == submitted(0, unassigned_core, 0));
  run.device.end(0);
  run.thread.join();
  CHECK(run.device.loaded().size() == 2);
  CHECK(run.result.completed() == 2);
}

TEST_CASE("pinned kernels go to streams of their cores, one for all cores waits until none is there" *
          takt_tests::traces("AP-06 AP-10")) {
  played run;
  run.start(board(takt::gang(takt::edf)),
            table_of({on_core(kernel(hour / 4), 0), on_core(kernel(hour / 4), 1), kernel(hour)}), once());
  CHECK(run.device.next() == submitted(0, 0, 0));
  CHECK(run.device.next() == submitted(1, 1, 0));
  CHECK(run.device.setup().streams.count() == 3);
  run.device.end(1);
  run.device.end(0);
  CHECK(run.device.next() == submitted(2, unassigned_core, 0));
  CHECK(run.device.left() == 0);
  run.device.end(2);
  run.thread.join();
}

TEST_CASE("a kernel that is to make room does so after one wave of its own, not after two") {
  played run;
  auto slow = kernel(hour);
  slow.wcet = slow.preemption_cost = hour / 100;
  auto o = once();
  o.length = 201_ms;
  o.offsets = {0_ms, 200_ms};
  run.start(board(takt::gang(takt::edf)), table_of({slow, on_core(kernel(hour / 4), 0)}), o);
  CHECK(run.device.next() == submitted(0, unassigned_core, 0));
  // By the clock of waves it would run on for half a minute.
  CHECK(run.device.next() == command{kind::request_yield, 0, {}});
  run.device.end(0, rt::launch_end::yielded);
  CHECK(run.device.next() == submitted(1, 0, 0));
  run.device.end(1);
  CHECK(run.device.next() == submitted(0, unassigned_core, 0));
  run.device.end(0);
  run.thread.join();
  CHECK(run.result.completed() == 2);
}

TEST_CASE("the response is taken when the notice comes, from whatever thread and whatever the scheduler does" *
          takt_tests::traces("AP-33")) {
  std::vector<rt::job_event> completions;
  rt::visit_codes codes;
  codes.hooks({.on_completion = [&completions](const rt::job_event& e) { completions.push_back(e); }});
  played run;
  const ticks before = rt::now();
  run.start(board(takt::nonpreemptive(takt::edf)), table_of({kernel(hour)}), once(), codes);
  (void)run.device.next();
  const ticks submit = rt::now();
  rt::sleep_until(submit + 3 * ms);
  run.device.end(0);
  const ticks after = rt::now();
  run.thread.join();
  REQUIRE(completions.size() == 1);
  CHECK(completions[0].response >= 3 * ms);
  CHECK(completions[0].response <= after - before);
  CHECK(completions[0].time == completions[0].response);
  CHECK(run.result.tasks[0].worst_response == completions[0].response);
  CHECK(run.result.visit_response(0, 0) == completions[0].response);
  CHECK(run.trace.time_of(mark_kind::completion, 0, 0) == completions[0].time);
}

namespace {

/// A device whose driver calls do not return before the notices of other threads have been taken.
class entangled_device : public manual_device {
 public:
  void submit(kernel_id k, const takt::kernel_placement& where) {
    std::thread{[this, k] { end(k); }}.join();
    manual_device::submit(k, where);
  }
};

}  // namespace

TEST_CASE("no notice waits for a call of the device, and nobody waits for a kernel" * takt_tests::traces("AP-33")) {
  played<entangled_device> run;
  run.start(board(takt::levels(takt::edf)), table_of({kernel(hour), kernel(hour / 2)}), once());
  run.thread.join();
  CHECK(run.device.left() == 2);
  CHECK(run.result.completed() == 2);
}

TEST_CASE("releases do not drift, late jobs wait, and hooks are called when it is time for them") {
  std::atomic<int> overruns = 0;
  std::atomic<bool> over = false;
  std::vector<rt::job_event> misses;
  rt::visit_codes codes;
  codes.hooks({.on_miss = [&](const rt::job_event& e) { misses.push_back(e); },
               .on_overrun = [&](const rt::job_event&) { ++overruns; }});
  played run;
  auto late = kernel(ms);
  late.wcet = ms / 2;
  late.period = 2 * ms;
  auto o = options(20_ms);
  o.drain = 60_s;
  run.start(board(takt::nonpreemptive(takt::edf)), table_of({late}), o, codes);
  CHECK(run.device.next() == submitted(0, unassigned_core, 0));
  takt_tests::await([&] { return overruns >= 4; });
  CHECK(run.device.loaded().size() == 1);
  run.device.end(0);
  std::thread finisher{[&] { run.end_all(over); }};
  run.thread.join();
  over = true;
  finisher.join();
  const auto& t = run.result.tasks[0];
  CHECK(t.completed == 10);
  CHECK(t.unfinished == 0);
  CHECK(run.result.end >= 20 * ms);
  CHECK(run.result.status() == observation_status::missed);
  CHECK(misses.size() >= 4);
  for (std::uint64_t j = 0; j < 10; ++j) {
    CHECK(run.trace.time_of(mark_kind::release, 0, j) == static_cast<ticks>(j) * 2 * ms);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(misses[i].job == i);
    CHECK(misses[i].time == static_cast<ticks>(i) * 2 * ms + ms);
  }
}

TEST_CASE("a release that finds its job unfinished can be dropped, and a hook can stop the run") {
  std::atomic<bool> stop = false;
  std::uint64_t overruns = 0;
  std::uint64_t misses = 0;
  rt::visit_codes codes;
  codes.hooks({.on_miss = [&](const rt::job_event&) { ++misses; },
               .on_overrun =
                   [&](const rt::job_event& e) {
                     CHECK(e.job == 0);
                     if (++overruns == 3) { stop = true; }
                   }});
  played run;
  auto late = kernel(ms);
  late.period = 2 * ms;
  auto o = options(60_s);
  o.on_late = takt::late_handling::skip_late;
  o.stop = &stop;
  run.start(board(takt::nonpreemptive(takt::edf)), table_of({late}), o, codes);
  CHECK(run.device.next() == submitted(0, unassigned_core, 0));
  run.thread.join();
  const auto& t = run.result.tasks[0];
  CHECK(run.result.stopped);
  CHECK(run.result.end < (60_s).count());
  CHECK(overruns >= 3);
  CHECK(t.skipped == overruns);
  CHECK(t.completed == 0);
  CHECK(t.unfinished == 1);
  CHECK(t.misses == 1);
  CHECK(misses == 1);
  CHECK(run.device.closed == 1);
}

TEST_CASE("what is unfinished at the end is counted, with the releases that nobody has seen yet") {
  played run;
  auto t = kernel(2 * ms);
  t.period = 3 * ms;
  run.start(board(takt::nonpreemptive(takt::edf)), table_of({t}), options(30_ms));
  run.thread.join();
  CHECK(run.result.tasks[0].completed == 0);
  CHECK(run.result.tasks[0].unfinished == 10);
  CHECK(run.result.tasks[0].misses == 10);
  CHECK(run.device.loaded().size() == 1);
}

TEST_CASE("at the edges of their slots kernels are asked to yield, and those of two slots never meet") {
  std::atomic<bool> stop = false;
  auto o = once();
  o.stop = &stop;
  played run;
  run.start(
      board(takt::slots(takt::edf, takt::pinned_slot(0_ms, 2_ms), takt::gang_slot(2_ms, 2_ms), takt::period(4_ms))),
      table_of({on_core(kernel(hour), 0), kernel(hour)}), o);
  std::array<int, 2> turns{};
  std::array<bool, 2> resident{};
  while (turns[0] < 3 || turns[1] < 3) {
    const command c = run.device.next();
    const auto k = static_cast<std::size_t>(c.kernel);
    if (c.what == kind::submit) {
      CHECK_FALSE(resident[1 - k]);
      resident[k] = true;
      ++turns[k];
    } else {
      CHECK(resident[k]);
      resident[k] = false;
      run.device.end(c.kernel, rt::launch_end::yielded);
    }
  }
  const auto running = static_cast<kernel_id>(resident[0] ? 0 : 1);
  run.device.end(running);
  command c = run.device.next();
  while (c.kernel == running || c.what != kind::submit) { c = run.device.next(); }
  run.device.end(c.kernel);
  run.thread.join();
  for (const auto& t : run.result.tasks) { CHECK(t.completed == 1); }
}

namespace {

struct program {
  static constexpr std::array<std::int64_t, 4> blocks{3, 5, 4, 6};
  std::array<std::array<std::atomic<int>, 6>, 4> runs{};

  auto body(std::size_t task) -> rt::wave_kernel {
    return {blocks[task], [this, task](std::int64_t i) { ++runs[task][static_cast<std::size_t>(i)]; }, 200'000};
  }
};

void check_trace(const recording& trace, bool cores_are_shared) {
  const auto is_gang = [&](const takt::slice& s) { return !cores_are_shared || s.task >= 2; };
  for (const takt::slice& a : trace.slices) {
    CHECK(a.start < a.end);
    CHECK(a.start >= trace.time_of(mark_kind::release, a.task, a.job));
    CHECK(a.end <= trace.time_of(mark_kind::completion, a.task, a.job));
    for (const takt::slice& b : trace.slices) {
      if (&a == &b || a.end <= b.start || b.end <= a.start) { continue; }
      CHECK(a.where.index != b.where.index);
      if (cores_are_shared) { CHECK(is_gang(a) == is_gang(b)); }
    }
  }
}

/// One program under a rule, on the emulated accelerator.
template <class Rule>
void run_program(const Rule& rule, bool cores_are_shared) {
  CAPTURE(rule.name);
  program p;
  rt::emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  std::vector<takt::accelerator_task<ticks>> kernels;
  std::map<rt::visit_position, rt::wave_kernel> bound;
  for (std::size_t i = 0; i < 4; ++i) {
    takt::accelerator_task<ticks> t{.name = "k",
                                    .wcet = 2 * ms,
                                    .period = static_cast<ticks>(20 + 5 * i) * ms,
                                    .deadline = static_cast<ticks>(15 + i) * ms,
                                    .preemption_cost = ms / 5,
                                    .width = takt::kernel_width::all_cores,
                                    .priority = static_cast<std::int32_t>(3 - i)};
    if (i < 2) { t = on_core(t, static_cast<std::int32_t>(i)); }
    kernels.push_back(t);
    bound.emplace(rt::visit_position{static_cast<std::uint32_t>(i), 0}, p.body(i));
  }
  rt::board_devices devices;
  devices.kernels(0, device, std::move(bound));
  auto o = options(100_ms);
  o.drain = 60_s;
  recording trace;
  const auto result = rt::run(board(rule), table_of(kernels), takt::plan<4>{}, devices, o, trace);
  REQUIRE(result.tasks.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& t = result.tasks[i];
    const std::uint64_t jobs = (100 + 20 + 5 * i - 1) / (20 + 5 * i);
    CAPTURE(i);
    CHECK(t.completed == jobs);
    CHECK(t.unfinished == 0);
    const ticks in_sequence = cores_are_shared && i < 2 ? program::blocks[i] : (program::blocks[i] + 1) / 2;
    CHECK(t.best_response >= in_sequence * ms / 5);
    CHECK(trace.count(mark_kind::completion, static_cast<std::uint32_t>(i)) == jobs);
    CHECK(trace.count(mark_kind::miss, static_cast<std::uint32_t>(i)) == t.misses);
    for (std::size_t b = 0; b < 6; ++b) {
      const bool exists = static_cast<std::int64_t>(b) < program::blocks[i];
      CHECK(p.runs[i][b] == (exists ? static_cast<int>(jobs) : 0));
    }
    for (std::uint64_t j = 0; j < jobs; ++j) {
      CHECK(trace.time_of(mark_kind::release, static_cast<std::uint32_t>(i), j) ==
            static_cast<ticks>(j * (20 + 5 * i)) * ms);
    }
  }
  check_trace(trace, cores_are_shared);
}

template <class Order>
void run_under_every_strategy(const Order& order) {
  run_program(takt::nonpreemptive(order), false);
  run_program(takt::levels(order), false);
  run_program(takt::gang(order), true);
  run_program(takt::gang(order, takt::strict), true);
  run_program(takt::slots(order, takt::pinned_slot(0_ms, 5_ms), takt::gang_slot(5_ms, 5_ms), takt::period(10_ms)),
              true);
}

}  // namespace

TEST_CASE("the same program runs in wall time under every strategy, each block of each job exactly once" *
          takt_tests::traces("AP-07 AP-35")) {
  run_under_every_strategy(takt::edf);
  run_under_every_strategy(takt::fixed_priority);
}

namespace {

constexpr auto tasks =
    takt::task_set(takt::task("t1", takt::period(40_ms),
                              takt::kernel(takt::wcet(3_ms), takt::preemption_cost(500_us), takt::on_sm(0))),
                   takt::task("t2", takt::period(60_ms),
                              takt::kernel(takt::wcet(5_ms), takt::preemption_cost(500_us), takt::on_sm(1))),
                   takt::task("t3", takt::period(48_ms), takt::kernel(takt::wcet(4_ms), takt::preemption_cost(1_ms))));

/// On the emulated accelerator, or a given one.
template <class Platform>
auto run_on(rt::emulated_accelerator& device, const Platform& platform, const rt::run_options& o,
            const takt::plan<3>& p = {}) -> rt::run_result {
  rt::board_devices devices;
  devices.kernels(0, device);
  return rt::run(platform, tasks, p, devices, o);
}

template <class Rule>
void check_run(const Rule& rule) {
  CAPTURE(rule.name);
  const auto platform = board(rule);
  rt::emulated_accelerator device{platform.accelerator()};
  rt::board_devices devices;
  devices.kernels(0, device);
  auto o = options(120_ms);
  o.expected = rt::expect(takt::analyze(platform, tasks, takt::published_methods));
  std::array<ticks, 3> told{};
  o.on_violation = [&told](const rt::violation& v) { told[v.task] = v.observed; };
  recording trace;
  const auto result = rt::run(platform, tasks, takt::plan<1>{}, devices, o, trace);
  CHECK(result.ended == observation_status::no_miss);
  CHECK_FALSE(result.error);
  REQUIRE(result.tasks.size() == 3);
  constexpr std::array<std::uint64_t, 3> released{3, 2, 3};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto& t = result.tasks[i];
    CAPTURE(t.name);
    CHECK(t.completed + t.unfinished == released[i]);
    CHECK(t.has_bound == o.expected[i].response.exists);
    CHECK((t.has_bound || takt::analysis::detail::GangScheduled<Rule>));
    CHECK(trace.count(mark_kind::release, i) == released[i]);
    CHECK(trace.count(mark_kind::completion, i) == t.completed);
    CHECK(trace.count(mark_kind::miss, i) == t.misses);
    if (t.within_bound) {
      CHECK((!t.has_bound || t.worst_response <= t.bound));
    } else {
      CHECK(told[i] > t.bound);  // it had not ended by then, or its end had not been told
    }
  }
  for (const takt::slice& s : trace.slices) {
    CHECK(s.where.where == takt::stage::kernel);
    CHECK(s.where.index < 2);
  }
  CHECK(std::ranges::any_of(result.notes,
                            [](const std::string& n) { return n == "device: pool 0 on emulated accelerator"; }));
}

}  // namespace

TEST_CASE("one task set runs under the rule of the pool, whichever that is" * takt_tests::traces("AP-07 AP-35")) {
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

TEST_CASE("without a device kernels take their time on the clock") {
  const auto result =
      rt::run(board(takt::levels(takt::edf)), tasks, takt::plan<1>{}, rt::board_devices{}, options(100_ms));
  REQUIRE_FALSE(result.error);
  CHECK(result.completed() > 0);
  CHECK(result.misses() == 0);
}

TEST_CASE("a run of kernels refuses what cannot run, with the reason") {
  rt::emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  const auto o = options(10_ms);
  CHECK(run_on(device, board(takt::gang(takt::edf), 3), o).status() == observation_status::wrong_device);
  const auto outside = run_on(device, board(takt::gang(takt::edf), 1), o);
  CHECK(outside.status() == observation_status::invalid_model);
  CHECK(outside.error.fault == takt::model_fault::core_out_of_range);
  CHECK(outside.error.task == 1);
  rt::board_devices wrong;
  wrong.kernels(0, device, {{{3, 0}, rt::wave_kernel{1, 1}}});
  CHECK(rt::run(board(takt::gang(takt::edf)), tasks, takt::plan<1>{}, wrong, o).status() ==
        observation_status::wrong_binding);
  manual_device broken;
  broken.opens = false;
  rt::board_devices devices;
  devices.kernels(0, broken);
  CHECK(rt::run(board(takt::gang(takt::edf)), tasks, takt::plan<1>{}, devices, o).status() ==
        observation_status::no_threads);
  auto early = o;
  early.offsets = {1_ms, takt::duration{-1}};
  CHECK(run_on(device, board(takt::gang(takt::edf)), early).error.fault == takt::model_fault::negative_time);
  early.offsets = {1_ms, 1_ms, 1_ms, 1_ms};
  CHECK(run_on(device, board(takt::gang(takt::edf)), early).error.fault == takt::model_fault::option_unused);
  auto forever = o;
  forever.drain = takt::duration{rt::detail::longest_wait + 1};
  CHECK(run_on(device, board(takt::gang(takt::edf)), forever).error.fault == takt::model_fault::time_overflow);
}

TEST_CASE("what is proven for a kernel is expected of it: its bound, or its deadline where a test only decides") {
  const auto by_rank =
      rt::expect(takt::analyze(board(takt::levels(takt::deadline_monotonic)), tasks, takt::published_methods));
  const auto by_deadline =
      rt::expect(takt::analysis::analyze_by<takt::published>(board(takt::levels(takt::edf)), tasks));
  REQUIRE(by_rank.size() == 3);
  REQUIRE(by_deadline.size() == 3);
  CHECK(by_rank[0].response.exists);
  CHECK(by_rank[0].response.value < (40_ms).count());
  CHECK(by_deadline[0].response.value == (40_ms).count());
  constexpr auto heavy = takt::task_set(takt::task("a", takt::period(10_ms), takt::kernel(takt::wcet(9_ms))),
                                        takt::task("b", takt::period(10_ms), takt::kernel(takt::wcet(9_ms))));
  for (const auto& e : rt::expect(takt::analyze(board(takt::levels(takt::edf)), heavy, takt::published_methods))) {
    CHECK_FALSE(e.response.exists);
  }
}

TEST_CASE("a run of kernels reports a response above its bound while it goes on, or drops the job") {
  auto o = options(100_ms);
  o.expected.resize(3);
  o.expected[1].response = {1, true};
  std::atomic<int> calls = 0;
  o.on_violation = [&calls](const rt::violation&) { ++calls; };
  rt::emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  auto result = run_on(device, board(takt::levels(takt::edf)), o);
  REQUIRE(result.first_violation.has_value());
  CHECK(result.first_violation->task == 1);
  CHECK(result.first_violation->job == 0);
  CHECK(result.first_violation->bound == 1);
  CHECK(calls == 1);
  CHECK(result.tasks[0].within_bound);
  CHECK_FALSE(result.tasks[1].within_bound);
  CHECK(result.tasks[1].completed > 0);

  o.at_violation = rt::violation_handling::drop;
  result = run_on(device, board(takt::levels(takt::edf)), o);
  CHECK(result.tasks[1].completed == 0);
  CHECK(result.tasks[1].skipped > 0);
}

TEST_CASE("a run of kernels ends when it is asked to, or at a violation where that is its order") {
  rt::emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  std::atomic<bool> stop = true;
  auto o = options(100_s);
  o.stop = &stop;
  auto result = run_on(device, board(takt::levels(takt::edf)), o);
  REQUIRE_FALSE(result.error);
  CHECK(result.stopped);
  CHECK(result.end < (100_s).count());

  o = options(100_s);
  o.expected.resize(2);
  o.expected[1].response = {1, true};
  o.at_violation = rt::violation_handling::stop;
  rt::run_watch watch{3};
  o.watch = &watch;
  result = run_on(device, board(takt::levels(takt::edf)), o);
  CHECK(result.stopped);
  REQUIRE(result.first_violation.has_value());
  CHECK(result.first_violation->task == 1);
  CHECK(watch.row(1).violations >= 1);
  CHECK(watch.row(1).completed == result.tasks[1].completed);
}

TEST_CASE("a run of kernels places them as its plan says, and refuses what it would not follow") {
  constexpr auto platform = board(takt::gang(takt::edf));
  rt::emulated_accelerator device{platform.accelerator()};
  takt::plan<3> p;
  for (const std::int32_t core : {1, 0, takt::unassigned_core}) { p.cores.unchecked_push_back(core); }
  rt::board_devices devices;
  devices.kernels(0, device);
  recording trace;
  const auto result = rt::run(platform, tasks, p, devices, options(100_ms), trace);
  CHECK(result.tasks[0].completed >= 1);
  CHECK_FALSE(trace.slices.empty());
  for (const takt::slice& s : trace.slices) {
    if (s.task < 2) { CHECK(s.where.index == (s.task == 0 ? 1 : 0)); }
  }
  CHECK(result.tasks[2].visit_count == 1);
  CHECK(result.visit_response(2, 0) == result.tasks[2].worst_response);

  p.percents.unchecked_push_back(10);
  CHECK(run_on(device, platform, options(10_ms), p).error.fault == takt::model_fault::plan_part_unused);
  p.percents.clear();
  p.cores[0] = 2;
  CHECK(run_on(device, platform, options(10_ms), p).error.fault == takt::model_fault::core_out_of_range);
  p.cores[0] = 0;
  auto o = options(10_ms);
  o.expected.resize(1);
  o.expected[0].visits.resize(2);
  CHECK(run_on(device, platform, o, p).status() == observation_status::wrong_binding);
}

TEST_CASE("a run of kernels says that it pins no task to a core") {
  rt::emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  const auto result = run_on(device, board(takt::levels(takt::edf)), options(10_ms));
  CHECK_FALSE(result.granted.pinned);
  CHECK(std::ranges::any_of(result.notes, [](const std::string& n) { return n.starts_with("affinity: not pinned"); }));
}
