// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <takt/rules/accelerator/accelerator_scheduler.hpp>
#include <takt/rules/accelerator/earliest_deadline_first.hpp>
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/highest_priority_first.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/single_stream.hpp>
#include <takt/rules/accelerator/slotted_cores.hpp>

namespace {

using takt::any_core;
using takt::kernel_id;
using takt::no_kernel;
using takt::ticks;
using command = takt::accelerator_command;
using commands = std::vector<command>;
using kind = takt::accelerator_command_kind;

constexpr std::size_t max_tasks = 4;

auto task(ticks deadline, std::int32_t priority) -> takt::accelerator_task<ticks> {
  return {.name = "k", .wcet = 1, .period = 100, .deadline = deadline, .priority = priority};
}
auto submitted(kernel_id k, std::int32_t core, std::int32_t level) -> command {
  return {kind::submit, k, {core, level}};
}
auto asked(kernel_id k) -> command { return {kind::request_yield, k, {}}; }

template <class Scheduler>
auto reschedule(Scheduler& s) -> commands {
  takt::command_list<max_tasks> list;
  s.reschedule(list);
  return {list.commands().begin(), list.commands().end()};
}

/// One program for every policy and strategy: two kernels, the second pinned and more urgent, released one after the
/// other; returns the order in which they complete.
template <class Policy, class Strategy>
auto run_program(const Strategy& strategy) -> std::vector<kernel_id> {
  takt::accelerator_scheduler<Policy, Strategy> s{strategy};
  const kernel_id slow = s.add(task(50, 1));
  const kernel_id urgent = s.add(task(20, 0));
  REQUIRE(s.pin(urgent, 1));
  if constexpr (takt::SlotStrategy<Strategy>) { s.set_open(any_core, true); }
  std::vector<kernel_id> resident;
  std::vector<kernel_id> done;
  const auto carry_out = [&] {
    for (bool again = true; again;) {
      again = false;
      for (const command& c : reschedule(s)) {
        if (c.what == kind::submit) {
          resident.push_back(c.kernel);
        } else {
          std::erase(resident, c.kernel);
          s.yielded(c.kernel);
          again = true;
        }
      }
    }
  };
  REQUIRE(s.activate(slow, 0));
  carry_out();
  REQUIRE(s.activate(urgent, 1));
  carry_out();
  for (int slots = 0; done.size() < 2 && slots < 4; ++slots) {
    while (!resident.empty()) {
      const kernel_id top = resident.back();
      resident.pop_back();
      s.complete(top);
      done.push_back(top);
      carry_out();
    }
    if constexpr (takt::SlotStrategy<Strategy>) {
      s.set_open(any_core, slots % 2 == 1);
      s.set_open(1, slots % 2 == 0);
      carry_out();
    }
  }
  return done;
}

template <class Policy>
void run_under_every_strategy() {
  const std::vector<kernel_id> in_order{0, 1};
  const std::vector<kernel_id> urgent_first{1, 0};
  CHECK(run_program<Policy>(takt::single_stream<max_tasks>{2}) == in_order);
  CHECK(run_program<Policy>(takt::level_stack<max_tasks>{2, 2}) == urgent_first);
  CHECK(run_program<Policy>(takt::event_driven_gang<max_tasks, 2>{2}) == urgent_first);
  CHECK(run_program<Policy>(takt::slotted_cores<max_tasks, 2>{2}) == in_order);
}

}  // namespace

TEST_CASE("AP-05 an activated kernel waits by priority and moves to a stream when the scheduler is asked to decide") {
  takt::accelerator_scheduler<takt::earliest_deadline_first, takt::level_stack<max_tasks>> s{
      takt::level_stack<max_tasks>{2}};
  for (const ticks deadline : {40, 30, 20, 10}) { CHECK(s.add(task(deadline, 0)) != no_kernel); }
  CHECK(s.add(task(5, 0)) == no_kernel);
  REQUIRE(s.activate(0, 0));
  REQUIRE(s.activate(1, 0));
  REQUIRE(s.activate(2, 0));
  CHECK(reschedule(s) == commands{submitted(2, any_core, 0)});
  CHECK(reschedule(s).empty());
  REQUIRE(s.activate(3, 5));
  CHECK(reschedule(s) == commands{submitted(3, any_core, 1)});
  s.complete(3);
  CHECK(reschedule(s).empty());
  s.complete(2);
  CHECK(reschedule(s) == commands{submitted(1, any_core, 0)});
}

