// SPDX-License-Identifier: Apache-2.0
#include <takt/allocation/compare.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/systems/policies.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<4, 16, 4, 4>;

constexpr ticks ms = 1'000'000;

[[nodiscard]] auto timed(resource_kind where, ticks upper, takt::visit_mask before) -> takt::runtime_visit {
  takt::runtime_visit v{.where = where, .predecessors = before};
  v.known.add(visit_fact::time);
  v.time = {0, upper};
  return v;
}
[[nodiscard]] auto kernel(ticks work, ticks wcet, takt::visit_mask before) -> takt::runtime_visit {
  takt::runtime_visit v{.where = resource_kind::gpu, .predecessors = before};
  v.known.add(visit_fact::work);
  v.known.add(visit_fact::interleave);
  v.interleave_numerator = 1;
  v.known.add(visit_fact::wcet);
  v.work = {0, work};
  v.wcet = wcet;
  return v;
}
/// CPU, kernel, CPU.
void add_chain(tasks_type& out, std::string_view name, ticks period, ticks cpu, ticks work, ticks wcet) {
  REQUIRE(out.add_task({.name = name, .period = period, .deadline = period}));
  REQUIRE(out.add_visit(timed(resource_kind::processor, cpu, 0)));
  REQUIRE(out.add_visit(kernel(work, wcet, 0b1)));
  REQUIRE(out.add_visit(timed(resource_kind::processor, cpu, 0b10)));
}
[[nodiscard]] auto two_chains() -> tasks_type {
  tasks_type out;
  add_chain(out, "detect", 60 * ms, 2 * ms, 24 * ms, 4 * ms);
  add_chain(out, "track", 40 * ms, ms, 8 * ms, 2 * ms);
  return out;
}
[[nodiscard]] auto board_of(std::int32_t processors, std::int32_t gpus = 1) -> takt::hardware {
  takt::hardware out{.processors = processors, .copy_engines = 1, .gpus = {}, .own = {}};
  for (std::int32_t g = 0; g < gpus; ++g) {
    REQUIRE(
        out.gpus.try_push_back({.sms = 8, .virtual_per_sm = 2, .context_switch = 250'000, .switch_is_known = true}));
  }
  return out;
}
constexpr auto some = takt::policies(takt::federated_policy{}, takt::whole_gpu_policy{}, takt::tokens_k_fmlp_policy{},
                                     takt::levels_policy{}, takt::busy_waiting_policy{});

}  // namespace

TEST_CASE("each policy gets a line under each rule, and what is missing on the board is named") {
  const auto table = takt::compare<takt::published_judges>(two_chains(), board_of(2), some,
                                                           takt::cpu_rules(takt::fixed_priority, takt::edf));
  REQUIRE(table.lines.size() == 10);
  CHECK(table.lines[1].cpus == "edf");
  const auto* levels = table.under("levels");
  REQUIRE(levels != nullptr);
  CHECK_FALSE(levels->judged);
  REQUIRE(levels->missing.size() == 1);
  CHECK(levels->missing[0].fact == "preemption_levels");
  CHECK(levels->missing[0].task == takt::no_index);
  CHECK(table.under("gang") == nullptr);
  REQUIRE(table.schedulable());
  for (const auto& line : table.lines) {
    CHECK((!line.schedulable() || line.slack() <= table.best().slack()));
    CHECK_FALSE((line.policy == "levels" && line.schedulable()));
  }
}

TEST_CASE("boards of values say what typed boards say") {
  const auto tasks = two_chains();
  some.each([&](const auto& policy) {
    CAPTURE(policy.name);
    const auto typed = takt::judge<takt::published_judges>(policy, takt::edf, tasks, board_of(2));
    const auto erased = takt::judge_at_run_time<takt::published_judges>(policy, takt::edf, tasks, board_of(2));
    CHECK(typed.judged == erased.judged);
    CHECK(typed.verdict.status == erased.verdict.status);
    CHECK(takt::parameter_of(typed.policy) == takt::parameter_of(erased.policy));
    REQUIRE(typed.verdict.tasks.size() == erased.verdict.tasks.size());
    for (std::size_t i = 0; i < typed.verdict.tasks.size(); ++i) {
      CHECK(typed.verdict.tasks[i].bound.value == erased.verdict.tasks[i].bound.value);
    }
  });
}

TEST_CASE("every kernel without a time under a policy is named") {
  tasks_type tasks = two_chains();
  for (auto& v : tasks.visits) {
    if (v.where != resource_kind::gpu) { continue; }
    v.known = {};
    v.known.add(visit_fact::wcet);
  }
  const auto v =
      takt::judge_at_run_time<takt::published_judges>(takt::federated_policy{}, takt::edf, tasks, board_of(2));
  CHECK_FALSE(v.judged);
  REQUIRE(v.missing.size() == 2);
  CHECK(v.missing[0].task == 0);
  CHECK(v.missing[1].task == 1);
  CHECK(v.missing[1].visit == 1);
  CHECK(v.missing[1].fact == "work");
  CHECK(takt::judge_at_run_time<takt::published_judges>(takt::whole_gpu_policy{}, takt::edf, tasks, board_of(2))
            .schedulable());
}

TEST_CASE("the factor is where a proof ends") {
  const auto tasks = two_chains();
  const takt::whole_gpu_policy policy{};
  const auto found = takt::judge_at_run_time<takt::published_judges>(policy, takt::fixed_priority, tasks, board_of(2));
  REQUIRE(found.schedulable());
  const auto factor = takt::factor_at_run_time<takt::published_judges>(found, takt::fixed_priority, tasks, board_of(2));
  CHECK(factor > 1000);
  const auto under = [&](std::int64_t permille) {
    const auto trial = takt::scaled(tasks, permille);
    REQUIRE_FALSE(trial.error);
    return takt::judge_at_run_time<takt::published_judges>(policy, takt::fixed_priority, trial.tasks, board_of(2))
        .schedulable();
  };
  CHECK(under(factor));
  CHECK_FALSE(under(2 * factor));

  const auto twice = takt::scaled(tasks, 2 * factor).tasks;
  const auto lost = takt::judge_at_run_time<takt::published_judges>(policy, takt::fixed_priority, twice, board_of(2));
  REQUIRE_FALSE(lost.schedulable());
  const auto less = takt::factor_at_run_time<takt::published_judges>(lost, takt::fixed_priority, twice, board_of(2));
  CHECK(less >= 490);
  CHECK(less < 1000);
}

TEST_CASE("tasks without a core or a GPU are spread, and given cores stay") {
  tasks_type tasks;
  for (const std::string_view name : {"a", "b"}) { add_chain(tasks, name, 10 * ms, 4 * ms, ms, ms / 10); }
  CHECK_FALSE(takt::judge_at_run_time<takt::published_judges>(takt::whole_gpu_policy{}, takt::edf, tasks, board_of(1))
                  .schedulable());
  const auto two =
      takt::judge_at_run_time<takt::published_judges>(takt::whole_gpu_policy{}, takt::edf, tasks, board_of(2));
  REQUIRE(two.schedulable());
  CHECK(two.verdict.plan.cores[0] != two.verdict.plan.cores[1]);
  tasks.tasks[0].core = tasks.tasks[1].core = 1;
  const auto one =
      takt::judge_at_run_time<takt::published_judges>(takt::whole_gpu_policy{}, takt::edf, tasks, board_of(2));
  CHECK(one.verdict.status == takt::verdict_status::unschedulable);

  tasks_type kernels;
  for (const std::string_view name : {"a", "b"}) { add_chain(kernels, name, 10 * ms, ms / 10, 112 * ms, 7 * ms); }
  CHECK(takt::judge_at_run_time<takt::published_judges>(takt::whole_gpu_policy{}, takt::edf, kernels, board_of(2))
            .verdict.status == takt::verdict_status::unschedulable);
  const auto spread =
      takt::judge_at_run_time<takt::published_judges>(takt::whole_gpu_policy{}, takt::edf, kernels, board_of(2, 2));
  REQUIRE(spread.schedulable());
  CHECK(spread.verdict.plan.shares[0].gpu != spread.verdict.plan.shares[1].gpu);
  CHECK(takt::judge<takt::published_judges>(takt::whole_gpu_policy{}, takt::edf, kernels, board_of(2, 2))
            .verdict.error.fault == takt::model_fault::platform_size_out_of_range);
}

TEST_CASE("rows keep the deadlines that were given") {
  tasks_type tasks = two_chains();
  tasks.tasks[0].deadline = 90 * ms;
  tasks.tasks[1].limited = false;
  const auto v =
      takt::judge_at_run_time<takt::published_judges>(takt::whole_gpu_policy{}, takt::edf, tasks, board_of(2));
  REQUIRE(v.schedulable());
  CHECK(v.verdict.tasks[0].deadline == 90 * ms);
  CHECK_FALSE(v.verdict.tasks[1].limited);
  const ticks bound = v.verdict.tasks[0].bound.value;
  CHECK(takt::slack_permille(v.verdict) == (90 * ms - bound) * 1000 / (90 * ms));
}

TEST_CASE("a response that is longer than the period is no bound, whatever the deadline") {
  tasks_type tasks;
  add_chain(tasks, "a", 17, 5, 6, 8);
  REQUIRE(tasks.add_visit(kernel(9, 8, 0b100)));
  REQUIRE(tasks.add_visit(timed(resource_kind::processor, 2, 0b1000)));
  takt::hardware one = board_of(1);
  one.gpus[0].sms = 1;
  for (const bool limited : {false, true}) {
    tasks.tasks[0].limited = limited;
    tasks.tasks[0].deadline = 120;
    const auto v =
        takt::judge_at_run_time<takt::published_judges>(takt::federated_policy{}, takt::deadline_monotonic, tasks, one);
    REQUIRE(v.judged);
    CHECK_FALSE(v.schedulable());
    CHECK_FALSE(v.verdict.tasks[0].bound.exists);
    CHECK_FALSE(v.verdict.tasks[0].meets);
  }
}

TEST_CASE("what a board does not have is no guess") {
  takt::hardware none = board_of(2, 0);
  CHECK(takt::judge_at_run_time<takt::published_judges>(takt::gang_policy{}, takt::edf, two_chains(), none)
            .verdict.error.fault == takt::model_fault::kernel_without_gpu);
  tasks_type tasks;
  add_chain(tasks, "a", 10 * ms, ms, ms, ms);
  tasks.visits[0].where = resource_kind::copy_engine;
  takt::hardware no_engine = board_of(2);
  no_engine.copy_engines = 0;
  CHECK(takt::judge_at_run_time<takt::published_judges>(takt::gang_policy{}, takt::edf, tasks, no_engine)
            .verdict.error.fault == takt::model_fault::copy_without_engine);
  tasks_type processors;
  REQUIRE(processors.add_task({.name = "a", .period = 5, .deadline = 5}));
  REQUIRE(processors.add_visit(timed(resource_kind::processor, 2, 0)));
  CHECK(takt::judge_at_run_time<takt::published_judges>(takt::levels_policy{}, takt::edf, processors, none)
            .schedulable());
  CHECK(takt::judge<takt::published_judges>(takt::levels_policy{}, takt::edf, processors, none).schedulable());
}

TEST_CASE("more tasks with kernels than SMs have none of their own") {
  tasks_type tasks = two_chains();
  takt::hardware one = board_of(2);
  one.gpus[0].sms = 1;
  const auto v = takt::judge_at_run_time<takt::published_judges>(takt::federated_policy{}, takt::edf, tasks, one);
  REQUIRE(v.judged);
  CHECK_FALSE(v.schedulable());
  CHECK(v.verdict.why == takt::obstacle::gpu);
  CHECK(v.verdict.status == takt::verdict_status::unschedulable);
  REQUIRE(v.misses.size() == 1);
  CHECK(v.misses[0].reason == takt::miss_reason::more_gpu_tasks_than_sms);
  CHECK(v.misses[0].value == 2);
  CHECK(v.misses[0].limit == 1);
}

TEST_CASE("what must miss a deadline does so under policies that lack facts, too, and both are said") {
  tasks_type tasks = two_chains();
  tasks.tasks[1].deadline = 1;
  takt::hardware bare = board_of(2);
  bare.gpus[0].switch_is_known = false;
  bare.gpus[0].preemption_levels = 0;
  takt::published_policies.each([&](const auto& policy) {
    CAPTURE(policy.name);
    const auto v = takt::judge_at_run_time<takt::published_judges>(policy, takt::edf, tasks, bare);
    if (!v.judged) {
      CHECK(v.verdict.error);
      return;
    }
    CHECK(v.verdict.status == takt::verdict_status::unschedulable);
    REQUIRE_FALSE(v.misses.empty());
    CHECK(v.misses[0].reason == takt::miss_reason::own_time);
    CHECK(v.misses[0].task == 1);
    CHECK(v.misses[0].limit == 1);
    REQUIRE(v.verdict.tasks.size() == 2);
    CHECK(v.verdict.tasks[1].deadline == 1);
    CHECK(takt::factor_at_run_time<takt::published_judges>(v, takt::edf, tasks, bare) >= 0);
  });
  const auto sliced =
      takt::judge_at_run_time<takt::published_judges>(takt::time_sliced_policy{}, takt::edf, tasks, bare);
  CHECK(sliced.judged);
  REQUIRE(sliced.missing.size() == 1);
  CHECK(sliced.missing[0].fact == "context_switch");
  tasks.tasks[1].deadline = tasks.tasks[1].period;
  const auto unknown =
      takt::judge_at_run_time<takt::published_judges>(takt::time_sliced_policy{}, takt::edf, tasks, bare);
  CHECK_FALSE(unknown.judged);
  CHECK(unknown.misses.empty());
  CHECK(takt::factor_at_run_time<takt::published_judges>(sliced, takt::edf, tasks, bare) == 0);
}

TEST_CASE("what is decided stays, the rest is chosen, and a proof's own plan has the same proof") {
  const auto tasks = two_chains();
  const auto two = board_of(2, 2);
  using plan_type = takt::plan<tasks_type::max_tasks, tasks_type::max_visits>;
  using decided = takt::decided_plan<tasks_type::max_tasks, tasks_type::max_visits>;
  const auto same = [](const auto& a, const auto& b) {
    CHECK(a.schedulable() == b.schedulable());
    for (std::size_t i = 0; i < a.verdict.tasks.size(); ++i) {
      CHECK(a.verdict.tasks[i].bound.exists == b.verdict.tasks[i].bound.exists);
      CHECK(a.verdict.tasks[i].bound.value == b.verdict.tasks[i].bound.value);
    }
    CHECK(a.verdict.plan.shares == b.verdict.plan.shares);
    CHECK(a.verdict.plan.cores == b.verdict.plan.cores);
  };
  some.each([&](const auto& policy) {
    for (const auto& board : {board_of(2), two}) {
      const auto found = takt::judge_at_run_time<takt::published_judges>(policy, takt::fixed_priority, tasks, board);
      if (!found.schedulable()) { continue; }
      CAPTURE(policy.name);
      same(found, takt::judge_at_run_time<takt::published_judges>(found.policy, takt::fixed_priority, tasks, board,
                                                                  takt::default_share_rounds,
                                                                  decided{&found.verdict.plan, false}));
    }
  });
  plan_type both;
  for (int i = 0; i < 2; ++i) { REQUIRE(both.shares.try_push_back({1, 0})); }
  const auto placed = takt::judge_at_run_time<takt::published_judges>(
      takt::federated_policy{}, takt::fixed_priority, tasks, two, takt::default_share_rounds, decided{&both, false});
  REQUIRE(placed.schedulable());
  for (const auto& share : placed.verdict.plan.shares) {
    CHECK(share.gpu == 1);
    CHECK(share.sms > 0);
  }
  plan_type sized;
  for (int i = 0; i < 2; ++i) { REQUIRE(sized.shares.try_push_back({-1, 8})); }
  const auto spread = takt::judge_at_run_time<takt::published_judges>(
      takt::federated_policy{}, takt::fixed_priority, tasks, two, takt::default_share_rounds, decided{&sized, false});
  REQUIRE(spread.schedulable());
  CHECK(spread.verdict.plan.shares[0].sms == 8);
  CHECK(spread.verdict.plan.shares[0].gpu != spread.verdict.plan.shares[1].gpu);
  plan_type ordered;
  for (const std::int32_t p : {1, 0}) { REQUIRE(ordered.priorities.try_push_back(p)); }
  const auto by_order = takt::judge_at_run_time<takt::published_judges>(takt::federated_policy{}, takt::fixed_priority,
                                                                        tasks, board_of(2), takt::default_share_rounds,
                                                                        decided{&ordered, false});
  REQUIRE(by_order.schedulable());
  CHECK(by_order.verdict.plan.priorities == ordered.priorities);
  CHECK(by_order.verdict.plan.cores.size() == 2);
  plan_type wrong;
  REQUIRE(wrong.cores.try_push_back(0));
  CHECK(takt::judge_at_run_time<takt::published_judges>(takt::whole_gpu_policy{}, takt::fixed_priority, tasks,
                                                        board_of(2), takt::default_share_rounds, decided{&wrong, false})
            .verdict.error.fault == takt::model_fault::plan_does_not_fit);
}
