// SPDX-License-Identifier: Apache-2.0
// Bounds of tasks that are charged with overheads, held against runs in which interrupts are tasks of their own above
// all others and each visit of a processor takes its dispatch besides.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/allocation/policies/judge_any.hpp>
#include <takt/analysis/with_overheads.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/policies.hpp>
#include "property/composed_systems.hpp"

namespace {

using composed_systems::draws;
using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;

constexpr std::size_t max_tasks = 12;
constexpr std::size_t max_visits = 40;
using tasks_type = takt::runtime_task_set<max_tasks, max_visits>;
using costs = takt::gpusync_overheads<ticks>;
constexpr std::array names{std::string_view{"a"}, std::string_view{"b"}, std::string_view{"c"}, std::string_view{"d"},
                           std::string_view{"e"}, std::string_view{"f"}, std::string_view{"g"}, std::string_view{"h"}};

auto drawn_costs(draws& d) -> costs {
  costs o;
  for (ticks* const one :
       {&o.schedule, &o.context_switch, &o.cache_loss, &o.interrupt_cache_loss, &o.tick, &o.release, &o.event_latency,
        &o.ipi, &o.system_call_in, &o.system_call_out, &o.top_half, &o.bottom_half}) {
    *one = d.one_in(2) ? 0 : d.between(0, 2);
  }
  o.tick_quantum = d.one_in(2) ? 0 : d.between(20, 60);
  return o;
}

auto timed(resource_kind where, ticks lower, ticks upper, std::uint32_t position) -> takt::runtime_visit {
  takt::runtime_visit v{.where = where};
  v.known.add(visit_fact::time);
  v.time = {lower, upper};
  v.predecessors = position == 0 ? 0 : takt::visit_mask{1} << (position - 1);
  return v;
}

/// Chains on one processor with copies and kernels of their own.
auto drawn_tasks(draws& d) -> tasks_type {
  tasks_type out;
  const ticks count = d.between(1, 3);
  const ticks slack = d.between(3, 9);
  for (ticks i = 0; i < count; ++i) {
    REQUIRE(out.add_task({.name = names[static_cast<std::size_t>(i)], .period = 1, .deadline = 1}));
    const auto length = static_cast<std::uint32_t>(d.between(1, 4));
    ticks sum = 0;
    for (std::uint32_t p = 0; p < length; ++p) {
      const ticks upper = d.between(p == 0 ? 1 : 0, 12);
      sum += upper + 12;
      if (p % 2 == 0 || d.one_in(2)) {
        REQUIRE(out.add_visit(
            timed(p % 2 == 0 ? resource_kind::processor : resource_kind::copy_engine, d.between(0, upper), upper, p)));
        continue;
      }
      takt::runtime_visit kernel{.where = resource_kind::gpu};
      kernel.predecessors = takt::visit_mask{1} << (p - 1);
      kernel.known.add(visit_fact::wcet);
      kernel.wcet = upper;
      REQUIRE(out.add_visit(kernel));
    }
    auto& t = out.tasks.back();
    t.period = sum * count * slack / 3 + d.between(40, 80);
    t.deadline = t.period - (d.one_in(2) ? d.between(0, t.period / 8) : 0);
    t.jitter = d.one_in(4) ? d.between(0, t.period / 8) : 0;
  }
  return out;
}

/// The same tasks with their dispatch, below interrupts that come and take what they may.
auto as_it_runs(const tasks_type& tasks, const costs& o) -> tasks_type {
  tasks_type out = tasks;
  const auto last = static_cast<std::int32_t>(tasks.size());
  const ticks call = o.system_call_in + o.system_call_out;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    auto& t = out.tasks[i];
    t.priority = 100 + static_cast<std::int32_t>(i);
    t.jitter += o.event_latency;
    t.core = 0;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      auto& v = out.visits[t.first_visit + p];
      if (v.where != resource_kind::processor) { continue; }
      const bool asks = p + 1 < t.visit_count && tasks.visit(i, p + 1).where != resource_kind::processor;
      const bool waited = p > 0 && tasks.visit(i, p - 1).where != resource_kind::processor;
      v.time.upper +=
          2 * (o.schedule + o.context_switch) + o.cache_loss + o.ipi + (asks ? call : 0) + (waited ? call : 0);
    }
  }
  std::int32_t rank = 0;
  const auto interrupt = [&](ticks work, ticks period, ticks jitter) {
    if (work == 0) { return; }
    REQUIRE(out.add_task({.name = names[static_cast<std::size_t>(last + rank)],
                          .period = period,
                          .deadline = period,
                          .jitter = jitter,
                          .priority = rank,
                          .core = 0}));
    ++rank;
    REQUIRE(out.add_visit(timed(resource_kind::processor, 0, work, 0)));
  };
  if (o.tick_quantum > 0) { interrupt(o.tick + o.interrupt_cache_loss, o.tick_quantum, o.event_latency); }
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const auto& t = tasks.tasks[i];
    ticks work = o.release + o.interrupt_cache_loss;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      if (tasks.visit(i, p).where == resource_kind::processor) { continue; }
      work += o.top_half + o.bottom_half + o.interrupt_cache_loss + call + 2 * (o.schedule + o.context_switch);
    }
    interrupt(work, t.period, t.deadline);
  }
  return out;
}

struct tally {
  std::uint64_t proven = 0;
  std::uint64_t refused = 0;
  std::uint64_t exceeded = 0;
};