TEST_CASE("AP-06 a kernel that is pinned goes to its core, one that is not to all cores") {
  using gang = takt::event_driven_gang<max_tasks, 3>;
  takt::accelerator_scheduler<takt::earliest_deadline_first, gang> s{gang{3}};
  const kernel_id whole = s.add(task(30, 0));
  const kernel_id pinned = s.add(task(10, 1));
  auto placed = task(20, 2);
  placed.core = 2;
  const kernel_id by_model = s.add(placed);
  CHECK(s.pin(pinned, 1));
  CHECK_FALSE(s.pin(pinned, 3));
  CHECK_FALSE(s.pin(pinned, -1));
  CHECK(s.core_of(pinned) == 1);
  CHECK(s.core_of(whole) == any_core);
  for (const kernel_id k : {whole, pinned, by_model}) { REQUIRE(s.activate(k, 0)); }
  CHECK(reschedule(s) == commands{submitted(pinned, 1, 0), submitted(by_model, 2, 0)});
  s.complete(by_model);
  CHECK(reschedule(s).empty());
  s.complete(pinned);
  CHECK(reschedule(s) == commands{submitted(whole, any_core, 0)});
  placed.core = 3;
  CHECK(s.add(placed) == no_kernel);
}

TEST_CASE("AP-06 a scheduler asks the device for the cores and levels of its strategy") {
  using gang = takt::event_driven_gang<max_tasks, 4>;
  CHECK(gang{3}.cores() == 3);
  CHECK(gang{3}.levels() == 1);
  CHECK(gang{3, 2}.levels() == 2);
  CHECK(takt::slotted_cores<max_tasks, 4>{3, 2}.levels() == 2);
}

TEST_CASE("AP-07 AP-35 the same program runs under every strategy, by earliest deadline and by fixed priority") {
  run_under_every_strategy<takt::earliest_deadline_first>();
  run_under_every_strategy<takt::highest_priority_first>();
}

TEST_CASE("AP-35 the policies order the same jobs differently") {
  const auto first = [](auto policy) {
    takt::accelerator_scheduler<decltype(policy), takt::single_stream<max_tasks>> s{takt::single_stream<max_tasks>{}};
    s.add(task(10, 1));
    s.add(task(30, 0));
    CHECK(s.activate(0, 0));
    CHECK(s.activate(1, 0));
    return reschedule(s).at(0).kernel;
  };
  CHECK(first(takt::earliest_deadline_first{}) == 0);
  CHECK(first(takt::highest_priority_first{}) == 1);
}

TEST_CASE("earliest deadlines that do not fit are refused") {
  takt::accelerator_scheduler<takt::earliest_deadline_first, takt::single_stream<max_tasks>> s{
      takt::single_stream<max_tasks>{}};
  s.add(task(10, 0));
  CHECK_FALSE(s.activate(0, std::numeric_limits<ticks>::max() - 5));
  CHECK(reschedule(s).empty());
}

TEST_CASE("jobs wait by point, then by release, then in the given order, and only a better point preempts") {
  using order = takt::job_order<ticks>;
  CHECK(goes_before(order{1, 9, 9}, order{2, 0, 0}));
  CHECK(goes_before(order{1, 0, 9}, order{1, 1, 0}));
  CHECK(goes_before(order{1, 0, 0}, order{1, 0, 1}));
  CHECK_FALSE(goes_before(order{1, 0, 0}, order{1, 0, 0}));
  CHECK(outranks(order{1, 9, 9}, order{2, 0, 0}));
  CHECK_FALSE(outranks(order{1, 0, 0}, order{1, 1, 1}));
}

TEST_CASE("AP-15 when a slot closes what runs there is asked to yield, and the other slot waits until it has") {
  using slots = takt::slotted_cores<max_tasks, 2>;
  takt::accelerator_scheduler<takt::earliest_deadline_first, slots> s{slots{2}};
  const kernel_id whole = s.add(task(10, 0));
  const kernel_id zero = s.add(task(20, 1));
  const kernel_id one = s.add(task(30, 2));
  REQUIRE(s.pin(zero, 0));
  REQUIRE(s.pin(one, 1));
  for (const kernel_id k : {whole, zero, one}) { REQUIRE(s.activate(k, 0)); }
  CHECK(reschedule(s).empty());
  s.set_open(0, true);
  s.set_open(1, true);
  CHECK(reschedule(s) == commands{submitted(zero, 0, 0), submitted(one, 1, 0)});
  s.set_open(0, false);
  s.set_open(1, false);
  s.set_open(any_core, true);
  CHECK(reschedule(s) == commands{asked(zero), asked(one)});
  CHECK(reschedule(s).empty());
  s.yielded(one);
  CHECK(reschedule(s).empty());
  s.complete(zero);
  CHECK(reschedule(s) == commands{submitted(whole, any_core, 0)});
  s.set_open(any_core, false);
  CHECK(reschedule(s) == commands{asked(whole)});
  s.yielded(whole);
  s.set_open(0, true);
  s.set_open(1, true);
  CHECK(reschedule(s) == commands{submitted(one, 1, 0)});
}
