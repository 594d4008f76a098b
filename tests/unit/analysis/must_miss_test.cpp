// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/must_miss.hpp>
#include <takt/analysis/task_ranks.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/tags.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <doctest/doctest.h>

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<4, 8>;

[[nodiscard]] auto timed(resource_kind where, ticks upper, takt::visit_mask before = 0) -> takt::runtime_visit {
  takt::runtime_visit v{.where = where, .predecessors = before};
  v.known.add(visit_fact::time);
  v.time = {0, upper};
  return v;
}
[[nodiscard]] auto board(std::int32_t gpus = 1) -> takt::hardware {
  takt::hardware out{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  for (std::int32_t g = 0; g < gpus; ++g) { REQUIRE(out.gpus.try_push_back({.sms = 4, .virtual_per_sm = 2})); }
  return out;
}
[[nodiscard]] auto one(takt::runtime_task t, const takt::runtime_visit& v) -> tasks_type {
  tasks_type out;
  REQUIRE(out.add_task(t));
  REQUIRE(out.add_visit(v));
  return out;
}
constexpr takt::analysis::board_limits two_cores{.processors = 2};
constexpr takt::analysis::board_limits one_kernel{.processors = 2, .kernels = 1};

/// The one proof that there is, or none.
[[nodiscard]] auto miss_of(const tasks_type& all, const takt::hardware& on, const takt::analysis::board_limits& limits)
    -> takt::proven_miss<ticks> {
  const auto found = takt::analysis::find_proven_misses(all, on, limits);
  CHECK(found.size() <= 1);
  return found.empty() ? takt::proven_miss<ticks>{.value = -1} : found[0];
}
[[nodiscard]] auto must_miss(const tasks_type& all, const takt::hardware& on,
                             const takt::analysis::board_limits& limits) -> bool {
  return !takt::analysis::find_proven_misses(all, on, limits).empty();
}

}  // namespace

TEST_CASE("a job that takes longer than its deadline when it is alone misses it") {
  CHECK_FALSE(must_miss(one({.period = 9, .deadline = 5}, timed(resource_kind::processor, 5)), board(), two_cores));
  CHECK(must_miss(one({.period = 9, .deadline = 5}, timed(resource_kind::processor, 6)), board(), two_cores));
  CHECK(must_miss(one({.period = 9, .deadline = 5, .jitter = 1}, timed(resource_kind::processor, 5)), board(),
                  two_cores));
  CHECK_FALSE(must_miss(one({.period = 9, .deadline = 5, .limited = false}, timed(resource_kind::processor, 6)),
                        board(), two_cores));
  auto beside = one({.period = 9, .deadline = 5}, timed(resource_kind::processor, 3));
  REQUIRE(beside.add_visit(timed(resource_kind::processor, 3)));
  CHECK_FALSE(must_miss(beside, board(), two_cores));
  REQUIRE(beside.add_visit(timed(resource_kind::copy_engine, 3, 0b10)));
  const auto miss = miss_of(beside, board(), two_cores);
  CHECK(miss.reason == takt::miss_reason::own_time);
  CHECK(miss.task == 0);
  CHECK(miss.value == 6);
  CHECK(miss.limit == 5);
}

