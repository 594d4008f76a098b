// SPDX-License-Identifier: Apache-2.0
// Every combination of rules of processors, copy engines and a GPU with every shape of jobs is asked of every combiner,
// and each proof is held against runs. Keeps docs/combinations.md; TAKT_WRITE_TABLES=1 writes it.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <takt/analysis/any_board.hpp>
#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/lasting_shares.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/shares.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "property/composed_systems.hpp"
#include "support/generated_table.hpp"
#include "support/trace_checker.hpp"

namespace {

namespace an = takt::analysis;
namespace rt = takt::runtime;
using composed_systems::tally;
using takt::duration;
using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using takt_tests::draws;
using takt_tests::systems_or;
constexpr std::size_t max_tasks = 4;
constexpr std::size_t max_visits = 24;
using board = takt::any_board<3, max_visits>;
using tasks_type = takt::runtime_task_set<max_tasks, max_visits>;
using plan_type = takt::plan<max_tasks, max_visits>;

/// A system in instants of so many ticks: small numbers for proofs, and the same in times that threads can keep.
struct scaled {
  draws d;
  ticks unit = 1;

  auto between(ticks a, ticks b) -> ticks { return unit * d.between(a, b); }
  /// Up to a longest one.
  auto any(ticks most) -> takt::interval<ticks> {
    const ticks upper = between(1, most);
    return {unit * d.between(0, upper / unit), upper};
  }
};
constexpr ticks longest_kernel = 7;

void any_time(scaled& s, tasks_type& /*set*/, takt::runtime_visit& v) {
  v.known.add(visit_fact::time);
  v.time = s.any(longest_kernel);
}
constexpr std::int32_t own_sms = 2;
void work_on_own_sms(scaled& s, tasks_type& /*set*/, takt::runtime_visit& v) {
  const auto time = s.any(longest_kernel);
  v.known.add(visit_fact::work);
  v.work = {own_sms * time.lower, own_sms * time.upper};
}
void blocks(scaled& s, tasks_type& /*set*/, takt::runtime_visit& v) {
  v.known.add(visit_fact::grid);
  v.known.add(visit_fact::block_length);
  v.blocks = s.d.between(1, 10);
  v.threads = s.d.count(1, 4);
  v.block_length = s.between(1, 3);
}
constexpr std::int32_t own_percents = 25;
void time_by_share(scaled& s, tasks_type& set, takt::runtime_visit& v) {
  v.known.add(visit_fact::wcet_by_share);
  v.row = static_cast<std::uint32_t>(set.rows.size());
  REQUIRE(set.rows.try_push_back(takt::wcet_row::scaling(s.between(1, 4), s.d.count(600, 1000))));
}
/// For one of two cores or for both, in waves of some length.
void in_waves(scaled& s, tasks_type& /*set*/, takt::runtime_visit& v) {
  v.known.add(visit_fact::time);
  v.known.add(visit_fact::preemption_cost);
  v.known.add(visit_fact::pinning);
  v.time = s.any(6);
  v.preemption_cost = s.unit * s.d.between(0, (v.time.upper / s.unit + 1) / 2);
  v.sm = s.d.count(-1, 1);
  v.width = v.sm == takt::unassigned_core ? takt::kernel_width::all_cores : takt::kernel_width::one_core;
}

/// A row or a column: how a pool with the rule is added, in instants of `unit`.
struct choice {
  std::string_view name;
  bool (*add)(board& to, ticks unit);
  void (*kernel)(scaled&, tasks_type&, takt::runtime_visit&) = any_time;
  std::int32_t sms = 0;       ///< of each task that has kernels
  std::int32_t percents = 0;  ///< the same
  trace_checker::legal legal{};
  std::int32_t cores = 1;
};

template <auto Rule, std::int32_t Units = 1>
auto on_processors(board& to, ticks /*unit*/) -> bool {
  return to.add(takt::pool(takt::processors(Units), Rule));
}
template <auto Rule, std::int32_t Units = 1>
auto on_engines(board& to, ticks /*unit*/) -> bool {
  return to.add(takt::pool(takt::copy_engines(Units), Rule));
}
template <auto Rule, std::int32_t Sms = 2>
auto on_gpu(board& to, ticks /*unit*/) -> bool {
  return to.add(takt::pool(takt::virtual_sms(Sms, 2), Rule));
}
template <ticks Slice, ticks Switch>
auto in_slices(board& to, ticks unit) -> bool {
  return to.add(
      takt::pool(takt::virtual_sms(2, 2), takt::time_slices(duration{Slice * unit}, duration{Switch * unit})));
}
template <std::int32_t Threads, std::int32_t Blocks>
auto in_blocks(board& to, ticks /*unit*/) -> bool {
  return to.add(takt::pool(takt::block_slots(2, Threads, Blocks).with_warps_of(1), takt::block_queue_rule<4, 32>{}));
}
template <auto Policy>
auto in_slots(board& to, ticks unit) -> bool {
  const duration half{4 * unit};
  return to.add(
      takt::pool(takt::virtual_sms(2, 2), takt::slots(Policy, takt::pinned_slot(duration{}, half),
                                                      takt::gang_slot(half, half), takt::period(duration{8 * unit}))));
}

/// A rule of the test's own: its lock is a single queue, of which its bound knows only that it never idles.
struct some_order {
  static constexpr std::string_view name = "some order";
  template <std::size_t Clients>
  [[nodiscard]] static auto make_lock(const takt::token_setting& at) {
    return takt::fifo_order.make_lock<Clients>(at);
  }
  static void delays(std::span<takt::section_demand> sections, const takt::token_setting& at) {
    an::work_conserving_delays(sections, at.tokens);
  }
};

auto cpu_rules() -> std::array<choice, 13> {
  using takt::clustered, takt::nonpreemptive;
  return {{{"fixed priority", on_processors<takt::fixed_priority>},
           {"rate monotonic", on_processors<takt::rate_monotonic>},
           {"deadline monotonic", on_processors<takt::deadline_monotonic>},
           {"EDF", on_processors<takt::edf>},
           {"non-preemptive fixed priority", on_processors<nonpreemptive(takt::fixed_priority)>},
           {"non-preemptive EDF", on_processors<nonpreemptive(takt::edf)>},
           {"FIFO", on_processors<takt::fifo>},
           {.name = "fixed priority, 2 cores", .add = on_processors<clustered(takt::fixed_priority, 2), 2>, .cores = 2},
           {.name = "EDF, 2 cores", .add = on_processors<takt::g_edf, 2>, .cores = 2},
           {.name = "EDF, 2 clusters of 2 cores", .add = on_processors<clustered(takt::edf, 2), 4>, .cores = 4},
           {.name = "fair lateness, 2 cores", .add = on_processors<takt::g_fl, 2>, .cores = 2},
           {.name = "earliest release, 2 cores", .add = on_processors<takt::g_fifo, 2>, .cores = 2},
           {.name = "non-preemptive EDF, 2 cores", .add = on_processors<nonpreemptive(takt::g_edf), 2>, .cores = 2}}};
}
auto copy_rules() -> std::array<choice, 4> {
  return {{{"FIFO", on_engines<takt::fifo>},
           {"FIFO, two engines", on_engines<takt::fifo, 2>},
           {"non-preemptive fixed priority", on_engines<takt::nonpreemptive(takt::fixed_priority)>},
           {"non-preemptive EDF", on_engines<takt::nonpreemptive(takt::edf)>}}};
}
auto gpu_rules() -> std::array<choice, 22> {
  using takt::gang, takt::levels, takt::locked, takt::nonpreemptive;
  const trace_checker::legal one{.gpus = {{.at_once = 1}}, .exact = true};
  const trace_checker::legal two{.gpus = {{.at_once = 2}}, .exact = true};
  const trace_checker::legal own{.gpus = {{.own_parts = true}}, .exact = true};
  const trace_checker::legal apart{.gpus = {{.cores_apart = true}}, .exact = true};
  return {{{"SMs of one's own", on_gpu<takt::federated, 8>, work_on_own_sms, own_sms / 2, 0, own},
           {"whole, FIFO", on_gpu<takt::fifo>, any_time, 0, 0, one},
           {"whole, fixed priority", on_gpu<nonpreemptive(takt::fixed_priority)>, any_time, 0, 0, one},
           {"whole, EDF", on_gpu<nonpreemptive(takt::edf)>, any_time, 0, 0, one},
           {"time slices", in_slices<3, 0>, any_time, 0, 0, one},
           {"time slices, switching", in_slices<4, 1>, any_time, 0, 0, one},
           {"blocks in one queue", in_blocks<4, 0>, blocks},
           {"blocks, few slots", in_blocks<8, 2>, blocks},
           {"lasting shares", on_gpu<takt::lasting_shares>, time_by_share, 0, own_percents, own},
           {"stream levels, fixed priority", on_gpu<levels(takt::fixed_priority)>, in_waves, 0, 0, one},
           {"stream levels, EDF", on_gpu<levels(takt::edf)>, in_waves, 0, 0, one},
           {"slots, fixed priority", in_slots<takt::fixed_priority>, in_waves, 0, 0, apart},
           {"slots, EDF", in_slots<takt::edf>, in_waves, 0, 0, apart},
           {"gang, fixed priority", on_gpu<gang(takt::fixed_priority)>, in_waves, 0, 0, apart},
           {"gang, EDF", on_gpu<gang(takt::edf, takt::strict)>, in_waves, 0, 0, apart},
           {"one token, k-FMLP", on_gpu<locked(takt::k_fmlp_order, 1), 1>, work_on_own_sms, 0, 0, one},
           {"two tokens, k-FMLP", on_gpu<locked(takt::k_fmlp_order, 2), 2>, work_on_own_sms, 0, 0, two},
           {"one token, R2DGLP", on_gpu<locked(takt::r2dglp_order, 1), 1>, work_on_own_sms, 0, 0, one},
           {"two tokens, R2DGLP", on_gpu<locked(takt::r2dglp_order, 2), 2>, work_on_own_sms, 0, 0, two},
           {"one token, CK-OMLP", on_gpu<locked(takt::ck_omlp_order, 1), 1>, work_on_own_sms, 0, 0, one},
           {"two tokens, FIFO", on_gpu<locked(takt::fifo_order, 2), 2>, work_on_own_sms, 0, 0, two},
           {"two tokens, a test's own", on_gpu<locked(some_order{}, 2), 2>, work_on_own_sms, 0, 0, two}}};
}

enum class shape : std::uint8_t { chain, graph, both };

struct random_system {
  board places;
  tasks_type set;
  plan_type plan;
};
using flat_type = decltype(takt::flatten(random_system{}.places, random_system{}.set, random_system{}.plan));

void add_visit(scaled& s, random_system& out, const choice& kernels, resource_kind where, takt::visit_mask after) {
  takt::runtime_visit v{.where = where, .predecessors = after};
  v.direction = s.d.one_in(2) ? takt::copy_direction::to_device : takt::copy_direction::to_host;
  if (where == resource_kind::gpu) {
    kernels.kernel(s, out.set, v);
  } else {
    v.known.add(visit_fact::time);
    v.time = s.any(where == resource_kind::processor ? 5 : 3);
  }
  REQUIRE(out.set.add_visit(v));
}
void add_chain(scaled& s, random_system& out, const choice& kernels) {
  constexpr std::array stops{resource_kind::processor, resource_kind::copy_engine, resource_kind::gpu,
                             resource_kind::copy_engine, resource_kind::processor};
  const std::size_t length = s.d.one_in(4) ? 1 : stops.size();
  for (std::size_t j = 0; j < length; ++j) {
    add_visit(s, out, kernels, stops[j], j == 0 ? 0 : takt::visit_mask{1} << (j - 1));
  }
}
void add_graph(scaled& s, random_system& out, const choice& kernels) {
  const ticks length = s.d.between(2, 5);
  for (ticks j = 0; j < length; ++j) {
    const auto after = static_cast<takt::visit_mask>(s.d.between(0, 31)) & ((takt::visit_mask{1} << j) - 1);
    add_visit(s, out, kernels, static_cast<resource_kind>(s.d.between(0, 2)), after);
  }
}

auto system_of(std::uint64_t seed, const choice& cpu, const choice& copies, const choice& kernels, shape form,
               ticks unit) -> random_system {
  scaled s{draws{seed}, unit};
  random_system out;
  for (const choice* c : {&cpu, &copies, &kernels}) { REQUIRE(c->add(out.places, unit)); }
  const ticks count = s.d.between(2, max_tasks);
  const ticks slack = s.d.one_in(6) ? s.d.between(20, 60) : s.d.between(2, 9);
  for (ticks i = 0; i < count; ++i) {
    const std::int32_t core = cpu.cores > 2 && i % 2 == 1 ? 2 : 0;
    REQUIRE(out.set.add_task({.name = "t", .priority = s.d.count(0, 3), .core = core}));
    form == shape::chain || (form == shape::both && i % 2 == 0) ? add_chain(s, out, kernels)
                                                                : add_graph(s, out, kernels);
    bool has_kernels = false;
    for (std::uint32_t v = out.set.tasks.back().first_visit; v < out.set.visits.size(); ++v) {
      has_kernels = has_kernels || out.set.visits[v].where == resource_kind::gpu;
    }
    if (kernels.sms > 0) { REQUIRE(out.plan.shares.try_push_back({0, has_kernels ? kernels.sms : 0})); }
    if (kernels.percents > 0) { REQUIRE(out.plan.percents.try_push_back(has_kernels ? kernels.percents : 0)); }
    out.set.tasks.back().period = out.set.tasks.back().deadline = takt::longest_visit_time;
  }
  const auto flat = takt::flatten(out.places, out.set, out.plan);
  REQUIRE_MESSAGE(!flat.error, "system " << seed << " of " << cpu.name << " and " << kernels.name << ": fault "
                                         << static_cast<int>(flat.error.fault));
  for (std::uint32_t i = 0; i < out.set.size(); ++i) {
    ticks sum = 0;
    for (std::uint32_t p = 0; p < out.set.tasks[i].visit_count; ++p) { sum += flat.table.visit(i, p).upper; }
    auto& t = out.set.tasks[i];
    t.period = sum * count * slack / 5 + s.between(1, 9);
    t.deadline = t.period - (s.d.one_in(2) ? unit * s.d.between(0, t.period / unit / 8) : 0);
  }
  return out;
}

struct proofs {
  std::uint64_t systems = 0;
  std::uint64_t holistic = 0;
  std::uint64_t guarded = 0;
  std::uint64_t inflated = 0;
  std::uint64_t any = 0;
  std::uint64_t simulated = 0;
  std::uint64_t run = 0;
  std::uint64_t completed = 0;  ///< jobs of runs
};

/// What a combiner has decided beside what the system says.
auto with_guards(plan_type out, const plan_type& proven) -> plan_type {
  out.offsets = proven.offsets;
  out.local_deadlines = proven.local_deadlines;
  return out;
}
auto legal_here(const flat_type& flat, const plan_type& plan, const choice& kernels) -> trace_checker::legal {
  trace_checker::legal out = trace_checker::legal_on(flat, plan);
  out.gpus = kernels.legal.gpus;
  out.exact = kernels.legal.exact;
  return out;
}

/// Through the doors that users have, with a trace.
void simulate_one(const random_system& s, const flat_type& flat, const plan_type& plan, const choice& kernels,
                  std::uint64_t seed, proofs& p) {
  takt::trace seen;
  const auto releases = seed % 2 == 0 ? takt::release_pattern::adversarial : takt::release_pattern::sporadic;
  const auto result = takt::simulate(
      s.places, s.set, plan, {.horizon = duration{1500}, .releases = releases, .execution = {}, .seed = seed}, seen);
  REQUIRE_FALSE(result.error);
  CHECK(result.misses() == 0);
  CHECK(trace_checker::complaint(seen, s.set, legal_here(flat, plan, kernels)) == "");
  p.simulated += seen.slices().empty() ? 0U : 1U;
}
constexpr ticks threads_unit = 20'000;

/// The plan of a combiner that proves the set, one with guards rather than none.
auto proven_plan(const random_system& s, const flat_type& flat) -> std::optional<plan_type> {
  const an::detail::bounded_stations<decltype(flat.stations)> stations{flat.stations};
  for (const auto& verdict :
       {an::guarded(flat.table, stations), an::holistic(flat.table, stations), an::inflated(flat.table, stations)}) {
    if (verdict.schedulable()) { return with_guards(s.plan, verdict.plan); }
  }
  return {};
}
/// On threads, in instants of so many nanoseconds: whether it is proven for these times, too.
auto run_one(const random_system& s, const choice& kernels, std::uint64_t seed, proofs& p) -> bool {
  const auto flat = std::make_unique<flat_type>(takt::flatten(s.places, s.set, s.plan));
  const auto plan = proven_plan(s, *flat);
  if (!plan) { return false; }
  rt::run_options options;
  options.length = duration{10'000'000};
  options.seed = seed;
  options.real_time = options.pin_to_cores = options.lock_memory = false;
  takt::trace seen;
  const auto ran = rt::run(s.places, s.set, *plan, options, seen);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.ended == takt::observation_status::no_miss);
  trace_checker::legal legal = legal_here(*flat, *plan, kernels);
  for (std::size_t v = 0; v < legal.lengths.size(); ++v) {  // a thread that is late is on its processor for longer
    if (s.set.visits[v].where == resource_kind::processor) { legal.lengths[v] = {0, options.length.count()}; }
  }
  CHECK(trace_checker::complaint(seen, s.set, legal) == "");
  ++p.run;
  p.completed += ran.completed();
  return true;
}

