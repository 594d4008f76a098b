// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/job_order.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/slotted_cores.hpp>
#include <takt/rules/accelerator/strategy.hpp>
#include "support/traces.hpp"

namespace {

using takt::kernel_id;
using takt::ticks;
using takt::unassigned_core;
using command = takt::detail::accelerator_command;
using commands = std::vector<command>;
using kind = takt::detail::accelerator_command_kind;

constexpr std::size_t max_tasks = 4;

auto submitted(kernel_id k, std::int32_t core, std::int32_t level) -> command {
  return {kind::submit, k, {core, level}};
}
auto asked(kernel_id k) -> command { return {kind::request_yield, k, {}}; }

/// Tells a strategy what happens, as the server of whole kernels does, and hears what it decides.
template <takt::AcceleratorStrategy Strategy>
class told {
 public:
  explicit told(const Strategy& strategy) : strategy_{strategy} {}

  /// A job waits from now on, for one core or for all.
  void activate(kernel_id k, ticks point, std::int32_t core = unassigned_core) {
    orders_[static_cast<std::size_t>(k)] = {.point = point, .kernel = k};
    strategy_.enqueue(k, core, orders_);
  }
  void complete(kernel_id k) { strategy_.complete(k); }
  void yielded(kernel_id k) { strategy_.yielded(k); }
  void set_open(std::int32_t core, bool open) { strategy_.set_open(core, open); }
  auto decide() -> commands {
    takt::detail::command_list<max_tasks> list;
    strategy_.decide(orders_, list);
    return {list.commands().begin(), list.commands().end()};
  }

 private:
  Strategy strategy_;
  takt::job_orders<ticks, max_tasks> orders_{};
};

}  // namespace

TEST_CASE("an activated kernel waits by priority and moves to a stream when the strategy is asked to decide" *
          takt_tests::traces("AP-05")) {
  told s{takt::level_stack<max_tasks>{2}};
  s.activate(0, 40);
  s.activate(1, 30);
  s.activate(2, 20);
  CHECK(s.decide() == commands{submitted(2, unassigned_core, 0)});
  CHECK(s.decide().empty());
  s.activate(3, 15);
  CHECK(s.decide() == commands{submitted(3, unassigned_core, 1)});
  s.complete(3);
  CHECK(s.decide().empty());
  s.complete(2);
  CHECK(s.decide() == commands{submitted(1, unassigned_core, 0)});
}

TEST_CASE("a kernel that is pinned goes to its core, one that is not to all cores" * takt_tests::traces("AP-06")) {
  told s{takt::event_driven_gang<max_tasks, 3>{3}};
  const kernel_id whole = 0;
  const kernel_id one = 1;
  const kernel_id two = 2;
  s.activate(whole, 30);
  s.activate(one, 10, 1);
  s.activate(two, 20, 2);
  CHECK(s.decide() == commands{submitted(one, 1, 0), submitted(two, 2, 0)});
  s.complete(two);
  CHECK(s.decide().empty());
  s.complete(one);
  CHECK(s.decide() == commands{submitted(whole, unassigned_core, 0)});
}

TEST_CASE("a strategy says how many cores and levels of streams it needs" * takt_tests::traces("AP-06")) {
  using gang = takt::event_driven_gang<max_tasks, 4>;
  CHECK(gang{3}.cores() == 3);
  CHECK(gang{3}.levels() == 1);
  CHECK(gang{3, 2}.levels() == 2);
  CHECK(takt::slotted_cores<max_tasks, 4>{3, 2}.levels() == 2);
}

TEST_CASE("jobs wait by point, then by release, then in the given order, and only a better point preempts") {
  using order = takt::job_order<ticks>;
  CHECK(goes_before(order{1, 9, 9}, order{2, 0, 0}));
  CHECK(goes_before(order{1, 0, 9}, order{1, 1, 0}));
  CHECK(goes_before(order{1, 0, 0}, order{1, 0, 1}));
  CHECK_FALSE(goes_before(order{1, 0, 0}, order{1, 0, 0}));
  CHECK(takt::detail::outranks(order{1, 9, 9}, order{2, 0, 0}));
  CHECK_FALSE(takt::detail::outranks(order{1, 0, 0}, order{1, 1, 1}));
}

TEST_CASE("when a slot closes what runs there is asked to yield, and the other slot waits until it has" *
          takt_tests::traces("AP-15")) {
  told s{takt::slotted_cores<max_tasks, 2>{2}};
  const kernel_id whole = 0;
  const kernel_id zero = 1;
  const kernel_id one = 2;
  s.activate(whole, 10);
  s.activate(zero, 20, 0);
  s.activate(one, 30, 1);
  CHECK(s.decide().empty());
  s.set_open(0, true);
  s.set_open(1, true);
  CHECK(s.decide() == commands{submitted(zero, 0, 0), submitted(one, 1, 0)});
  s.set_open(0, false);
  s.set_open(1, false);
  s.set_open(unassigned_core, true);
  CHECK(s.decide() == commands{asked(zero), asked(one)});
  CHECK(s.decide().empty());
  s.yielded(one);
  CHECK(s.decide().empty());
  s.complete(zero);
  CHECK(s.decide() == commands{submitted(whole, unassigned_core, 0)});
  s.set_open(unassigned_core, false);
  CHECK(s.decide() == commands{asked(whole)});
  s.yielded(whole);
  s.set_open(0, true);
  s.set_open(1, true);
  CHECK(s.decide() == commands{submitted(one, 1, 0)});
}
