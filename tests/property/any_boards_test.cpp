// SPDX-License-Identifier: Apache-2.0
// Random workloads as values on random boards as values, under plans that are looked for: no run exceeds a proof.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/any_board.hpp>
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/lasting_shares.hpp>
#include <takt/shares.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "support/draws.hpp"

namespace {

using takt::duration;
using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using takt_tests::draws;
using takt_tests::systems_or;

constexpr std::size_t max_tasks = 8;
constexpr std::size_t max_visits = 64;
using workload = takt::runtime_task_set<max_tasks, max_visits>;
using board = takt::any_board<6, max_visits>;

struct camera {
  std::int32_t count = 1;
};

template <class Resource, class Add>
void add_one_of(ticks drawn, const Resource& resource, const Add& add, const auto&... rules) {
  ticks at = 0;
  ((at++ == drawn ? add(takt::pool(resource, rules)) : void()), ...);
}

struct random_board {
  board made;
  std::int32_t processors = 1;
};
auto draw_board(draws& d) -> random_board {
  random_board out;
  const auto add = [&](const auto& pool) { REQUIRE(out.made.add(pool)); };
  out.processors = 2 * d.count(1, 2);
  add_one_of(d.between(0, 8), takt::processors(out.processors), add, takt::edf, takt::fixed_priority,
             takt::deadline_monotonic, takt::nonpreemptive(takt::edf), takt::nonpreemptive(takt::fixed_priority),
             takt::g_edf, takt::clustered(takt::edf, 2), takt::clustered(takt::fixed_priority, 2), takt::fifo);
  add_one_of(d.between(0, 1), takt::copy_engines(d.count(1, 2)), add, takt::fifo, takt::nonpreemptive(takt::edf));
  const auto gpus = d.between(1, 3);
  for (ticks g = 0; g < gpus; ++g) {
    const auto sms = takt::virtual_sms(d.count(2, 6), 2);
    if (d.one_in(8)) {
      add(takt::pool(takt::block_slots(2, 4).with_warps_of(1), takt::block_queue_rule<2, 16>{}));
      continue;
    }
    add_one_of(d.between(0, 11), sms, add, takt::federated, takt::federated_virtual, takt::lasting_shares, takt::fifo,
               takt::locked(takt::k_fmlp_order, 2), takt::locked(takt::r2dglp_order, 2),
               takt::locked(takt::ck_omlp_order, 2), takt::locked(takt::fifo_order, 1), takt::levels(takt::edf),
               takt::gang(takt::fixed_priority), takt::nonpreemptive(takt::edf),
               takt::time_slices(duration{3}, duration{1}));
  }
  add(takt::pool(camera{d.count(1, 2)}, takt::fifo));
  return out;
}

void draw_kernel(draws& d, takt::runtime_visit& v) {
  const ticks alone = d.between(1, 6);
  v.known.add(visit_fact::work);
  v.work = {d.between(0, 8 * alone), 8 * alone};
  v.known.add(visit_fact::grid);
  v.known.add(visit_fact::block_length);
  v.blocks = d.between(1, 8);
  v.threads = d.count(1, 4);
  v.block_length = d.between(1, 3);
  if (d.one_in(2)) {
    v.known.add(visit_fact::preemption_cost);
    v.preemption_cost = d.between(0, 1);
  }
}

/// Chains and graphs, of which some mark an interval with processor time in it, and some name their cores.
auto draw_workload(draws& d, std::int32_t processors) -> workload {
  workload out;
  const ticks count = d.between(2, 6);
  const ticks slack = d.between(3, 16);
  for (ticks i = 0; i < count; ++i) {
    const bool graph = d.one_in(4);
    const bool marks = !graph && d.one_in(2);
    takt::runtime_task t{.name = "t"};
    if (d.one_in(4)) { t.core = d.count(0, processors - 1); }
    std::array<takt::runtime_visit, 7> visits{};
    const auto length = static_cast<std::size_t>(d.between(1, 7));
    ticks sum = 0;
    for (std::size_t j = 0; j < length; ++j) {
      takt::runtime_visit& v = visits[j];
      const takt::visit_mask before = (takt::visit_mask{1} << j) - 1;
      v.predecessors = graph ? static_cast<takt::visit_mask>(d.between(0, 127)) & before : before ^ (before >> 1);
      v.where = j % 2 == 0 ? resource_kind::processor : static_cast<resource_kind>(d.between(1, 3));
      v.known.add(visit_fact::time);
      const ticks upper = d.between(1, 6);
      v.time = {d.between(0, upper), upper};
      v.direction = d.one_in(2) ? takt::copy_direction::to_device : takt::copy_direction::to_host;
      if (v.where == resource_kind::gpu) { draw_kernel(d, v); }
      sum += v.time.upper + (v.where == resource_kind::gpu ? v.work.upper / 4 : 0);
    }
    if (marks && length >= 4) {
      for (std::size_t j = 1; j <= 3; ++j) { visits[j].in_section = true; }
    }
    t.period = sum * count * slack / 6 + d.between(1, 9);
    t.limited = !d.one_in(6);
    t.deadline = t.period - (d.one_in(2) ? d.between(0, t.period / 8) : 0) + (d.one_in(6) ? t.period : 0);
    t.jitter = d.one_in(3) ? d.between(0, t.period / 6) : 0;
    REQUIRE(out.add_task(t));
    for (std::size_t j = 0; j < length; ++j) { REQUIRE(out.add_visit(visits[j])); }
  }
  return out;
}

struct tally {
  std::uint64_t proven = 0;
  std::uint64_t violations = 0;
  std::uint64_t refused = 0;
  std::uint64_t tight = 0;
};

template <class Verdict>
void watch(const board& on, const workload& tasks, const Verdict& verdict, std::uint64_t seed, tally& count) {
  constexpr std::array releases{takt::release_pattern::adversarial, takt::release_pattern::periodic,
                                takt::release_pattern::sporadic};
  ticks longest = 0;
  for (const auto& t : tasks.tasks) { longest = longest < t.period ? t.period : longest; }
  for (const auto pattern : releases) {
    for (const auto times : {takt::execution_times::upper, takt::execution_times::random}) {
      const auto seen =
          takt::simulate(on, tasks, verdict.plan,
                         {.horizon = duration{8 * longest}, .releases = pattern, .execution = times, .seed = seed});
      count.refused += seen.error ? 1U : 0U;
      count.violations += seen.misses();
      for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
        const ticks worst = seen.tasks[i].worst_response;
        count.violations += worst > verdict.tasks[i].bound.value ? 1U : 0U;
        count.tight += worst == verdict.tasks[i].bound.value ? 1U : 0U;
      }
    }
  }
}

}  // namespace