/// Whether some combiner proves it.
auto judge(const random_system& s, const choice& kernels, std::uint64_t seed, proofs& p, tally& count) -> bool {
  const auto flat = std::make_unique<flat_type>(takt::flatten(s.places, s.set, s.plan));
  const an::detail::bounded_stations<decltype(flat->stations)> stations{flat->stations};
  const composed_systems::system_of_any on{flat->table, flat->stations};
  const auto before = p.holistic + p.guarded + p.inflated;
  const auto ask = [&](const auto& verdict, std::uint64_t& proven) {
    REQUIRE_FALSE(verdict.error);
    REQUIRE_FALSE(verdict.method.empty());
    if (!verdict.schedulable()) { return; }
    ++proven;
    hold(on, verdict, seed, count);
    simulate_one(s, *flat, with_guards(s.plan, verdict.plan), kernels, seed, p);
  };
  ask(an::holistic(flat->table, stations), p.holistic);
  ask(an::guarded(flat->table, stations), p.guarded);
  ask(an::inflated(flat->table, stations), p.inflated);
  const bool any = p.holistic + p.guarded + p.inflated > before;
  ++p.systems;
  p.any += any ? 1U : 0U;
  return any;
}

auto percent(std::uint64_t part, const proofs& p) -> std::string {
  return std::to_string(part * 100 / p.systems) + " |";
}

