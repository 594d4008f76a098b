// SPDX-License-Identifier: Apache-2.0
// A workload as values is on every board what it is as types.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/shares.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

namespace {

using namespace takt;
using namespace takt::literals;
constexpr ticks ms = 1'000'000;

struct npu {};
struct closed_form {
  static constexpr std::size_t sampled_shares = 0;
  [[nodiscard]] constexpr auto lower(std::int32_t) const -> duration { return {}; }
  [[nodiscard]] constexpr auto upper(std::int32_t) const -> duration { return 5_ms; }
};
struct layers {
  static constexpr std::string_view name = "layers";
  int count;
};

template <class Table>
void check_equal(const Table& a, const Table& b) {
  REQUIRE(a.size() == b.size());
  REQUIRE(a.visits.size() == b.visits.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a.tasks[i].name == b.tasks[i].name);
    CHECK(a.tasks[i].period == b.tasks[i].period);
    CHECK(a.tasks[i].deadline == b.tasks[i].deadline);
    CHECK(a.tasks[i].jitter == b.tasks[i].jitter);
    CHECK(a.tasks[i].priority == b.tasks[i].priority);
    CHECK(a.tasks[i].visit_count == b.tasks[i].visit_count);
  }
  for (std::size_t v = 0; v < a.visits.size(); ++v) {
    CHECK(a.visits[v].task == b.visits[v].task);
    CHECK(a.visits[v].station == b.visits[v].station);
    CHECK(a.visits[v].lower == b.visits[v].lower);
    CHECK(a.visits[v].upper == b.visits[v].upper);
    CHECK(a.visits[v].predecessors == b.visits[v].predecessors);
    CHECK(a.visits[v].view == b.visits[v].view);
  }
  REQUIRE(a.sections.size() == b.sections.size());
  for (std::size_t s = 0; s < a.sections.size(); ++s) {
    CHECK(a.sections[s].visits == b.sections[s].visits);
    CHECK(a.sections[s].tokens == b.sections[s].tokens);
  }
}

/// On each board the same visits, or the same fault at the same place; on how many there is no fault.
template <class T, class... Boards>
auto same_on(const T& tasks, std::int32_t sms, std::int32_t percent, const Boards&... boards) -> int {
  const takt::workload all{tasks};
  const auto described = to_runtime_tasks(all);
  REQUIRE_FALSE(described.error);
  plan<tasks_of<T>, visits_of<T>> p;
  for (std::size_t i = 0; i < described.tasks.size(); ++i) {
    if (sms > 0) { p.shares.unchecked_push_back({.sms = sms}); }
    if (percent > 0) { p.percents.unchecked_push_back(percent); }
  }
  const auto check = [&](const auto& board) {
    const auto typed = flatten(board, all, p);
    const auto seen = flatten(board, described.tasks, p);
    CHECK(typed.error == seen.error);
    if (typed.error) { return 0; }
    check_equal(typed.table, seen.table);
    return 1;
  };
  return (check(boards) + ...);
}

template <class Rule>
constexpr auto board_of(const Rule& rule) {
  return platform(pool(processors(2), deadline_monotonic), pool(copy_engines(2), nonpreemptive(deadline_monotonic)),
                  pool(virtual_sms(8, 2), rule));
}

constexpr auto row = wcet_by_share(wcet_row::scaling(4 * ms, 100));
constexpr auto chains =
    task_set(task("camera", period(33_ms), deadline(30_ms), priority(1), takt::cpu(1_ms, 2_ms),
                  takt::copy(300_us, 400_us, to_device), kernel(work(8_ms, 12_ms), overhead(20_us), interleave(9, 5)),
                  takt::copy(100_us, to_host), takt::cpu(500_us)),
             task("lidar", period(66_ms), priority(0), on_core(1), takt::cpu(2_ms),
                  kernel(measured(interval<duration>{1_ms, 9_ms}, interval<duration>{1_ms, 5_ms})), takt::cpu(1_ms)));
