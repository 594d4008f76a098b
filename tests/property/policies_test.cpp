// SPDX-License-Identifier: Apache-2.0
// Random workloads with whatever is known of their kernels, under every policy and several rules of processors: what is
// proven is held against runs under that policy and the plan of its proof.
#include <takt/allocation/compare.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/model/scaled.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/policies.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "spinning_machine.hpp"
#include "support/draws.hpp"

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using takt_tests::draws;
using takt_tests::systems_or;

constexpr std::size_t max_tasks = 4;
constexpr std::size_t max_visits = 24;
using tasks_type = takt::runtime_task_set<max_tasks, max_visits, max_visits, 8 * max_visits>;

constexpr std::array names{std::string_view{"a"}, std::string_view{"b"}, std::string_view{"c"}, std::string_view{"d"}};

constexpr auto policies =
    takt::policies(takt::federated_policy{}, takt::federated_shared_policy{}, takt::whole_gpu_policy{},
                   takt::busy_waiting_policy{}, takt::time_sliced_policy{.slice = 3}, takt::fifo_blocks_policy{},
                   takt::tokens_k_fmlp_policy{}, takt::tokens_r2dglp_policy{}, takt::tokens_ck_omlp_policy{},
                   takt::levels_policy{}, takt::slots_policy{}, takt::gang_policy{}, takt::shares_policy{});

struct workload {
  tasks_type tasks{};
  takt::hardware board{};
};

/// Facts of one kernel, most of which are there most of the time.
void add_kernel(draws& d, workload& w, takt::runtime_visit& v) {
  v.where = resource_kind::gpu;
  const ticks alone = d.between(1, 6);
  const auto knows = [&](visit_fact f, ticks often) {
    const bool there = !d.one_in(often);
    if (there) { v.known.add(f); }
    return there;
  };
  if (knows(visit_fact::wcet, 5)) { v.wcet = alone; }
  if (knows(visit_fact::work, 4)) {
    const ticks all = alone * 8;
    v.work = {d.between(0, all), all};
    if (d.one_in(3)) {
      v.known.add(visit_fact::overhead);
      v.overhead = d.between(0, alone / 2);
    }
    if (d.one_in(3)) {
      v.known.add(visit_fact::interleave);
      v.interleave_numerator = d.between(5, 9);
      v.interleave_denominator = 5;
    }
  }
  if (knows(visit_fact::preemption_cost, 3)) {
    v.preemption_cost = d.between(0, v.known.has(visit_fact::wcet) ? alone / 2 : 3 * alone);
  }
  if (!d.one_in(4)) {
    v.known.add(visit_fact::grid);
    v.known.add(visit_fact::block_length);
    v.blocks = d.between(1, 8);
    v.threads = d.count(1, 4);
    v.block_length = d.between(1, 3);
  }
  if (knows(visit_fact::wcet_by_share, 3)) {
    v.row = static_cast<std::uint32_t>(w.tasks.rows.size());
    REQUIRE(w.tasks.rows.try_push_back(takt::wcet_row::scaling(alone, d.count(300, 1000))));
  }
  if (d.one_in(10) && v.known.has(visit_fact::wcet)) {
    v.known.add(visit_fact::pinning);
    v.width = takt::kernel_width::one_core;
    v.sm = d.count(0, 1);
  }
}

