// SPDX-License-Identifier: Apache-2.0
// Mutexes of tasks beside devices, as typed tasks and as a table.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include <takt/analysis/any_stations.hpp>
#include <takt/checking.hpp>
#include <takt/graphs.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

namespace {

using namespace takt::literals;

// excerpt: mutexes
struct queue_mutex {};
struct log_mutex {};

constexpr auto cores = takt::pool(takt::processors(2), takt::fixed_priority);
constexpr auto engine = takt::pool(takt::copy_engines(1), takt::fifo);
constexpr auto sms = takt::pool(takt::virtual_sms(4, 2), takt::locked(takt::k_fmlp_order, 1));
constexpr auto queue = takt::pool(queue_mutex{}, takt::locked(takt::priority_inheritance_order));
constexpr auto log_of = takt::pool(log_mutex{}, takt::locked(takt::priority_ceiling_order));
constexpr auto board = takt::platform(cores, engine, sms, queue, log_of);

constexpr auto tasks = takt::task_set(
    takt::task("control", takt::period(10_ms), takt::on_core(0), takt::cpu(500_us, 1_ms),
               takt::locks<queue_mutex>(takt::cpu(500_us)), takt::copy(1_ms),
               takt::kernel(takt::work(2_ms), takt::interleave(1)), takt::cpu(1_ms)),
    takt::task("plan", takt::period(30_ms), takt::on_core(0), takt::cpu(1_ms), takt::copy(1_ms), takt::cpu(2_ms)),
    takt::task("log", takt::period(60_ms), takt::locks<log_mutex>(takt::cpu(1_ms), takt::cpu(1_ms)), takt::cpu(2_ms),
               takt::locks<queue_mutex>(takt::cpu(700_us)), takt::cpu(1_ms)),
    takt::task("ship", takt::period(80_ms), takt::kernel(takt::work(4_ms), takt::interleave(1)),
               takt::locks<log_mutex>(takt::cpu(300_us)), takt::cpu(2_ms)));
// end of excerpt
constexpr auto verdict = takt::analyze(board, tasks, takt::published_methods);

}  // namespace

TEST_CASE("a set with mutexes is proven and simulated in constant expressions") {
  static_assert(verdict.schedulable() && verdict.method == "holistic");
  static_assert(verdict.tasks[0].blocking > 0);
  constexpr auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 60_ms});
  static_assert(!seen.error && seen.misses() == 0 && seen.tasks[0].completed == 6);
  CHECK(verdict.tasks[0].bound.value > 0);
}

