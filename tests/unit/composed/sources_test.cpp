// SPDX-License-Identifier: Apache-2.0
// Graphs, tables, applications and whole kernels become the same visits that typed chains do.
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/graphs.hpp>
#include <takt/shares.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/locked_gpus/tasks/gpusync_visits.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::model_fault;
using takt::ticks;
using takt::visit_mask;

constexpr auto cores = takt::pool(takt::processors(2), takt::edf);
constexpr auto engine = takt::pool(takt::copy_engines(1), takt::fifo);
constexpr auto gpu = takt::pool(takt::virtual_sms(4, 2), takt::federated);
constexpr auto whole = takt::pool(takt::virtual_sms(4, 2), takt::nonpreemptive(takt::deadline_monotonic));
constexpr auto board = takt::platform(cores, engine, gpu);
constexpr auto serial = takt::platform(cores, engine, whole);

/// Flat with a plan of so many SMs for each of two tasks, or the only one, or none.
template <class P, class T>
constexpr auto flat(const P& on, const T& tasks, std::int32_t sms = 0) {
  takt::plan<takt::tasks_of<T>, takt::visits_of<T>> p;
  if (sms > 0) {
    const std::size_t there = takt::detail::plan_space_of(on, tasks).asks.size();
    for (std::size_t i = 0; i < there && i < 2; ++i) { p.shares.unchecked_push_back({0, sms}); }
  }
  return takt::flatten(on, tasks, p);
}

template <class A, class B>
constexpr auto same_visits(const A& a, const B& b) -> bool {
  bool same = !a.error && !b.error && a.table.size() == b.table.size() &&
              a.table.visits.size() == b.table.visits.size() && a.stations.size() == b.stations.size();
  for (std::size_t i = 0; same && i < a.table.size(); ++i) {
    const auto& s = a.table.tasks[i];
    const auto& t = b.table.tasks[i];
    same = s.name == t.name && s.period == t.period && s.deadline == t.deadline && s.jitter == t.jitter &&
           s.priority == t.priority && s.first_visit == t.first_visit && s.visit_count == t.visit_count;
  }
  for (std::size_t v = 0; same && v < a.table.visits.size(); ++v) {
    const auto& s = a.table.visits[v];
    const auto& t = b.table.visits[v];
    same = s.task == t.task && s.position == t.position && s.station == t.station && s.lower == t.lower &&
           s.upper == t.upper && s.predecessors == t.predecessors && s.ancestors == t.ancestors && s.view == t.view;
  }
  for (std::size_t s = 0; same && s < a.stations.size(); ++s) { same = a.stations[s] == b.stations[s]; }
  return same;
}

/// Holds a verdict against runs under its plan; whether it is a proof.
template <class P, class T>
auto holds(const P& on, const T& tasks, ticks horizon = 2'000'000'000) -> bool {
  const auto verdict = takt::analyze(on, tasks, takt::published_methods);
  REQUIRE_FALSE(verdict.error);
  for (const auto releases :
       {takt::release_pattern::periodic, takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
    const auto seen =
        takt::simulate(on, tasks, verdict.plan, {.horizon = takt::duration{horizon}, .releases = releases});
    REQUIRE_FALSE(seen.error);
    for (std::size_t i = 0; verdict.schedulable() && i < seen.tasks.size(); ++i) {
      CHECK(seen.tasks[i].completed > 0);
      CHECK(seen.tasks[i].misses == 0);
      CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value);
    }
  }
  return verdict.schedulable();
}

constexpr auto video = takt::graph(
    "video", takt::period(40_ms), takt::on_cluster(1), takt::node("read", takt::cpu(2_ms)),
    takt::node("scale",
               takt::kernel(takt::grid(8, 256), takt::block_length(2_ms), takt::launch(100_us), takt::await(50_us))),
    takt::node("audio", takt::cpu(3_ms)), takt::node("join"), takt::node("send", takt::copy(1_ms), takt::cpu(1_ms)),
    takt::edge("read", "scale"), takt::edge("read", "audio"), takt::edge("scale", "join"), takt::edge("audio", "join"),
    takt::edge("join", "send"));