constexpr auto facts = task_set(
    task("detect", period(40_ms), release_jitter(1_ms), takt::cpu(1_ms),
         kernel(work(8_ms, 16_ms), interleave(9, 5), preemption_cost(300_us), wcet_by_share(row), wcet(5_ms)),
         takt::copy(1_ms), takt::cpu(1_ms)),
    task("scan", period(50_ms), takt::cpu(1_ms),
         kernel(grid(10, 128), block_length(3_ms), launch(100_us), await(200_us), wcet(9_ms), wcet_by_share(row)),
         takt::cpu(1_ms)),
    task("plain", period(60_ms), visit<gpu>(takes(1_ms, 2_ms), wcet_by_share(row))));
constexpr auto whole = task_set(task("a", period(10_ms), kernel(wcet(2_ms), preemption_cost(500_us))),
                                task("b", period(20_ms), kernel(wcet(3_ms), on_sm(1))),
                                task("c", period(30_ms), kernel(wcet(4_ms), preemption_cost(0_ms), on_sm(0))));
constexpr auto video =
    takt::graph("g", period(50_ms), node("in", takt::cpu(1_ms)), node("fork"),
                node("x", kernel(grid(20, 256), block_length(1_ms), launch(10_us), await(20_us))),
                node("y", takt::copy(1_ms), takt::cpu(2_ms)), node("out", takt::cpu(1_ms)), edge("in", "fork"),
                edge("fork", "x"), edge("fork", "y"), edge("x", "out"), edge("y", "out"));

}  // namespace

TEST_CASE("chains and their description have equal visits under every rule of a GPU") {
  CHECK(same_on(chains, 2, 0, board_of(federated), board_of(federated_virtual)) == 2);
  CHECK(same_on(chains, 0, 40, board_of(lasting_shares)) == 1);
  CHECK(same_on(chains, 0, 0, board_of(levels(edf)), board_of(gang(deadline_monotonic)), board_of(fifo),
                board_of(time_slices(1_ms, 10_us)), board_of(locked(k_fmlp_order, 2)),
                board_of(nonpreemptive(deadline_monotonic)), board_of(federated)) == 6);
}

TEST_CASE("kernels with several facts and their description have equal visits") {
  CHECK(same_on(facts, 0, 30, board_of(lasting_shares)) == 1);
  CHECK(same_on(facts, 0, 0, board_of(levels(edf, preemption_cost_model::ideal)), board_of(gang(edf)), board_of(fifo),
                board_of(time_slices(1_ms, 10_us)), board_of(nonpreemptive(edf))) == 5);
}

TEST_CASE("whole kernels, pinned or not, and their description have equal visits") {
  CHECK(same_on(whole, 0, 0, board_of(levels(edf)), board_of(gang(edf)),
                board_of(slots(deadline_monotonic, pinned_slot(0_ms, 2_ms), gang_slot(2_ms, 2_ms), period(4_ms))),
                board_of(fifo)) == 4);
}

TEST_CASE("graphs, tables, applications and mixtures have equal visits as values") {
  const auto blocks = platform(pool(processors(2), edf), pool(copy_engines(1), fifo),
                               pool(block_slots(4, 1024), fifo_blocks(per_job_streams, unguarded)));
  const auto applications = application_set(application("net", period(50_ms), share_priority(1), scaling_wcet(3_ms)));
  CHECK(same_on(video, 0, 0, blocks) == 1);
  CHECK(same_on(takt::workload(video, task("t", period(9_ms), takt::cpu(1_ms))), 0, 0, blocks) == 1);
  CHECK(same_on(takt::workload(applications, chains.table()), 2, 0, board_of(federated)) == 1);
  CHECK(same_on(takt::workload(applications, whole.table()), 0, 0, board_of(levels(edf))) == 1);
}

