// SPDX-License-Identifier: Apache-2.0
// Every choice that an analysis, an allocation or the model takes as a value, with numbers that its type does not name.
#include <array>
#include <cstdint>
#include <span>

#include <doctest/doctest.h>

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/analyze.hpp>
#include <takt/analysis/methods/gel/devi_anderson.hpp>
#include <takt/analysis/methods/gel/overlapping.hpp>
#include <takt/analysis/methods/gel/restricted_parallelism.hpp>
#include <takt/model/gpu_migration.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/locking/affinity.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/shares/share_scheduler.hpp>
#include <takt/systems/accelerators/analysis/best_levels.hpp>
#include <takt/systems/accelerators/analysis/single_stream_fixed_priority.hpp>
#include <takt/systems/accelerators/analysis/slot_guarded_fixed_priority.hpp>
#include <takt/systems/accelerators/analysis/slot_simulated_edf.hpp>
#include <takt/systems/accelerators/plans/slot_design.hpp>
#include <takt/systems/graphs/analysis/coarse.hpp>
#include <takt/systems/locked_gpus/analysis/analyze.hpp>
#include <takt/systems/locked_gpus/analysis/pipeline.hpp>
#include <takt/systems/locked_gpus/plans/partition.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/analysis/copy_chunk_blocking.hpp>

#include "support/accelerator_examples.hpp"
#include "support/choices.hpp"

namespace {

using namespace takt::literals;
using takt::ticks;
using takt_test::expect_only_named;

[[nodiscard]] constexpr auto is_choice(const takt::model_error& e) -> bool {
  return e.fault == takt::model_fault::choice_out_of_range;
}

// Chains.

constexpr auto chains =
    takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_ms), takt::copy(1_ms),
                              takt::kernel(takt::work(4_ms), takt::interleave(1)), takt::copy(1_ms), takt::cpu(1_ms)));
constexpr auto chain_board =
    takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                   takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                   takt::pool(takt::virtual_sms(4, 2), takt::federated));

TEST_CASE("unknown kinds and directions of segments are refused") {
  const auto with = [](const auto& change) {
    auto t = chains.table<ticks>();
    change(t.segments[1]);
    return takt::validate(t);
  };
  expect_only_named<takt::stage>(3, [&](takt::stage e) { return is_choice(with([e](auto& s) { s.where = e; })); });
  expect_only_named<takt::copy_direction>(
      3, [&](takt::copy_direction e) { return is_choice(with([e](auto& s) { s.direction = e; })); });
}

TEST_CASE("an unknown search method finds no plan") {
  expect_only_named<takt::search_method>(5, [](takt::search_method e) {
    const auto plan = takt::allocate_by<takt::published>(chain_board, chains, e);
    const bool refused = !plan.feasible && plan.shares.size() == 0;
    const auto table = takt::planned_table(chain_board, chains, takt::plan<2>{});
    auto a = takt::analysis::detail::make_analysis<
        takt::analysis::method_of<std::remove_cvref_t<decltype(chain_board)>, takt::published>>(chain_board, table);
    const auto searched = takt::search_plan(a, e);
    CHECK(refused == (!searched.effort.complete && !searched.feasible));
    return refused;
  });
}

// Accelerators.

using takt_examples::gang;
using takt_examples::kernels;
using takt_examples::set_of;
using takt_examples::slot;
using takt_examples::table_1;

constexpr kernels single = set_of({{2, 10, 10, 1, gang}, {3, 12, 12, 1, gang}});

TEST_CASE("unknown widths of kernels are refused") {
  expect_only_named<takt::kernel_width>(2, [](takt::kernel_width e) {
    kernels table = single;
    table.tasks[1].width = e;
    const auto verdict = takt::analysis::analyze_by<takt::published>(
        takt::platform(takt::pool(takt::accelerator(2, 2), takt::nonpreemptive(takt::edf))), table);
    CHECK(is_choice(verdict.error) == is_choice(takt::attribute_fault(table)));
    CHECK(is_choice(takt::analysis::level_stack_edf(table, 2).error) == is_choice(verdict.error));
    return is_choice(verdict.error) && verdict.status == takt::verdict_status::invalid_model;
  });
}

