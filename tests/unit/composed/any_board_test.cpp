// SPDX-License-Identifier: Apache-2.0
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
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

namespace {

using takt::duration;
using takt::resource_kind;
using takt::ticks;

constexpr std::size_t capacity = 24;
using workload = takt::runtime_task_set<8, capacity>;
using board = takt::any_board<6, capacity>;

struct camera {
  std::int32_t count = 1;
};

[[nodiscard]] auto visit_of(resource_kind where, ticks time, std::uint32_t position) -> takt::runtime_visit {
  takt::runtime_visit v{.where = where, .predecessors = position == 0 ? 0 : takt::visit_mask{1} << (position - 1)};
  v.known.add(takt::visit_fact::time);
  v.time = {time, time};
  return v;
}
void add_chain(workload& to, ticks period, std::int32_t core, const auto&... visits) {
  REQUIRE(to.add_task({.name = "t", .period = period, .deadline = period, .core = core}));
  std::uint32_t position = 0;
  const auto add = [&](resource_kind where, ticks time) {
    takt::runtime_visit v = visit_of(where, time, position++);
    if (where == resource_kind::gpu) {
      v.known.add(takt::visit_fact::work);
      v.work = {0, 2 * time};
    }
    REQUIRE(to.add_visit(v));
  };
  (add(visits.first, visits.second), ...);
}
struct part {
  resource_kind first;
  ticks second;
};
[[nodiscard]] auto cpu(ticks t) -> part { return {resource_kind::processor, t}; }
[[nodiscard]] auto copy(ticks t) -> part { return {resource_kind::copy_engine, t}; }
[[nodiscard]] auto kernel(ticks t) -> part { return {resource_kind::gpu, t}; }

template <class... Pools>
[[nodiscard]] auto board_of(const Pools&... pools) -> board {
  board out;
  const bool all_fit = (out.add(pools) && ...);
  REQUIRE(all_fit);
  return out;
}

}  // namespace

TEST_CASE("a board as a value refuses what a typed one stops at") {
  board b = board_of(takt::pool(takt::processors(2), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo));
  CHECK_FALSE(b.add(takt::pool(takt::processors(1), takt::edf)));
  CHECK_FALSE(b.add(takt::pool(takt::copy_engines(1), takt::fifo)));
  CHECK_FALSE(b.validate());
  REQUIRE(b.add(takt::pool(takt::virtual_sms(4, 0), takt::federated)));
  CHECK(b.validate().fault == takt::model_fault::platform_size_out_of_range);
  CHECK(b.validate().pool == 2);
  workload w;
  add_chain(w, 100, 0, cpu(1));
  CHECK(takt::analyze(b, w, takt::published_methods).error.pool == 2);

  const board slices = board_of(takt::pool(takt::virtual_sms(4, 1), takt::time_slices(duration{0}, duration{1})));
  CHECK(slices.validate().pool == 0);
}

TEST_CASE("a pool that a full board refuses leaves no trace on it") {
  takt::any_board<1, capacity> full;
  REQUIRE(full.add(takt::pool(takt::virtual_sms(4, 1), takt::federated)));
  const takt::platform_record before = full.record();
  CHECK_FALSE(full.add(takt::pool(takt::processors(7), takt::edf)));
  CHECK(full.size() == 1);
  CHECK(full.record().cores == before.cores);
}

TEST_CASE("own resources are found by their position among own ones, and a visit of another is refused") {
  workload w;
  REQUIRE(w.add_task({.name = "t", .period = 50, .deadline = 50}));
  takt::runtime_visit v = visit_of(resource_kind::own, 7, 0);
  v.own = 1;
  REQUIRE(w.add_visit(v));
  const auto cores = takt::pool(takt::processors(1), takt::edf);
  const auto one = takt::pool(camera{}, takt::fifo);
  const auto none = takt::analyze(board_of(cores, one), w, takt::published_methods);
  CHECK(none.error.fault == takt::model_fault::visit_without_pool);
  const auto two = takt::analyze(board_of(cores, one, takt::pool(camera{2}, takt::nonpreemptive(takt::edf))), w,
                                 takt::published_methods);
  REQUIRE(two.schedulable());
  CHECK(two.tasks[0].bound.value == 7);
}

TEST_CASE("a search places tasks that name no core by worst fit and leaves the others") {
  workload w;
  add_chain(w, 100, takt::unassigned_core, cpu(40));
  add_chain(w, 100, 1, cpu(50));
  add_chain(w, 100, takt::unassigned_core, cpu(45));
  add_chain(w, 100, takt::unassigned_core, cpu(30));
  const auto on = [&](const auto& rule, std::int32_t cores) {
    return takt::analyze(board_of(takt::pool(takt::processors(cores), rule)), w, takt::published_methods);
  };
  const auto edf = on(takt::edf, 2);
  REQUIRE(edf.schedulable());
  const std::array<std::int32_t, 4> want{0, 1, 0, 1};
  REQUIRE(edf.plan.cores.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) { CHECK(edf.plan.cores[i] == want[i]); }

  const auto clustered = on(takt::clustered(takt::edf, 2), 4);
  REQUIRE(clustered.schedulable());
  for (const std::int32_t core : clustered.plan.cores) { CHECK(core / 2 * 2 == (core == 1 ? 0 : core)); }
  CHECK(on(takt::g_edf, 4).plan.cores.empty());
}