TEST_CASE("a time beyond all ranges proves nothing, and no sum overflows") {
  constexpr auto is_silent = [](resource_kind where) {
    constexpr ticks most = std::numeric_limits<ticks>::max();
    takt::runtime_visit early{.where = where, .known = {}, .time = {0, 4}};
    early.known.add(visit_fact::time);
    takt::runtime_visit late = early;
    late.time.upper = most;
    tasks_type all;
    static_cast<void>(all.add_task({.period = 9, .deadline = 5}));
    static_cast<void>(all.add_visit(early));
    static_cast<void>(all.add_visit(late));
    takt::hardware on{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
    on.gpus.unchecked_push_back({.sms = 4, .virtual_per_sm = 2});
    return takt::analysis::find_proven_misses(all, on, two_cores).empty();
  };
  static_assert(is_silent(resource_kind::processor));
  static_assert(is_silent(resource_kind::copy_engine));
  static_assert(is_silent(resource_kind::gpu));
}

TEST_CASE("a kernel counts with what all of its facts allow, and not at all where they only bound it") {
  const auto kernel = [](auto... facts) {
    takt::runtime_visit v{.where = resource_kind::gpu};
    (v.known.add(facts), ...);
    if (v.known.has(visit_fact::work)) { v.known.add(visit_fact::interleave); }
    v.interleave_numerator = 1;
    v.wcet = 6;
    v.work = {0, 64};
    v.blocks = 64;
    v.threads = 1;
    v.block_length = 1;
    return v;
  };
  const auto late = [&](const takt::runtime_visit& v, ticks deadline) {
    return must_miss(one({.period = 90, .deadline = deadline}, v), board(), two_cores);
  };
  CHECK(late(kernel(visit_fact::wcet), 5));
  CHECK_FALSE(late(kernel(visit_fact::wcet), 6));
  CHECK(late(kernel(visit_fact::work), 7));
  CHECK_FALSE(late(kernel(visit_fact::work), 8));
  CHECK_FALSE(late(kernel(visit_fact::work, visit_fact::wcet), 6));
  auto unknown = kernel(visit_fact::work);
  unknown.overhead = 5;  // which is not known, and so means nothing
  CHECK_FALSE(late(unknown, 8));
  unknown.known.remove(visit_fact::interleave);  // so it may gain nothing from the two virtual SMs of an SM
  CHECK(late(unknown, 15));
  CHECK_FALSE(late(unknown, 16));
  CHECK(late(kernel(visit_fact::work, visit_fact::wcet), 5));
  CHECK_FALSE(late(kernel(visit_fact::grid, visit_fact::block_length), 1));
  auto no_time = kernel(visit_fact::work, visit_fact::wcet);
  no_time.wcet = 0;
  CHECK_FALSE(late(no_time, 7));
}

TEST_CASE("more demand than there is ends in a miss, if all tasks have deadlines") {
  tasks_type three;
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(three.add_task({.period = 10, .deadline = 10}));
    REQUIRE(three.add_visit(timed(resource_kind::processor, 7)));
  }
  const auto all = miss_of(three, board(), two_cores);
  CHECK(all.reason == takt::miss_reason::processors_overloaded);
  CHECK(all.value == 2'100'000);
  CHECK(all.limit == 2'000'000);
  CHECK_FALSE(must_miss(three, board(), {.processors = 3}));
  three.tasks[0].limited = false;
  CHECK_FALSE(must_miss(three, board(), two_cores));
  // Others may starve, and those with deadlines ask for too much of one core.
  CHECK(miss_of(three, board(), {.processors = 1}).reason == takt::miss_reason::core_overloaded);

  tasks_type named;
  for (const std::int32_t core : {0, 0, takt::unassigned_core}) {
    REQUIRE(named.add_task({.period = 10, .deadline = 10, .core = core}));
    REQUIRE(named.add_visit(timed(resource_kind::processor, 6)));
  }
  CHECK_FALSE(must_miss(named, board(), two_cores));
  const auto core = miss_of(named, board(), {.processors = 2, .named_cores = true});
  CHECK(core.reason == takt::miss_reason::core_overloaded);
  CHECK(core.index == 0);
  CHECK(core.value == 1'200'000);
}

TEST_CASE("tasks that never leave a core are as late as fixed priorities make them when they are released together") {
  tasks_type two;
  REQUIRE(two.add_task({.period = 10, .deadline = 10, .priority = 0, .core = 1}));
  REQUIRE(two.add_visit(timed(resource_kind::processor, 6)));
  REQUIRE(two.add_task({.period = 20, .deadline = 15, .priority = 1, .core = 1}));
  REQUIRE(two.add_visit(timed(resource_kind::processor, 5)));
  constexpr takt::analysis::board_limits on_cores{.processors = 2, .named_cores = true};
  const auto under = [&](const auto& rule) {
    using rule_type = std::remove_cvref_t<decltype(rule)>;
    const auto ranks = takt::analysis::detail::ranks_under<rule_type>(two);
    return takt::analysis::find_proven_misses(two, board(), on_cores, {ranks.data(), ranks.size()});
  };
  const auto found = under(takt::fixed_priority);
  REQUIRE(found.size() == 1);
  CHECK(found[0].reason == takt::miss_reason::synchronous_release);
  CHECK(found[0].task == 1);
  CHECK(found[0].index == 1);
  CHECK(found[0].value == 17);
  CHECK(found[0].limit == 15);
  CHECK(under(takt::rate_monotonic).size() == 1);
  CHECK(under(takt::edf).empty());
  CHECK(under(takt::nonpreemptive(takt::fixed_priority)).empty());
  two.tasks[1].deadline = 17;
  CHECK(under(takt::fixed_priority).empty());
  two.tasks[1].jitter = 1;
  CHECK(under(takt::fixed_priority).size() == 1);
  // A plan may choose priorities, and deadline monotonic ones say nothing of jitter.
  two.tasks[0].priority = takt::no_priority;
  CHECK(under(takt::fixed_priority).empty());
  two.tasks[1] = {.period = 20, .deadline = 16, .core = 1, .first_visit = 1, .visit_count = 1};
  CHECK(under(takt::fixed_priority).size() == 1);
  two.tasks[1].core = takt::unassigned_core;
  CHECK(under(takt::fixed_priority).empty());
}