TEST_CASE("typed sections are those of a table that says the same") {
  constexpr auto flat = takt::flatten(board, tasks, takt::plan<4, 18>{});
  static_assert(!flat.error && flat.table.sections.size() == 7);
  // pools of tokens in the order of the platform: the GPU's, the queue, the log
  takt::visit_table<4, 18> by_hand;
  takt::any_stations<6, 18> places;
  const auto add = [&](std::uint32_t station, takt::ticks lower, takt::ticks upper) {
    REQUIRE(by_hand.add_next(station, lower, upper));
  };
  const auto task = [&](std::string_view name, takt::ticks period, std::int32_t priority) {
    REQUIRE(by_hand.add_task(
        {.name = name, .period = period * 1'000'000, .deadline = period * 1'000'000, .priority = priority}));
  };
  const auto hold = [&](std::uint32_t tokens, takt::visit_mask visits) {
    REQUIRE(by_hand.sections.try_push_back({static_cast<std::uint32_t>(by_hand.size() - 1), tokens, visits}));
  };
  REQUIRE(places.add(takt::fixed_priority));
  REQUIRE(places.add(takt::fifo));
  REQUIRE(places.add(takt::federated));
  REQUIRE(places.add_tokens(takt::k_fmlp_order, 1));
  REQUIRE(places.add_tokens(takt::priority_inheritance_order, 1));
  REQUIRE(places.add_tokens(takt::priority_ceiling_order, 1));
  task("control", 10, 0);
  add(0, 500'000, 1'000'000);
  add(0, 0, 500'000);
  add(1, 0, 1'000'000);
  add(2, 0, flat.table.visit(0, 3).upper);
  add(0, 0, 1'000'000);
  hold(1, 0b10);
  hold(0, 0b1100);
  task("plan", 30, 1);
  add(0, 0, 1'000'000);
  add(1, 0, 1'000'000);
  add(0, 0, 2'000'000);
  hold(0, 0b10);
  task("log", 60, 2);
  for (const takt::ticks upper : {1'000'000, 1'000'000, 2'000'000, 700'000, 1'000'000}) { add(0, 0, upper); }
  hold(2, 0b11);
  hold(1, 0b1000);
  task("ship", 80, 3);
  add(2, 0, flat.table.visit(3, 0).upper);
  add(0, 0, 300'000);
  add(0, 0, 2'000'000);
  hold(2, 0b10);
  hold(0, 0b1);
  const auto same = takt::analysis::holistic(by_hand, places);
  REQUIRE(same.schedulable());
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(same.tasks[i].bound.value == verdict.tasks[i].bound.value);
    CHECK(same.tasks[i].blocking == verdict.tasks[i].blocking);
  }
}

TEST_CASE("a job can be blocked anew after each suspension, and under inheritance by each less important task") {
  const auto bound_of = [](const auto& protocol, const auto& high) {
    const auto low = [](std::string_view name, takt::duration period, auto section) {
      return takt::task(name, takt::period(period), takt::cpu(1_ms), section, takt::cpu(1_ms));
    };
    const auto set = takt::task_set(high, low("b", 100_ms, takt::locks<queue_mutex>(takt::cpu(3_ms))),
                                    low("c", 200_ms, takt::locks<queue_mutex>(takt::cpu(2_ms))));
    const auto machine = takt::platform(takt::pool(takt::processors(1), takt::deadline_monotonic), engine,
                                        takt::pool(queue_mutex{}, takt::locked(protocol)));
    const auto v = takt::analyze(machine, set, takt::published_methods);
    REQUIRE(v.schedulable());
    CHECK(v.method == "holistic");
    return v.tasks[0];
  };
  using takt::cpu, takt::copy;
  const auto once = takt::task("a", takt::period(50_ms), cpu(1_ms), takt::locks<queue_mutex>(cpu(1_ms)), cpu(1_ms));
  const auto twice =
      takt::task("a", takt::period(50_ms), cpu(1_ms), takt::locks<queue_mutex>(cpu(1_ms)), copy(2_ms), cpu(1_ms));
  const auto ceiling = bound_of(takt::priority_ceiling_order, once);
  CHECK(ceiling.bound.value == 6'000'000);  // 3 of its own behind one section
  CHECK(ceiling.blocking == 3'000'000);
  const auto inheritance = bound_of(takt::priority_inheritance_order, once);
  CHECK(inheritance.bound.value == 8'000'000);
  CHECK(inheritance.blocking == 5'000'000);
  const auto again = bound_of(takt::priority_ceiling_order, twice);
  CHECK(again.bound.value == 11'000'000);  // 2 and 1 of its own, each behind a section, and the copy
  CHECK(again.blocking == 6'000'000);
}

TEST_CASE("a less important task holds a mutex while a more important one comes, and no longer than that") {
  const auto machine = [](const auto& protocol) {
    return takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), engine,
                          takt::pool(queue_mutex{}, takt::locked(protocol)));
  };
  using takt::cpu;
  const auto set = takt::task_set(
      takt::task("high", takt::period(100_ms), takt::priority(0), cpu(1_ms), takt::locks<queue_mutex>(cpu(1_ms))),
      takt::task("middle", takt::period(100_ms), takt::priority(1), cpu(10_ms)),
      takt::task("low", takt::period(100_ms), takt::priority(2), takt::locks<queue_mutex>(cpu(4_ms)), cpu(1_ms)));
  const std::array offsets{takt::duration{2_ms}, takt::duration{1_ms}, takt::duration{0_ms}};
  const auto runs = [&](const auto& protocol) {
    const auto board_of = machine(protocol);
    const auto seen = takt::simulate(board_of, set, takt::plan<3>{}, {.horizon = 90_ms, .offsets = offsets});
    REQUIRE(!seen.error);
    return seen;
  };
  const auto inherits = runs(takt::priority_inheritance_order);
  CHECK(inherits.tasks[0].worst_response == 5'000'000);   // 1 of its own, the 3 that are left, and its section
  CHECK(inherits.tasks[1].worst_response == 15'000'000);  // delayed by the section though it locks nothing
  const auto ceiling = runs(takt::priority_ceiling_order);
  CHECK(ceiling.tasks[0].worst_response == 4'000'000);  // it comes at 2 and starts at 4
  CHECK(ceiling.tasks[1].worst_response == 15'000'000);
  CHECK(ceiling.tasks[2].worst_response == inherits.tasks[2].worst_response);
}

TEST_CASE("sections of other orders may hold devices and be of several cores") {
  const auto set =
      takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_ms),
                                takt::locks<queue_mutex>(takt::copy(1_ms), takt::cpu(1_ms)), takt::cpu(1_ms)),
                     takt::task("b", takt::period(40_ms), takt::on_core(1), takt::cpu(1_ms),
                                takt::locks<queue_mutex>(takt::cpu(1_ms), takt::copy(1_ms)), takt::cpu(1_ms)));
  for (const bool by_priority : {false, true}) {
    const auto check = [&](const auto& order) {
      const auto machine = takt::platform(cores, engine, takt::pool(queue_mutex{}, takt::locked(order)));
      const auto v = takt::analyze(machine, set, takt::published_methods);
      REQUIRE_FALSE(v.error);
      REQUIRE(v.schedulable());
      CHECK(v.tasks[0].blocking > 0);
      const auto seen =
          takt::simulate(machine, set, v.plan, {.horizon = 2_s, .releases = takt::release_pattern::sporadic});
      for (std::size_t i = 0; i < 2; ++i) { CHECK(seen.tasks[i].worst_response <= v.tasks[i].bound.value); }
    };
    if (by_priority) {
      check(takt::priority_mutex_order);
    } else {
      check(takt::fifo_order);
    }
  }
}