/// In a quarter of the workloads some visits cannot be taken from their processors at any instant.
void add_regions(std::uint64_t seed, workload& w) {
  draws d{seed + 1'000'000'007};
  if (!d.one_in(4)) { return; }
  for (auto& v : w.tasks.visits) {
    if (v.where != resource_kind::processor || d.one_in(2)) { continue; }
    v.region = d.one_in(2) ? v.time.upper : d.between(0, v.time.upper);
  }
}

[[nodiscard]] auto draw(std::uint64_t seed) -> workload {
  draws d{seed};
  workload w;
  w.board.processors = d.count(1, 3);
  w.board.copy_engines = d.count(1, 2);
  const std::int32_t gpus = d.one_in(4) ? 2 : 1;
  for (std::int32_t g = 0; g < gpus; ++g) {
    takt::gpu_hardware gpu{.sms = 2 * d.count(1, 4), .virtual_per_sm = 2};
    if (!d.one_in(8)) {
      gpu.threads_per_sm = 4;
      gpu.warp_size = d.count(1, 2);
      gpu.blocks_per_sm = d.count(1, 4);
    }
    gpu.preemption_levels = d.one_in(8) ? 0 : d.count(1, 3);
    gpu.switch_is_known = !d.one_in(8);
    gpu.context_switch = gpu.switch_is_known ? d.between(0, 2) : 0;
    REQUIRE(w.board.gpus.try_push_back(gpu));
  }
  const std::size_t tasks = static_cast<std::size_t>(d.between(2, 4));
  const bool crowded = d.one_in(5);
  for (std::size_t i = 0; i < tasks; ++i) {
    REQUIRE(w.tasks.add_task({.name = names[i], .period = 1, .deadline = 1}));
    const auto visits = static_cast<std::uint32_t>(d.between(1, 6));
    const bool chain = !d.one_in(3);
    ticks sum = 0;
    for (std::uint32_t p = 0; p < visits; ++p) {
      takt::runtime_visit v{.where = p == 0 ? resource_kind::processor : resource_kind::own};
      if (p > 0) {
        constexpr std::array places{resource_kind::processor, resource_kind::copy_engine, resource_kind::gpu,
                                    resource_kind::gpu};
        v.where = places[static_cast<std::size_t>(d.between(0, 3))];
        v.predecessors = takt::visit_mask{1} << (chain ? p - 1 : static_cast<std::uint32_t>(d.between(0, p - 1)));
      }
      if (v.where == resource_kind::gpu) {
        add_kernel(d, w, v);
        sum += 6;
      } else {
        v.known.add(visit_fact::time);
        v.time.upper = d.between(0, 4);
        v.time.lower = d.between(0, v.time.upper);
        v.direction = d.one_in(2) ? takt::copy_direction::to_host : takt::copy_direction::to_device;
        sum += v.time.upper;
      }
      REQUIRE(w.tasks.add_visit(v));
    }
    takt::runtime_task& t = w.tasks.tasks[i];
    t.period = (sum + 1) * d.between(1, 12) * static_cast<ticks>(tasks) / (crowded ? 12 : 3) + d.between(1, 5);
    t.deadline = d.one_in(2) ? t.period - d.between(0, t.period / 4) : t.period + d.between(0, t.period / 4);
    t.limited = !d.one_in(10);
    t.jitter = d.one_in(4) ? d.between(0, t.period / 5) : 0;
    t.priority = d.one_in(2) ? d.count(0, 3) : takt::no_priority;
    t.core = d.one_in(3) ? d.count(0, w.board.processors - 1) : takt::unassigned_core;
  }
  add_regions(seed, w);
  REQUIRE(takt::complete(w.tasks, w.board) == takt::model_fault::none);
  return w;
}

struct tally {
  std::uint64_t lines = 0;
  std::uint64_t proven = 0;
  std::uint64_t unjudged = 0;
  std::uint64_t unschedulable = 0;
  std::uint64_t errors = 0;
  std::uint64_t violations = 0;
  std::uint64_t tight = 0;
};
using tallies = std::map<std::string, tally, std::less<>>;

[[nodiscard]] auto horizon_of(const tasks_type& all) -> ticks {
  ticks longest = 0;
  for (const auto& t : all.tasks) { longest = longest < t.period ? t.period : longest; }
  return 40 * longest;
}

/// What goes beyond the bounds of a verdict.
template <class Verdict, class Worst>
void hold_to(const Verdict& v, const Worst& worst_of, tally& count) {
  for (std::size_t i = 0; i < v.tasks.size(); ++i) {
    const ticks worst = worst_of(i);
    const auto& t = v.tasks[i];
    count.violations += !t.bound.exists || worst > t.bound.value || (t.limited && worst > t.deadline) ? 1U : 0U;
    count.tight += worst == t.bound.value ? 1U : 0U;
  }
}

struct way {
  takt::release_pattern releases;
  takt::execution_times execution;
};
constexpr std::array ways{way{takt::release_pattern::adversarial, takt::execution_times::upper},
                          way{takt::release_pattern::adversarial, takt::execution_times::random},
                          way{takt::release_pattern::sporadic, takt::execution_times::random}};

template <class Policy, class Rule>
void simulate_pools(const Policy& policy, const Rule& rule, const workload& run,
                    const takt::policy_verdict<Policy, max_tasks, max_visits>& v, std::uint64_t seed, tally& count) {
  const auto board = takt::any_board_of<max_visits>(policy, run.board, rule);
  for (const way& w : ways) {
    const auto seen = takt::simulate(board, run.tasks, v.verdict.plan,
                                     {.horizon = takt::duration{horizon_of(run.tasks)},
                                      .releases = w.releases,
                                      .execution = w.execution,
                                      .seed = seed});
    count.errors += seen.error ? 1U : 0U;
    if (seen.error) { continue; }
    hold_to(v.verdict, [&](std::size_t i) { return seen.tasks[i].worst_response; }, count);
  }
}

/// Releases and lengths of the machine where it chooses nothing.
struct no_choice {
  static auto gap(std::uint32_t /*task*/, std::uint64_t job, ticks period) -> ticks { return job == 0 ? 0 : period; }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
};

template <class Board, class Verdict>
void compare_with_engine(const Board& board, const workload& run, const Verdict& v, spinning_machine::system s) {
  for (const auto& t : run.tasks.tasks) {
    if (t.jitter > 0) { return; }
  }
  const auto flat = takt::flatten(board, run.tasks, v.verdict.plan);
  no_choice choices;
  using stations = std::remove_cvref_t<decltype(flat.stations)>;
  const auto engine = std::make_unique<takt::host::engine<stations, max_tasks, max_visits, no_choice>>(
      flat.table, flat.stations, choices);
  const auto seen = engine->run(horizon_of(run.tasks));
  s.counts_unfinished = false;
  const auto worst = spinning_machine::machine{s, 1, true}.run(horizon_of(run.tasks) + 1);
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) { CHECK(seen.tasks[i].worst_response == worst[i]); }
}

