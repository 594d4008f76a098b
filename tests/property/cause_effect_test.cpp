// SPDX-License-Identifier: Apache-2.0
// Random cause-effect chains over random workloads with kernels: how data went through them in runs is held against the
// bounds from the response bounds of the same tasks.
#include <takt/allocation/compare.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/analysis/cause_effect/chain_latency.hpp>
#include <takt/analysis/cause_effect/waiting_consumers.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/simulation/observed_chain.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/systems/policies.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "support/draws.hpp"

namespace {

using takt::chain_stage;
using takt::communication;
using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using takt_tests::draws;
using takt_tests::systems_or;

constexpr std::size_t max_tasks = 5;
constexpr std::size_t max_visits = 20;
using tasks_type = takt::runtime_task_set<max_tasks, max_visits, max_visits, 8>;
constexpr std::array<std::string_view, max_tasks> names{"a", "b", "c", "d", "e"};

/// How stages of a chain are claimed to talk and to be released.
struct claim {
  bool any_let = false;
  bool any_implicit = true;
  bool sporadic = false;
  bool waits = false;  ///< consumers say that they wait for producers where nothing keeps them from it
  takt::wait_obstacle despite = takt::wait_obstacle::none;  ///< they say so where this does

  [[nodiscard]] auto any_waits() const -> bool { return waits || despite != takt::wait_obstacle::none; }
  bool one_clock = false;  ///< sporadic tasks claim a common clock
  ticks response_percent = 100;
};

struct workload {
  tasks_type tasks{};
  takt::hardware board{};
};

[[nodiscard]] auto draw(std::uint64_t seed, const claim& how) -> workload {
  draws d{seed};
  workload w;
  w.board.processors = d.count(1, 2);
  w.board.copy_engines = 1;
  REQUIRE(w.board.gpus.try_push_back(takt::gpu_hardware{.sms = 4, .virtual_per_sm = 2}));
  const auto tasks = static_cast<std::size_t>(d.between(2, static_cast<ticks>(max_tasks)));
  constexpr std::array<ticks, 8> periods{10, 12, 15, 20, 24, 30, 40, 60};
  for (std::size_t i = 0; i < tasks; ++i) {
    const ticks period = periods[static_cast<std::size_t>(d.between(0, 7))] * d.between(1, 2);
    REQUIRE(w.tasks.add_task({.name = names[i],
                              .period = period,
                              .deadline = d.one_in(4) ? period + d.between(0, period) : period,
                              .jitter = how.any_waits() && d.one_in(5) ? d.between(1, period / 4) : 0,
                              .priority = static_cast<std::int32_t>(i)}));
    const bool uses_gpu = d.one_in(how.any_waits() ? 3 : 2);
    for (std::uint32_t p = 0; p < (uses_gpu ? 3U : 1U); ++p) {
      takt::runtime_visit v{.where = p == 1 ? resource_kind::gpu : resource_kind::processor,
                            .predecessors = p == 0 ? 0 : takt::visit_mask{1} << (p - 1)};
      const ticks most = std::max<ticks>(1, period / static_cast<ticks>(uses_gpu ? 3 * tasks : tasks));
      if (p == 1) {
        v.known.add(visit_fact::wcet);
        v.wcet = d.between(1, most);
      } else {
        v.known.add(visit_fact::time);
        v.time.upper = d.between(1, most);
        v.time.lower = d.between(how.any_waits() && !d.one_in(5) ? 1 : 0, v.time.upper);
        v.in_section = how.any_waits() && d.one_in(8);
      }
      REQUIRE(w.tasks.add_visit(v));
    }
  }
  REQUIRE(takt::complete(w.tasks, w.board) == takt::model_fault::none);
  return w;
}

struct tally {
  std::uint64_t chains = 0;
  std::uint64_t violations = 0;
  std::uint64_t reached = 0;  ///< reactions as long as their bound
  double sum_of_parts = 0;    ///< of seen reactions in their bounds
};

/// `waits(producer, consumer)` says what keeps one from waiting for the other.
template <class Verdict, class Waits>
[[nodiscard]] auto draw_chain(draws& d, const workload& w, const Verdict& v, const claim& how,
                              const std::vector<ticks>& offsets, const Waits& waits, std::vector<std::uint32_t>& tasks)
    -> std::vector<chain_stage> {
  tasks.resize(w.tasks.size());
  std::iota(tasks.begin(), tasks.end(), 0U);
  for (std::size_t i = tasks.size(); i > 1; --i) {
    std::swap(tasks[i - 1], tasks[static_cast<std::size_t>(d.between(0, static_cast<ticks>(i) - 1))]);
  }
  tasks.resize(static_cast<std::size_t>(d.between(1, static_cast<ticks>(tasks.size()))));
  std::vector<chain_stage> out;
  for (const std::uint32_t t : tasks) {
    const auto& task = w.tasks.tasks[t];
    chain_stage s{.period = how.sporadic ? 2 * task.period : task.period,
                  .response = v.tasks[t].bound.value * how.response_percent / 100,
                  .offset = offsets[t],
                  .clock = how.sporadic && !how.one_clock ? takt::own_clock : 0};
    const bool let = how.any_let && (!how.any_implicit || d.one_in(2));
    if (let) {
      s.how = communication::let;
      s.let_interval = std::max(s.response, d.one_in(2) ? task.period : s.response + d.between(0, 3));
    }
    const bool both = !out.empty() && !let && !takt::has_fixed_times(out.back().how);
    if (both && how.any_waits()) {
      const takt::wait_obstacle keeps = waits(tasks[out.size() - 1], t);
      const bool nothing = keeps == takt::wait_obstacle::none;
      s.waits_for_producer = nothing ? how.waits : keeps == how.despite;
    }
    out.push_back(s);
  }
  return out;
}

template <class Policy, class Rule>
void run(const Policy& policy, const Rule& rule, const claim& how, std::uint64_t first, std::uint64_t systems,
         tally& count) {
  for (std::uint64_t n = first; n < first + systems; ++n) {
    CAPTURE(n);
    const workload w = draw(n, how);
    const auto v = takt::judge_at_run_time<takt::published_judges>(policy, rule, w.tasks, w.board, 1);
    if (!v.schedulable()) { continue; }
    draws d{n + 1'000'000};
    std::vector<ticks> offsets(w.tasks.size());
    std::vector<takt::duration> starts;
    ticks longest = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      offsets[i] = how.sporadic ? 0 : d.between(0, 2 * w.tasks.tasks[i].period);
      starts.emplace_back(offsets[i]);
      longest = std::max(longest, w.tasks.tasks[i].period);
    }
    takt::job_log times{w.tasks.size()};
    const auto board = takt::any_board_of<max_visits>(v.policy, w.board, rule);
    takt::simulation_options options{
        .horizon = takt::duration{40 * longest},
        .releases = how.sporadic ? takt::release_pattern::sporadic : takt::release_pattern::periodic,
        .execution = n % 3 == 0 ? takt::execution_times::upper : takt::execution_times::random,
        .seed = n};
    if (!how.sporadic) { options.offsets = starts; }
    const auto seen = takt::simulate(board, w.tasks, v.verdict.plan, options, times);
    REQUIRE_FALSE(seen.error);
    for (int k = 0; k < 4; ++k) {
      std::vector<std::uint32_t> tasks;
      const auto waits = [&](std::size_t producer, std::size_t consumer) {
        return takt::obstacle_to_waiting(rule, board, w.tasks, v.verdict.plan, producer, consumer);
      };
      const auto stages = draw_chain(d, w, v.verdict, how, offsets, waits, tasks);
      const bool some_wait = std::ranges::any_of(stages, &chain_stage::waits_for_producer);
      if (how.any_waits() && !some_wait) { continue; }
      const auto bound = takt::bound_chain(stages);
      REQUIRE(bound.bounded());
      CHECK((bound.age == bound.reaction || !bound.exact));
      ticks begin = 0;
      for (const std::uint32_t t : tasks) { begin = std::max(begin, times.of_task(t).front().release); }
      const auto observed = takt::observed_chain{times, tasks, stages, begin}.latency();
      if (observed.outputs == 0) { continue; }
      ++count.chains;
      count.violations += observed.first_read_to_output > bound.first_read_to_output ||
                                  observed.reaction > bound.reaction || observed.age_at_output > bound.age_at_output ||
                                  observed.age > bound.age
                              ? 1U
                              : 0U;
      count.reached += observed.reaction == bound.reaction ? 1U : 0U;
      count.sum_of_parts += static_cast<double>(observed.reaction) / static_cast<double>(bound.reaction);
    }
  }
}