TEST_CASE("what a protocol of one processor does not fit is refused by name") {
  const auto fault = [&](const auto& processors, const auto& section, std::int32_t core) {
    const auto machine = takt::platform(processors, engine, queue);
    return takt::analyze(
               machine,
               takt::workload(takt::task("a", takt::period(20_ms), takt::on_core(0), takt::cpu(1_ms), section),
                              takt::task("b", takt::period(20_ms), takt::on_core(core), takt::copy(1_ms),
                                         takt::locks<queue_mutex>(takt::cpu(1_ms)))),
               takt::published_methods)
        .error;
  };
  const auto two = takt::processors(2);
  const auto section = takt::locks<queue_mutex>(takt::cpu(1_ms));
  const auto off = takt::model_fault::section_off_its_processor;
  CHECK_FALSE(fault(takt::pool(two, takt::fixed_priority), section, 0));
  CHECK_FALSE(fault(takt::pool(two, takt::edf), section, 0));
  CHECK(fault(takt::pool(two, takt::fixed_priority), section, 1) == takt::fault_at(off, 1, 1));
  CHECK(fault(takt::pool(two, takt::nonpreemptive(takt::fixed_priority)), section, 0).fault == off);
  CHECK(fault(takt::pool(two, takt::fifo), section, 0).fault == off);
  CHECK(fault(takt::pool(two, takt::clustered(takt::edf, 2)), section, 0).fault == off);
  CHECK_FALSE(fault(takt::pool(two, takt::fixed_priority), takt::locks<queue_mutex>(takt::cpu(0_ms)), 1));
  const auto graphs =
      takt::graph_set(takt::graph("g", takt::period(20_ms), takt::node("n", takt::locks<log_mutex>(takt::cpu(1_ms)))));
  CHECK(takt::validate(graphs.flat()).fault == takt::model_fault::mutex_without_pool);
  CHECK(takt::analyze(takt::platform(takt::pool(takt::processors(1), takt::g_edf)), graphs.flat(),
                      takt::published_methods)
            .error.fault == takt::model_fault::mutex_without_pool);
}