/// Under busy waiting a machine of its own runs, too. Without jitter it and the engine do the same.
template <class Policy, class Rule>
void simulate_threads(const Policy& policy, const Rule& rule, const workload& run,
                      const takt::policy_verdict<Policy, max_tasks, max_visits>& v, std::uint64_t seed, tally& count) {
  const auto board = takt::any_board_of<max_visits>(policy, run.board, rule);
  const auto flat = takt::flatten(board, run.tasks, v.verdict.plan);
  count.errors += flat.error ? 1U : 0U;
  if (flat.error) { return; }
  std::int32_t processors = 1;
  std::int32_t together = 1;
  board.each([&](const auto& p) {
    using facts = takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>;
    if (!facts::is_processors(p)) { return; }
    processors = facts::units(p);
    together = facts::cluster(p);
  });
  const auto copies = takt::copy_rule_of(policy, rule);
  spinning_machine::system s{.engines = flat.stations.size(),
                             .by_deadline = takt::EarliestDeadlineFirst<takt::kernel_order_beside<Rule>>,
                             .engines_fifo = takt::FirstComeFirstServed<std::remove_cvref_t<decltype(copies)>>};
  s.processors.assign(static_cast<std::size_t>(processors / together), static_cast<std::size_t>(together));
  for (std::size_t i = 0; i < flat.table.size(); ++i) {
    const auto& t = flat.table.tasks[i];
    takt::priority_point point{};
    REQUIRE(
        rule.job_order(together).point({1, t.period, t.deadline, static_cast<std::int32_t>(i), t.priority}, 0, point));
    spinning_machine::task out{.period = t.period, .deadline = t.deadline, .jitter = t.jitter};
    out.priority = point.point;
    const auto named = run.tasks.tasks[i].core == takt::unassigned_core ? 0 : run.tasks.tasks[i].core;
    const auto core = v.verdict.plan.cores.empty() ? named : v.verdict.plan.cores[i];
    out.cluster = static_cast<std::size_t>(core / together);
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const auto& x = flat.table.visit(i, p);
      using spinning_machine::place;
      const resource_kind at = board[flat.stations[x.station].pool].place;
      const place where = at == resource_kind::processor     ? place::processor
                          : at == resource_kind::copy_engine ? place::engine
                                                             : place::own;
      out.visits.push_back({where, x.station, x.lower, x.upper});
    }
    s.tasks.push_back(out);
  }
  compare_with_engine(board, run, v, s);
  for (const bool longest : {true, false}) {
    const auto worst = spinning_machine::machine{s, seed, longest}.run(horizon_of(run.tasks));
    hold_to(v.verdict, [&](std::size_t i) { return worst[i]; }, count);
  }
}

