// SPDX-License-Identifier: Apache-2.0
// What bounds consist of: under every combiner, method and policy the parts of a bound add up to it, and name what they
// should. TAKT_SYSTEMS sets how many random systems there are.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/compare.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/analysis/combiners/spinning.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/systems/policies.hpp>
#include "composed_systems.hpp"

namespace {

using takt::resource_kind;
using takt::term;
using takt::term_kind;
using takt::ticks;
using takt::visit_fact;
using takt_tests::draws;
using takt_tests::systems_or;

struct tally {
  std::uint64_t bounds = 0;
  std::uint64_t unsaid = 0;  ///< of which nothing is known but the bound
  std::uint64_t visits = 0;  ///< with a part of the bound
  std::uint64_t whole = 0;   ///< of which nothing is known but the response
  std::uint64_t wrong = 0;   ///< sums that are not the bound

  void add(const tally& other) {
    bounds += other.bounds;
    unsaid += other.unsaid;
    visits += other.visits;
    whole += other.whole;
    wrong += other.wrong;
  }
};
using tallies = std::map<std::string, tally, std::less<>>;

/// Counts what a verdict says of its bounds, by method.
template <class Verdict>
void count_terms(const Verdict& v, tallies& all) {
  for (std::size_t i = 0; i < v.tasks.size(); ++i) {
    const auto& t = v.tasks[i];
    if (!t.bound.exists) { continue; }
    tally& count = all[std::string{t.method.empty() ? v.method : t.method}];
    ++count.bounds;
    ticks sum = 0;
    std::map<std::uint32_t, bool> visits;
    takt::for_each_term(v, i, [&](const term<ticks>& part) {
      sum += part.time;
      count.unsaid += part.what == term_kind::bound ? 1U : 0U;
      if (part.visit != takt::no_index && part.what != term_kind::token_wait) {
        visits[part.visit] = visits[part.visit] || part.what == term_kind::node;
      }
      count.wrong += part.by != takt::no_index && part.by >= v.tasks.size() ? 1U : 0U;
    });
    count.wrong += sum == t.bound.value ? 0U : 1U;
    count.wrong += t.parts.empty() || t.parts.sum() == t.bound.value ? 0U : 1U;
    count.visits += visits.size();
    for (const auto& [at, is_whole] : visits) { count.whole += is_whole ? 1U : 0U; }
  }
}

/// Counts visits on stations whose own work is not their time, and parts that a task causes which is never there.
template <class Table, class Verdict>
[[nodiscard]] auto misplaced_parts(const Table& table, const Verdict& v) -> std::uint64_t {
  std::uint64_t out = 0;
  for (std::uint32_t i = 0; i < v.tasks.size() && v.schedulable(); ++i) {
    std::map<std::uint32_t, ticks> own;
    std::map<std::uint32_t, bool> cut;  // whole, or with a rest of which the kinds are not known
    takt::for_each_term(v, i, [&](const term<ticks>& part) {
      if (part.visit == takt::no_index) { return; }
      cut[part.visit] = cut[part.visit] || part.what == term_kind::node || part.what == term_kind::others;
      own[part.visit] += part.what == term_kind::own_work ? part.time : 0;
      if (part.what != term_kind::interference && part.what != term_kind::blocking && part.what != term_kind::queue) {
        return;
      }
      bool there = part.by == takt::no_index;
      for (const auto& x : table.visits) {
        there = there || (x.task == part.by && x.station == table.visit(i, part.visit).station);
      }
      out += there ? 0U : 1U;
    });
    for (const auto& [visit, time] : own) {
      if (!cut[visit] && time != table.visit(i, visit).upper) { ++out; }
    }
  }
  return out;
}

/// Stations whose rules say one part that is too long, or of the wrong task.
struct mistaken_stations : composed_systems::board {
  ticks too_long = 0;
  std::uint32_t other = 0;

