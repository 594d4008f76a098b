// SPDX-License-Identifier: Apache-2.0
#include <takt/allocation/every_plan.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/simulation/find_counterexample.hpp>

#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<4, 16>;

[[nodiscard]] auto timed(resource_kind where, ticks upper, takt::visit_mask before = 0) -> takt::runtime_visit {
  takt::runtime_visit v{.where = where, .predecessors = before};
  v.known.add(visit_fact::time);
  v.time = {0, upper};
  return v;
}
[[nodiscard]] auto kernel(ticks work, takt::visit_mask before) -> takt::runtime_visit {
  takt::runtime_visit v{.where = resource_kind::gpu, .predecessors = before};
  v.known.add(visit_fact::work);
  v.known.add(visit_fact::interleave);
  v.interleave_numerator = 1;
  v.work = {0, work};
  return v;
}
[[nodiscard]] auto board(std::int32_t sms) -> takt::hardware {
  takt::hardware out{.processors = 1, .copy_engines = 1, .gpus = {}, .own = {}};
  REQUIRE(out.gpus.try_push_back({.sms = sms, .virtual_per_sm = 2}));
  return out;
}
/// Two tasks of a short visit and a kernel.
[[nodiscard]] auto two_kernels(ticks first, ticks second, ticks deadline) -> tasks_type {
  tasks_type out;
  std::int32_t priority = 0;
  for (const ticks work : {first, second}) {
    REQUIRE(out.add_task({.period = 100, .deadline = deadline, .priority = priority++}));
    REQUIRE(out.add_visit(timed(resource_kind::processor, 2)));
    REQUIRE(out.add_visit(kernel(work, 1)));
  }
  return out;
}
template <class Policy>
[[nodiscard]] auto erased(const Policy& policy, const takt::hardware& on) {
  return takt::any_board_of<16>(policy, on, takt::fixed_priority);
}

}  // namespace

TEST_CASE("a run that misses a deadline is found, and can be made again") {
  tasks_type tasks;
  REQUIRE(tasks.add_task({.period = 10, .deadline = 10, .priority = 0}));
  REQUIRE(tasks.add_visit(timed(resource_kind::processor, 6)));
  REQUIRE(tasks.add_task({.period = 30, .deadline = 14, .priority = 1}));
  REQUIRE(tasks.add_visit(timed(resource_kind::processor, 5)));
  const auto on = erased(takt::federated_policy{}, board(2));
  const takt::plan<4, 16> p{};
  const auto found = takt::find_counterexample(on, tasks, p);
  REQUIRE(found.exists);
  CHECK_FALSE(found.error);
  CHECK(found.task == 1);
  CHECK(found.runs == 1);
  CHECK(found.deadline_at == 14);
  CHECK(takt::simulate(on, tasks, p, found.how).tasks[1].misses > 0);
  tasks.tasks[1].deadline = 17;
  const auto none = takt::find_counterexample(on, tasks, p, {.seeds = 2});
  CHECK_FALSE(none.exists);
  CHECK(none.runs == 7);
}

TEST_CASE("jobs are held to the deadlines that were given, after the period or none at all") {
  tasks_type tasks;
  REQUIRE(tasks.add_task({.period = 20, .deadline = 20, .priority = 0}));
  REQUIRE(tasks.add_visit(timed(resource_kind::processor, 9)));
  REQUIRE(tasks.add_task({.period = 10, .deadline = 12, .priority = 1}));
  REQUIRE(tasks.add_visit(timed(resource_kind::processor, 3)));
  const auto on = erased(takt::federated_policy{}, board(2));
  const takt::plan<4, 16> p{};
  CHECK_FALSE(takt::find_counterexample(on, tasks, p).exists);
  tasks.tasks[1].deadline = 11;
  const auto late = takt::find_counterexample(on, tasks, p);
  REQUIRE(late.exists);
  CHECK(late.task == 1);
  CHECK(late.deadline_at == takt::no_instant);
  tasks.tasks[1].limited = false;
  CHECK_FALSE(takt::find_counterexample(on, tasks, p).exists);
}