TEST_CASE("a search leaves numbers that no board and no task has to the analysis") {
  workload w;
  add_chain(w, 100, takt::unassigned_core, cpu(5), kernel(8));
  add_chain(w, 100, takt::unassigned_core, cpu(5), kernel(8));
  const auto on = [&](const takt::virtual_sms_resource& second) {
    return takt::analyze(
               board_of(takt::pool(takt::processors(2), takt::edf),
                        takt::pool(takt::virtual_sms(4, 2), takt::federated), takt::pool(second, takt::federated)),
               w, takt::published_methods)
        .error.fault;
  };
  CHECK(on(takt::virtual_sms(4, 2)) == takt::model_fault::none);
  CHECK(on(takt::virtual_sms(4, 2, 0)) == takt::model_fault::platform_size_out_of_range);
  CHECK(on(takt::virtual_sms(1 << 20, 1 << 20)) == takt::model_fault::platform_size_out_of_range);
  w.tasks[1].deadline = -(ticks{1} << 16);
  CHECK(on(takt::virtual_sms(4, 2)) == takt::model_fault::deadline_not_positive);
  w.tasks[1].deadline = 100;
  w.tasks[1].period = -(ticks{1} << 16);
  CHECK(on(takt::virtual_sms(4, 2)) == takt::model_fault::period_not_positive);
}

TEST_CASE("a search gives each task one of several GPUs, whatever these hand out") {
  workload w;
  for (int i = 0; i < 4; ++i) { add_chain(w, 200, 0, cpu(2), kernel(i < 2 ? 40 : 20), cpu(2)); }
  const auto cores = takt::pool(takt::processors(1), takt::edf);
  const auto seen = [&](const auto& rule) {
    const auto gpu = takt::pool(takt::virtual_sms(2, 1), rule);
    const board b = board_of(cores, gpu, gpu);
    const auto verdict = takt::analyze(b, w, takt::published_methods);
    REQUIRE(verdict.schedulable());
    REQUIRE(verdict.plan.shares.size() == 4);
    CHECK(verdict.plan.shares[0].gpu != verdict.plan.shares[1].gpu);
    CHECK(verdict.plan.shares[2].gpu != verdict.plan.shares[3].gpu);
    CHECK(takt::simulate(b, w, verdict.plan, {.horizon = duration{1000}}).misses() == 0);
  };
  seen(takt::fifo);
  seen(takt::locked(takt::k_fmlp_order, 1));
  seen(takt::time_slices(duration{10}, duration{0}));
  seen(takt::levels(takt::edf));
  seen(takt::federated);
}

TEST_CASE(
    "where all SMs are too few for a part of each task, nothing is proven, and where a fact is missing it is said") {
  workload w;
  for (int i = 0; i < 3; ++i) { add_chain(w, 100, 0, cpu(2), kernel(5)); }
  const auto cores = takt::pool(takt::processors(1), takt::edf);
  const board small = board_of(cores, takt::pool(takt::virtual_sms(2, 1), takt::federated));
  const auto few = takt::analyze(small, w, takt::published_methods);
  CHECK(few.status == takt::verdict_status::not_proven);
  CHECK(few.why == takt::obstacle::gpu);
  CHECK(few.tasks.size() == 3);

  w.visits[3].known.remove(takt::visit_fact::work);
  const auto missing =
      takt::analyze(board_of(cores, takt::pool(takt::virtual_sms(6, 1), takt::federated)), w, takt::published_methods);
  CHECK(missing.error.fault == takt::model_fault::visit_time_unknown);
  CHECK(missing.error.task == 1);
  CHECK(missing.error.visit == 1);
  CHECK(missing.error.lacks);
}

TEST_CASE("a marked stretch is one section of the tokens of its GPU, and a fact without effect elsewhere") {
  workload w;
  add_chain(w, 200, 0, cpu(3), copy(2), kernel(5), cpu(4), copy(2), cpu(3));
  add_chain(w, 200, 0, cpu(3), kernel(9), cpu(1));
  workload marked = w;
  for (std::size_t v = 1; v <= 4; ++v) { marked.visits[v].in_section = true; }
  const auto flat = [](const auto& rule, const workload& tasks) {
    const board b = board_of(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                             takt::pool(takt::virtual_sms(2, 1), rule));
    takt::plan<8, capacity> p;
    return takt::flatten(b, tasks, p).table;
  };
  const auto plain = flat(takt::locked(takt::k_fmlp_order, 1), w).sections;
  REQUIRE(plain.size() == 3);
  CHECK(plain[0].visits == 0b110);
  CHECK(plain[1].visits == 0b10000);
  const auto stretch = flat(takt::locked(takt::k_fmlp_order, 1), marked).sections;
  REQUIRE(stretch.size() == 2);
  CHECK(stretch[0].visits == 0b11110);
  CHECK(stretch[1].visits == 0b10);
  CHECK(flat(takt::fifo, marked).sections.empty());
}

TEST_CASE("block queues of the largest GPU run on a board as a value") {
  workload w;
  add_chain(w, 100, 0, cpu(2), kernel(5), cpu(2));
  w.visits[1].known.add(takt::visit_fact::grid);
  w.visits[1].known.add(takt::visit_fact::block_length);
  w.visits[1].blocks = 3'000;
  w.visits[1].threads = 64;
  w.visits[1].block_length = 4;
  const auto gpu = takt::pool(takt::block_slots(128, 1'536, 24), takt::block_queue_rule<>{});
  const board b = board_of(takt::pool(takt::processors(1), takt::edf), gpu, gpu);
  const auto verdict = takt::analyze(b, w, takt::published_methods);
  REQUIRE(verdict.schedulable());
  const auto seen = takt::simulate(b, w, verdict.plan, {.horizon = duration{1'000}});
  CHECK_FALSE(seen.error);
  CHECK(seen.tasks[0].worst_response == 8);
  CHECK(verdict.tasks[0].bound.value >= 8);
}