template <class Policy, class Rule>
void run_proven(const Policy& policy, const Rule& rule, const workload& run,
                const takt::policy_verdict<Policy, max_tasks, max_visits>& v, std::uint64_t seed, tally& count) {
  simulate_pools(policy, rule, run, v, seed, count);
  if constexpr (takt::keeps_processor<Policy>()) { simulate_threads(policy, rule, run, v, seed, count); }
}

constexpr auto rules = takt::cpu_rules(takt::fixed_priority, takt::edf, takt::rate_monotonic, takt::g_edf,
                                       takt::nonpreemptive(takt::deadline_monotonic), takt::fifo);

/// Whether a run in which the tasks are as long as they can be shows that deadlines are missed as a proof says.
template <class Policy, class Rule>
[[nodiscard]] auto misses_in_a_run(const Policy& policy, const Rule& rule, const workload& run,
                                   const takt::plan<max_tasks, max_visits>& p, const takt::proven_miss<ticks>& miss,
                                   ticks horizon, tally& count) -> bool {
  const auto board = takt::any_board_of<max_visits>(policy, run.board, rule);
  const bool is_own_time = miss.reason == takt::miss_reason::own_time;
  const auto seen =
      takt::simulate(board, run.tasks, p,
                     {.horizon = takt::duration{horizon},
                      .releases = is_own_time ? takt::release_pattern::adversarial : takt::release_pattern::periodic});
  count.errors += seen.error ? 1U : 0U;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = run.tasks.tasks[i];
    if (!t.limited || (miss.task != takt::no_index && miss.task != i)) { continue; }
    // Jobs that were released before the end and are not done are at least a period apart.
    const auto waiting = static_cast<ticks>(seen.tasks[i].released - seen.tasks[i].completed) - 1;
    const bool is_late = waiting * t.period >= t.deadline || seen.tasks[i].worst_response > t.deadline;
    if (is_late || (t.deadline <= t.period && seen.tasks[i].misses > 0)) { return true; }
  }
  return false;
}

using reason_counts = std::map<std::string, std::uint64_t, std::less<>>;