TEST_CASE("no run of described tasks on a board of erased rules exceeds the bounds of its proof") {
  tally count;
  std::uint64_t found_cores = 0;
  const std::uint64_t systems = systems_or(1500);
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    draws d{seed};
    const random_board b = draw_board(d);
    const workload tasks = draw_workload(d, b.processors);
    const auto verdict = takt::analyze(b.made, tasks, takt::published_methods);
    if (!verdict.schedulable()) {
      const bool is_known =
          verdict.status == takt::verdict_status::not_proven || verdict.error.fault == takt::model_fault::sections_nest;
      CHECK_MESSAGE(is_known, "system " << seed << ": fault " << static_cast<int>(verdict.error.fault));
      continue;
    }
    ++count.proven;
    found_cores += verdict.plan.cores.empty() ? 0U : 1U;
    const auto before = count.violations;
    watch(b.made, tasks, verdict, seed, count);
    CHECK_MESSAGE(count.violations == before, "system " << seed << " under " << verdict.method);
  }
  MESSAGE(count.proven << " of " << systems << " proven, " << count.tight << " tight, " << found_cores
                       << " with cores");
  CHECK(count.violations == 0);
  CHECK(count.refused == 0);
  CHECK(count.proven > systems / 10);
  CHECK(found_cores > 0);
}

namespace {

/// Violations in the first system where runs of a workload exceed proofs of what `leave_out` makes of it.
template <class LeaveOut>
auto first_violations(const LeaveOut& leave_out) -> std::uint64_t {
  tally count;
  for (std::uint64_t seed = 1; seed <= 4000 && count.violations == 0; ++seed) {
    draws d{seed};
    const random_board b = draw_board(d);
    const workload tasks = draw_workload(d, b.processors);
    workload other = tasks;
    leave_out(other);
    const auto verdict = takt::analyze(b.made, other, takt::published_methods);
    if (verdict.schedulable()) { watch(b.made, tasks, verdict, seed, count); }
  }
  return count.violations;
}

}  // namespace

TEST_CASE("the same runs catch proofs that leave out jitter, marked stretches or times of kernels") {
  CHECK(first_violations([](workload& w) {
          for (takt::runtime_task& t : w.tasks) { t.jitter = 0; }
        }) > 0);
  CHECK(first_violations([](workload& w) {
          for (takt::runtime_visit& v : w.visits) { v.in_section = false; }
        }) > 0);
  CHECK(first_violations([](workload& w) {
          for (takt::runtime_visit& v : w.visits) { v.block_length = (v.block_length + 1) / 2; }
        }) > 0);
}
