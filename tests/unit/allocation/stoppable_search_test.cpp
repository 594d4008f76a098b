// SPDX-License-Identifier: Apache-2.0
#include <takt/allocation/stoppable_search.hpp>
#include <takt/model/task_table.hpp>
#include <takt/systems/rtgpu/analysis/fixed_priority_rta.hpp>
#include <takt/systems/rtgpu/plans/judge.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<3, 12, 4, 4>;

constexpr ticks ms = 1'000'000;

auto three_chains() -> tasks_type {
  tasks_type out;
  for (const char* const name : {"a", "b", "c"}) {
    REQUIRE(out.add_task({.name = name, .period = 30 * ms, .deadline = 30 * ms, .core = 0}));
    takt::runtime_visit cpu{.where = resource_kind::processor};
    cpu.known.add(visit_fact::time);
    cpu.time = {0, ms};
    takt::runtime_visit kernel{.where = resource_kind::gpu, .predecessors = 1};
    kernel.known.add(visit_fact::work);
    kernel.known.add(visit_fact::interleave);
    kernel.interleave_numerator = 1;
    kernel.work = {0, 20 * ms};
    REQUIRE(out.add_visit(cpu));
    REQUIRE(out.add_visit(kernel));
    cpu.predecessors = 2;
    REQUIRE(out.add_visit(cpu));
  }
  return out;
}
auto board() -> takt::hardware {
  takt::hardware out{.processors = 1, .copy_engines = 1, .gpus = {}, .own = {}};
  REQUIRE(out.gpus.try_push_back({.sms = 6, .virtual_per_sm = 2}));
  return out;
}

/// Ends after so many evaluations, and counts what it was asked.
struct patience {
  std::uint64_t most = 0;
  std::uint64_t* asked = nullptr;

  struct watch {
    std::uint64_t most;
    std::uint64_t* asked;
    auto operator()(std::uint64_t evaluations) const -> bool {
      *asked = evaluations;
      return evaluations > most;
    }
  };
  [[nodiscard]] auto operator()() const -> watch { return {most, asked}; }
};

auto judged_with(std::uint64_t most, std::uint64_t& asked) {
  const takt::stoppable_search<patience> search{takt::exact_search, takt::unlimited_evaluations, {most, &asked}};
  return takt::judge_chains(three_chains(), board(), takt::fixed_priority, takt::federated, search).verdict;
}

}  // namespace

TEST_CASE("a search that nobody ends finds what the plain one finds") {
  std::uint64_t asked = 0;
  const auto patient = judged_with(std::numeric_limits<std::uint64_t>::max(), asked);
  const auto plain = takt::judge_chains(three_chains(), board(), takt::fixed_priority, takt::federated,
                                        takt::search_by{takt::exact_search, takt::unlimited_evaluations})
                         .verdict;
  CHECK(asked >= 3);
  CHECK(patient.status == plain.status);
  CHECK(patient.plan.feasible);
  CHECK(patient.plan.effort.complete == plain.plan.effort.complete);
  for (std::size_t i = 0; i < 3; ++i) { CHECK(patient.plan.shares[i].sms == plain.plan.shares[i].sms); }
}

TEST_CASE("a search that is ended leaves an even split to judge, and says that it is not complete") {
  std::uint64_t asked = 0;
  const auto ended = judged_with(1, asked);
  CHECK(asked == 2);
  for (std::size_t i = 0; i < 3; ++i) { CHECK(ended.plan.shares[i].sms == 2); }
  CHECK_FALSE(ended.plan.effort.complete);
}

TEST_CASE("a guarded analysis is the one behind it until its time is over, and then passes no task") {
  using chain_table = takt::task_table<ticks, 2, 2>;
  chain_table t;
  REQUIRE(t.add_task("high", 10, 10));
  REQUIRE(t.add_segment({.time = {0, 3}}));
  REQUIRE(t.add_task("low", 20, 20));
  REQUIRE(t.add_segment({.time = {0, 4}}));
  takt::platform_record sizes;
  sizes.cores = 1;
  takt::analysis::fixed_priority_rta inner(t, sizes);
  int left = 2;
  const auto stop = [&left](std::uint64_t /*evaluations*/) { return left-- == 0; };
  takt::detail::search_guard guarded(inner, stop);
  CHECK(guarded.name() == inner.name());
  CHECK(guarded.monotone());
  CHECK(guarded.evaluate(0));
  CHECK(guarded.evaluate(1));
  CHECK(guarded.meets(1));
  CHECK(guarded.bound(1).value == 7);
  CHECK_FALSE(guarded.gave_up());
  CHECK_FALSE(guarded.evaluate(0));
  CHECK(guarded.gave_up());
  left = 9;
  CHECK_FALSE(guarded.evaluate(0));
}
