// SPDX-License-Identifier: Apache-2.0
// Small sets of integer times that are said to miss a deadline under every plan: under each plan of cores some legal
// run misses one.
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/simulation/find_counterexample.hpp>
#include <takt/systems/policies.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include <doctest/doctest.h>

#include "support/draws.hpp"

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using takt_tests::systems_or;

constexpr std::size_t max_tasks = 4;
constexpr std::size_t max_visits = 12;
using tasks_type = takt::runtime_task_set<max_tasks, max_visits, 1, 1>;
using plan_type = takt::plan<max_tasks, max_visits>;

constexpr std::array names{std::string_view{"a"}, std::string_view{"b"}, std::string_view{"c"}, std::string_view{"d"}};
constexpr std::array<ticks, 6> periods{4, 5, 6, 8, 10, 12};

struct tally {
  std::uint64_t unschedulable = 0;
  std::uint64_t schedulable = 0;
  std::map<takt::miss_reason, std::uint64_t> reasons;
};

void add_visit(tasks_type& all, resource_kind where, ticks upper) {
  takt::runtime_visit v{.where = where};
  v.known.add(visit_fact::time);
  v.time = {upper, upper};
  const std::uint32_t position = all.tasks.back().visit_count;
  v.predecessors = position == 0 ? 0 : takt::visit_mask{1} << (position - 1);
  REQUIRE(all.add_visit(v));
}

/// Tasks of one CPU visit, or of two with a copy between them; some strict, some on a core that they name.
[[nodiscard]] auto draw_tasks(takt::random_stream& d, std::int32_t cores, bool all_strict) -> tasks_type {
  tasks_type out;
  const auto count = static_cast<std::size_t>(d.between(1, ticks{max_tasks}));
  for (std::size_t i = 0; i < count; ++i) {
    const ticks period = periods[static_cast<std::size_t>(d.below(static_cast<ticks>(periods.size())))];
    const bool late = d.chance(1, 4);
    takt::runtime_task t{.name = names[i],
                         .period = period,
                         .deadline = late ? d.between(period, 2 * period) : d.between(2, period),
                         .priority = static_cast<std::int32_t>(i),
                         .core = d.chance(1, 3) ? static_cast<std::int32_t>(d.below(cores)) : takt::unassigned_core,
                         .strict = all_strict || d.chance(1, 4)};
    if (t.strict) { t.offset = d.below(8); }
    REQUIRE(out.add_task(t));
    add_visit(out, resource_kind::processor, d.between(1, 4));
    if (all_strict || d.chance(2, 3)) { continue; }
    add_visit(out, resource_kind::copy_engine, d.between(1, 3));
    add_visit(out, resource_kind::processor, d.between(1, 2));
  }
  return out;
}

/// Whether some run misses a deadline under each way to give cores to the tasks that name none. `cores`: of which each
/// is scheduled by itself; 1: all together, and no plan names any.
template <class Board>
[[nodiscard]] auto misses_everywhere(const Board& board, const tasks_type& all, std::int32_t cores) -> bool {
  const takt::counterexample_search search{.periods = 400, .most_visits = 100'000, .seeds = 24};
  if (cores == 1) { return takt::find_counterexample(board, all, plan_type{}, search).exists; }
  std::int64_t ways = 1;
  for (std::size_t i = 0; i < all.size(); ++i) { ways *= cores; }
  for (std::int64_t way = 0; way < ways; ++way) {
    plan_type p;
    std::int64_t rest = way;
    bool is_plan = true;
    for (const takt::runtime_task& t : all.tasks) {
      const auto core = static_cast<std::int32_t>(rest % cores);
      rest /= cores;
      is_plan = is_plan && (t.core == takt::unassigned_core || t.core == core);
      REQUIRE(p.cores.try_push_back(core));
    }
    if (is_plan && !takt::find_counterexample(board, all, p, search).exists) { return false; }
  }
  return true;
}

template <class Policy, class Rule>
void check(const Policy& policy, const Rule& rule, std::int32_t cores, takt::random_stream& d, bool all_strict,
           tally& count) {
  const tasks_type all = draw_tasks(d, cores, all_strict);
  const takt::hardware board{.processors = cores, .copy_engines = 1, .gpus = {}, .own = {}};
  const auto found = takt::judge_at_run_time<takt::published_judges>(policy, rule, all, board);
  count.schedulable += found.schedulable() ? 1U : 0U;
  if (found.verdict.status != takt::verdict_status::unschedulable) { return; }
  ++count.unschedulable;
  REQUIRE_FALSE(found.misses.empty());
  for (const auto& miss : found.misses) { ++count.reasons[miss.reason]; }
  const auto made = takt::any_board_of<max_visits>(policy, board, rule);
  const bool confirmed = misses_everywhere(made, all, takt::detail::cluster_of(rule, cores) == 1 ? cores : 1);
  CHECK_MESSAGE(confirmed, name_of(found.misses[0].reason));
}

template <class Policy, class Rule>
[[nodiscard]] auto check_all(const Policy& policy, const Rule& rule, std::uint64_t seed) -> tally {
  tally out;
  for (std::uint64_t i = 0; i < systems_or(60); ++i) {
    takt::random_stream d{seed * 1'000'003 + i};
    check(policy, rule, static_cast<std::int32_t>(1 + i % 2), d, i % 3 == 0, out);
  }
  return out;
}

}  // namespace

TEST_CASE("sets that are said to miss under fixed priorities do so in a legal run") {
  const tally count = check_all(takt::federated_policy{}, takt::fixed_priority, 1);
  CHECK(count.unschedulable > 0);
  CHECK(count.schedulable > 0);
  CHECK(count.reasons.contains(takt::miss_reason::strict_releases));
  CHECK(count.reasons.contains(takt::miss_reason::synchronous_release));
}

TEST_CASE("so do sets under EDF") {
  const tally count = check_all(takt::federated_policy{}, takt::edf, 2);
  CHECK(count.unschedulable > 0);
  CHECK(count.schedulable > 0);
  CHECK(count.reasons.contains(takt::miss_reason::strict_releases));
}

TEST_CASE("so do sets of jobs that poll for their copies") {
  const tally count = check_all(takt::busy_waiting_policy{}, takt::fixed_priority, 3);
  CHECK(count.unschedulable > 0);
  CHECK(count.schedulable > 0);
}

TEST_CASE("so do sets on processors that are scheduled together") {
  const tally count = check_all(takt::federated_policy{}, takt::g_edf, 4);
  CHECK(count.unschedulable > 0);
  CHECK(count.schedulable > 0);
}