TEST_CASE("unknown costs of preemption are refused by every test that reads them") {
  expect_only_named<takt::preemption_cost_model>(3, [](takt::preemption_cost_model e) {
    const auto board = takt::platform(takt::pool(takt::accelerator(2, 2), takt::levels(takt::edf, e)));
    const bool refused = is_choice(takt::analysis::analyze_by<takt::published>(board, single).error);
    CHECK(refused == is_choice(takt::analysis::level_stack_edf(single, 2, e).error));
    CHECK(refused == is_choice(takt::analysis::best_levels(single, {.cores = 2}, e).verdict.error));
    const auto order = takt::analysis::rank(single);
    const auto fixed = takt::analysis::level_stack_fixed_priority(single, order, 2, e);
    CHECK(refused == (is_choice(fixed.error) && fixed.status == takt::verdict_status::invalid_model));
    return refused;
  });
}

TEST_CASE("no test takes an order that ranks nobody") {
  const takt::analysis::rank_order<single.tasks.capacity()> nobody;
  CHECK(is_choice(takt::analysis::level_stack_fixed_priority(single, nobody, 2).error));
  CHECK(is_choice(takt::analysis::single_stream_fixed_priority(single, nobody).error));
  CHECK(is_choice(takt::analysis::slot_fixed_priority(single, nobody, slot{0, 5, 5}).error));
  CHECK(is_choice(takt::analysis::detail::slot_guarded_fixed_priority(single, nobody, slot{0, 5, 5}).error));
}

TEST_CASE("unknown orders of activation and extents of runs are refused") {
  using takt::analysis::activation_timing;
  using takt::analysis::run_extent;
  expect_only_named<activation_timing>(
      2, [](activation_timing e) { return is_choice(takt::analysis::detail::single_stream_edf(single, e).error); });
  expect_only_named<run_extent>(2, [](run_extent e) {
    const auto run = takt::analysis::detail::slot_simulated_edf(single, slot{0, 5, 5}, e);
    return is_choice(run.error) && run.status == takt::verdict_status::invalid_model;
  });
}

TEST_CASE("unknown ways to search slots are refused") {
  const auto holds = [](const auto& /*part*/, const slot& s) { return s.budget >= 3; };
  constexpr std::array<std::int64_t, 1> periods{10};
  expect_only_named<takt::budget_growth>(2, [&](takt::budget_growth e) {
    return is_choice(takt::detail::search_slots(table_1, {.cores = 2}, periods, holds, e).error);
  });
}

// Points.

using gel_tasks = takt::task_rows<takt::gel_task<ticks>, 2>;

[[nodiscard]] auto two_tasks() -> gel_tasks {
  gel_tasks out;
  out.add({.name = "a", .wcet = 2, .period = 10, .deadline = 10, .parallelism = 1});
  out.add({.name = "b", .wcet = 3, .period = 12, .deadline = 12, .parallelism = 1});
  return out;
}
[[nodiscard]] auto is_choice(const takt::analysis::gel_bounds<ticks, 2>& b) -> bool {
  return b.status == takt::analysis::gel_status::invalid_model &&
         b.error.fault == takt::model_fault::choice_out_of_range;
}