TEST_CASE("a task that needs a part of the GPU for itself gets no more than others leave") {
  tasks_type tasks;
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(tasks.add_task({.period = 100, .deadline = 20}));
    takt::runtime_visit v{.where = resource_kind::gpu};
    v.known.add(visit_fact::work);
    v.known.add(visit_fact::interleave);
    v.interleave_numerator = 1;
    v.work = {0, 120};
    REQUIRE(tasks.add_visit(v));
  }
  const auto of = [&](std::int64_t parts) {
    return takt::analysis::find_proven_misses(tasks, board(), {.processors = 2, .parts = parts, .sms_of_part = 2});
  };
  // 120 on eight virtual SMs is 15, on six 20.
  CHECK(of(4).empty());
  tasks.tasks[0].deadline = 19;
  const auto late = of(4);
  REQUIRE(late.size() == 1);
  CHECK(late[0].value == 20);
  tasks.tasks[0].deadline = 100;
  tasks.tasks[1].deadline = 100;
  CHECK(of(2).empty());
  const auto none = of(1);
  REQUIRE(none.size() == 1);
  CHECK(none[0].reason == takt::miss_reason::more_gpu_tasks_than_sms);
  CHECK(none[0].value == 2);
  CHECK(none[0].limit == 1);
  tasks.tasks[1].limited = false;
  CHECK(of(1).empty());
  tasks.tasks[1].limited = true;
  for (auto& t : tasks.tasks) { t.period = 25; }
  const auto load = of(4);
  REQUIRE_FALSE(load.empty());
  CHECK(load[0].reason == takt::miss_reason::gpu_overloaded);
  CHECK(load[0].value == 1'120'000);
}

TEST_CASE("runs prove something where each kernel says how long it takes, and nothing else of it") {
  const auto given = [](auto... facts) {
    takt::runtime_visit v{.where = resource_kind::gpu};
    (v.known.add(facts), ...);
    return takt::analysis::times_are_given(one({.period = 9, .deadline = 9}, v));
  };
  CHECK(given(visit_fact::wcet));
  CHECK(given(visit_fact::work, visit_fact::overhead, visit_fact::preemption_cost));
  CHECK(given(visit_fact::times_on_sms));
  CHECK_FALSE(given(visit_fact::wcet, visit_fact::work));
  CHECK_FALSE(given(visit_fact::work, visit_fact::wcet_by_share));
  CHECK_FALSE(given(visit_fact::grid, visit_fact::block_length));
  CHECK_FALSE(given());
  CHECK(takt::analysis::times_are_given(one({.period = 9, .deadline = 9}, timed(resource_kind::processor, 5))));
}

TEST_CASE("polling is no demand of a processor, for it ends while the thread waits") {
  auto jobs = one({.period = 20, .deadline = 20}, timed(resource_kind::processor, 4));
  REQUIRE(jobs.add_visit(timed(resource_kind::copy_engine, 8, 1)));
  REQUIRE(jobs.add_task({.period = 20, .deadline = 20}));
  REQUIRE(jobs.add_visit(timed(resource_kind::processor, 9)));
  constexpr takt::analysis::board_limits polls{.processors = 1, .spins = true};
  CHECK_FALSE(must_miss(jobs, board(), {.processors = 1}));
  CHECK_FALSE(must_miss(jobs, board(), polls));

  const std::int64_t first[]{0, 1};
  const auto late = takt::analysis::find_proven_misses(jobs, board(), polls, first);
  REQUIRE(late.size() == 1);
  CHECK(late[0].reason == takt::miss_reason::synchronous_release);
  CHECK(late[0].task == 1);
  CHECK(late[0].value == 4 + 8 + 9);
  const std::int64_t last[]{1, 0};
  CHECK(takt::analysis::find_proven_misses(jobs, board(), polls, last).empty());
  jobs.visits[1].time = {17, 17};
  CHECK(miss_of(jobs, board(), polls).reason == takt::miss_reason::own_time);
}

TEST_CASE("one kernel at a time for each GPU is a limit, and so are copy engines") {
  tasks_type two;
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(two.add_task({.period = 10, .deadline = 10}));
    takt::runtime_visit v{.where = resource_kind::gpu};
    v.known.add(visit_fact::wcet);
    v.wcet = 6;
    REQUIRE(two.add_visit(v));
  }
  CHECK(miss_of(two, board(), one_kernel).reason == takt::miss_reason::kernels_overloaded);
  CHECK_FALSE(must_miss(two, board(2), one_kernel));
  CHECK_FALSE(must_miss(two, board(), two_cores));
  for (auto& v : two.visits) { v = timed(resource_kind::copy_engine, 6); }
  CHECK(miss_of(two, board(), two_cores).reason == takt::miss_reason::copy_engine_overloaded);
  takt::hardware engines = board();
  engines.copy_engines = 2;
  two.visits[0].direction = takt::copy_direction::to_host;
  CHECK_FALSE(must_miss(two, engines, two_cores));
}
