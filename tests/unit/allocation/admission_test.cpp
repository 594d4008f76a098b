// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include <takt/allocation/admission.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/compare.hpp>
#include <takt/report/admission_words.hpp>
#include <takt/systems/policies.hpp>

namespace {

using namespace takt::literals;

constexpr auto board = [] {
  takt::hardware out{.processors = 1, .copy_engines = 1, .gpus = {}, .own = {}};
  out.gpus.unchecked_push_back({.sms = 8, .virtual_per_sm = 2});
  return out;
}();

template <class... Tasks>
[[nodiscard]] constexpr auto described(const Tasks&... tasks) {
  return takt::to_runtime_tasks(takt::task_set(tasks...)).tasks;
}
constexpr auto fast = described(takt::task("fast", takt::period(5_ms), takt::cpu(2_ms)));
constexpr auto slow = described(takt::task("slow", takt::period(20_ms), takt::cpu(6_ms)));
constexpr auto heavy = described(takt::task("heavy", takt::period(20_ms), takt::cpu(9_ms)));
constexpr auto endless = described(takt::task("endless", takt::period(20_ms), takt::cpu(21_ms)));

[[nodiscard]] constexpr auto open_door() {
  return takt::admit<3, 12, takt::published_judges>(takt::federated_policy{}, takt::fixed_priority, board);
}

constexpr auto comes_and_goes() -> bool {
  auto door = open_door();
  const bool in = door.join(fast).granted && door.join(slow).granted;
  const bool out = door.leave("fast").granted;
  return in && out && door.tasks().size() == 1 && door.tasks().tasks[0].name == "slow";
}
static_assert(comes_and_goes());

}  // namespace

TEST_CASE("a task that asks gets a plan for all, or the set stays as it is") {
  auto door = open_door();
  const auto first = door.join(fast);
  REQUIRE(first.granted);
  CHECK(first.found.verdict.tasks.size() == 1);
  REQUIRE(door.join(slow).granted);
  CHECK(door.proven().verdict.tasks[1].bound.value <= (20_ms).count());
  CHECK(door.proven().verdict.tasks.size() == 2);
  const auto too_much = door.join(heavy);
  CHECK_FALSE(too_much.granted);
  CHECK_FALSE(too_much.error);
  CHECK(too_much.found.verdict.tasks.size() == 3);
  CHECK(door.tasks().size() == 2);
  CHECK(door.proven().schedulable());
  REQUIRE(door.leave("slow").granted);
  CHECK(door.join(heavy).granted);
}

TEST_CASE("who asks for what the board does not have is told so, and who was judged gets no error") {
  constexpr takt::hardware without_gpu{.processors = 1, .copy_engines = 1, .gpus = {}, .own = {}};
  auto door = takt::admit<3, 12, takt::published_judges>(takt::federated_policy{}, takt::fixed_priority, without_gpu);
  const auto kernel =
      door.join(described(takt::task("draws", takt::period(20_ms), takt::cpu(1_ms),
                                     takt::kernel(takt::work(2_ms), takt::interleave(1)), takt::cpu(1_ms))));
  CHECK_FALSE(kernel.granted);
  CHECK(kernel.error);
  const auto too_long = door.join(endless);
  CHECK_FALSE(too_long.granted);
  CHECK_FALSE(too_long.error);
  CHECK(door.join(fast).granted);
}

TEST_CASE("what is proven of who is in is what the judge says of them alone") {
  auto door = open_door();
  REQUIRE(door.join(fast).granted);
  REQUIRE(door.join(slow).granted);
  REQUIRE(door.leave("fast").granted);
  const auto alone =
      takt::judge<takt::published_judges>(takt::federated_policy{}, takt::fixed_priority, door.tasks(), board);
  CHECK(alone.verdict.tasks[0].bound.value == door.proven().verdict.tasks[0].bound.value);
  CHECK(door.proven().verdict.tasks.size() == 1);
}

TEST_CASE("the last task may leave, and then nothing is judged") {
  auto door = open_door();
  REQUIRE(door.join(fast).granted);
  const auto answer = door.leave("fast");
  CHECK(answer.granted);
  CHECK(door.tasks().size() == 0);
  CHECK_FALSE(door.proven().judged);
  CHECK(door.join(slow).granted);
}

