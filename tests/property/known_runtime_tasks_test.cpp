// SPDX-License-Identifier: Apache-2.0
// Random chains and whole kernels with whatever is known of their kernels: what a published method proves of them under
// a policy is held against runs of the pools of that policy. TAKT_SYSTEMS sets how many.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

#include <takt/allocation/compare.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/simulation/simulate.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/policies.hpp>
#include "support/draws.hpp"

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using takt_tests::draws;
using takt_tests::systems_or;

constexpr std::size_t max_tasks = 4;
constexpr std::size_t max_visits = 32;
using tasks_type = takt::runtime_task_set<max_tasks, max_visits, max_visits, 8 * max_visits>;
constexpr std::array names{std::string_view{"a"}, std::string_view{"b"}, std::string_view{"c"}, std::string_view{"d"}};

struct workload {
  tasks_type tasks{};
  takt::hardware board{};
  ticks demand = 0;  ///< of the task added last
};

void add(workload& w, takt::runtime_visit v, ticks time) {
  const std::uint32_t p = w.tasks.tasks.back().visit_count;
  v.predecessors = p == 0 ? 0 : takt::visit_mask{1} << (p - 1);
  REQUIRE(w.tasks.add_visit(v));
  w.demand += time;
}

void add_time(draws& d, workload& w, resource_kind where, ticks most) {
  takt::runtime_visit v{.where = where};
  v.known.add(visit_fact::time);
  v.time.upper = d.between(0, most);
  v.time.lower = d.between(0, v.time.upper);
  v.direction = d.one_in(2) ? takt::to_host : takt::to_device;
  add(w, v, v.time.upper);
}

/// Facts of one kernel that takes about so long on all SMs; at least one of them.
void add_kernel(draws& d, workload& w, bool may_be_pinned) {
  takt::runtime_visit v{.where = resource_kind::gpu};
  const ticks alone = d.between(1, 6);
  const auto virtual_sms = ticks{w.board.gpus[0].sms} * w.board.gpus[0].virtual_per_sm;
  const std::int64_t which = d.between(0, 5);
  const auto knows = [&](visit_fact f, bool always, ticks seldom) {
    if (!always && !d.one_in(seldom)) { return false; }
    v.known.add(f);
    return true;
  };
  if (knows(visit_fact::wcet, which == 0, 3)) { v.wcet = alone; }
  if (knows(visit_fact::work, which == 1 || which == 2, 6)) {
    v.work.upper = d.between(1, alone * virtual_sms);
    v.work.lower = d.between(0, v.work.upper);
    if (knows(visit_fact::overhead, false, 3)) { v.overhead = d.between(0, v.work.upper < 2 ? v.work.upper : 2); }
    if (knows(visit_fact::interleave, false, 3)) {
      v.interleave_numerator = d.between(5, 9);
      v.interleave_denominator = 5;
    }
  }
  if (which == 3 || d.one_in(6)) {
    v.known.add(visit_fact::grid);
    v.known.add(visit_fact::block_length);
    v.blocks = d.between(1, 12);
    v.threads = 1;
    v.block_length = d.between(1, 3);
  }
  if (knows(visit_fact::wcet_by_share, which == 4, 6)) {
    v.row = static_cast<std::uint32_t>(w.tasks.rows.size());
    REQUIRE(w.tasks.rows.try_push_back(takt::wcet_row::scaling(d.between(1, 6), d.count(0, 1000))));
  }
  if (knows(visit_fact::times_on_sms, which == 5, 9)) {
    v.first_sample = static_cast<std::uint32_t>(w.tasks.samples.size());
    ticks upper = alone * d.between(1, 4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      REQUIRE(w.tasks.samples.try_push_back({d.between(0, upper), upper}));
      upper -= d.between(0, upper - 1);
    }
    v.samples = 4;
  }
  if (d.one_in(2)) {
    v.known.add(visit_fact::preemption_cost);
    v.preemption_cost = d.between(0, 1);
  }
  if (may_be_pinned && d.one_in(3) && v.known.has(visit_fact::wcet)) {
    v.known.add(visit_fact::pinning);
    v.width = takt::kernel_width::one_core;
    v.sm = d.count(0, w.board.gpus[0].sms - 1);
  }
  add(w, v, alone);
}

[[nodiscard]] auto draw(std::uint64_t seed) -> workload {
  draws d{seed};
  workload w;
  w.board.processors = d.count(1, 2);
  w.board.copy_engines = d.count(1, 2);
  takt::gpu_hardware gpu{.sms = d.count(2, 6), .virtual_per_sm = d.count(1, 2)};
  gpu.preemption_levels = d.count(1, 3);
  if (d.one_in(6)) { gpu.speed = {d.count(1, 3), d.count(1, 3)}; }
  REQUIRE(w.board.gpus.try_push_back(gpu));
  const bool whole = d.one_in(3);
  const auto tasks = static_cast<std::size_t>(d.between(2, 4));
  for (std::size_t i = 0; i < tasks; ++i) {
    REQUIRE(w.tasks.add_task({.name = names[i], .period = 1, .deadline = 1}));
    w.demand = 0;
    if (whole) {
      add_kernel(d, w, true);
    } else {
      if (!d.one_in(6)) { add_time(d, w, resource_kind::processor, 5); }
      for (ticks k = d.between(0, 2); k > 0; --k) {
        if (d.one_in(2)) { add_time(d, w, resource_kind::copy_engine, 3); }
        add_kernel(d, w, false);
        if (d.one_in(2)) { add_time(d, w, resource_kind::copy_engine, 3); }
        if (!d.one_in(6)) { add_time(d, w, resource_kind::processor, 5); }
      }
      if (w.tasks.tasks.back().visit_count == 0) { add_time(d, w, resource_kind::processor, 5); }
    }
    takt::runtime_task& t = w.tasks.tasks[i];
    t.period = (w.demand + 1) * d.between(1, 9) * static_cast<ticks>(tasks) / 3 + d.between(1, 5);
    t.deadline = d.one_in(2) ? t.period - d.between(0, t.period / 4) : t.period + d.between(0, t.period / 4);
    t.limited = !d.one_in(10);
    t.priority = static_cast<std::int32_t>(i * 7 % 5);
    t.core = d.one_in(3) ? d.count(0, w.board.processors - 1) : takt::unassigned_core;
  }
  return w;
}

