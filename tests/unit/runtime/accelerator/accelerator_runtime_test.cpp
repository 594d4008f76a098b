// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <takt/rules/accelerator/earliest_deadline_first.hpp>
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/highest_priority_first.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/single_stream.hpp>
#include <takt/rules/accelerator/slotted_cores.hpp>
#include <takt/runtime/accelerator/accelerator_runtime.hpp>
#include <takt/runtime/emulated_accelerator.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/event.hpp>

#include "fixtures.hpp"

namespace {

using takt::any_core;
using takt::earliest_deadline_first;
using takt::highest_priority_first;
using takt::kernel_id;
using takt::mark_kind;
using takt::no_kernel;
using takt::ticks;
using takt::runtime::accelerator_options;
using takt::runtime::accelerator_runtime;
using takt::runtime::backlog_handling;
using takt::runtime::emulated_accelerator;
using takt::runtime::job_event;
using takt::runtime::launch_end;
using takt::runtime::never;
using takt::runtime::now;
using takt::runtime::wave_kernel;
using takt_test::manual_device;
using takt_test::recording;
using command = takt::accelerator_command;
using kind = takt::accelerator_command_kind;

constexpr std::size_t max_tasks = 4;
constexpr std::size_t max_cores = 2;
constexpr ticks ms = 1'000'000;
constexpr ticks hour = 3'600'000 * ms;

using single_stream = takt::single_stream<max_tasks>;
using level_stack = takt::level_stack<max_tasks>;
using gang = takt::event_driven_gang<max_tasks, max_cores>;
using strict_gang = takt::event_driven_gang<max_tasks, max_cores, takt::strict_order>;
using slots = takt::slotted_cores<max_tasks, max_cores>;
template <class Strategy, class Policy = earliest_deadline_first>
using by_hand = accelerator_runtime<Policy, Strategy, manual_device>;

/// A kernel for all cores whose one job comes at the start.
auto once(ticks deadline, std::int32_t priority = takt::no_priority) -> takt::accelerator_task<ticks> {
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
/// Lets the jobs of the start come, and no others.
auto first_jobs() -> takt::runtime::run_window {
  const ticks start = now() + ms;
  return {start, start + 1};
}
/// Drains while launches end as soon as they are made.
template <class Runtime>
void drain_at_once(Runtime& runtime, manual_device& device) {
  std::atomic<bool> over = false;
  std::thread finisher{[&] {
    while (!over) {
      if (device.left() > 0) { device.end(device.next().kernel); }
      std::this_thread::yield();
    }
  }};
  runtime.drain();
  over = true;
  finisher.join();
}
auto submitted(kernel_id k, std::int32_t core, std::int32_t level) -> command {
  return {kind::submit, k, {core, level}};
}

}  // namespace

TEST_CASE("a runtime registers only kernels that it can run, and starts only where the device suffices") {
  manual_device device{2, 1};
  by_hand<gang> runtime{{}, gang{2}, device};
  auto wrong = once(hour);
  wrong.wcet = 0;
  CHECK(runtime.add_timed(wrong) == no_kernel);
  CHECK(runtime.add_timed(once(hour), -1) == no_kernel);
  CHECK(runtime.add_timed(on_core(once(hour), 2)) == no_kernel);
  CHECK(runtime.add_timed(on_core(once(hour), 1)) == 0);
  CHECK_FALSE(runtime.pin(0, 2));
  CHECK(runtime.pin(0, 0));
  device.opens = false;
  CHECK_FALSE(runtime.start(first_jobs()));
  CHECK(device.closed == 1);
  by_hand<level_stack> deep{{}, level_stack{2, 2}, device};
  CHECK_FALSE(deep.start(first_jobs()));
}

TEST_CASE("AP-05 AP-08 jobs of one instant are told before the scheduler decides, which fills one stream by priority") {
  manual_device device;
  by_hand<single_stream> runtime{{}, single_stream{2}, device};
  for (const ticks deadline : {hour, hour / 4, hour / 2}) { (void)runtime.add_timed(once(deadline)); }
  REQUIRE(runtime.start(first_jobs()));
  for (const kernel_id k : {1, 2, 0}) {
    CHECK(device.next() == submitted(k, any_core, 0));
    CHECK(device.left() == 0);
    device.end(k);
  }
  runtime.drain();
  CHECK(device.left() == 0);
  CHECK(device.closed == 1);
  CHECK(runtime.result().status() == takt::observation_status::no_miss);
  for (const auto& t : runtime.result().tasks) { CHECK(t.completed == 1); }
}

TEST_CASE("AP-35 fixed priorities order the same jobs in their way") {
  manual_device device;
  by_hand<single_stream, highest_priority_first> runtime{{}, single_stream{2}, device};
  (void)runtime.add_timed(once(hour / 4, 2));
  (void)runtime.add_timed(once(hour, 0));
  (void)runtime.add_timed(once(hour / 2, 1));
  REQUIRE(runtime.start(first_jobs()));
  for (const kernel_id k : {1, 2, 0}) {
    CHECK(device.next() == submitted(k, any_core, 0));
    device.end(k);
  }
  runtime.drain();
}

TEST_CASE("AP-09 a better job that is released later is pushed above the started one, as long as a level is left") {
  bool pushed = false;
  for (ticks apart = ms; !pushed && apart < hour; apart *= 2) {
    manual_device device;
    by_hand<level_stack> runtime{{}, level_stack{2, 2}, device};
    for (std::int32_t k = 0; k < 3; ++k) { (void)runtime.add_timed(once(hour >> k), k * apart); }
    const ticks start = now() + ms;
    REQUIRE(runtime.start({start, start + 2 * apart + 1}));
    const command first = device.next();
    CHECK(first == submitted(first.kernel, any_core, 0));
    takt::runtime::sleep_until(start + 2 * apart);
    if (first.kernel == 0) {
      const command second = device.next();
      pushed = second.where.level == 1;
      CHECK(second == submitted(second.kernel, any_core, 1));
      device.end(second.kernel);
      CHECK(device.next() == submitted(3 - second.kernel, any_core, 1));
      device.end(3 - second.kernel);
      device.end(0);
      runtime.drain();
      CHECK(device.left() == 0);
    }
  }
  CHECK(pushed);
}

TEST_CASE("AP-06 AP-10 pinned kernels go to streams of their cores, one for all cores waits until none is there") {
  manual_device device;
  by_hand<gang> runtime{{}, gang{2, 2}, device};
  (void)runtime.add_timed(on_core(once(hour / 4), 0));
  (void)runtime.add_timed(once(hour / 4));
  REQUIRE(runtime.pin(1, 1));
  (void)runtime.add_timed(once(hour));
  REQUIRE(runtime.start(first_jobs()));
  CHECK(device.setup().streams.count() == 6);
  CHECK(device.next() == submitted(0, 0, 0));
  CHECK(device.next() == submitted(1, 1, 0));
  device.end(1);
  device.end(0);
  CHECK(device.next() == submitted(2, any_core, 0));
  CHECK(device.left() == 0);
  device.end(2);
  runtime.drain();
}

TEST_CASE("AP-33 the response is taken when the notice comes, from whatever thread and whatever the scheduler does") {
  std::vector<job_event> completions;
  accelerator_options options;
  options.hooks.on_completion = [&completions](const job_event& e) { completions.push_back(e); };
  options.trace_capacity = 8;
  manual_device device;
  by_hand<single_stream> runtime{{}, single_stream{2}, device, options};
  (void)runtime.add_timed(once(hour));
  const takt::runtime::run_window window = first_jobs();
  REQUIRE(runtime.start(window));
  (void)device.next();
  const ticks before = now();
  device.end(0);
  const ticks after = now();
  runtime.drain();
  REQUIRE(completions.size() == 1);
  CHECK(completions[0].response >= before - window.start);
  CHECK(completions[0].response <= after - window.start);
  CHECK(completions[0].time == completions[0].response);
  CHECK(runtime.result().tasks[0].worst_response == completions[0].response);
  recording trace;
  CHECK(runtime.replay(trace) == 0);
  CHECK(trace.time_of(mark_kind::completion, 0, 0) == completions[0].time);
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

TEST_CASE("AP-33 no lock is held while the device is called, and the scheduler waits for no kernel") {
  entangled_device device;
  accelerator_runtime<earliest_deadline_first, level_stack, entangled_device> runtime{{}, level_stack{2, 2}, device};
  (void)runtime.add_timed(once(hour));
  (void)runtime.add_timed(once(hour / 2));
  REQUIRE(runtime.start(first_jobs()));
  runtime.drain();
  CHECK(device.left() == 2);
  for (const auto& t : runtime.result().tasks) { CHECK(t.completed == 1); }
}

TEST_CASE("releases do not drift, late jobs wait, and both hooks are called when it is time for them") {
  takt::runtime::event second_overrun;
  takt::runtime::event missed;
  std::vector<job_event> misses;
  std::atomic<int> overruns = 0;
  accelerator_options options;
  options.trace_capacity = 10'000;
  options.hooks.on_overrun = [&](const job_event&) {
    if (++overruns == 2) { second_overrun.signal(); }
  };
  options.hooks.on_miss = [&](const job_event& e) {
    misses.push_back(e);
    missed.signal();
  };
  manual_device device;
  by_hand<single_stream> runtime{{}, single_stream{2}, device, options};
  auto late = once(ms);
  late.wcet = ms / 2;
  late.period = 2 * ms;
  (void)runtime.add_timed(late);
  REQUIRE(runtime.start({now() + ms, never}));
  CHECK(device.next() == submitted(0, any_core, 0));
  missed.wait();
  second_overrun.wait();
  runtime.stop();
  CHECK(device.loaded().size() == 1);
  device.end(0);
  drain_at_once(runtime, device);
  recording trace;
  CHECK(runtime.replay(trace) == 0);
  const auto result = runtime.result();
  REQUIRE(result.tasks[0].completed >= 3);
  CHECK(result.status() == takt::observation_status::missed);
  CHECK(result.tasks[0].misses == misses.size());
  CHECK(result.tasks[0].unfinished == 0);
  for (std::uint64_t j = 0; j < result.tasks[0].completed; ++j) {
    CHECK(trace.time_of(mark_kind::release, 0, j) == static_cast<ticks>(j) * 2 * ms);
  }
  for (std::size_t i = 0; i < misses.size(); ++i) {
    CHECK(misses[i].job == i);
    CHECK(misses[i].time == static_cast<ticks>(i) * 2 * ms + ms);
  }
}

TEST_CASE("a release that finds its job unfinished can be dropped, and a hook can stop the runtime") {
  takt::runtime::event stopped;
  std::uint64_t overruns = 0;
  manual_device device;
  by_hand<single_stream>* running = nullptr;
  accelerator_options options;
  options.overrun = backlog_handling::skip;
  options.hooks.on_overrun = [&](const job_event&) {
    if (++overruns == 3) {
      running->stop();
      stopped.signal();
    }
  };
  by_hand<single_stream> runtime{{}, single_stream{2}, device, options};
  running = &runtime;
  auto late = once(ms);
  late.period = 2 * ms;
  (void)runtime.add_timed(late);
  REQUIRE(runtime.start({now() + ms, never}));
  stopped.wait();
  drain_at_once(runtime, device);
  const auto result = runtime.result();
  CHECK(result.tasks[0].skipped >= 3);
  CHECK(result.tasks[0].skipped == overruns);
  CHECK(result.tasks[0].completed == device.loaded().size());
  CHECK(result.tasks[0].misses >= 1);
  CHECK(result.tasks[0].unfinished == 0);
}

TEST_CASE("what is unfinished at the end of a drain is counted, with the releases that nobody has seen yet") {
  manual_device device;
  by_hand<single_stream> runtime{{}, single_stream{2}, device};
  auto t = once(2 * ms);
  t.period = 3 * ms;
  (void)runtime.add_timed(t);
  const ticks start = now() + ms;
  REQUIRE(runtime.start({start, start + 30 * ms}));
  runtime.drain(start + 30 * ms);
  const auto result = runtime.result();
  CHECK(result.tasks[0].completed == 0);
  CHECK(result.tasks[0].unfinished == 10);
  CHECK(result.tasks[0].misses == 10);
  CHECK(device.loaded().size() == 1);
}

TEST_CASE("a runtime that is never drained ends with its scope, be it started or not") {
  manual_device device;
  {
    by_hand<single_stream> runtime{{}, single_stream{2}, device};
    (void)runtime.add_timed(once(hour));
    REQUIRE(runtime.start({now() + hour, never}));
  }
  CHECK(device.closed == 1);
  { const by_hand<single_stream> runtime{{}, single_stream{2}, device}; }
  CHECK(device.closed == 1);
}

TEST_CASE("at the edges of their slots kernels are asked to yield, and those of two slots never meet") {
  const takt::runtime::accelerator_slots reserved{.pinned = {.offset = 0, .budget = 2 * ms, .period = 4 * ms},
                                                  .gang = {.offset = 2 * ms, .budget = 2 * ms, .period = 4 * ms}};
  manual_device device;
  by_hand<slots> runtime{{}, slots{2, 1}, device, reserved};
  (void)runtime.add_timed(on_core(once(hour), 0));
  (void)runtime.add_timed(once(hour));
  const auto window = first_jobs();
  REQUIRE(runtime.start(window));
  std::array<int, 2> turns{};
  std::array<bool, 2> resident{};
  while (turns[0] < 3 || turns[1] < 3) {
    const command c = device.next();
    const auto k = static_cast<std::size_t>(c.kernel);
    if (c.what == kind::submit) {
      CHECK_FALSE(resident[1 - k]);
      resident[k] = true;
      ++turns[k];
    } else {
      CHECK(resident[k]);
      resident[k] = false;
      device.end(c.kernel, launch_end::yielded);
    }
  }
  const auto running = static_cast<kernel_id>(resident[0] ? 0 : 1);
  device.end(running);
  command c = device.next();
  while (c.kernel == running || c.what != kind::submit) { c = device.next(); }
  device.end(c.kernel);
  runtime.drain();
  for (const auto& t : runtime.result().tasks) { CHECK(t.completed == 1); }
}

namespace {

struct program {
  static constexpr std::array<std::int64_t, 4> blocks{3, 5, 4, 6};
  std::array<std::array<std::atomic<int>, 6>, 4> runs{};

  auto body(std::size_t task) -> wave_kernel {
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

template <class Runtime, class Strategy, class Device>
[[nodiscard]] auto runtime_of(const Strategy& strategy, Device& device, const accelerator_options& options) -> Runtime {
  if constexpr (takt::SlotStrategy<Strategy>) {
    const takt::runtime::accelerator_slots reserved{.pinned = {.offset = 0, .budget = 5 * ms, .period = 10 * ms},
                                                    .gang = {.offset = 5 * ms, .budget = 5 * ms, .period = 10 * ms}};
    return Runtime{{}, strategy, device, reserved, options};
  } else {
    return Runtime{{}, strategy, device, options};
  }
}

/// One program for every policy and strategy, on the emulated accelerator.
template <class Policy, class Strategy>
void run_program(const Strategy& strategy, bool cores_are_shared) {
  accelerator_options options;
  options.trace_capacity = 10'000;
  program p;
  emulated_accelerator device{{.cores = 2, .preemption_levels = 2}};
  auto runtime = runtime_of<accelerator_runtime<Policy, Strategy, emulated_accelerator>>(strategy, device, options);
  for (std::size_t i = 0; i < 4; ++i) {
    const takt::accelerator_task<ticks> t{.name = "k",
                                          .wcet = 2 * ms,
                                          .period = static_cast<ticks>(20 + 5 * i) * ms,
                                          .deadline = static_cast<ticks>(15 + i) * ms,
                                          .preemption_cost = ms / 5,
                                          .width = takt::kernel_width::all_cores,
                                          .priority = static_cast<std::int32_t>(3 - i)};
    REQUIRE(runtime.add(t, p.body(i)) == static_cast<kernel_id>(i));
    if (i < 2) { REQUIRE(runtime.pin(static_cast<kernel_id>(i), static_cast<std::int32_t>(i))); }
  }
  const ticks start = now() + 2 * ms;
  REQUIRE(runtime.start({start, start + 100 * ms}));
  runtime.drain();
  recording trace;
  CHECK(runtime.replay(trace) == 0);
  const auto result = runtime.result();
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

template <class Policy>
void run_under_every_strategy() {
  run_program<Policy>(single_stream{2}, false);
  run_program<Policy>(level_stack{2, 2}, false);
  run_program<Policy>(gang{2, 2}, true);
  run_program<Policy>(strict_gang{2, 1}, true);
  run_program<Policy>(slots{2, 1}, true);
  run_program<Policy>(slots{2, 2}, true);
}

}  // namespace

TEST_CASE("AP-07 AP-35 the same program runs in wall time under every strategy, each block of each job exactly once") {
  run_under_every_strategy<earliest_deadline_first>();
  run_under_every_strategy<highest_priority_first>();
}