[[nodiscard]] auto run_all(const claim& how, std::uint64_t systems) -> tally {
  tally count;
  takt::cpu_rules(takt::fixed_priority, takt::edf).each([&](const auto& rule) {
    run(takt::whole_gpu_policy{}, rule, how, 1, systems, count);
    run(takt::tokens_k_fmlp_policy{1}, rule, how, 100'001, systems, count);
    run(takt::levels_policy{}, rule, how, 200'001, systems, count);
  });
  return count;
}

void hold(std::string_view name, const tally& count) {
  MESSAGE(name << ": " << count.chains << " chains, bounds reached " << count.reached << ", seen in bound on average "
               << static_cast<int>(100 * count.sum_of_parts / static_cast<double>(count.chains)) << " %");
  CHECK(count.violations == 0);
  CHECK(count.chains > 100);
}

}  // namespace

TEST_CASE(
    "data goes through chains within their bounds under implicit communication, LET, both and sporadic releases") {
  const std::uint64_t systems = systems_or(100);
  hold("implicit", run_all({}, systems));
  const tally let = run_all({.any_let = true, .any_implicit = false}, systems);
  hold("let", let);
  CHECK(let.reached > 0);
  hold("mixed", run_all({.any_let = true}, systems));
  hold("sporadic", run_all({.sporadic = true}, systems));
}

namespace {

/// Chains in which some task waits for the one before it.
[[nodiscard]] auto run_waiting(const claim& how, std::uint64_t systems) -> tally {
  tally count;
  takt::cpu_rules(takt::fixed_priority, takt::edf, takt::nonpreemptive(takt::fixed_priority))
      .each([&](const auto& rule) { run(takt::whole_gpu_policy{}, rule, how, 1, systems, count); });
  run(takt::tokens_k_fmlp_policy{1}, takt::fixed_priority, how, 100'001, systems, count);
  run(takt::busy_waiting_policy{}, takt::fixed_priority, how, 200'001, systems, count);
  return count;
}

}  // namespace

TEST_CASE("consumers that nothing keeps from waiting for their producers read what was released before them") {
  const std::uint64_t systems = 2 * systems_or(100);
  hold("waiting consumers", run_waiting({.waits = true}, systems));
  hold("sporadic waiting consumers", run_waiting({.sporadic = true, .waits = true}, systems));
  hold("mixed waiting consumers", run_waiting({.any_let = true, .waits = true}, systems));
}

TEST_CASE("chains are longer than their bounds where consumers claim to wait in spite of an obstacle") {
  for (const auto obstacle : {takt::wait_obstacle::producer_late, takt::wait_obstacle::producer_leaves,
                              takt::wait_obstacle::consumer_elsewhere, takt::wait_obstacle::consumer_takes_no_time,
                              takt::wait_obstacle::consumer_more_urgent}) {
    CAPTURE(name_of(obstacle));
    const tally count = run_waiting({.despite = obstacle}, systems_or(100));
    MESSAGE(name_of(obstacle) << ": " << count.violations << " of " << count.chains);
    CHECK(count.violations > 0);
  }
  // Donors wait although they ask for nothing.
  tally donated;
  run(takt::tokens_ck_omlp_policy{1}, takt::fixed_priority, {.despite = takt::wait_obstacle::priorities_donated}, 1,
      4 * systems_or(100), donated);
  MESSAGE("priorities-donated: " << donated.violations << " of " << donated.chains);
  CHECK(donated.violations > 0);
}

TEST_CASE("chains are longer than their bounds where responses are understated, or clocks do not hold") {
  CHECK(run_all({.response_percent = 30}, systems_or(100)).violations > 0);
  CHECK(run_all({.sporadic = true, .one_clock = true}, systems_or(100)).violations > 0);
}