TEST_CASE("unknown shifts and signs are refused by every analysis of priority points") {
  namespace an = takt::analysis;
  const gel_tasks t = two_tasks();
  constexpr auto edf_points = takt::gel_policy::earliest_deadline;
  expect_only_named<an::point_shift>(2, [&](an::point_shift e) {
    const bool refused = is_choice(an::compliant_vector(t, 2, edf_points, e));
    CHECK(refused == is_choice(an::detail::sequential_response(t, 2, edf_points, e)));
    CHECK(refused == is_choice(an::overlapping_response(t, 2, edf_points, e)));
    CHECK(refused == is_choice(an::overlapping_response_refined(t, 2, edf_points, e)));
    CHECK(refused == is_choice(an::non_preemptive_response(t, 2, edf_points, e)));
    CHECK(refused == is_choice(an::detail::slot_response(t, 2, edf_points, e)));
    CHECK(refused == is_choice(an::distance_response(t, 2, edf_points, e)));
    return refused;
  });
  expect_only_named<an::delay_sign>(2, [&](an::delay_sign e) {
    return is_choice(an::compliant_vector(t, 2, edf_points, an::point_shift::to_zero, e));
  });
  expect_only_named<an::devi_form>(3, [&](an::devi_form e) { return is_choice(an::devi_anderson(t, 2, e)); });
  expect_only_named<an::devi_quotient>(
      2, [&](an::devi_quotient e) { return is_choice(an::devi_anderson(t, 2, an::devi_form::mixed, e)); });
  expect_only_named<an::job_overlap>(
      3, [&](an::job_overlap e) { return an::detail::bounded_response(t, 2, e) == an::gel_status::invalid_model; });
}

// Graphs.

using graphs = takt::graph_table<ticks, 4, 4, 1>;

[[nodiscard]] auto one_graph() -> graphs {
  graphs out;
  static_cast<void>(out.add_graph("g", 100));
  takt::graph_node<ticks> n;
  n.name = "n";
  n.wcet = 5;
  static_cast<void>(out.add_node(n));
  return out;
}
[[nodiscard]] auto graph_board() -> takt::graph_platform {
  takt::graph_platform out;
  out.clusters.unchecked_push_back(2);
  return out;
}

TEST_CASE("unknown kinds, parts and limits of nodes are refused") {
  const auto refuses = [](const auto& change) {
    graphs t = one_graph();
    change(t.nodes[0]);
    return takt::validate(t).fault == takt::model_fault::choice_out_of_range;
  };
  CHECK_FALSE(refuses([](auto& /*n*/) {}));
  expect_only_named<takt::job_limit>(2, [&](takt::job_limit e) { return refuses([e](auto& n) { n.limit = e; }); });
  expect_only_named<takt::node_part>(6, [&](takt::node_part e) { return refuses([e](auto& n) { n.part = e; }); });
  expect_only_named<takt::node_kind>(4, [&](takt::node_kind e) { return refuses([e](auto& n) { n.kind = e; }); });
}

TEST_CASE("unknown options of graph bounds are refused, and an unknown place of copies refines nothing") {
  namespace an = takt::analysis;
  const graphs t = one_graph();
  const auto fine = [&](const an::fine_options& o) {
    return an::fine_bounds(takt::refine(t), graph_board(), o).status == takt::obstacle::invalid_model;
  };
  const auto coarse = [&](const an::coarse_options& o) {
    return an::coarse_bounds(t, graph_board(), o).timing.status == takt::obstacle::invalid_model;
  };
  expect_only_named<an::point_shift>(2, [&](an::point_shift e) { return fine({.shift = e}); });
  expect_only_named<an::kernel_bound>(3, [&](an::kernel_bound e) { return fine({.kernels = e}); });
  expect_only_named<an::graph_grain>(2, [&](an::graph_grain e) { return coarse({.grain = e}); });
  expect_only_named<an::coarse_kernel_bound>(2, [&](an::coarse_kernel_bound e) { return coarse({.kernels = e}); });
  expect_only_named<an::sequential_bound>(2, [&](an::sequential_bound e) { return coarse({.tasks = e}); });
  expect_only_named<takt::copy_placement>(2, [&](takt::copy_placement e) { return takt::refine(t, e).graphs.empty(); });
}

// Locked GPUs.

using gpu_tasks = takt::task_rows<takt::gpusync_task<ticks, 1>, 2>;