/// Runs what must miss a deadline, where a plan can be run and the miss comes soon: how many proofs of each kind runs
/// have shown, and how many they have not.
template <class Policy, class Rule, class Misses>
void run_missed(const Policy& policy, const Rule& rule, const workload& run, const takt::plan<max_tasks, max_visits>& p,
                const Misses& misses, reason_counts& shown, reason_counts& not_shown) {
  if (takt::keeps_processor<Policy>()) { return; }
  for (const auto& miss : misses) {
    ticks horizon = horizon_of(run.tasks);
    switch (miss.reason) {
      case takt::miss_reason::known_method:
      case takt::miss_reason::more_gpu_tasks_than_sms: continue;
      case takt::miss_reason::own_time:
      case takt::miss_reason::strict_releases: break;
      case takt::miss_reason::synchronous_release:
        // With priorities that are chosen some task of the core misses, and with jitter only if it is late.
        if (run.tasks.tasks[miss.task].jitter > 0 || !p.priorities.empty()) { continue; }
        break;
      case takt::miss_reason::core_overloaded:
      case takt::miss_reason::processors_overloaded:
      case takt::miss_reason::copy_engine_overloaded:
      case takt::miss_reason::gpu_overloaded:
      case takt::miss_reason::kernels_overloaded:
        // What is left over of each period adds up until every job is late.
        horizon += horizon * 1'000'000 / (miss.value - miss.limit);
        if (horizon > 200'000) { continue; }
        break;
    }
    tally errors;
    const bool is_seen = misses_in_a_run(policy, rule, run, p, miss, horizon, errors);
    if (errors.errors > 0) { continue; }  // no plan was found that fits
    ++(is_seen ? shown : not_shown)[std::string{takt::name_of(miss.reason)}];
  }
}

/// The same tasks in less time, and on some boards only what they do on processors, which is more then.
[[nodiscard]] auto squeezed(workload w, std::uint64_t seed) -> workload {
  draws d{seed};
  if (d.one_in(3)) {
    const bool ranked = d.one_in(2);
    tasks_type less;
    for (std::size_t i = 0; i < w.tasks.size(); ++i) {
      takt::runtime_task t = w.tasks.tasks[i];
      t.jitter = d.one_in(4) ? t.jitter : 0;
      if (ranked) { t.priority = d.count(0, 5); }
      t.core = d.one_in(3) ? takt::unassigned_core : 0;
      t.period = d.between(8, 40);
      t.deadline = d.one_in(4) ? t.period + d.between(0, 8) : t.period - d.between(0, t.period / 3);
      REQUIRE(less.add_task(t));
      takt::runtime_visit v{.where = resource_kind::processor};
      v.known.add(visit_fact::time);
      v.time = {0, d.between(1, 9)};
      REQUIRE(less.add_visit(v));
    }
    w.tasks = less;
    return w;
  }
  for (auto& v : w.tasks.visits) {
    if (v.where != resource_kind::gpu || seed % 2 == 0) { continue; }
    v.known = {};
    v.known.add(visit_fact::work);
    v.work = {0, d.between(20, 100)};
  }
  const ticks part = d.between(2, 5);
  for (auto& t : w.tasks.tasks) {
    t.period = t.period / part + 1;
    t.deadline = t.deadline / part + d.between(0, t.period);
    t.jitter /= part;
  }
  return w;
}

}  // namespace

