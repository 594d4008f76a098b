// SPDX-License-Identifier: Apache-2.0
// The engine of composed boards and the simulator of locks see the same of systems that both can run.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <takt/analysis/any_stations.hpp>
#include <takt/core/random.hpp>
#include <takt/rules/host/engine.hpp>
#include <takt/rules/tags.hpp>
#include <takt/simulation.hpp>
#include <takt/simulation/locking/lock_bank.hpp>
#include "support/draws.hpp"

namespace {

using takt::ticks;
constexpr std::size_t tasks = 6;
constexpr std::size_t visits = 48;
constexpr std::size_t stations = 8;
using table = takt::visit_table<tasks, visits>;
using board = takt::any_stations<stations, visits>;

/// Jobs come as soon as they may and take as long as they can.
struct densest {
  static constexpr auto gap(std::uint32_t /*task*/, std::uint64_t job, ticks period) -> ticks {
    return job == 0 ? 0 : period;
  }
  static constexpr auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  static constexpr auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
};

struct system {
  table set;
  std::int32_t tokens = 1;
  std::uint32_t cores = 1;
  bool on_device = true;  ///< sections run beside the processors, else on them
};

/// Chains of processor time and sections. On devices each task has a core of its own, so that who asks has a processor
/// in the simulator of locks too; else all share one. Times are so long that no two things happen at one instant.
auto random_system(std::uint64_t seed, bool on_device) -> system {
  takt::random_stream random{seed};
  constexpr ticks unit = 1'000'000'000;
  system out;
  out.on_device = on_device;
  out.tokens = static_cast<std::int32_t>(random.between(1, 3));
  const auto count = static_cast<std::uint32_t>(random.between(2, tasks));
  out.cores = on_device ? count : 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ticks period = random.between(20 * unit, 90 * unit);
    REQUIRE(out.set.add_task(
        {.name = "t", .period = period, .deadline = period, .priority = static_cast<std::int32_t>(i)}));
    const auto add = [&](std::uint32_t station, ticks most) {
      const ticks time = random.between(1, most * unit);
      REQUIRE(out.set.add_next(station, time, time));
      return takt::visit_mask{1} << (out.set.tasks.back().visit_count - 1);
    };
    const std::uint32_t core = on_device ? i : 0;
    add(core, on_device ? 5 : 3);
    for (ticks sections = random.below(3); sections > 0; --sections) {
      const takt::visit_mask held = add(on_device ? out.cores : core, on_device ? 12 : 5);
      REQUIRE(out.set.sections.push_back({i, 0, held}));
      add(core, 3);
    }
  }
  return out;
}

template <class Order>
auto by_engine(const system& s, const Order& order, ticks horizon) -> std::vector<ticks> {
  board places;
  for (std::uint32_t c = 0; c < s.cores; ++c) { REQUIRE(places.add(takt::fixed_priority)); }
  if (s.on_device) { REQUIRE(places.add(takt::federated)); }
  REQUIRE(places.add_tokens(order, s.tokens));
  densest choices;
  takt::host::engine<board, tasks, visits, densest> engine{s.set, places, choices};
  const auto seen = engine.run(horizon);
  std::vector<ticks> worst;
  for (const auto& t : seen.tasks) { worst.push_back(t.worst_response); }
  return worst;
}

template <class Lock>
auto by_locks(const system& s, const Lock& lock, bool donates, ticks horizon) -> std::vector<ticks> {
  using namespace takt::simulation;
  lock_bank<Lock> bank;
  const resource_id pool = bank.add(lock);
  lock_workload w;
  for (std::uint32_t i = 0; i < s.set.size(); ++i) {
    const auto& t = s.set.tasks[i];
    w.task(static_cast<std::int32_t>(s.on_device ? i : 0));
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const bool held = std::ranges::any_of(
          s.set.sections, [&](const takt::visit_section& x) { return x.task == i && (x.visits >> p & 1U) != 0; });
      if (held) { w.lock(pool); }
      held&& s.on_device ? w.suspend(s.set.visit(i, p).upper) : w.execute(s.set.visit(i, p).upper);
      if (held) { w.unlock(pool); }
    }
    for (ticks release = 0; release < horizon; release += t.period) {
      w.released(release, {t.priority, static_cast<std::int32_t>(i)});
    }
  }
  const auto seen = simulate_locks(
      w, bank, {.clusters = static_cast<std::int32_t>(s.cores), .donation_at_release = donates, .until = horizon});
  REQUIRE(!seen.error);
  std::vector<ticks> worst(s.set.size());
  for (std::size_t i = 0; i < s.set.size(); ++i) {
    const auto& task = w.tasks()[i];
    for (std::size_t job = task.first_job; job < task.first_job + task.job_count; ++job) {
      if (seen.jobs[job].finish < 0 || seen.jobs[job].finish > horizon) { break; }
      worst[i] = std::max(worst[i], seen.jobs[job].finish - w.jobs()[job].release);
    }
  }
  return worst;
}

/// Systems that differ, of so many.
template <class Order>
auto differing(const Order& order, std::uint64_t systems) -> std::uint64_t {
  std::uint64_t out = 0;
  constexpr ticks horizon = 400'000'000'000;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const system s = random_system(seed, seed % 2 == 0);
    const takt::token_setting setting{.tokens = s.tokens, .processors = static_cast<std::int32_t>(s.cores)};
    const auto lock = order.template make_lock<tasks>(setting);
    out += by_engine(s, order, horizon) != by_locks(s, lock, takt::detail::token_donates<Order>(), horizon) ? 1U : 0U;
  }
  return out;
}

/// The same of systems on one processor, under a protocol of one.
template <class Order>
auto differing_on_one(const Order& order, std::uint64_t systems) -> std::uint64_t {
  std::uint64_t out = 0;
  constexpr ticks horizon = 400'000'000'000;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    system s = random_system(seed, false);
    s.tokens = 1;
    out += by_engine(s, order, horizon) != by_locks(s, order.template make_lock<tasks>({}), false, horizon) ? 1U : 0U;
  }
  return out;
}

struct nobody_inherits_rule : takt::priority_inheritance_rule {
  static constexpr bool inherits = false;
};
struct k_fmlp_without_inheritance : takt::k_fmlp_order_rule {
  static constexpr bool inherits = false;
};

}  // namespace

TEST_CASE("the engine and the simulator of locks agree on every response under every protocol") {
  const std::uint64_t systems = takt_tests::systems_or(2'000);
  CHECK(differing(takt::k_fmlp_order, systems) == 0);
  CHECK(differing(takt::r2dglp_order, systems) == 0);
  CHECK(differing(takt::ck_omlp_order, systems) == 0);
}

TEST_CASE("the engine and the simulator of locks agree on every response with a mutex of one processor") {
  const std::uint64_t systems = takt_tests::systems_or(2'000);
  CHECK(differing_on_one(takt::priority_inheritance_order, systems) == 0);
  CHECK(differing_on_one(nobody_inherits_rule{}, 400) > 0);
}

TEST_CASE("the comparison sees holders that inherit nothing") {
  CHECK(differing(k_fmlp_without_inheritance{}, 400) > 0);
}