  [[nodiscard]] auto responds(std::size_t s, std::span<takt::visit_demand> visits) const -> bool {
    const bool known = composed_systems::board::responds(s, visits);
    for (const auto& v : visits) {
      if (v.parts == nullptr || v.parts->empty()) { continue; }
      v.parts->begin()->time += too_long;
      for (auto& part : *v.parts) { part.by = part.what == term_kind::interference ? part.by + other : part.by; }
    }
    return known;
  }
};

[[nodiscard]] auto drawn(std::uint64_t seed) -> composed_systems::random_system {
  return composed_systems::random_system_of(seed, [](draws& d) { return composed_systems::random_rule(d); });
}

// Workloads for policies: chains with whatever is known of their kernels.

constexpr std::size_t max_tasks = 4;
constexpr std::size_t max_visits = 24;
using tasks_type = takt::runtime_task_set<max_tasks, max_visits, max_visits, 8 * max_visits>;

constexpr auto policies =
    takt::policies(takt::federated_policy{}, takt::federated_shared_policy{}, takt::whole_gpu_policy{},
                   takt::busy_waiting_policy{}, takt::time_sliced_policy{.slice = 3}, takt::fifo_blocks_policy{},
                   takt::tokens_k_fmlp_policy{}, takt::tokens_r2dglp_policy{}, takt::tokens_ck_omlp_policy{},
                   takt::levels_policy{}, takt::slots_policy{}, takt::gang_policy{}, takt::shares_policy{});
constexpr auto rules = takt::cpu_rules(takt::fixed_priority, takt::edf, takt::g_edf);

struct workload {
  tasks_type tasks{};
  takt::hardware board{};
};

void add_kernel(draws& d, workload& w, takt::runtime_visit& v) {
  v.where = resource_kind::gpu;
  const ticks alone = d.between(1, 6);
  for (const auto fact : {visit_fact::wcet, visit_fact::work, visit_fact::preemption_cost, visit_fact::grid,
                          visit_fact::block_length, visit_fact::wcet_by_share}) {
    v.known.add(fact);
  }
  v.wcet = alone;
  v.work = {d.between(0, 8 * alone), 8 * alone};
  v.preemption_cost = d.between(0, alone);
  v.blocks = d.between(1, 8);
  v.threads = d.count(1, 4);
  v.block_length = d.between(1, 3);
  v.row = static_cast<std::uint32_t>(w.tasks.rows.size());
  REQUIRE(w.tasks.rows.try_push_back(takt::wcet_row::scaling(alone, d.count(300, 1000))));
}

/// Chains, of which a third of the workloads has nothing but one kernel each.
[[nodiscard]] auto draw(std::uint64_t seed) -> workload {
  draws d{seed};
  workload w;
  w.board.processors = d.count(1, 2);
  w.board.copy_engines = 1;
  takt::gpu_hardware gpu{.sms = 4, .virtual_per_sm = 2};
  gpu.threads_per_sm = 4;
  gpu.preemption_levels = d.count(1, 3);
  gpu.switch_is_known = true;
  gpu.context_switch = d.between(0, 2);
  REQUIRE(w.board.gpus.try_push_back(gpu));
  const bool kernels_alone = d.one_in(3);
  const auto count = static_cast<std::size_t>(d.between(2, 4));
  constexpr std::array names{std::string_view{"a"}, std::string_view{"b"}, std::string_view{"c"},
                             std::string_view{"d"}};
  for (std::size_t i = 0; i < count; ++i) {
    REQUIRE(w.tasks.add_task({.name = names[i], .period = 1, .deadline = 1}));
    constexpr std::array chain{resource_kind::processor, resource_kind::copy_engine, resource_kind::gpu,
                               resource_kind::copy_engine, resource_kind::processor};
    const std::size_t length = kernels_alone ? 1 : d.one_in(3) ? 1 : 5;
    ticks sum = 0;
    for (std::size_t p = 0; p < length; ++p) {
      takt::runtime_visit v{.where = kernels_alone ? resource_kind::gpu : chain[p]};
      v.predecessors = p == 0 ? 0 : takt::visit_mask{1} << (p - 1);
      if (v.where == resource_kind::gpu) {
        add_kernel(d, w, v);
        sum += 8;
      } else {
        v.known.add(visit_fact::time);
        v.time.upper = d.between(1, 4);
        v.time.lower = d.between(0, v.time.upper);
        v.direction = p == 1 ? takt::copy_direction::to_device : takt::copy_direction::to_host;
        sum += v.time.upper;
      }
      REQUIRE(w.tasks.add_visit(v));
    }
    auto& t = w.tasks.tasks.back();
    t.period = sum * static_cast<ticks>(count) * d.between(2, 8) / 3 + d.between(1, 9);
    t.deadline = t.period - (d.one_in(2) ? d.between(0, t.period / 6) : 0);
    t.jitter = d.one_in(4) ? d.between(0, t.period / 8) : 0;
  }
  return w;
}

}  // namespace