TEST_CASE("what is proven under a policy holds in runs under that policy") {
  tallies all;
  const std::uint64_t systems = systems_or(100);
  for (std::uint64_t n = 0; n < systems; ++n) {
    const workload w = draw(7'000 + n);
    CAPTURE(n);
    rules.each([&](const auto& rule) {
      using rule_type = std::remove_cvref_t<decltype(rule)>;
      CAPTURE(takt::cpu_keyword<rule_type>);
      policies.each([&](const auto& policy) {
        using policy_type = std::remove_cvref_t<decltype(policy)>;
        CAPTURE(policy.name);
        tally& count = all[std::string{policy.name}];
        ++count.lines;
        const auto v = takt::judge_at_run_time<takt::published_judges>(policy, rule, w.tasks, w.board, 4);
        if (!v.judged) {
          CHECK((!v.missing.empty() || v.verdict.error));
          ++count.unjudged;
          return;
        }
        const bool is_missed = v.verdict.status == takt::verdict_status::unschedulable;
        CHECK((v.missing.empty() || is_missed));
        CHECK(is_missed == !v.misses.empty());
        const auto must = takt::detail::misses_under<takt::detail::any_boards>(v.policy, rule, w.tasks, w.board);
        CHECK_FALSE((!must.empty() && v.schedulable()));
        if constexpr (requires {
                        takt::known_under<policy_type, rule_type, takt::published_judges>::judge(v.policy, rule,
                                                                                                 w.tasks, w.board);
                      }) {
          const auto known = takt::known_under<policy_type, rule_type, takt::published_judges>::judge(v.policy, rule,
                                                                                                      w.tasks, w.board);
          CHECK_FALSE((known.status == takt::verdict_status::unschedulable && v.schedulable()));
        }
        count.unschedulable += v.verdict.status == takt::verdict_status::unschedulable ? 1U : 0U;
        if (!v.schedulable()) { return; }
        ++count.proven;
        const std::uint64_t before = count.violations;
        run_proven<policy_type>(v.policy, rule, w, v, n, count);
        CHECK(count.violations == before);
      });
    });
  }
  tally sum;
  for (const auto& [name, count] : all) {
    CAPTURE(name);
    MESSAGE(name << ": " << count.lines << " lines, proven " << count.proven << ", unjudged " << count.unjudged
                 << ", unschedulable " << count.unschedulable << ", bounds reached " << count.tight);
    CHECK(count.errors == 0);
    CHECK(count.proven > 0);
    CHECK(count.tight > 0);
    sum.unjudged += count.unjudged;
    sum.unschedulable += count.unschedulable;
  }
  CHECK(sum.unjudged > 0);
  CHECK(sum.unschedulable > 0);
}

TEST_CASE("what must miss a deadline misses it in a run, and a proof that counts too much does not") {
  reason_counts shown;
  reason_counts not_shown;
  reason_counts claimed;
  reason_counts refuted;
  const auto some_policies = takt::policies(takt::federated_policy{}, takt::whole_gpu_policy{}, takt::shares_policy{},
                                            takt::tokens_k_fmlp_policy{1}, takt::levels_policy{});
  const auto some_rules = takt::cpu_rules(takt::fixed_priority, takt::edf, takt::deadline_monotonic, takt::g_edf);
  for (std::uint64_t n = 0; n < 3 * systems_or(100); ++n) {
    const workload w = squeezed(draw(70'000 + n), n);
    CAPTURE(n);
    some_rules.each([&](const auto& rule) {
      some_policies.each([&](const auto& policy) {
        CAPTURE(policy.name);
        const auto v = takt::judge_at_run_time<takt::published_judges>(policy, rule, w.tasks, w.board, 1);
        if (!v.judged || !v.missing.empty()) { return; }
        const auto misses = takt::detail::misses_under<takt::detail::any_boards>(v.policy, rule, w.tasks, w.board);
        CHECK_FALSE((!misses.empty() && v.schedulable()));
        run_missed(v.policy, rule, w, v.verdict.plan, misses, shown, not_shown);
        const auto longer = takt::scaled(w.tasks, 1500);
        REQUIRE_FALSE(longer.error);
        const auto more = takt::detail::misses_under<takt::detail::any_boards>(v.policy, rule, longer.tasks, w.board);
        run_missed(v.policy, rule, w, v.verdict.plan, more, claimed, refuted);
      });
    });
  }
  for (const auto& [reason, count] : not_shown) {
    CAPTURE(reason);
    CHECK(count == 0);
  }
  for (const auto& [reason, count] : shown) {
    MESSAGE(reason << ": shown " << count << ", refuted where times are half as long again " << refuted[reason]);
  }
  for (const std::string_view reason :
       {"own-time", "synchronous-release", "core-overloaded", "processors-overloaded", "copy-engine-overloaded"}) {
    CAPTURE(reason);
    CHECK(shown[std::string{reason}] > 0);
    // Jobs that copy for so long are late anyway.
    CHECK((refuted[std::string{reason}] > 0 || reason == "copy-engine-overloaded"));
  }
  CHECK(shown["kernels-overloaded"] > 0);
}

namespace {

/// Violations where something was left out of what was proven, and not of what runs.
template <class Change, class Judged, class Run>
[[nodiscard]] auto caught(const Change& leave_out, const Judged& judged_policy, const Run& run_policy)
    -> std::uint64_t {
  tally count;
  for (std::uint64_t n = 0; n < systems_or(100); ++n) {
    const workload w = draw(7'000 + n);
    workload less = w;
    leave_out(less);
    takt::cpu_rules(takt::fixed_priority, takt::edf).each([&](const auto& rule) {
      const auto v = takt::judge_at_run_time<takt::published_judges>(judged_policy, rule, less.tasks, less.board, 4);
      if (!v.schedulable()) { return; }
      takt::policy_verdict<Run, max_tasks, max_visits> claimed;
      claimed.judged = true;
      claimed.verdict = v.verdict;
      const auto whole = takt::judge_at_run_time<takt::published_judges>(run_policy, rule, w.tasks, w.board, 1);
      if (!whole.judged) { return; }
      run_proven<Run>(whole.policy, rule, w, claimed, n, count);
    });
  }
  return count.violations;
}
constexpr auto nothing = [](workload& /*w*/) {};
/// All that is known of the first kernel says that it takes next to no time.
constexpr auto first_kernel = [](workload& w) {
  for (auto& v : w.tasks.visits) {
    if (v.where != resource_kind::gpu) { continue; }
    v.known = {};
    for (const auto f : {visit_fact::wcet, visit_fact::work, visit_fact::grid, visit_fact::block_length}) {
      v.known.add(f);
    }
    v.work = {0, 1};
    v.wcet = v.blocks = v.block_length = 1;
    v.threads = 1;
    return;
  }
};
constexpr auto switches = [](workload& w) {
  for (auto& gpu : w.board.gpus) { gpu.context_switch = 0; }
};
constexpr auto copies = [](workload& w) {
  for (auto& v : w.tasks.visits) {
    if (v.where == resource_kind::copy_engine) {
      v.time = {0, 0};
    }
  }
};
constexpr auto jitter = [](workload& w) {
  for (auto& t : w.tasks.tasks) { t.jitter = 0; }
};
constexpr auto costs = [](workload& w) {
  for (auto& v : w.tasks.visits) {
    v.known.add(visit_fact::preemption_cost);
    v.preemption_cost = 0;
  }
};

}  // namespace

TEST_CASE("runs show what a proof has left out") {
  CHECK(caught(nothing, takt::time_sliced_policy{.slice = 3}, takt::time_sliced_policy{.slice = 3}) == 0);
  CHECK(caught(switches, takt::time_sliced_policy{.slice = 3}, takt::time_sliced_policy{.slice = 3}) > 0);
  CHECK(caught(first_kernel, takt::time_sliced_policy{.slice = 3}, takt::time_sliced_policy{.slice = 3}) > 0);
  CHECK(caught(first_kernel, takt::federated_policy{}, takt::federated_policy{}) > 0);
  CHECK(caught(first_kernel, takt::whole_gpu_policy{}, takt::whole_gpu_policy{}) > 0);
  CHECK(caught(first_kernel, takt::tokens_k_fmlp_policy{1}, takt::tokens_k_fmlp_policy{1}) > 0);
  CHECK(caught(first_kernel, takt::fifo_blocks_policy{}, takt::fifo_blocks_policy{}) > 0);
  CHECK(caught(copies, takt::busy_waiting_policy{}, takt::busy_waiting_policy{}) > 0);
  CHECK(caught(jitter, takt::gang_policy{}, takt::gang_policy{}) > 0);
  CHECK(caught(costs, takt::levels_policy{}, takt::levels_policy{}) > 0);
  CHECK(caught(nothing, takt::federated_policy{}, takt::busy_waiting_policy{}) > 0);
  CHECK(caught(nothing, takt::whole_gpu_policy{}, takt::time_sliced_policy{.slice = 1}) > 0);
}

namespace {

/// Numbers at which careless sums, products and divisions break.
template <class Number>
auto any_extreme(draws& d) -> Number {
  using limits = std::numeric_limits<Number>;
  // Numbers of SMs are tried one by one, so that those of 32 bit are few or too many.
  constexpr bool small = sizeof(Number) == 4;
  constexpr std::array around{std::int64_t{0}, std::int64_t{1} << (small ? 12 : 16),
                              std::int64_t{1} << (small ? 22 : 31), std::int64_t{1} << (small ? 30 : 50),
                              std::int64_t{1} << (small ? 30 : 62)};
  if (d.one_in(4)) { return d.one_in(2) ? limits::min() : limits::max(); }
  const std::int64_t at = around[static_cast<std::size_t>(d.between(0, 4))];
  return static_cast<Number>((d.one_in(2) ? at : -at) + d.between(0, 2) - 1);
}

/// One number of a workload or a board becomes another.
void spoil(draws& d, workload& w) {
  const auto any_of = [&d](auto& list) -> auto& {
    return list[static_cast<std::size_t>(d.between(0, static_cast<ticks>(list.size()) - 1))];
  };
  const auto one_of = [&d](auto&... numbers) {
    ticks which = d.between(0, sizeof...(numbers) - 1);
    static_cast<void>(
        ((which-- == 0 ? numbers = any_extreme<std::remove_cvref_t<decltype(numbers)>>(d) : numbers), ...));
  };
  takt::runtime_task& t = any_of(w.tasks.tasks);
  takt::runtime_visit& v = any_of(w.tasks.visits);
  takt::gpu_hardware& g = any_of(w.board.gpus);
  switch (d.between(0, 4)) {
    case 0: return one_of(t.period, t.deadline, t.jitter, t.priority, t.core, t.memory);
    case 1: return one_of(v.time.lower, v.time.upper, v.parallelism, v.point, v.bytes, v.state);
    case 2:
      return one_of(v.work.lower, v.work.upper, v.overhead, v.interleave_numerator, v.interleave_denominator, v.wcet,
                    v.preemption_cost, v.blocks, v.threads, v.block_length, v.sm, v.context, v.slice);
    case 3: return one_of(w.board.processors, w.board.copy_engines, g.context_switch, g.memory);
    default:
      return one_of(g.sms, g.virtual_per_sm, g.granularity, g.speed.numerator, g.speed.denominator, g.threads_per_sm,
                    g.blocks_per_sm, g.preemption_levels);
  }
}

[[nodiscard]] auto is_legal(const workload& w) -> bool {
  bool good = true;
  for (const auto& t : w.tasks.tasks) {
    good = good && t.period > 0 && (!t.limited || t.deadline > 0) && t.jitter >= 0;
  }
  for (const auto& v : w.tasks.visits) {
    good = good && (!v.known.has(visit_fact::time) || (v.time.lower >= 0 && v.time.lower <= v.time.upper));
  }
  return good;
}

}  // namespace

TEST_CASE("numbers beyond all sense are refused or judged, and never proven where no workload has them") {
  std::uint64_t refused = 0;
  for (std::uint64_t n = 0; n < systems_or(60); ++n) {
    workload w = draw(11'000 + n);
    draws d{n};
    for (ticks spoilt = d.between(1, 3); spoilt > 0; --spoilt) { spoil(d, w); }
    CAPTURE(n);
    const bool legal = is_legal(w);
    const auto doubled = takt::scaled(w.tasks, 2000);
    takt::cpu_rules(takt::fixed_priority, takt::g_edf).each([&](const auto& rule) {
      using rule_type = std::remove_cvref_t<decltype(rule)>;
      policies.each([&](const auto& policy) {
        using policy_type = std::remove_cvref_t<decltype(policy)>;
        CAPTURE(policy.name);
        const auto v = takt::judge_at_run_time<takt::published_judges>(policy, rule, w.tasks, w.board, 3);
        refused += v.judged ? 0U : 1U;
        CHECK_FALSE((v.schedulable() && !legal));
        for (const auto& t : v.verdict.tasks) { CHECK((!v.schedulable() || (t.bound.exists && t.bound.value >= 0))); }
        if (!doubled.error) {
          static_cast<void>(takt::judge_at_run_time<takt::published_judges>(policy, rule, doubled.tasks, w.board, 1));
        }
        static_cast<void>(takt::detail::misses_under<takt::detail::any_boards>(policy, rule, w.tasks, w.board));
        if constexpr (requires {
                        takt::known_under<policy_type, rule_type, takt::published_judges>::judge(policy, rule, w.tasks,
                                                                                                 w.board);
                      }) {
          const auto known =
              takt::known_under<policy_type, rule_type, takt::published_judges>::judge(policy, rule, w.tasks, w.board);
          CHECK_FALSE((known.schedulable() && !legal));
        }
      });
    });
  }
  CHECK(refused > 0);
}