constexpr auto marker = "<!-- The table below is made by tests/property/combinations_test.cpp. -->\n\n";

/// Systems of one row. Of each shape the first that is proven runs; rows begin with different rules of copy engines.
void try_row(std::size_t row, const choice& cpu, const choice& kernels, std::uint64_t systems, proofs& p,
             tally& count) {
  const auto columns = copy_rules();
  std::uint64_t seed = 0;
  std::array<bool, 3> has_run{};
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const choice& copies = columns[(row + column) % columns.size()];
    for (const shape form : {shape::chain, shape::graph, shape::both}) {
      bool& ran = has_run[static_cast<std::size_t>(form)];
      for (std::uint64_t k = 0; k < (cpu.cores > 1 ? (systems + 1) / 2 : systems); ++k) {
        ++seed;
        const auto system_in = [&](ticks unit) { return system_of(seed, cpu, copies, kernels, form, unit); };
        const bool proven = judge(system_in(1), kernels, seed, p, count);
        ran = ran || (proven && run_one(system_in(threads_unit), kernels, seed, p));
      }
    }
  }
}

}  // namespace

TEST_CASE("every combination of rules and shapes is proven, simulated and run soundly, as docs/combinations.md says") {
  const std::uint64_t systems = systems_or(8);
  tally count;
  proofs all;
  std::size_t row = 0;
  std::string lines =
      "| processors | GPU | holistic | guarded | inflated | any | simulated | run |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const choice& cpu : cpu_rules()) {
    for (const choice& kernels : gpu_rules()) {
      CAPTURE(cpu.name);
      CAPTURE(kernels.name);
      proofs p;
      try_row(row++, cpu, kernels, systems, p, count);
      CHECK(p.any > 0);
      CHECK(p.simulated > 0);
      CHECK(p.run > 0);
      all.simulated += p.simulated;
      all.run += p.run;
      all.completed += p.completed;
      lines += "| " + std::string{cpu.name} + " | " + std::string{kernels.name} + " | " + percent(p.holistic, p) + " " +
               percent(p.guarded, p) + " " + percent(p.inflated, p) + " " + percent(p.any, p) + " " +
               std::to_string(p.simulated) + " | " + std::to_string(p.run) + " |\n";
    }
  }
  MESSAGE(count.proven << " proofs, " << count.jobs << " jobs, " << all.simulated << " traces of simulations, "
                       << all.run << " of runs with " << all.completed << " jobs");
  CHECK(count.violations == 0);
  CHECK(all.completed > all.run);
  if (std::getenv("TAKT_SYSTEMS") != nullptr) { return; }  // NOLINT(concurrency-mt-unsafe)
  takt_tests::expect_table("docs/combinations.md", marker, lines);
}