/// `charged_of`: what of the costs tasks are charged with.
template <class Policy, class Charged>
void examine(const Policy& policy, std::uint64_t systems, const Charged& charged_of, tally& out) {
  takt::hardware board;
  board.processors = board.copy_engines = 1;
  REQUIRE(board.gpus.try_push_back({.sms = 4, .virtual_per_sm = 2, .switch_is_known = true}));
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    draws d{seed};
    const costs o = drawn_costs(d);
    auto tasks = drawn_tasks(d);
    const auto charged = takt::with_overheads(tasks, charged_of(o), takt::detail::handover_of<Policy>());
    if (charged.error) {
      ++out.refused;
      continue;
    }
    auto given = charged.tasks;
    for (std::uint32_t i = 0; i < given.size(); ++i) { given.tasks[i].priority = 100 + static_cast<std::int32_t>(i); }
    const auto v = takt::judge_at_run_time<takt::published_judges>(policy, takt::fixed_priority, given, board, 4);
    if (!v.schedulable() || !v.verdict.plan.offsets.empty()) { continue; }
    ++out.proven;
    const auto runs = as_it_runs(tasks, o);
    const auto machine = takt::any_board_of<max_visits>(v.policy, board, takt::fixed_priority);
    auto plan = v.verdict.plan;
    plan.cores.clear();
    plan.priorities.clear();
    while (!plan.shares.empty() && plan.shares.size() < runs.size()) { REQUIRE(plan.shares.try_push_back({})); }
    while (!plan.percents.empty() && plan.percents.size() < runs.size()) { REQUIRE(plan.percents.try_push_back(0)); }
    for (const auto execution : {takt::execution_times::upper, takt::execution_times::random}) {
      const auto seen = takt::simulate(machine, runs, plan,
                                       {.horizon = takt::duration{4000},
                                        .releases = takt::release_pattern::adversarial,
                                        .execution = execution,
                                        .seed = seed});
      REQUIRE_FALSE(seen.error);
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        out.exceeded += seen.tasks[i].worst_response > v.verdict.tasks[i].bound.value ? 1U : 0U;
      }
    }
  }
}

}  // namespace

TEST_CASE("no run with dispatches and interrupts exceeds a bound of tasks that are charged with them") {
  const std::uint64_t systems = composed_systems::systems_or(300);
  const auto each = [&](const auto& policy) {
    tally seen;
    examine(policy, systems, [](const costs& o) { return o; }, seen);
    MESSAGE(policy.name << ": " << seen.proven << " of " << systems << " proven, " << seen.refused
                        << " without time for jobs, " << seen.exceeded << " exceeded");
    CHECK(seen.proven > systems / 8);
    CHECK(seen.exceeded == 0);
  };
  each(takt::federated_policy{});
  each(takt::whole_gpu_policy{});
  each(takt::time_sliced_policy{.slice = 4});
  each(takt::busy_waiting_policy{});
}

TEST_CASE("runs show overheads that nobody charged") {
  const auto is_caught = [](const auto& charged_of) {
    tally seen;
    examine(takt::federated_policy{}, 1000, charged_of, seen);
    return seen.exceeded > 0;
  };
  CHECK(is_caught([](const costs& /*o*/) { return costs{}; }));
  CHECK(is_caught([](costs o) {  // no interrupts
    o.tick = o.release = o.interrupt_cache_loss = o.top_half = o.bottom_half = 0;
    return o;
  }));
  CHECK(is_caught([](costs o) {  // no dispatches
    o.schedule = o.context_switch = o.cache_loss = o.ipi = 0;
    return o;
  }));
}

TEST_CASE("overheads are charged where they arise") {
  tasks_type tasks;
  REQUIRE(tasks.add_task({.name = "a", .period = 1000, .deadline = 900, .jitter = 5}));
  REQUIRE(tasks.add_visit(timed(resource_kind::processor, 3, 100, 0)));
  REQUIRE(tasks.add_visit(timed(resource_kind::copy_engine, 0, 50, 1)));
  REQUIRE(tasks.add_visit(timed(resource_kind::processor, 0, 0, 2)));
  const auto dispatched = takt::with_overheads(tasks, {.schedule = 1, .context_switch = 2, .cache_loss = 4, .ipi = 8});
  REQUIRE_FALSE(dispatched.error);
  // The host hands the engine on in 6, once in 1000 and at any time of a job: pending are up to 14, rounded up, and a
  // visit that takes 110 with its dispatch is stretched by 0.6 %.
  CHECK(dispatched.tasks.visits[0].time.lower == 3);
  CHECK(dispatched.tasks.visits[0].time.upper == 111 + 2 * 14 + 8);
  CHECK(dispatched.tasks.visits[1].time.upper == 50 + 14 + 8);
  CHECK(dispatched.tasks.visits[2].time.upper == 11 + 2 * 14 + 8);
  const auto called = takt::with_overheads(tasks, {.event_latency = 7, .system_call_in = 1, .system_call_out = 2});
  CHECK(called.tasks.tasks[0].jitter == 12);
  CHECK(called.tasks.visits[0].time.upper == 104 + 2 * 8);
  CHECK(takt::with_overheads(tasks, {.tick = 10, .tick_quantum = 10}).error.fault ==
        takt::model_fault::interrupts_leave_no_time);
  CHECK(takt::with_overheads(tasks, {.tick = -1}).error.fault == takt::model_fault::negative_overhead);
  CHECK(takt::with_overheads(tasks, {}).tasks.visits[0].time.upper == 100);
}