TEST_CASE("parts of combined bounds add up to them, and name own work and tasks that are there") {
  tallies all;
  std::uint64_t misplaced = 0;
  const std::uint64_t systems = systems_or(3000);
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const auto s = drawn(seed);
    const auto found = takt::analysis::holistic(s.set, s.places);
    misplaced += misplaced_parts(s.set, found);
    count_terms(found, all);
    count_terms(takt::analysis::guarded(s.set, s.places), all);
    count_terms(takt::analysis::inflated(s.set, s.places), all);
    count_terms(takt::analysis::spinning(s.set, s.places), all);
  }
  CHECK(misplaced == 0);
  for (const std::string_view name : {"holistic", "guarded", "inflated", "busy-waiting"}) {
    CAPTURE(name);
    const tally& count = all[std::string{name}];
    CHECK(count.bounds > systems / 20);
    CHECK(count.wrong == 0);
    // Of jobs that wait for earlier ones of their task the rules do not say what that wait consists of.
    CHECK(count.unsaid <= count.bounds / (name == "busy-waiting" ? 4 : 1000));
  }
  CHECK(all["holistic"].whole * 50 < all["holistic"].visits);
}

TEST_CASE("parts that do not add up are not shown, and a wrong cause is caught") {
  std::uint64_t whole = 0;
  std::uint64_t misplaced = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto s = drawn(seed);
    mistaken_stations too_long{s.places};
    too_long.too_long = 1000;
    auto found = takt::analysis::holistic(s.set, too_long);
    tallies all;
    count_terms(found, all);
    CHECK(all[std::string{found.method}].wrong == 0);
    CHECK(all[std::string{found.method}].whole == all[std::string{found.method}].visits);
    whole += all[std::string{found.method}].whole;
    mistaken_stations other{s.places};
    other.other = 1;
    misplaced += misplaced_parts(s.set, takt::analysis::holistic(s.set, other));
    if (!found.schedulable() || found.tasks[0].parts.empty()) { continue; }
    found.tasks[0].parts.begin()->time += 1;
    CHECK_FALSE(takt::detail::is_explained(found.tasks[0]));
    tallies mutated;
    count_terms(found, mutated);
    CHECK(mutated[std::string{found.method}].wrong == 1);
    CHECK(mutated[std::string{found.method}].unsaid == 1);
  }
  CHECK(whole > 100);
  CHECK(misplaced > 10);
}

TEST_CASE("parts of bounds add up to them under every policy, by published methods and combiners") {
  tallies all;
  const std::uint64_t systems = systems_or(200);
  for (std::uint64_t n = 0; n < systems; ++n) {
    const workload w = draw(900 + n);
    rules.each([&](const auto& rule) {
      policies.each([&](const auto& policy) {
        const auto v = takt::judge_at_run_time<takt::published_judges>(policy, rule, w.tasks, w.board, 4);
        if (!v.judged) { return; }
        tallies one;
        count_terms(v.verdict, one);
        for (const auto& [name, count] : one) { all[std::string{policy.name} + ", " + name].add(count); }
      });
    });
  }
  tally sum;
  for (const auto& [name, count] : all) {
    CAPTURE(name);
    CHECK(count.wrong == 0);
    sum.add(count);
  }
  CHECK(sum.unsaid * 100 < sum.bounds);
  CHECK(sum.whole * 10 < sum.visits);
  for (const std::string_view name :
       {"federated, rtgpu-best", "busy-waiting, busy-waiting", "fifo-blocks, holistic", "gang, gang-fixed-priority",
        "levels, level-stack-fixed-priority", "shares, sufficient-shares", "slots, slot-fixed-priority",
        "time-sliced, holistic", "tokens-ck-omlp, locked-gpu-ck-omlp", "tokens-k-fmlp, locked-gpu-k-fmlp",
        "tokens-r2dglp, inflated", "whole-gpu, single-stream-fixed-priority", "gang, guarded"}) {
    CAPTURE(name);
    CHECK(all[std::string{name}].bounds > 0);
  }
}