TEST_CASE("a table of sections off their processor is not proven") {
  takt::visit_table<2, 4> table;
  REQUIRE(table.add_task({.name = "t", .period = 20, .deadline = 20}));
  REQUIRE(table.add_next(1, 1, 2));
  REQUIRE(table.sections.try_push_back({0, 0, 1}));
  takt::any_stations<2, 4> places;
  REQUIRE(places.add(takt::fixed_priority));
  REQUIRE(places.add(takt::fifo));
  REQUIRE(places.add_tokens(takt::priority_ceiling_order, 1));
  CHECK(takt::analysis::holistic(table, places).why == takt::obstacle::tokens);
  CHECK(takt::analysis::inflated(table, places).why == takt::obstacle::tokens);
  table.visits[0].station = 0;
  CHECK(takt::analysis::holistic(table, places).schedulable());
  CHECK(takt::analysis::inflated(table, places).schedulable());
}

TEST_CASE("the locks of both protocols keep what any lock must") {
  const auto check = [](const auto& order) {
    const auto lock = order.template make_lock<4>(takt::token_setting{});
    CHECK(takt::checking::check_lock(lock, {.order = takt::service_order::priority}).complaint == "");
    CHECK(takt::checking::longest_blocking(lock, {.clients = 4, .section = 3}).delay == 3);
  };
  check(takt::priority_inheritance_order);
  check(takt::priority_ceiling_order);
}

TEST_CASE("nodes of graphs lock mutexes beside kernels of a block queue") {
  constexpr auto fusion = takt::graph_set(
      takt::graph("fusion", takt::period(20_ms), takt::on_cluster(0),
                  takt::node("read", takt::cpu(1_ms), takt::locks<queue_mutex>(takt::cpu(500_us)), takt::copy(1_ms)),
                  takt::node("fuse", takt::kernel(takt::grid(4, 128), takt::block_length(1_ms), takt::launch(100_us),
                                                  takt::await(100_us))),
                  takt::node("log", takt::locks<log_mutex>(takt::cpu(1_ms), takt::cpu(500_us))),
                  takt::edge("read", "fuse"), takt::edge("fuse", "log")),
      takt::graph("monitor", takt::period(50_ms), takt::on_cluster(0),
                  takt::node("watch", takt::cpu(2_ms), takt::locks<queue_mutex>(takt::cpu(800_us))),
                  takt::node("save", takt::locks<log_mutex>(takt::cpu(1_ms))), takt::edge("watch", "save")));
  static constexpr auto blocks = takt::platform(
      cores, engine, takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::unguarded)),
      queue, log_of);
  constexpr auto proven = takt::analyze(blocks, fusion, takt::published_methods);
  static_assert(proven.schedulable() && proven.tasks[0].blocking > 0);
  const auto seen =
      takt::simulate(blocks, fusion, proven.plan, {.horizon = 2_s, .releases = takt::release_pattern::sporadic});
  REQUIRE(!seen.error);
  CHECK(seen.misses() == 0);
  constexpr auto flat = takt::flatten(blocks, fusion, takt::plan<2, 27>{});
  static_assert(!flat.error && flat.table.sections.size() == 4);
  static_assert(flat.table.sections[0].visits == 0b10 && flat.table.sections[1].visits == 0b11000000);
}