[[nodiscard]] auto locked_tasks() -> gpu_tasks {
  gpu_tasks out;
  for (const ticks period : {1000, 2000}) {
    gpu_tasks::task_type t{.wcet = 10,
                           .period = period,
                           .deadline = period,
                           .cpu_cluster = 0,
                           .gpu_cluster = 0,
                           .priority = static_cast<std::int32_t>(period)};
    t.kernels.unchecked_push_back(20);
    static_cast<void>(out.add(t));
  }
  return out;
}
[[nodiscard]] auto locked_board() -> takt::gpusync_board<> {
  takt::gpusync_board<> out;
  out.shape = {.cpus = 2, .cpu_cluster_size = 2, .gpus = 2, .gpu_cluster_size = 2};
  return out;
}
[[nodiscard]] auto refuses_shape(const takt::gpusync_board<>& board) -> bool {
  const auto tasks = locked_tasks();
  const bool refused = takt::fault_of(board.shape) == takt::model_fault::choice_out_of_range;
  const auto verdict = takt::analysis::analyze_by<takt::published>(board, tasks);
  CHECK(refused == (verdict.error.fault == takt::model_fault::choice_out_of_range));
  CHECK(refused == (verdict.status == takt::verdict_status::invalid_model));
  CHECK(refused == (takt::validate_gpusync(board, tasks).fault == takt::model_fault::choice_out_of_range));
  if (refused) { CHECK(takt::analysis::gpusync::analyze_set(board, tasks).status == takt::obstacle::invalid_model); }
  return refused;
}

TEST_CASE("unknown choices of a configuration of locked GPUs are refused") {
  const auto with = [](const auto& change) {
    auto board = locked_board();
    change(board.shape);
    return refuses_shape(board);
  };
  CHECK_FALSE(with([](auto& c) { c.tokens = takt::token_protocol::derived; }));
  CHECK(with([](auto& c) { c.tokens = {.given = false, .donates_at_release = true}; }));
  CHECK_FALSE(with([](auto& c) { c.tokens = {.given = false, .for_all_cpus = true}; }));
  CHECK(with([](auto& c) { c.tokens = {.for_all_cpus = true}; }));  // nothing is lent
  CHECK_FALSE(with([](auto& c) { c.scheduler = {.points = {.deadline = 1, .wcet = -1}}; }));
  CHECK(with([](auto& c) { c.scheduler = {.points = {.deadline = 1, .wcet = -1}, .task_level = true}; }));
  expect_only_named<takt::uncontended_gpus>(2, [&](auto e) { return with([e](auto& c) { c.uncontended = e; }); });
  expect_only_named<takt::migration_path>(3, [&](auto e) { return with([e](auto& c) { c.migration = e; }); });
}

TEST_CASE("unknown options of the analysis of locked GPUs are refused") {
  namespace an = takt::analysis::gpusync;
  const auto board = locked_board();
  const auto tasks = locked_tasks();
  const auto with = [&](const auto& change) {
    an::options<ticks> o;
    change(o);
    const auto verdict = takt::analysis::analyze_by<takt::published>(board, tasks, takt::plan<1, 1>{}, o);
    const bool refused = verdict.error.fault == takt::model_fault::choice_out_of_range;
    CHECK(refused == (verdict.status == takt::verdict_status::invalid_model));
    CHECK(refused == (an::analyze_set(board, tasks, o).status == takt::obstacle::invalid_model));
    auto placed = tasks;
    CHECK(refused == (takt::partition_gpusync(board, placed, o).error.fault == takt::model_fault::choice_out_of_range));
    return refused;
  };
  expect_only_named<an::guarantee>(2, [&](auto e) { return with([e](auto& o) { o.wanted = e; }); });
  expect_only_named<an::copy_bound>(4, [&](auto e) { return with([e](auto& o) { o.copies = e; }); });
  expect_only_named<an::token_queue_limit>(2, [&](auto e) { return with([e](auto& o) { o.queues = e; }); });
  expect_only_named<an::interrupt_place>(3, [&](auto e) { return with([e](auto& o) { o.interrupts = e; }); });
  expect_only_named<an::interrupt_handling>(2, [](an::interrupt_handling e) {
    takt::inline_vector<an::locking_task<ticks>, 1> one;
    one.unchecked_push_back({.wcet = 1, .period = 10, .deadline = 10});
    const auto found = an::six_steps(one, an::k_fmlp_counted{}, takt::gpusync_overheads<ticks>{}, e);
    return found.status != an::inflation_status::inflated;
  });
}

