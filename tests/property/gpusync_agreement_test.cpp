// SPDX-License-Identifier: Apache-2.0
// The engine of composed boards and the simulator of locked GPUs see the same slices and ends of jobs: tokens under
// both protocols with and without heuristics, locks of engines in any order, copies in chunks, and state that moves.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <takt/simulation/locked_gpus/compose.hpp>
#include <takt/simulation/locked_gpus/simulate.hpp>
#include "property/composed_systems.hpp"

namespace {

using composed_systems::draws;
using takt::cpu_scheduler;
using takt::migration_path;
using takt::service_order;
using takt::ticks;
using takt::token_protocol;
using takt::simulation::gpu_choice;

constexpr std::size_t most_tasks = 6;
using task_list = takt::gpusync_table<ticks, most_tasks, 3>;
using board = takt::gpusync_board<>;
using options = takt::gpusync_simulation_options;

// Rules of a user's own.
constexpr cpu_scheduler deadline_monotonic{.points = {.deadline = 1}, .task_level = true};
constexpr cpu_scheduler least_slack{.points = {.deadline = 1, .wcet = -1}};
constexpr service_order last_come{
    [](const takt::waiting_claim& a, const takt::waiting_claim& b) noexcept { return a.place > b.place; }};

struct random_system {
  board platform{};
  task_list tasks{};
  options how{};
  std::vector<takt::duration> offsets{};
};

template <class T, std::size_t N>
auto one_of(draws& d, const std::array<T, N>& all) -> T {
  return all[static_cast<std::size_t>(d.between(0, static_cast<ticks>(N) - 1))];
}
auto size(draws& d, ticks least, ticks most) -> std::int32_t {
  return static_cast<std::int32_t>(d.between(least, most));
}

/// Some unit of time: with a long one hardly two things happen at one instant by chance, with that of 1 many do.
constexpr ticks long_unit = 1'000'000;
struct timing {
  ticks unit = 1;
  auto between(draws& d, ticks least, ticks most) const -> ticks { return d.between(least * unit, most * unit); }
};

auto random_board(draws& d, const timing& scale) -> board {
  board out;
  auto& c = out.shape;
  c.cpu_cluster_size = size(d, 1, 3);
  c.cpus = c.cpu_cluster_size * size(d, 1, 3);
  c.gpu_cluster_size = size(d, 1, 3);
  c.gpus = c.gpu_cluster_size * size(d, 1, 2);
  c.tokens_per_gpu = d.one_in(8) ? takt::unlimited_tokens : size(d, 1, 3);
  c.copy_engines = d.one_in(8) ? 0 : size(d, 1, 2);
  c.migration =
      one_of(d, std::array{migration_path::none, migration_path::system_memory, migration_path::peer_to_peer});
  if (d.one_in(3)) { c.tokens = token_protocol::ck_omlp; }
  if (c.tokens == token_protocol::derived && !c.limits_tokens() && c.shares_gpu_clusters()) { c.tokens_per_gpu = 1; }
  if (c.tokens == token_protocol::ck_omlp && c.shares_gpu_clusters() && !c.limits_tokens()) { c.tokens_per_gpu = 2; }
  c.engines = one_of(d, std::array{service_order::first_come, service_order::priority, last_come});
  c.scheduler = one_of(
      d, std::array{cpu_scheduler::earliest_deadline, cpu_scheduler::fair_lateness, cpu_scheduler::shortest_period,
                    cpu_scheduler::given_priority, deadline_monotonic, least_slack});
  if (d.one_in(3)) { c.uncontended = takt::uncontended_gpus::dedicated; }
  c.dma_chunk = 1000;
  for (auto& cost : out.costs.kinds) { cost = {scale.between(d, 0, 2), scale.between(d, 0, 3), 1'000}; }
  return out;
}

auto random_task(draws& d, const timing& scale, const takt::gpusync_configuration& c, ticks number)
    -> task_list::task_type {
  task_list::task_type t;
  t.name = "t";
  t.period = scale.between(d, 30, 150);
  t.deadline = t.period - (d.one_in(2) ? d.between(0, t.period / 3) : 0);
  t.wcet = scale.between(d, d.one_in(4) ? 0 : 1, 12) + 1;
  t.priority = static_cast<std::int32_t>(number);
  t.cpu_cluster = size(d, 0, c.cpu_clusters() - 1);
  std::vector<std::int32_t> serving;
  for (std::int32_t a = 0; a < c.gpu_clusters(); ++a) {
    if (c.serves(a, t.cpu_cluster)) { serving.push_back(a); }
  }
  if (serving.empty() || d.one_in(7)) { return t; }
  t.gpu_cluster = serving[static_cast<std::size_t>(d.between(0, static_cast<ticks>(serving.size()) - 1))];
  t.cpu_in_gpu_section = d.one_in(3) ? 0 : d.one_in(6) ? t.wcet : d.between(0, t.wcet);
  for (ticks k = d.between(0, 3); k > 0; --k) { t.kernels.push_back(scale.between(d, 0, 15) + 1); }
  if (c.copy_engines == 0) { return t; }
  t.bytes_in = d.one_in(4) ? 0 : d.between(0, 2'900);
  t.bytes_out = d.one_in(4) ? 0 : d.between(0, 2'900);
  t.bytes_state = d.one_in(3) ? 0 : d.between(0, 2'900);
  return t;
}

/// `s` outlives its options.
void draw_system(std::uint64_t seed, random_system& s) {
  draws d{seed};
  const timing scale{d.one_in(2) ? 1 : long_unit};
  s.platform = random_board(d, scale);
  const takt::gpusync_configuration& c = s.platform.shape;
  const ticks count = d.between(2, most_tasks);
  for (ticks i = 0; i < count; ++i) { REQUIRE(s.tasks.add(random_task(d, scale, c, i))); }
  for (ticks i = 0; i < count; ++i) { s.offsets.push_back(takt::duration{scale.between(d, 0, 30)}); }
  options& o = s.how;
  o.horizon = takt::duration{scale.between(d, 300, 900)};
  o.releases = one_of(d, std::array{takt::release_pattern::periodic, takt::release_pattern::sporadic,
                                    takt::release_pattern::adversarial});
  if (o.releases == takt::release_pattern::periodic) { o.offsets = s.offsets; }
  o.seed = seed;
  o.choice = one_of(d, std::array{gpu_choice::shortest_queue, gpu_choice::random, gpu_choice::predicted});
  o.layout = one_of(d, std::array{takt::token_layout::block, takt::token_layout::interleaved});
  o.token_until_end = d.one_in(5);
  if (c.limits_tokens()) {
    o.queues = one_of(d, std::array{takt::token_queue_length::for_users, takt::token_queue_length::for_sharing_cpus,
                                    takt::token_queue_length::for_all_cpus});
  }
  if (c.migrates() && takt::copies_between_gpus(c.migration)) { o.peer_percent = {100, 70, 90, 100}; }
  if (d.one_in(2)) {
    o.overheads = true;
    auto& h = s.platform.overheads;
    for (ticks* cost : {&h.schedule, &h.context_switch, &h.system_call_in, &h.system_call_out, &h.lock, &h.unlock}) {
      *cost = d.one_in(4) ? 0 : d.between(0, (scale.unit + 3) / 4);
    }
  }
}

/// The longest times, or any from half of them on.
struct random_work {
  std::uint64_t seed = 0;
  bool full = false;

  [[nodiscard]] auto time(const takt::simulation::work_item& item, ticks worst) const -> ticks {
    if (full) { return worst; }
    takt::random_stream random{seed ^ (item.task << 48U) ^ (item.job << 16U) ^ item.piece};
    static_cast<void>(random.next());
    return random.between((worst + 1) / 2, worst);
  }
  [[nodiscard]] static auto repetitions(const takt::simulation::work_item& /*item*/) -> std::int32_t { return 1; }
};

struct stretch {
  std::uint32_t task = 0;
  std::uint64_t job = 0;
  takt::stage where = takt::stage::cpu;
  std::int32_t gpu = 0;
  std::int32_t unit = 0;  ///< of CPUs the cluster
  ticks from = 0;
  ticks to = 0;

  friend auto operator==(const stretch&, const stretch&) -> bool = default;
};
struct job_end {
  std::uint32_t task = 0;
  std::uint64_t job = 0;
  ticks at = 0;

  friend auto operator<=>(const job_end&, const job_end&) = default;
};
struct seen_run {
  std::vector<stretch> stretches{};
  std::vector<job_end> ends{};

  friend auto operator==(const seen_run&, const seen_run&) -> bool = default;
};

/// Time on CPUs is one stretch as long as it goes on in one cluster.
struct recorder {
  std::int32_t processors = 1;  ///< of a cluster
  seen_run seen{};

  void record(const takt::slice& s) {
    const bool cpu = s.where.where == takt::stage::cpu;
    seen.stretches.push_back(
        {s.task, s.job, s.where.where, s.where.gpu, cpu ? s.where.index / processors : s.where.index, s.start, s.end});
  }
  void record(const takt::mark& m) {
    if (m.what == takt::mark_kind::completion) { seen.ends.push_back({m.task, m.job, m.time}); }
  }
  auto sorted() -> seen_run& {
    std::ranges::sort(seen.ends);
    std::ranges::sort(seen.stretches, {}, [](const stretch& s) { return std::tuple{s.task, s.job, s.from, s.to}; });
    std::vector<stretch> joined;
    for (const stretch& s : seen.stretches) {
      const bool goes_on = !joined.empty() && s.where == takt::stage::cpu && joined.back().where == s.where &&
                           joined.back().task == s.task && joined.back().job == s.job && joined.back().unit == s.unit &&
                           joined.back().to == s.from;
      if (goes_on) {
        joined.back().to = s.to;
      } else {
        joined.push_back(s);
      }
    }
    seen.stretches = joined;
    return seen;
  }
};

struct totals {
  std::uint64_t systems = 0;
  std::uint64_t differing = 0;
  std::uint64_t slices = 0;
  std::uint64_t jobs = 0;
  std::uint64_t moves = 0;
};
using composed_tasks = takt::simulation::composed_gpusync<most_tasks>;

/// Both runs of a system, the engine's after it has been changed.
template <class Change>
void compare(std::uint64_t seed, totals& sums, const Change& change) {
  random_system s;
  draw_system(seed, s);
  const auto composed = takt::simulation::compose(s.platform, s.tasks, s.how);
  REQUIRE_FALSE(composed->error);
  const random_work work{seed, seed % 2 == 0};
  recorder old{s.platform.shape.cpu_cluster_size};
  const auto seen = takt::simulation::run_gpu_system<most_tasks>(composed->system, composed->jobs, work, {}, seed, old);
  REQUIRE_FALSE(seen.locks.error);
  recorder ours{s.platform.shape.cpu_cluster_size};
  change(*composed);
  static_cast<void>(takt::simulation::run(*composed, work, seed, ours));
  const bool same = old.sorted() == ours.sorted();
  if (!same && sums.differing == 0) { MESSAGE("system " << seed << " differs"); }
  ++sums.systems;
  sums.differing += same ? 0U : 1U;
  sums.slices += ours.seen.stretches.size();
  sums.jobs += ours.seen.ends.size();
  for (const auto& t : seen.sections) { sums.moves += t.migrated() ? 1U : 0U; }
}
template <class Change>
auto differing_with(const Change& change) -> std::uint64_t {
  totals sums;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) { compare(seed, sums, change); }
  return sums.differing;
}

}  // namespace

TEST_CASE("the engine and the simulator of locked GPUs see the same slices and ends of jobs") {
  totals sums;
  for (std::uint64_t seed = 1; seed <= composed_systems::systems_or(2'000); ++seed) {
    compare(seed, sums, [](composed_tasks&) {});
  }
  MESSAGE(sums.systems << " systems, " << sums.slices << " slices, " << sums.jobs << " jobs, " << sums.moves
                       << " moves, " << sums.differing << " differ");
  CHECK(sums.differing == 0);
  CHECK(sums.moves > sums.systems);
}

TEST_CASE(
    "the comparison sees another order of engines, another choice of GPUs, and calls that need no processor or copies that are always made") {
  CHECK(differing_with([](composed_tasks& s) {
          s.system.engines = s.system.engines == last_come ? service_order::first_come : last_come;
        }) > 10);
  CHECK(differing_with([](composed_tasks& s) {
          s.system.choice =
              s.system.choice == gpu_choice::predicted ? gpu_choice::shortest_queue : gpu_choice::predicted;
        }) > 10);
  CHECK(differing_with([](composed_tasks& s) {
          for (auto& v : s.table.visits) { v.need = takt::unit_need::time; }
        }) > 10);
  CHECK(differing_with([](composed_tasks& s) {
          for (auto& v : s.table.visits) { v.after_move = false; }
          for (auto& x : s.table.sections) { x.place = takt::token_place::own; }
        }) > 10);
}

TEST_CASE("what visits do not say of locked GPUs is refused with its name") {
  random_system s;
  draw_system(1, s);
  s.how = {};
  s.tasks.tasks[0].cpu_cluster = s.tasks.tasks[0].gpu_cluster = 0;
  s.tasks.tasks[0].kernels = {};
  REQUIRE(s.tasks.tasks[0].kernels.push_back(5));
  REQUIRE_FALSE(takt::simulation::compose(s.platform, s.tasks, s.how)->error);

  options how = s.how;
  how.budgets = takt::overrun_policy::signal;
  CHECK(takt::simulation::compose(s.platform, s.tasks, how)->error == takt::simulation::detail::unused("budgets"));
  const std::array<takt::simulation::aberrant_task, 1> wild{{{.task = 0, .repetitions = 2}}};
  how = s.how;
  how.aberrant = wild;
  CHECK(takt::simulation::compose(s.platform, s.tasks, how)->error == takt::simulation::detail::unused("aberrant"));

  auto late = s.tasks;
  late.tasks[0].deadline = late.tasks[0].period + 1;
  CHECK(takt::simulation::compose(s.platform, late, s.how)->error.fault == takt::model_fault::deadline_exceeds_period);

  auto long_chain = s.tasks;
  for (auto& t : long_chain.tasks) { t.bytes_in = t.bytes_out = t.bytes_state = 0; }
  auto wide = s.platform;
  wide.shape.copy_engines = 1;
  wide.shape.dma_chunk = 1;
  long_chain.tasks[0].bytes_in = 14;  // with the kernel 15 operations of four visits, and four more
  CHECK_FALSE(takt::simulation::compose(wide, long_chain, s.how)->error);
  long_chain.tasks[0].bytes_in = 15;
  const auto error = takt::simulation::compose(wide, long_chain, s.how)->error;
  CHECK(error.fault == takt::model_fault::too_many_visits);
  CHECK(error.task == 0);
}