TEST_CASE("a miss that needs bad luck is found by a seed, within so many visits") {
  // Released together the short kernel goes first; a little later it waits for the whole of the long one.
  tasks_type tasks = two_kernels(16, 64, 60);
  tasks.tasks[0].deadline = 7;
  const auto on = erased(takt::whole_gpu_policy{}, board(2));
  const takt::plan<4, 16> p{};
  const auto found = takt::find_counterexample(on, tasks, p);
  REQUIRE(found.exists);
  CHECK(found.task == 0);
  CHECK(found.runs > 1);
  CHECK_FALSE(takt::find_counterexample(on, tasks, p, {.seeds = 0}).exists);
  CHECK(takt::find_counterexample(on, tasks, p, {.most_visits = 40}).how.horizon.count() <
        takt::find_counterexample(on, tasks, p).how.horizon.count());
}

TEST_CASE("every way to hand out SMs is asked, until one of them will do") {
  const auto tasks = two_kernels(80, 80, 30);
  const auto three = erased(takt::federated_policy{}, board(3));
  const takt::plan<4, 16> p{};
  std::size_t asked = 0;
  const auto fails = [&](const auto& plan) {
    ++asked;
    CHECK(plan.shares[0].sms + plan.shares[1].sms <= 3);
    return takt::find_counterexample(three, tasks, plan).exists;
  };
  const auto answer = takt::holds_for_every_plan(three, tasks, p, 64, fails);
  CHECK(answer.is_known);
  CHECK(answer.holds);
  CHECK(answer.plans == 3);
  CHECK(asked == 3);
  const auto four = erased(takt::federated_policy{}, board(4));
  const auto other = takt::holds_for_every_plan(
      four, tasks, p, 64, [&](const auto& plan) { return takt::find_counterexample(four, tasks, plan).exists; });
  CHECK(other.is_known);
  CHECK_FALSE(other.holds);
  CHECK_FALSE(takt::holds_for_every_plan(three, tasks, p, 2, fails).is_known);
  auto open = tasks;
  open.tasks[0].priority = takt::no_priority;
  CHECK_FALSE(takt::holds_for_every_plan(three, open, p, 64, fails).is_known);
  const auto whole = erased(takt::whole_gpu_policy{}, board(3));
  CHECK(takt::holds_for_every_plan(whole, tasks, p, 64, [](const auto& /*plan*/) { return true; }).plans == 1);
}

TEST_CASE("a search for runs is bounded by visits, however far the periods are apart") {
  constexpr ticks day = 86'400'000'000'000;
  for (const ticks shortest : {ticks{1'000}, ticks{100'000}, ticks{60'000'000'000}}) {
    CAPTURE(shortest);
    tasks_type tasks;
    REQUIRE(tasks.add_task({.period = shortest, .deadline = shortest, .priority = 0}));
    REQUIRE(tasks.add_visit(timed(resource_kind::processor, 1)));
    for (std::int32_t i = 1; i < 3; ++i) {
      REQUIRE(tasks.add_task({.period = day + i, .deadline = day, .priority = i}));
      REQUIRE(tasks.add_visit(timed(resource_kind::processor, 1)));
    }
    const auto seen = takt::find_counterexample(erased(takt::federated_policy{}, board(4)), tasks, takt::plan<4, 16>{},
                                                {.most_visits = 1'000, .seeds = 1});
    CHECK_FALSE(seen.exists);
    CHECK_FALSE(seen.error);
    CHECK(seen.how.horizon.count() / shortest <= 1'001);
    CHECK(seen.how.horizon.count() / shortest >= 900);
  }
  // The longest times that there are.
  takt::detail::run_sizes<4> sizes;
  for (const ticks period : {ticks{1}, takt::simulation::longest_time}) {
    REQUIRE(sizes.period.try_push_back(period));
    REQUIRE(sizes.deadline.try_push_back(period));
    REQUIRE(sizes.visits.try_push_back(16));
  }
  CHECK(sizes.horizon({.most_visits = 1'000}) <= 1'000 / 16 + 2);
}