TEST_CASE("what a description says does not depend on when it is made") {
  constexpr auto now = to_runtime_tasks(facts);
  static_assert(!now.error && now.tasks.size() == 3 && now.tasks.visits.size() == 10);
  constexpr runtime_visit detect = now.tasks.visit(0, 1);
  static_assert(detect.where == resource_kind::gpu && detect.work == interval<ticks>{8 * ms, 16 * ms});
  static_assert(detect.known.has(visit_fact::wcet_by_share) && !detect.known.has(visit_fact::overhead));
  static_assert(now.tasks.rows[detect.row] == row && now.tasks.rows.size() == 3);
  constexpr auto kernels = to_runtime_tasks(task_set(task("a", period(10_ms), kernel(wcet(2_ms)))));
  static_assert(!kernels.tasks.visit(0, 0).known.has(visit_fact::preemption_cost));  // missing is not 0
  static_assert(!kernels.tasks.visit(0, 0).known.has(visit_fact::pinning));
  const auto again = to_runtime_tasks(now.tasks);
  CHECK_FALSE(again.error);
  CHECK(again.tasks.visit(0, 1).work == detect.work);
  CHECK(again.tasks.rows[0] == row);
}

TEST_CASE("resources of one's own are described by position, and what no description holds is refused") {
  const auto on_npu = task("n", period(9_ms), takt::cpu(1_ms), visit<npu>(takes(1_ms, 2_ms)));
  const auto named = to_runtime_tasks<int, npu>(takt::workload(on_npu));
  REQUIRE_FALSE(named.error);
  CHECK(named.tasks.visit(0, 1).where == resource_kind::own);
  CHECK(named.tasks.visit(0, 1).own == 1);
  CHECK(named.tasks.visit(0, 1).time == interval<ticks>{ms, 2 * ms});
  CHECK(to_runtime_tasks(takt::workload(on_npu)).error == fault_at(model_fault::workload_part_unused, 0, 1));
  const auto strange = task("s", period(9_ms), visit<gpu>(wcet(1_ms), layers{3}));
  CHECK(to_runtime_tasks(takt::workload(chains, strange)).error == fault_at(model_fault::workload_part_unused, 2, 0));
  const auto lawful = task("l", period(9_ms), kernel(closed_form{}));
  CHECK(to_runtime_tasks(takt::workload(lawful)).error == fault_at(model_fault::workload_part_unused, 0, 0));
}

TEST_CASE("edges between jobs and what nodes say of their jobs are described, though no pool reads them") {
  constexpr auto loop = takt::graph("g", period(50_ms), node("in", takt::cpu(1_ms), parallelism(2)), node("fork"),
                                    node("x", kernel(grid(2, 32), block_length(1_ms), launch(1_ms), await(1_ms))),
                                    node("y", takt::cpu(2_ms), relative_point(3_ms)), edge("in", "fork"),
                                    edge("fork", "x"), edge("fork", "y"), history("x", "fork", 2));
  const auto out = to_runtime_tasks(loop);
  REQUIRE_FALSE(out.error);
  CHECK(out.tasks.visit(0, 0).parallelism == 2);
  CHECK(out.tasks.visit(0, 4).point == 3 * ms);
  REQUIRE(out.tasks.history.size() == 2);  // an edge to a junction is one to whoever follows it
  for (const runtime_edge& e : out.tasks.history) { CHECK((e.from == 3 && e.lag == 2)); }
  CHECK(out.tasks.history[0].to == 1);
  CHECK(out.tasks.history[1].to == 4);
  CHECK(flatten(board_of(fifo), out.tasks, plan<1, 12>{}).error == fault_at(model_fault::workload_part_unused, 0, 4));
}

namespace {

constexpr auto small(const runtime_visit& kernel) {
  runtime_task_set<1, 4> out;
  runtime_visit v{.time = {1, 5}};
  v.known.add(visit_fact::time);
  static_cast<void>(out.add_task({.name = "a", .period = 1000, .deadline = 4000}));
  static_cast<void>(out.add_visit(v));
  runtime_visit k = kernel;
  k.predecessors = 1;
  static_cast<void>(out.add_visit(k));
  return out;
}
constexpr auto knowing(auto... stated) {
  runtime_visit v{.where = resource_kind::gpu,
                  .time = {0, 50},
                  .work = {0, 80},
                  .blocks = 2,
                  .threads = 32,
                  .block_length = 30,
                  .wcet = 50,
                  .preemption_cost = 3};
  (v.known.add(stated), ...);
  return v;
}

}  // namespace