constexpr auto control =
    takt::task("control", takt::period(10_ms), takt::deadline(8_ms), takt::on_core(1), takt::cpu(1_ms));

}  // namespace

TEST_CASE("a graph becomes a DAG of visits whose nodes are launched and awaited, and junctions vanish") {
  constexpr auto out = flat(board, takt::graph_set(video), 2);
  static_assert(!out.error && out.table.size() == 1);
  const auto& t = out.table;
  CHECK(t.tasks[0].period == 40'000'000);
  CHECK(t.tasks[0].deadline == t.tasks[0].period);
  REQUIRE(t.visits.size() == 7);
  // read, launch, kernel, await, audio, then the copy behind both branches and the last node; in topological order
  const auto find = [&](ticks upper) -> const takt::visit_record& {
    for (const auto& v : t.visits) {
      if (v.upper == upper) { return v; }
    }
    return t.visits[0];
  };
  const auto bit = [](const takt::visit_record& v) { return visit_mask{1} << v.position; };
  const auto& read = find(2'000'000);
  const auto& launch = find(100'000);
  const auto& kernel = find(4'000'000);  // 8 blocks on 4 virtual SMs: two rounds of 2 ms
  const auto& await = find(50'000);
  const auto& audio = find(3'000'000);
  CHECK(read.predecessors == 0);
  CHECK(launch.predecessors == bit(read));
  CHECK(kernel.predecessors == bit(launch));
  CHECK(await.predecessors == bit(kernel));
  CHECK(audio.predecessors == bit(read));
  const auto& copy = t.visits[5];
  CHECK(copy.predecessors == (bit(await) | bit(audio)));
  CHECK(t.visits[6].predecessors == bit(copy));
  CHECK(out.stations[read.station].unit == 1);  // its cluster
  CHECK(out.stations[kernel.station].pool == 2);
}

TEST_CASE("a chain of a graph, a typed chain and a table of both become the same visits") {
  const auto chain = takt::task_set(
      takt::task("a", takt::period(20_ms), takt::cpu(0_ms, 2_ms), takt::copy(0_ms, 1_ms), takt::cpu(0_ms, 1_ms)));
  const auto graph = takt::graph_set(
      takt::graph("a", takt::period(20_ms), takt::node("all", takt::cpu(2_ms), takt::copy(1_ms), takt::cpu(1_ms))));
  CHECK(same_visits(flat(board, chain), flat(board, graph)));
  CHECK(same_visits(flat(board, graph), flat(board, graph.flat())));
  CHECK(same_visits(flat(board, graph), flat(board, takt::workload(graph))));
  CHECK(same_visits(flat(board, chain), flat(board, chain.table())));
}

TEST_CASE("a table that was read from data flattens to the visits of the typed set") {
  constexpr auto typed =
      takt::task_set(takt::task("detect", takt::period(33_ms), takt::deadline(30_ms), takt::priority(1),
                                takt::cpu(1_ms, 2_ms), takt::copy(1_ms, takt::to_device),
                                takt::kernel(takt::work(8_ms, 12_ms), takt::overhead(500_us), takt::interleave(9, 5)),
                                takt::copy(500_us, takt::to_host), takt::cpu(1_ms)),
                     takt::task("plan", takt::period(20_ms), takt::priority(0), takt::on_core(1), takt::cpu(4_ms),
                                takt::kernel(takt::measured(takt::interval<takt::duration>{1_ms, 6_ms},
                                                            takt::interval<takt::duration>{1_ms, 4_ms})),
                                takt::cpu(1_ms)));
  takt::task_table<ticks, 4, 16, 4> read;
  using takt::stage;
  REQUIRE(read.add_task("detect", 33'000'000, 30'000'000, 1));
  REQUIRE(read.add_segment({.where = stage::cpu, .time = {1'000'000, 2'000'000}}));
  REQUIRE(read.add_segment({.where = stage::copy, .direction = takt::to_device, .time = {0, 1'000'000}}));
  REQUIRE(read.add_segment({.where = stage::kernel,
                            .time = {8'000'000, 12'000'000},
                            .overhead = 500'000,
                            .interleave_numerator = 9,
                            .interleave_denominator = 5}));
  REQUIRE(read.add_segment({.where = stage::copy, .direction = takt::to_host, .time = {0, 500'000}}));
  REQUIRE(read.add_segment({.where = stage::cpu, .time = {0, 1'000'000}}));
  REQUIRE(read.add_task("plan", 20'000'000, 20'000'000, 0, 1));
  REQUIRE(read.add_segment({.where = stage::cpu, .time = {0, 4'000'000}}));
  REQUIRE(read.samples.try_push_back({1'000'000, 6'000'000}));
  REQUIRE(read.samples.try_push_back({1'000'000, 4'000'000}));
  REQUIRE(read.add_segment({.where = stage::kernel, .first_sample = 0, .samples = 2}));
  REQUIRE(read.add_segment({.where = stage::cpu, .time = {0, 1'000'000}}));
  const auto engines = takt::platform(cores, takt::pool(takt::copy_engines(2), takt::fifo), gpu);
  const auto fast =
      takt::platform(cores, engine, takt::pool(takt::virtual_sms(4, 2).at_speed(3, 2), takt::federated_virtual));
  for (const std::int32_t sms : {1, 2}) {
    CHECK(same_visits(flat(board, typed, sms), flat(board, read, sms)));
    CHECK(same_visits(flat(engines, typed, sms), flat(engines, read, sms)));
    CHECK(same_visits(flat(fast, typed, sms), flat(fast, read, sms)));
  }
  CHECK(same_visits(flat(serial, typed), flat(serial, read)));
  static_assert(same_visits(flat(board, typed, 2), flat(board, typed.table(), 2)));
  CHECK(holds(serial, read));
  CHECK(holds(board, read));
  CHECK(takt::allocate(serial, read, takt::published_methods).feasible);

  auto broken = read;
  broken.segments[6].first_sample = 1;
  CHECK(takt::analyze(board, broken, takt::published_methods).error == takt::fault_at(model_fault::malformed, 1, 1));
  broken = read;
  broken.segments[1].where = static_cast<stage>(7);
  CHECK(takt::analyze(board, broken, takt::published_methods).error ==
        takt::fault_at(model_fault::choice_out_of_range, 0, 1));
  CHECK(takt::analyze(board, broken, takt::published_methods).error.name == "detect");
  CHECK(takt::analyze(takt::platform(cores, engine), read, takt::published_methods).error ==
        takt::fault_at(model_fault::kernel_without_gpu, 0, 2));
  CHECK(takt::analyze(takt::platform(cores, gpu), read, takt::published_methods).error ==
        takt::fault_at(model_fault::copy_without_engine, 0, 1));
  CHECK(takt::analyze(takt::platform(engine, gpu), read, takt::published_methods).error.fault ==
        model_fault::core_out_of_range);
  broken = read;
  broken.segments[2].interleave_numerator = 4;
  CHECK(takt::analyze(board, broken, takt::published_methods).error ==
        takt::fault_at(model_fault::interleave_below_one, 0, 2));
}

TEST_CASE("chains and graphs on one board are proven and simulated together") {
  constexpr auto work = takt::workload(
      control, video,
      takt::task_set(takt::task("log", takt::period(50_ms), takt::cpu(2_ms), takt::copy(1_ms), takt::cpu(1_ms))));
  constexpr auto verdict = takt::analyze(board, work, takt::published_methods);
  static_assert(verdict.schedulable() && verdict.plan.shares.size() == 3);
  CHECK(verdict.plan.shares[1].sms == 4);
  CHECK(verdict.tasks[1].bound.value >= 2'000'000 + 150'000 + 2'000'000 + 2'000'000);
  CHECK(holds(board, work));
  CHECK(holds(serial, work));
  // a set of chains and graphs on a board whose chains alone have a method
  const auto known =
      takt::platform(takt::pool(takt::processors(2), takt::deadline_monotonic),
                     takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::deadline_monotonic)), gpu);
  static_assert(takt::KnownComposition<std::remove_const_t<decltype(known)>>);
  CHECK(holds(known, work));
  CHECK(holds(known, takt::graph_set(video)));
}

TEST_CASE("what a visit table cannot hold of a graph is refused with its place") {
  const auto refused = [](const auto& graph) {
    return takt::analyze(board, takt::graph_set(graph), takt::published_methods).error;
  };
  const auto a = takt::node("a", takt::cpu(1_ms));
  const auto b = takt::node("b", takt::cpu(1_ms));
  const auto late = refused(takt::graph("g", takt::period(9_ms), a, b, takt::edge("a", "b"), takt::history("b", "a")));
  CHECK(late.fault == model_fault::edge_between_jobs);
  CHECK(late.edge == 1);
  CHECK(late.name == "g");
  const auto several = takt::graph("g", takt::period(9_ms), a, takt::node("b", takt::cpu(1_ms), takt::parallelism(2)));
  CHECK(refused(several) == takt::fault_at(model_fault::workload_part_unused, 0, 1));
  CHECK(takt::analyze(board, takt::workload(control, several), takt::published_methods).error ==
        takt::fault_at(model_fault::workload_part_unused, 1, 1));
  CHECK(refused(takt::graph("g", takt::period(9_ms), takt::node("b", takt::cpu(1_ms), takt::relative_point(1_ms)))) ==
        takt::fault_at(model_fault::workload_part_unused, 0, 0));
  CHECK_FALSE(refused(takt::graph("g", takt::period(9_ms), takt::node("b", takt::cpu(1_ms), takt::parallelism(1)))));
  CHECK(refused(takt::graph("g", takt::period(9_ms), a, b, takt::edge("a", "b"), takt::edge("b", "a"))).fault ==
        model_fault::cycle_without_history);
  CHECK(refused(takt::graph("g", takt::period(9_ms), a, takt::edge("a", "c"))).fault == model_fault::unknown_node);
  CHECK(refused(takt::graph("g", takt::period(9_ms), takt::node("only"))).fault == model_fault::empty_chain);
  CHECK(refused(takt::graph("g", takt::period(9_ms), takt::on_cluster(2), a)).fault == model_fault::core_out_of_range);
  CHECK(refused(takt::graph("g", a)).fault == model_fault::period_not_positive);
  takt::graph_table<ticks, 65, 64, 1> many;
  REQUIRE(many.add_graph("many", 1'000'000));
  REQUIRE(many.add_node({.name = "n", .wcet = 1}));
  for (int i = 1; i < 64; ++i) { REQUIRE(many.extend_node({.name = "n", .wcet = 1})); }
  CHECK(takt::analyze(board, many, takt::published_methods).schedulable());
  REQUIRE(many.extend_node({.name = "n", .wcet = 1}));
  CHECK(takt::analyze(board, many, takt::published_methods).error ==
        takt::fault_at(model_fault::too_many_visits, 0, 64));
}

TEST_CASE("graphs keep their own method where one is known") {
  const auto own =
      takt::platform(takt::pool(takt::processors(2), takt::g_edf),
                     takt::pool(takt::block_slots(8, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
  const auto graphs =
      takt::graph_set(takt::graph("v", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                  takt::node("scale", takt::kernel(takt::grid(8, 256), takt::block_length(2_ms))),
                                  takt::edge("read", "scale"), takt::history("scale", "read")));
  CHECK(takt::analyze(own, graphs, takt::published_methods).method == "overlapping-nodes");
  static_assert(!takt::ComposedBoard<std::remove_const_t<decltype(own)>, std::remove_const_t<decltype(graphs)>>);
}

TEST_CASE("whole kernels and applications are one visit each") {
  const auto kernels =
      takt::task_set(takt::task("a", takt::period(20_ms), takt::kernel(takt::wcet(4_ms), takt::preemption_cost(1_ms))),
                     takt::task("b", takt::period(30_ms), takt::kernel(takt::wcet(6_ms), takt::on_sm(1))));
  const auto out = flat(serial, kernels);
  REQUIRE_FALSE(out.error);
  CHECK(out.table.visits[0].upper == 4'000'000);
  CHECK(out.table.visits[1].upper == 6'000'000);
  CHECK(same_visits(out, flat(serial, kernels.table())));
  CHECK(same_visits(out, flat(serial, takt::workload(kernels))));
  CHECK(holds(serial, kernels));
  CHECK(holds(serial, kernels.table()));
  CHECK(holds(serial, takt::workload(control, kernels, video)));
  // on a part of the SMs a wcet says nothing, and a row of times does
  CHECK(flat(board, takt::workload(kernels), 2).error == takt::fault_at(model_fault::visit_time_unknown, 0, 0));
  CHECK_FALSE(
      flat(board, takt::workload(takt::task("a", takt::period(20_ms), takt::kernel(takt::wcet(4_ms)))), 4).error);

  const auto applications = takt::application_set(
      takt::application("x", takt::period(40_ms), takt::share_priority(3), takt::scaling_wcet(4_ms)),
      takt::application("y", takt::period(60_ms), takt::share_priority(7), takt::scaling_wcet(6_ms)));
  const auto shares = flat(board, takt::workload(applications), 2);
  REQUIRE_FALSE(shares.error);
  CHECK(shares.table.visits[0].upper == 8'000'000);  // half of the SMs
  CHECK(shares.table.tasks[0].priority == 4);
  CHECK(shares.table.tasks[1].priority == 0);
  CHECK(holds(serial, takt::workload(control, applications)));
  CHECK(holds(serial, applications));
  const auto refused = [](const auto& set) { return takt::analyze(serial, set, takt::published_methods).error; };
  CHECK(refused(takt::application_set(
            takt::application("x", takt::period(40_ms), takt::scaling_wcet(4_ms), takt::memory_units{1}))) ==
        takt::fault_at(model_fault::workload_part_unused, 0));
  CHECK(refused(takt::application_set(takt::application("x", takt::period(40_ms), takt::scaling_wcet(4_ms),
                                                        takt::share_request(takt::full_share)))) ==
        takt::fault_at(model_fault::workload_part_unused, 0));
  takt::contention_matrix<2> slow;
  slow.set(0, 1, 1000);
  CHECK(refused(applications.with(slow)).fault == model_fault::workload_part_unused);
  auto table = kernels.table();
  table.tasks[1].width = static_cast<takt::kernel_width>(9);
  CHECK(refused(table) == takt::fault_at(model_fault::choice_out_of_range, 1));
  table = kernels.table();
  table.tasks[1].core = 4;
  CHECK(refused(table) == takt::fault_at(model_fault::core_out_of_range, 1, 0));
}

TEST_CASE("tasks of locked GPUs become chains once their copies have a cost") {
  using costs = takt::linear_transfer_costs<ticks>;
  takt::gpusync_chains<costs, 2, 2> tasks{.costs = costs{{{{10, 1, 1}, {20, 1, 2}, {}}}}, .chunk = 1000};
  takt::gpusync_task<ticks, 2> t{.name = "track", .wcet = 900, .period = 90'000, .deadline = 80'000};
  t.cpu_in_gpu_section = 300;
  t.bytes_in = 2500;
  t.bytes_out = 100;
  t.gpu_cluster = 0;
  REQUIRE(t.kernels.try_push_back(4000));
  REQUIRE(t.kernels.try_push_back(500));
  REQUIRE(tasks.table.add(t));
  REQUIRE(tasks.table.add({.name = "plan", .wcet = 700, .period = 50'000, .deadline = 50'000, .cpu_cluster = 1}));
  const auto out = flat(serial, tasks);
  REQUIRE_FALSE(out.error);
  REQUIRE(out.table.tasks[0].visit_count == 6);
  // CPU outside, input in three chunks that are set up each, two kernels, CPU inside, output
  const std::int64_t expected[]{600, 2530, 4000, 500, 300, 70};
  for (std::size_t v = 0; v < 6; ++v) { CHECK(out.table.visit(0, v).upper == expected[v]); }
  CHECK(out.table.tasks[1].visit_count == 1);
  CHECK(out.stations[out.table.visit(0, 0).station].unit == 0);
  CHECK(out.stations[out.table.visit(1, 0).station].unit == 1);
  CHECK(holds(serial, tasks, 10'000'000));
  CHECK(holds(serial, takt::workload(tasks, control), 100'000'000));
  auto free = tasks;
  free.costs = {};
  const auto without_copies = flat(serial, free);
  REQUIRE_FALSE(without_copies.error);
  CHECK(without_copies.table.visit(0, 1).upper == 0);
  const auto refused = [&](const auto& change) {
    auto other = tasks;
    change(other);
    return takt::analyze(serial, other, takt::published_methods).error;
  };
  CHECK(refused([](auto& x) { x.table.tasks[0].bytes_state = 1; }) ==
        takt::fault_at(model_fault::workload_part_unused, 0));
  CHECK(refused([](auto& x) { x.table.tasks[0].gpu_cluster = 1; }) ==
        takt::fault_at(model_fault::workload_part_unused, 0));
  CHECK(refused([](auto& x) { x.table.tasks[1].wcet = 0; }) == takt::fault_at(model_fault::no_time, 1));
  CHECK(refused([](auto& x) { x.chunk = 0; }).fault == model_fault::chunk_not_positive);
  CHECK(refused([](auto& x) { x.table.tasks[0].bytes_in = std::int64_t{1} << 60; }).fault ==
        model_fault::time_overflow);
}

TEST_CASE("release jitter reaches bounds and runs") {
  using takt::release_jitter;
  constexpr auto calm = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(4_ms)),
                                       takt::task("b", takt::period(20_ms), takt::cpu(5_ms)));
  constexpr auto late = takt::task_set(takt::task("a", takt::period(10_ms), release_jitter(3_ms), takt::cpu(4_ms)),
                                       takt::task("b", takt::period(20_ms), takt::cpu(5_ms)));
  constexpr auto one = takt::platform(takt::pool(takt::processors(1), takt::deadline_monotonic));
  static_assert(takt::KnownComposition<std::remove_const_t<decltype(one)>>);
  constexpr auto verdict = takt::analyze(one, late, takt::published_methods);
  static_assert(verdict.schedulable() && verdict.tasks[0].bound.value == 7'000'000);
  CHECK(verdict.tasks[1].bound.value == 13'000'000);  // two jobs of a: one late, the next on time
  CHECK(takt::analyze(one, calm, takt::published_methods).tasks[1].bound.value == 9'000'000);
  const auto seen =
      takt::simulate(one, late, verdict.plan, {.horizon = 10_s, .releases = takt::release_pattern::adversarial});
  CHECK(seen.tasks[0].worst_response == 7'000'000);
  CHECK(seen.tasks[1].worst_response == 13'000'000);
  CHECK(holds(one, late));
  const auto wrong =
      takt::task_set(takt::task("a", takt::period(10_ms), release_jitter(takt::duration{-1}), takt::cpu(4_ms)));
  CHECK(takt::analyze(one, wrong, takt::published_methods).error == takt::fault_at(model_fault::negative_jitter, 0));
}

TEST_CASE("two GPUs of different rules and two kinds of processors stand on one board") {
  struct little {};
  const auto big = takt::platform(
      takt::pool(takt::processors(2), takt::edf), takt::pool(little{}, takt::rate_monotonic), engine,
      takt::pool(takt::virtual_sms(4, 2), takt::fifo), takt::pool(takt::virtual_sms(8, 2), takt::federated));
  const auto tasks = takt::task_set(
      takt::task("a", takt::period(30_ms), takt::cpu(1_ms), takt::copy(1_ms),
                 takt::kernel(takt::work(16_ms), takt::interleave(1)), takt::visit<little>(takt::takes(2_ms))),
      takt::task("b", takt::period(40_ms), takt::on_core(1), takt::cpu(1_ms),
                 takt::kernel(takt::work(32_ms), takt::interleave(1)), takt::cpu(1_ms)),
      takt::task("c", takt::period(20_ms), takt::visit<little>(takt::takes(3_ms))));
  takt::plan<3, 8> p;
  REQUIRE(p.shares.try_push_back({0, 0}));
  REQUIRE(p.shares.try_push_back({1, 4}));
  REQUIRE(p.shares.try_push_back({0, 0}));
  const auto verdict = takt::analyze(big, tasks, p, takt::published_methods);
  REQUIRE(verdict.schedulable());
  const auto out = takt::flatten(big, tasks, p);
  CHECK(out.table.visit(0, 2).upper == 2'000'000);  // on all 8 virtual SMs of the first GPU
  CHECK(out.table.visit(1, 1).upper == 4'000'000);  // on 8 of the 16 of the second
  CHECK(out.stations[out.table.visit(0, 2).station].pool == 3);
  CHECK(out.stations[out.table.visit(1, 1).station].pool == 4);
  CHECK(out.table.visit(0, 3).station == out.table.visit(2, 0).station);
  const auto seen =
      takt::simulate(big, tasks, verdict.plan, {.horizon = 2_s, .releases = takt::release_pattern::adversarial});
  for (std::size_t i = 0; i < 3; ++i) { CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value); }
  p.shares[0].sms = 1;  // the first GPU hands none out
  CHECK(takt::analyze(big, tasks, p, takt::published_methods).error.fault == model_fault::plan_does_not_fit);
  p.shares[0] = {2, 0};
  CHECK(takt::analyze(big, tasks, p, takt::published_methods).error.fault == model_fault::plan_does_not_fit);
  CHECK(holds(big, tasks));
}

TEST_CASE("of two GPUs each takes the kernels whose facts its rule reads") {
  const auto both =
      takt::platform(cores, engine, gpu,
                     takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::unguarded)));
  const auto tasks =
      takt::task_set(takt::task("work", takt::period(30_ms), takt::cpu(1_ms),
                                takt::kernel(takt::work(16_ms), takt::interleave(1)), takt::cpu(1_ms)),
                     takt::task("grid", takt::period(40_ms), takt::on_core(1), takt::cpu(1_ms),
                                takt::kernel(takt::grid(8, 512), takt::block_length(2_ms)), takt::cpu(1_ms)));
  takt::plan<2, 6> p;
  REQUIRE(p.shares.try_push_back({0, 4}));
  REQUIRE(p.shares.try_push_back({1, 0}));
  const auto verdict = takt::analyze(both, tasks, p, takt::published_methods);
  CHECK(verdict.schedulable());
  const auto out = takt::flatten(both, tasks, p);
  CHECK(out.table.visit(0, 1).upper == 2'000'000);  // on eight virtual SMs
  CHECK(out.table.visit(1, 1).upper == 4'000'000);  // four blocks at a time
  const auto seen = takt::simulate(both, tasks, verdict.plan, {.horizon = 2_s});
  for (std::size_t i = 0; i < 2; ++i) { CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value); }
  p.shares[0] = {1, 0};  // blocks follow from no work
  CHECK(takt::analyze(both, tasks, p, takt::published_methods).error ==
        takt::fault_at(model_fault::visit_time_unknown, 0, 1));
}
