// SPDX-License-Identifier: Apache-2.0
// Which published methods judge a policy is an argument: a list of judges, and nobody where none is given.
#include <takt/allocation/policies/judge.hpp>
#include <takt/allocation/policies/known_under.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/systems/policies.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

namespace {

using takt::ticks;
using tasks_type = takt::runtime_task_set<2, 4, 4, 4>;

struct my_method {
  static constexpr std::string_view name = "mine";
};
struct my_judges {
  template <class Policy, class CpuRule>
  struct under {};
};
/// Says of every set that each task ends at once.
template <class CpuRule>
struct my_judges::under<takt::whole_gpu_policy, CpuRule> {
  using method = my_method;
  template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
  [[nodiscard]] static constexpr auto judge(const takt::whole_gpu_policy& /*policy*/, const CpuRule& /*cpus*/,
                                            const takt::runtime_task_set<N, V, R, S>& tasks,
                                            const takt::hardware& /*board*/) {
    takt::verdict<ticks, N, V> out;
    out.method = my_method::name;
    out.status = takt::verdict_status::schedulable;
    for (const takt::runtime_task& t : tasks.tasks) {
      out.tasks.unchecked_push_back(
          {.name = t.name, .deadline = t.deadline, .bound = {1, true}, .meets = true, .limited = true});
    }
    return out;
  }
};

using fixed = takt::fixed_priority_rule<>;
static_assert(!takt::is_covered<takt::whole_gpu_policy, fixed, takt::methods<>>);
static_assert(takt::is_covered<takt::whole_gpu_policy, fixed, takt::methods<my_judges>>);
static_assert(!takt::is_covered<takt::gang_policy, fixed, takt::methods<my_judges>>);
static_assert(takt::is_covered<takt::federated_policy, fixed, takt::published_judges>);
static_assert(!takt::is_covered<takt::time_sliced_policy, fixed, takt::published_judges>);

/// Names the method that a list asks of whole kernels.
template <class Judges>
using asked = typename takt::known_under<takt::whole_gpu_policy, fixed, Judges>::method;
static_assert(std::is_same_v<asked<takt::methods<my_judges, takt::accelerator_judges>>, my_method>);
static_assert(!std::is_same_v<asked<takt::methods<takt::accelerator_judges, my_judges>>, my_method>);

[[nodiscard]] auto one_task() -> tasks_type {
  tasks_type out;
  REQUIRE(out.add_task({.name = "one", .period = 100, .deadline = 100, .core = 0}));
  takt::runtime_visit v{.where = takt::resource_kind::processor};
  v.known.add(takt::visit_fact::time);
  v.time = {0, 50};
  REQUIRE(out.add_visit(v));
  return out;
}

}  // namespace

TEST_CASE("a method of one's own judges a policy where it is in the list that is asked") {
  const auto tasks = one_task();
  const takt::hardware board{.processors = 1, .copy_engines = 1, .gpus = {}, .own = {}};
  const auto alone = takt::judge(takt::whole_gpu_policy{}, takt::fixed_priority, tasks, board);
  REQUIRE(alone.schedulable());
  CHECK(alone.verdict.tasks[0].bound.value == 50);
  const auto mine = takt::judge<takt::methods<my_judges>>(takt::whole_gpu_policy{}, takt::fixed_priority, tasks, board);
  REQUIRE(mine.schedulable());
  CHECK(mine.verdict.method == "mine");
  CHECK(mine.verdict.tasks[0].bound.value == 1);
}

TEST_CASE("combiners alone judge every policy of which the board says enough") {
  const auto tasks = one_task();
  takt::hardware board{.processors = 1, .copy_engines = 1, .gpus = {}, .own = {}};
  REQUIRE(board.gpus.try_push_back({.sms = 8,
                                    .threads_per_sm = 1024,
                                    .blocks_per_sm = 16,
                                    .preemption_levels = 2,
                                    .context_switch = 1,
                                    .switch_is_known = true}));
  takt::published_policies.each([&](const auto& policy) {
    const auto found = takt::judge(policy, takt::fixed_priority, tasks, board);
    CHECK_MESSAGE(found.schedulable(), policy.name);
  });
}