// Shares.

TEST_CASE("unknown rules and triggers of shares are refused, and prove nothing") {
  takt::application_set<1> table;
  static_cast<void>(
      table.add({.name = "a", .period = 100, .deadline = 100, .priority = 1, .alone = takt::wcet_row::scaling(10)}));
  const takt::contention_predictor<1> predictor(table);
  const auto refuses = [&](const takt::share_rules& rules, const takt::share_triggers& triggers) {
    const auto board = takt::platform(takt::pool(takt::gpu_shares(), takt::shares(rules, triggers)));
    const bool refused = is_choice(takt::analysis::analyze_by<takt::published>(board, table).error);
    const takt::share_scheduler<1, takt::contention_predictor<1>> scheduler(table, predictor, rules, triggers);
    CHECK(refused == is_choice(scheduler.error()));
    if (!choices_known(rules)) { CHECK_FALSE(takt::analysis::sufficient_shares(table, predictor, rules).sufficient); }
    return refused;
  };
  const auto rule = [&](const auto& change) {
    takt::share_rules r;
    change(r);
    return refuses(r, {});
  };
  const auto trigger = [&](const auto& change) {
    takt::share_triggers t;
    change(t);
    return refuses({}, t);
  };
  expect_only_named<takt::sum_test>(2, [&](auto e) { return rule([e](auto& r) { r.fit = e; }); });
  expect_only_named<takt::slack_clock>(2, [&](auto e) { return rule([e](auto& r) { r.slack = e; }); });
  expect_only_named<takt::refusal_rule>(2, [&](auto e) { return rule([e](auto& r) { r.refused = e; }); });
  expect_only_named<takt::load_view>(2, [&](auto e) { return rule([e](auto& r) { r.load = e; }); });
  expect_only_named<takt::leftover_rule>(2, [&](auto e) { return rule([e](auto& r) { r.leftover = e; }); });
  expect_only_named<takt::need_search>(2, [&](auto e) { return rule([e](auto& r) { r.search = e; }); });
  expect_only_named<takt::decrease_rule>(3, [&](auto e) { return trigger([e](auto& t) { t.decrease = e; }); });
  expect_only_named<takt::late_reuse>(3, [&](auto e) { return trigger([e](auto& t) { t.reuse = e; }); });
  expect_only_named<takt::between_shares>(2, [](takt::between_shares e) {
    const std::array given{takt::measured_share{takt::share{50}, 20}, takt::measured_share{takt::full_share, 10}};
    return takt::wcet_row::interpolated(given, e).at(takt::full_share) == 0;
  });
}

// Rules that answer by themselves.

TEST_CASE("rules that are asked with an unknown choice answer that nothing can be done") {
  expect_only_named<takt::token_layout>(2, [](takt::token_layout e) { return !takt::token_map{.layout = e}.valid(); });
  expect_only_named<takt::load_measure>(2, [](takt::load_measure e) {
    const std::array<takt::queue_load, 2> queues{};
    return takt::shortest_queue(queues, e) == takt::no_replica;
  });
  expect_only_named<takt::steal_objective>(2, [](takt::steal_objective e) {
    const std::array queue{takt::queued_request{0, takt::rational{5}, takt::rational{5}},
                           takt::queued_request{1, takt::rational{5}, takt::rational{1}}};
    const std::array<std::span<const takt::queued_request>, 1> queues{queue};
    return takt::detail::most_helped_request(queues, e) == takt::no_request;
  });
  expect_only_named<takt::migration_path>(3, [](takt::migration_path e) {
    takt::gpu_topology<2, 1> two;
    const auto hub = two.add_hub();
    static_cast<void>(two.add_gpu(hub, 1));
    static_cast<void>(two.add_gpu(hub, 1));
    const takt::copy_chunks state{100, 10};
    const bool refused = !takt::migration_before(two, e, 0, 1, state).possible;
    CHECK(refused == !takt::migration_after(two, e, 1, state).possible);
    return refused;
  });
}

}  // namespace