struct tally {
  std::uint64_t proven = 0;
  std::uint64_t refused = 0;
  std::uint64_t errors = 0;
  std::uint64_t violations = 0;
  std::uint64_t reached = 0;  ///< bounds that some job met
};

struct way {
  takt::release_pattern releases;
  takt::execution_times execution;
};
constexpr std::array ways{way{takt::release_pattern::adversarial, takt::execution_times::upper},
                          way{takt::release_pattern::adversarial, takt::execution_times::random},
                          way{takt::release_pattern::sporadic, takt::execution_times::random}};

template <class Verdict, class Seen>
void hold_to(const Verdict& v, const Seen& seen, tally& count) {
  count.errors += seen.error ? 1U : 0U;
  for (std::size_t i = 0; !seen.error && i < v.tasks.size(); ++i) {
    const ticks worst = seen.tasks[i].worst_response;
    const auto& t = v.tasks[i];
    count.violations += !t.bound.exists || worst > t.bound.value || (t.limited && worst > t.deadline) ? 1U : 0U;
    count.reached += worst == t.bound.value ? 1U : 0U;
  }
}

[[nodiscard]] auto horizon_of(const tasks_type& all) -> takt::duration {
  ticks longest = 0;
  for (const auto& t : all.tasks) { longest = longest < t.period ? t.period : longest; }
  return takt::duration{40 * longest};
}

template <class Policy, class Rule, class Verdict>
void run(const Policy& policy, const Rule& rule, const workload& w, const Verdict& v, std::uint64_t seed,
         tally& count) {
  for (const way& how : ways) {
    const takt::simulation_options options{
        .horizon = horizon_of(w.tasks), .releases = how.releases, .execution = how.execution, .seed = seed};
    const auto board = takt::any_board_of<max_visits>(policy, w.board, rule);
    hold_to(v, takt::simulate(board, w.tasks, v.plan, options), count);
  }
}

constexpr auto policies = takt::policies(
    takt::federated_policy{}, takt::federated_shared_policy{}, takt::whole_gpu_policy{}, takt::busy_waiting_policy{},
    takt::tokens_k_fmlp_policy{1}, takt::tokens_k_fmlp_policy{2}, takt::tokens_r2dglp_policy{1},
    takt::tokens_r2dglp_policy{2}, takt::tokens_ck_omlp_policy{1}, takt::tokens_ck_omlp_policy{2},
    takt::levels_policy{}, takt::levels_policy{1}, takt::slots_policy{.pinned = {0, 6, 12}, .gang = {6, 6, 12}},
    takt::gang_policy{}, takt::shares_policy{});
constexpr auto rules =
    takt::cpu_rules(takt::fixed_priority, takt::deadline_monotonic, takt::rate_monotonic, takt::edf, takt::g_edf);

}  // namespace

TEST_CASE("what published methods prove of described workloads holds in runs of their policies") {
  std::map<std::string, tally, std::less<>> all;
  const std::uint64_t systems = systems_or(150);
  for (std::uint64_t n = 0; n < systems; ++n) {
    const workload w = draw(9'000 + n);
    rules.each([&](const auto& rule) {
      policies.each([&](const auto& policy) {
        using known = takt::known_under<std::remove_cvref_t<decltype(policy)>, std::remove_cvref_t<decltype(rule)>,
                                        takt::published_judges>;
        if constexpr (requires { typename known::method; }) {
          tally& count = all[std::string{policy.name}];
          const auto v = known::judge(policy, rule, w.tasks, w.board);
          count.refused += v.error ? 1U : 0U;
          if (!v.schedulable()) { return; }
          ++count.proven;
          const std::uint64_t before = count.violations + count.errors;
          run(policy, rule, w, v, n, count);
          if (count.violations + count.errors != before) {
            MESSAGE(policy.name << " " << takt::cpu_keyword<std::remove_cvref_t<decltype(rule)>> << " seed " << n << " "
                                << v.method);
          }
        }
      });
    });
  }
  for (const auto& [name, count] : all) {
    MESSAGE(name << ": proven " << count.proven << ", refused " << count.refused << ", bounds reached "
                 << count.reached);
    CHECK(count.errors == 0);
    CHECK(count.violations == 0);
    CHECK(count.proven > 0);
    CHECK(count.reached > 0);  // a bound that left a tick out would be seen
  }
}

TEST_CASE("which policies and rules of processors published methods cover") {
  using fixed = takt::fixed_priority_rule<>;
  static_assert(takt::is_covered<takt::federated_policy, fixed, takt::published_judges>);
  static_assert(takt::is_covered<takt::busy_waiting_policy, fixed, takt::published_judges>);
  static_assert(takt::is_covered<takt::tokens_k_fmlp_policy, fixed, takt::published_judges>);
  static_assert(!takt::is_covered<takt::federated_policy, takt::edf_rule, takt::published_judges>);
  static_assert(takt::is_covered<takt::levels_policy, takt::edf_rule, takt::published_judges>);
  static_assert(!takt::is_covered<takt::time_sliced_policy, fixed, takt::published_judges>);
  CHECK(takt::is_covered<takt::shares_policy, takt::edf_rule, takt::published_judges>);
}