TEST_CASE("a later deadline orders as it was said, none as the period, and history holds by itself") {
  auto tasks = small(knowing(visit_fact::wcet));
  tasks.history.unchecked_push_back({0, 1, 0, 1});
  const auto flat = flatten(board_of(fifo), tasks, plan<1, 4>{});
  REQUIRE_FALSE(flat.error);
  CHECK(flat.table.tasks[0].deadline == tasks.tasks[0].deadline);
  CHECK(flat.table.tasks[0].deadline > flat.table.tasks[0].period);
  tasks.tasks[0].deadline = 800;
  CHECK(flatten(board_of(fifo), tasks, plan<1, 4>{}).table.tasks[0].deadline == 800);
  tasks.tasks[0].limited = false;
  CHECK(flatten(board_of(fifo), tasks, plan<1, 4>{}).table.tasks[0].deadline == 1000);
  tasks.history[0].lag = 0;
  CHECK(flatten(board_of(fifo), tasks, plan<1, 4>{}).error.fault == model_fault::lag_not_positive);
  tasks.history[0] = {0, 1, 9, 1};
  CHECK(flatten(board_of(fifo), tasks, plan<1, 4>{}).error.fault == model_fault::unknown_node);
}

TEST_CASE("values that no type would let pass are refused with their place") {
  const auto fault = [](const auto& change) {
    auto tasks = small(knowing(visit_fact::wcet));
    change(tasks.visits[1]);
    return flatten(board_of(fifo), tasks, plan<1, 4>{}).error;
  };
  const auto at = [](model_fault f) { return fault_at(f, 0, 1); };
  CHECK(fault([](auto& v) { v.where = static_cast<resource_kind>(9); }) == at(model_fault::choice_out_of_range));
  CHECK(fault([](auto& v) { v.predecessors = 2; }) == at(model_fault::malformed));
  CHECK(fault([](auto& v) { v.parallelism = -1; }) == at(model_fault::negative_parallelism));
  CHECK(fault([](auto& v) { v.known.add(visit_fact::wcet_by_share); }) == at(model_fault::malformed));
  CHECK(fault([](auto& v) { v.known.add(visit_fact::times_on_sms); }) == at(model_fault::malformed));
  const model_error copied = fault([](auto& v) {
    v.where = resource_kind::copy_engine;
    v.known = {};
    v.known.add(visit_fact::bytes);
  });
  CHECK(copied == at(model_fault::visit_time_unknown));
  CHECK(copied.lacks == lacks(visit_fact::time));
}

TEST_CASE("a rule that cannot tell how long a kernel takes says which facts would do") {
  const auto lacking = [](const auto& rule, const runtime_visit& v, visit_placement at = {}) {
    auto tasks = small(v);
    at.gpu = {.sms = 8, .virtual_per_sm = 2, .shared = at.gpu.shared};
    const runtime_kernel k{.visit = &tasks.visits[1]};
    const visit_view seen = [&] {
      if constexpr (Views<decltype(rule), runtime_kernel>) { return takt::detail::view_by(rule, k, at); }
      return takt::detail::time_by_itself(k, at);
    }();
    CHECK(seen.fault == model_fault::visit_time_unknown);
    return seen.lacks;
  };
  using enum visit_fact;
  const visit_placement half{.sms = 4, .percent = 50};
  CHECK(lacking(federated, knowing(wcet), half) == lacks(work, times_on_sms, wcet_by_share));
  CHECK(lacking(federated, knowing(wcet, grid), half) == lacks(work, times_on_sms, wcet_by_share, block_length));
  CHECK(lacking(federated_virtual, knowing(), {.gpu = {.shared = true}, .sms = 4}) == lacks(work, times_on_sms));
  CHECK(lacking(levels(edf), knowing(preemption_cost)) == lacks(wcet, work, times_on_sms, wcet_by_share));
  CHECK(lacking(gang(edf), knowing()).first == wcet);
  CHECK(lacking(fifo, knowing()).first == wcet);
  CHECK(lacking(time_slices(1_ms, 1_us), knowing()).first == wcet);
  CHECK(lacking(locked(k_fmlp_order, 2), knowing(wcet)).first == work);
  CHECK(lacking(lasting_shares, knowing(work), half) == lacks(wcet_by_share));
  CHECK(lacking(lasting_shares.on(virtual_sms(8, 2)), knowing(wcet), half).first == work);
  const auto blocks = fifo_blocks(per_job_streams, unguarded).on(block_slots(4, 1024));
  CHECK(lacking(blocks, knowing(work, wcet)) == lacks(grid));
  CHECK(lacking(blocks, knowing(work, wcet, grid)) == lacks(block_length));
}

