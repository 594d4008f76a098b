// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include <takt/systems/locked_gpus/analysis/pipeline.hpp>

#include "support/traces.hpp"
#include "vectors/exact_number.hpp"

namespace {

using namespace takt::analysis::gpusync;
using takt::ticks;
using takt_vectors::exact;

template <class Number>
[[nodiscard]] auto all_ones() -> takt::gpusync_overheads<Number> {
  const Number one(1);
  return {one, one, one, one, one, Number(100), one, one, one, one, one, one, one, one, one};
}

TEST_CASE("eight kinds of overhead and a tick are one value, and none of them is negative" *
          takt_tests::traces("GSD-35")) {
  using overheads = takt::gpusync_overheads<ticks>;
  overheads o;
  CHECK(o.valid());
  constexpr std::array fields{
      &overheads::schedule, &overheads::context_switch, &overheads::cache_loss,      &overheads::interrupt_cache_loss,
      &overheads::tick,     &overheads::tick_quantum,   &overheads::release,         &overheads::event_latency,
      &overheads::ipi,      &overheads::system_call_in, &overheads::system_call_out, &overheads::lock,
      &overheads::unlock,   &overheads::top_half,       &overheads::bottom_half};
  static_assert(sizeof(overheads) == fields.size() * sizeof(ticks), "a kind of overhead is missing here");
  for (const auto field : fields) {
    o = {};
    o.*field = 1;
    CHECK(o.valid());
    CHECK(std::ranges::count_if(fields, [&o](auto f) { return o.*f != 0; }) == 1);
    o.*field = -1;
    CHECK_FALSE(o.valid());
  }
}

TEST_CASE("interrupts: load, delay and stretch, exact in fractions and upwards in ticks" *
          takt_tests::traces("GSD-36")) {
  interrupt_load<exact> fine(all_ones<exact>());
  interrupt_load<ticks> coarse(all_ones<ticks>());
  for (const int period : {20, 50}) {
    fine.add_release(exact(period));
    coarse.add_release(period);
  }
  // A tick of 1 + 1 per 100, releases of 1 + 1 per 20 and per 50; a timer that is late by 1 keeps part of them pending.
  const exact load = exact(2) / 100 + exact(2) / 20 + exact(2) / 50;
  exact delay;
  exact time;
  REQUIRE(fine.delay(delay));
  REQUIRE(fine.slow_down(100, time));
  CHECK(delay == (6 + load) / (1 - load));
  CHECK(time == 100 / (1 - load));
  ticks ticks_delay = 0;
  ticks ticks_time = 0;
  REQUIRE(coarse.delay(ticks_delay));
  REQUIRE(coarse.slow_down(100, ticks_time));
  CHECK(exact(ticks_delay) >= delay);
  CHECK(exact(ticks_delay) <= delay + 4);
  CHECK(exact(ticks_time) >= time);
  CHECK(exact(ticks_time) <= time + 1);
}

TEST_CASE("interrupts that leave no time, and numbers that do not fit" * takt_tests::traces("GSD-36")) {
  interrupt_load<ticks> load(all_ones<ticks>());
  for (int i = 0; i < 48; ++i) { load.add_release(100); }
  CHECK(load.leaves_time());
  load.add_release(100);
  CHECK_FALSE(load.leaves_time());
  auto o = all_ones<ticks>();
  o.release = INT64_MAX;
  interrupt_load<ticks> large(o);
  large.add_release(100);
  CHECK_FALSE(large.fits());
  independent_task<ticks> out{};
  CHECK(independent<ticks>(interrupt_load<ticks>({}), {}, INT64_MAX, 0, interrupt_handling::shared, 10, 10, out) ==
        inflation_status::inflated);
  takt::gpusync_overheads<ticks> late{};
  late.event_latency = 10;
  CHECK(independent<ticks>(interrupt_load<ticks>(late), late, 1, 0, interrupt_handling::shared, 10, 10, out) ==
        inflation_status::no_period_left);
}

TEST_CASE("what a request and a section cost, less where the holder is not preempted" *
          takt_tests::traces("GSD-37 GSD-38")) {
  takt::gpusync_overheads<ticks> o{.schedule = 1,
                                   .context_switch = 10,
                                   .cache_loss = 100,
                                   .ipi = 1'000,
                                   .system_call_in = 10'000,
                                   .system_call_out = 100'000,
                                   .lock = 1'000'000,
                                   .unlock = 10'000'000};
  CHECK(takt::analysis::gpusync::detail::request_charge(o, holder::preemptable).time == 11'221'233);
  CHECK(takt::analysis::gpusync::detail::request_charge(o, holder::not_preemptable).time == 11'221'222);
  CHECK(takt::analysis::gpusync::detail::section_charge(o, holder::preemptable).time == 10'111'022);
  CHECK(takt::analysis::gpusync::detail::section_charge(o, holder::not_preemptable).time == 10'111'011);
  o.lock = INT64_MAX;
  CHECK_FALSE(takt::analysis::gpusync::detail::request_charge(o, holder::preemptable).bounded());
}

TEST_CASE("six steps from locking tasks to independent ones" * takt_tests::traces("GSD-39")) {
  takt::inline_vector<locking_task<exact>, 4> tasks;
  tasks.unchecked_push_back({.wcet = 100, .period = 1000, .deadline = 1000, .requests = 2, .longest_section = 20});
  tasks.unchecked_push_back({.wcet = 50, .period = 500, .deadline = 500, .requests = 1, .longest_section = 30});
  tasks.unchecked_push_back({.wcet = 70, .period = 700, .deadline = 700});
  auto o = all_ones<exact>();
  const auto found = six_steps(tasks, k_fmlp_counted{1}, o);
  CHECK(k_fmlp_counted{}.replicas == 1);
  CHECK(k_fmlp_measured{}.replicas == 1);
  REQUIRE(found.status == inflation_status::inflated);
  CHECK(found.sections[0] == 20 + 8);
  CHECK(found.sections[1] == 30 + 8);
  CHECK(found.sections[2] == 0);
  CHECK(found.blocking[0] == 2 * 38);  // behind one other user, for the longest section of all
  CHECK(found.blocking[2] == 0);
  CHECK(found.executed[0] == 100 + 2 * 38 + 2 * 15);
  const exact load = exact(2) / 100 + exact(2) / 1000 + exact(2) / 500 + exact(2) / 700;
  const exact delay = (8 + load) / (1 - load);
  CHECK(found.interrupt_delay == delay);
  CHECK(found.tasks[0].wcet == (found.executed[0] + 5) / (1 - load) + 4 * delay + 1);
  CHECK(found.tasks[0].period == 999);
  CHECK(found.tasks[0].deadline == 999);
  const auto shielded = six_steps(tasks, k_fmlp_counted{1}, o, interrupt_handling::shielded);
  CHECK(shielded.tasks[0].wcet == found.tasks[0].wcet - 2 * delay);
  // With donation every task may lend its priority, but holders switch once less.
  const auto donating = six_steps(tasks, ck_omlp_donating{2, 1}, o);
  CHECK(donating.sections[1] == 30 + 6);
  CHECK(donating.blocking[2] == 2 * 36);
  CHECK(donating.blocking[0] == 2 * 36 + 2 * 36);
}

TEST_CASE("steps that cannot be taken have a status" * takt_tests::traces("GSD-39")) {
  takt::inline_vector<locking_task<ticks>, 4> tasks;
  tasks.unchecked_push_back({.wcet = 100, .period = 1000, .deadline = 1, .requests = 2, .longest_section = 20});
  auto o = all_ones<ticks>();
  CHECK(six_steps(tasks, r2dglp_queued{2, 1}, o).status == inflation_status::no_period_left);
  tasks[0].deadline = 1000;
  CHECK(six_steps(tasks, r2dglp_queued{2, 1}, o).status == inflation_status::inflated);
  CHECK(six_steps(tasks, r2dglp_queued{0, 1}, o).status == inflation_status::overflow);
  o.tick_quantum = 2;
  CHECK(six_steps(tasks, r2dglp_queued{2, 1}, o).status == inflation_status::no_time_left);
}

}  // namespace