TEST_CASE("a task that stays where the rest is not proven is still in") {
  // A judge for whom more is easier: only pairs are proven.
  using set = takt::runtime_task_set<3, 12>;
  const auto only_pairs = [](const set& all) {
    takt::board_verdict<3, 12> out;
    out.judged = true;
    out.verdict.status = all.size() == 2 ? takt::verdict_status::schedulable : takt::verdict_status::not_proven;
    return out;
  };
  takt::admission<decltype(only_pairs), set> door{only_pairs};
  CHECK_FALSE(door.join(fast).granted);
  REQUIRE(door.join(described(takt::task("a", takt::period(9_ms), takt::cpu(1_ms)),
                              takt::task("b", takt::period(9_ms), takt::cpu(1_ms))))
              .granted);
  CHECK_FALSE(door.leave("a").granted);
  CHECK(door.tasks().size() == 2);
  CHECK(door.proven().schedulable());
}

TEST_CASE("a name that is taken, a name that nobody has and a set that is full are faults") {
  auto door = open_door();
  REQUIRE(door.join(fast).granted);
  const auto again = door.join(fast);
  CHECK(again.error.fault == takt::model_fault::duplicate_name);
  CHECK(takt::report::why_not_admitted(again, door.tasks()).find("\"fast\"") != std::string::npos);
  CHECK(door.leave("nobody").error.fault == takt::model_fault::no_task);
  const auto light = [](std::string_view name) {
    return described(takt::task(name, takt::period(100_ms), takt::cpu(1_us)));
  };
  REQUIRE(door.join(light("a")).granted);
  REQUIRE(door.join(light("b")).granted);
  CHECK(door.join(light("c")).error.fault == takt::model_fault::too_many_tasks);
  CHECK(door.tasks().size() == 3);
}

TEST_CASE("a refusal is put into words: a proof of a miss, no proof, a fact that is missing") {
  auto door = open_door();
  auto asked = [&door](const auto& more) {
    auto out = door.tasks();
    CHECK_FALSE(takt::append_tasks(more, out));
    return out;
  };
  const auto never = door.join(endless);
  REQUIRE_FALSE(never.granted);
  CHECK(never.found.verdict.status == takt::verdict_status::unschedulable);
  CHECK(takt::report::why_not_admitted(never, asked(endless)).find("endless") != std::string::npos);
  constexpr auto unknown = described(
      takt::task("k", takt::period(20_ms), takt::cpu(1_ms), takt::kernel(takt::grid(4, 64)), takt::cpu(1_ms)));
  const auto fact = door.join(unknown);
  REQUIRE_FALSE(fact.granted);
  CHECK(takt::report::why_not_admitted(fact, asked(unknown)).find("does not say") != std::string::npos);
  REQUIRE(door.join(fast).granted);
  const auto with_slow = asked(slow);
  CHECK(takt::report::why_not_admitted(door.join(slow), with_slow).empty());
}

TEST_CASE("a judge of any hardware opens the same door") {
  using set = takt::runtime_task_set<3, 12>;
  const auto by = [](const set& all) {
    return takt::judge_at_run_time<takt::published_judges>(takt::federated_policy{}, takt::fixed_priority, all, board);
  };
  takt::admission<decltype(by), set> door{by};
  CHECK(door.join(fast).granted);
  CHECK_FALSE(door.join(endless).granted);
}

TEST_CASE("tasks move with all that is said of them") {
  constexpr auto kernel =
      described(takt::task("k", takt::period(20_ms), takt::cpu(1_ms),
                           takt::kernel(takt::work(8_ms), takt::interleave(1),
                                        takt::wcet_by_share(takt::wcet_row::scaling((7_ms).count(), 200))),
                           takt::cpu(1_ms)));
  takt::runtime_task_set<3, 12> all;
  REQUIRE_FALSE(takt::append_tasks(fast, all));
  REQUIRE_FALSE(takt::append_tasks(kernel, all));
  REQUIRE_FALSE(takt::append_tasks(slow, all));
  const auto rest = takt::detail::without_task(takt::detail::without_task(all, 0), 1);
  REQUIRE(rest.size() == 1);
  CHECK(rest.tasks[0].first_visit == 0);
  REQUIRE(rest.tasks[0].visit_count == kernel.tasks[0].visit_count);
  for (std::size_t p = 0; p < rest.tasks[0].visit_count; ++p) { CHECK(rest.visit(0, p) == kernel.visit(0, p)); }
  CHECK(rest.rows.size() == kernel.rows.size());
}