TEST_CASE("times on whole SMs hold from one count to the next, and beside no neighbours") {
  constexpr std::array<takt::interval<takt::ticks>, 4> times{{{0, takt::unbounded_time}, {3, 9}, {0, 9}, {2, 4}}};
  runtime_visit v{.where = resource_kind::gpu, .samples = 4, .on_whole_sms = true};
  v.known.add(visit_fact::times_on_sms);
  const runtime_kernel k{.visit = &v, .samples = times.data()};
  const takt::gpu_record isolated{.sms = 5, .virtual_per_sm = 2};
  const takt::gpu_record shared{.sms = 5, .virtual_per_sm = 2, .shared = true};
  const auto upper = [&](const takt::gpu_record& gpu, std::int32_t virtual_sms) {
    const visit_view seen = takt::time_on_sms(k, gpu, virtual_sms);
    return seen.fault == model_fault::visit_time_unknown ? -1 : seen.time.upper;
  };
  CHECK(upper(isolated, 2) == -1);
  CHECK(upper(isolated, 3) == -1);
  CHECK(upper(isolated, 4) == 9);
  CHECK(upper(isolated, 6) == 9);
  CHECK(upper(isolated, 8) == 4);
  CHECK(upper(isolated, 10) == 4);
  for (std::int32_t n = 1; n < 10; ++n) { CHECK(upper(shared, n) == -1); }
  CHECK(upper(shared, 10) == 4);
}

TEST_CASE("where nothing says how many SMs there are, only a time on the whole GPU counts") {
  const auto on_nothing = [](const runtime_visit& v) { return time_on_gpu(runtime_kernel{.visit = &v}, {}); };
  using enum visit_fact;
  const visit_view unknown = on_nothing(knowing(work, grid, block_length));
  CHECK(unknown.fault == model_fault::visit_time_unknown);
  CHECK(unknown.lacks == lacks(wcet, visit_fact::time));
  CHECK(on_nothing(knowing(work, visit_fact::time)).time.upper == 50);
  CHECK(on_nothing(knowing(work, wcet)).time.upper == 50);
  CHECK(time_on_gpu(visit<gpu>(takes(3_ms), takt::work(9_ms)), {}).time.upper == 3 * ms);
}

namespace {

/// What a sink of stretches is told.
struct section_sink {
  std::uint32_t visits = 0;
  inline_vector<visit_mask, 8> sections{};
  void open(const flow_attributes& /*task*/) { visits = 0; }
  auto visit(const auto& /*s*/, visit_mask /*before*/) -> visit_mask { return visit_mask{1} << visits++; }
  void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  void refuse(const model_error& error) { CHECK_FALSE(error); }
  void mark_token_section(visit_mask m) { CHECK(sections.try_push_back(m)); }
};

}  // namespace

TEST_CASE("visits that are marked and joined are one stretch, of processors too") {
  runtime_task_set<1, 8> tasks;
  REQUIRE(tasks.add_task({.name = "a", .period = 100, .deadline = 100}));
  for (const bool inside : {false, true, true, true, false, true, true}) {
    runtime_visit v{.in_section = inside, .time = {0, 1}};
    v.known.add(visit_fact::time);
    const std::uint32_t p = tasks.tasks[0].visit_count;
    v.predecessors = p == 0 ? 0 : visit_mask{1} << (p - 1);
    REQUIRE(tasks.add_visit(v));
  }
  section_sink sink;
  visit_source<runtime_task_set<1, 8>>::each(tasks, sink);
  REQUIRE(sink.sections.size() == 2);
  CHECK(sink.sections[0] == 0b0001110);
  CHECK(sink.sections[1] == 0b1100000);
}
