// SPDX-License-Identifier: Apache-2.0
// Holds simulated waits and responses of tasks on locked GPUs against their bounds, and shows where bounds as printed
// are exceeded. TAKT_RANDOM_GPUSYNC_SYSTEMS sets how many systems each case simulates, TAKT_SEED where they begin.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/systems/locked_gpus/analysis/analysis.hpp>
#include <takt/systems/locked_gpus/analysis/as_published.hpp>
#include <takt/systems/locked_gpus/simulation/simulate.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

namespace gpusync = takt::analysis::gpusync;
using takt::cpu_scheduler;
using takt::migration_path;
using takt::service_order;
using takt::ticks;
using takt::token_protocol;

using task_list = takt::task_rows<takt::gpusync_task<ticks, 3>, 8>;
using board = takt::gpusync_board<>;
using bounds = gpusync::set_bounds<task_list>;

struct random_system {
  board platform;
  task_list tasks;
};

// Rules of a user's own.
constexpr cpu_scheduler deadline_monotonic{.points = {.deadline = 1}, .task_level = true};
constexpr cpu_scheduler least_slack{.points = {.deadline = 1, .wcet = -1}};
constexpr takt::service_order last_come{
    [](const takt::waiting_claim& a, const takt::waiting_claim& b) noexcept { return a.place > b.place; }};
constexpr takt::service_order worst_priority{
    [](const takt::waiting_claim& a, const takt::waiting_claim& b) noexcept { return b.priority < a.priority; }};

/// What a case looks at.
struct variety {
  service_order engines = service_order::first_come;
  bool peer_copies_only = false;  ///< and two copy engines
  bool donation_only = false;
  bool overheads = false;
  bool crowded = false;    ///< little work on many CPUs, and releases close to each other
  bool unlimited = false;  ///< tokens, and one cluster of CPUs
};

class system_generator {
 public:
  explicit system_generator(std::uint64_t seed) : random_{seed} {}

  [[nodiscard]] auto make(const variety& v) -> random_system {
    random_system out;
    out.platform = make_board(v);
    const ticks tasks = random_.between(2, 8);
    const ticks period = random_.between(600, 3000);
    for (ticks i = 0; i < tasks; ++i) {
      task_list::task_type t = make_task(out.platform.shape, i);
      if (v.crowded) { crowd(t, period); }
      static_cast<void>(out.tasks.add(t));
    }
    return out;
  }

 private:
  template <class T, std::size_t N>
  [[nodiscard]] auto one_of(const std::array<T, N>& all) -> T {
    return all[static_cast<std::size_t>(random_.below(static_cast<ticks>(N)))];
  }
  [[nodiscard]] auto size(ticks least, ticks most) -> std::int32_t {
    return static_cast<std::int32_t>(random_.between(least, most));
  }

  [[nodiscard]] auto make_board(const variety& v) -> board {
    board out;
    auto& c = out.shape;
    c.cpu_cluster_size = size(1, 3);
    c.cpus = c.cpu_cluster_size * size(1, v.donation_only ? 4 : 2);
    if (v.crowded && v.donation_only) { c.cpus = c.cpu_cluster_size * size(2, 6); }
    if (v.crowded && !v.donation_only) { c.cpus = c.cpu_cluster_size = size(1, 8); }
    c.gpu_cluster_size = size(v.peer_copies_only ? 2 : 1, 3);
    c.gpus = c.gpu_cluster_size * size(1, 2);
    c.tokens_per_gpu = size(random_.chance(1, 8) ? 0 : 1, 3);
    if (v.unlimited) {
      c.cpus = c.cpu_cluster_size;
      c.tokens_per_gpu = takt::unlimited_tokens;
    }
    c.copy_engines = v.peer_copies_only ? 2 : size(random_.chance(1, 6) ? 0 : 1, 2);
    c.migration = one_of(std::array{migration_path::none, migration_path::system_memory, migration_path::peer_to_peer});
    if (v.peer_copies_only) { c.migration = migration_path::peer_to_peer; }
    if (v.donation_only || random_.chance(1, 4)) { c.tokens = token_protocol::ck_omlp; }
    if (v.donation_only) { c.gpus = c.gpu_cluster_size * (v.crowded ? size(1, 2) : 1); }
    if (!c.limits_tokens() && c.shares_gpu_clusters()) { c.tokens_per_gpu = 1; }  // otherwise refused
    c.engines = v.engines;
    c.scheduler = one_of(std::array{cpu_scheduler::earliest_deadline, cpu_scheduler::fair_lateness,
                                    cpu_scheduler::shortest_period, cpu_scheduler::given_priority, deadline_monotonic,
                                    least_slack});
    if (random_.chance(1, 2)) { c.uncontended = takt::uncontended_gpus::dedicated; }
    c.dma_chunk = 10;
    for (auto& cost : out.costs.kinds) { cost = {random_.between(0, 3), random_.between(0, 2), 2}; }
    if (v.overheads) {
      auto& o = out.overheads;
      for (ticks* time : {&o.schedule, &o.context_switch, &o.system_call_in, &o.system_call_out, &o.unlock}) {
        *time = random_.between(0, 2);
      }
      o.lock = random_.between(0, random_.chance(1, 2) ? 3 : 20);
    }
    return out;
  }

  [[nodiscard]] auto make_task(const takt::gpusync_configuration& c, ticks number) -> task_list::task_type {
    task_list::task_type t;
    t.period = random_.between(100, 400) * (random_.chance(1, 3) ? 10 : 2);
    t.deadline = t.period;
    const bool shortens = c.scheduler.task_level || random_.chance(1, 2);
    if (random_.chance(1, 3)) { t.deadline = shortens ? t.period - random_.below(t.period / 3) : t.period * 3 / 2; }
    t.wcet = random_.between(1, 40);
    t.priority = static_cast<std::int32_t>(number);
    t.cpu_cluster = static_cast<std::int32_t>(random_.below(c.cpu_clusters()));
    if (random_.chance(1, 6)) { return t; }
    std::vector<std::int32_t> serving;
    for (std::int32_t a = 0; a < c.gpu_clusters(); ++a) {
      if (c.serves(a, t.cpu_cluster)) { serving.push_back(a); }
    }
    if (serving.empty()) { return t; }
    t.gpu_cluster = serving[static_cast<std::size_t>(random_.below(static_cast<ticks>(serving.size())))];
    t.cpu_in_gpu_section = random_.below(std::min<ticks>(t.wcet, 5) + 1);
    for (ticks k = random_.between(0, 3); k > 0; --k) { t.kernels.unchecked_push_back(random_.between(1, 30)); }
    if (c.copy_engines == 0) { return t; }
    t.bytes_in = random_.chance(1, 4) ? 0 : random_.between(0, 35);
    t.bytes_out = random_.chance(1, 4) ? 0 : random_.between(0, 35);
    t.bytes_state = random_.chance(1, 3) ? 0 : random_.between(0, 35);
    return t;
  }

  void crowd(task_list::task_type& t, ticks period) {
    t.period = t.deadline = period;
    t.wcet = random_.between(1, 3);
    t.cpu_in_gpu_section = t.uses_gpu() && random_.chance(1, 2) ? 1 : 0;
    if (t.uses_gpu() && t.kernels.empty()) { t.kernels.unchecked_push_back(random_.between(1, 20)); }
  }

  takt::random_stream random_;
};

[[nodiscard]] auto describe(const random_system& s) -> std::string {
  const auto& c = s.platform.shape;
  const auto number = [](auto n) { return std::to_string(static_cast<long long>(n)) + " "; };
  std::string out = "cpus " + number(c.cpus) + "in clusters of " + number(c.cpu_cluster_size) + "gpus " +
                    number(c.gpus) + "of " + number(c.gpu_cluster_size) + "rho " + number(c.tokens_per_gpu) + "ces " +
                    number(c.copy_engines) + "migration " + number(c.migration) + "protocol " +
                    number(c.protocol().donates_at_release) + "engines " + number(c.engines.is_by_arrival()) +
                    number(c.engines.is_by_priority()) + "scheduler " + number(c.scheduler.task_level) +
                    number(c.scheduler.points.deadline) + number(c.scheduler.points.period) +
                    number(c.scheduler.points.wcet) + "chunk " + number(c.dma_chunk) + "uncontended " +
                    number(c.uncontended) + "costs ";
  for (const auto& k : s.platform.costs.kinds) { out += number(k.setup) + "+ " + number(k.numerator) + "/2 "; }
  for (const auto& t : s.tasks.tasks) {
    out += "\n  cluster " + number(t.cpu_cluster) + "gpus " + number(t.gpu_cluster) + "wcet " + number(t.wcet) +
           "in section " + number(t.cpu_in_gpu_section) + "period " + number(t.period) + "deadline " +
           number(t.deadline) + "bytes " + number(t.bytes_in) + number(t.bytes_out) + number(t.bytes_state) +
           "kernels ";
    for (const ticks k : t.kernels) { out += number(k); }
  }
  return out;
}

/// What was seen of one kind of systems.
struct record {
  std::uint64_t systems = 0;
  std::uint64_t jobs = 0;
  std::uint64_t migrations = 0;
  std::uint64_t attained = 0;   ///< waits for engines and tokens of exactly a bound above 0
  std::uint64_t by_chains = 0;  ///< waits for copy engines that only blocking chains bound so low
  std::uint64_t violating_systems = 0;
  std::string first_violation;
};

/// The first observation above its bound, or nothing.
[[nodiscard]] auto violation(const takt::gpusync_observation<task_list::max_tasks>& seen, const bounds& found,
                             record& out) -> std::string {
  std::string wrong;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    const auto& s = seen.activities[i];
    const auto& b = found.tasks[i];
    const auto hold = [&](ticks value, ticks bound, const std::string& what) {
      if (value <= bound || !wrong.empty()) { return; }
      wrong = what + " of task " + std::to_string(i) + ": " + std::to_string(value) + " > " + std::to_string(bound);
    };
    hold(s.worst.execution, b.engines.execution.time, "wait for execution engines");
    hold(s.worst.copies, b.engines.copies.time, "wait for copy engines");
    hold(s.worst.token, b.tokens.direct.time, "wait for a token");
    hold(s.worst.loan, b.tokens.indirect.time, "loan");
    hold(s.worst.ready, 0, "time ready behind less important jobs");
    hold(s.worst.total, b.engines.total().time + b.tokens.total().time, "blocking");
    hold(t.worst_response, b.response.value, "response");
    hold(static_cast<ticks>(t.unfinished), 0, "jobs that do not end");
    out.jobs += t.completed;
    out.migrations += s.migrations();
    out.attained += s.worst.execution > 0 && s.worst.execution == b.engines.execution.time ? 1U : 0U;
    out.attained += s.worst.copies > 0 && s.worst.copies == b.engines.copies.time ? 1U : 0U;
    out.attained += s.worst.token > 0 && s.worst.token == b.tokens.direct.time ? 1U : 0U;
  }
  return wrong;
}

/// Simulates a system for which there are bounds in several ways.
template <class Rules>
void examine(random_system s, takt::random_stream& random, const variety& v, record& out) {
  REQUIRE_FALSE(takt::validate_gpusync(s.platform, s.tasks));
  s.platform.shape.tokens.for_all_cpus = v.donation_only && s.platform.shape.limits_tokens() && random.chance(1, 2);
  const bounds found = gpusync::analyze_set<Rules>(s.platform, s.tasks);
  if (!found.schedulable()) { return; }
  std::vector<ticks> demands;
  const bool fair = s.platform.shape.scheduler.reads_demand();
  for (std::size_t i = 0; fair && i < s.tasks.size(); ++i) { demands.push_back(found.tasks[i].inflated.wcet); }
  std::string wrong;
  for (int run = 0; run < (v.crowded ? 10 : 3) && wrong.empty(); ++run) {
    using takt::host::gpu_choice;
    constexpr std::array choices{gpu_choice::predicted, gpu_choice::random, gpu_choice::shortest_queue};
    const bool periodic = v.crowded && run >= 2;
    const ticks spread = random.between(0, 60);
    std::vector<takt::duration> offsets;
    for (std::size_t i = 0; periodic && i < s.tasks.size(); ++i) { offsets.emplace_back(random.between(0, spread)); }
    const takt::gpusync_simulation_options options{
        .horizon = takt::duration{random.between(2000, 8000)},
        .releases = periodic   ? takt::release_pattern::periodic
                    : run == 0 ? takt::release_pattern::sporadic
                               : takt::release_pattern::adversarial,
        .execution = random.chance(1, 3) ? takt::execution_times::random : takt::execution_times::upper,
        .seed = random.next(),
        .offsets = offsets,
        .gpus = {.choice = choices[static_cast<std::size_t>(random.below(3))],
                 .layout = random.chance(1, 2) ? takt::token_layout::block : takt::token_layout::interleaved},
        .fair_demands = demands,
        .overheads = v.overheads};
    const auto seen = takt::simulate(s.platform, s.tasks, options);
    REQUIRE_FALSE(seen.error);
    wrong = violation(seen, found, out);
  }
  ++out.systems;
  for (const auto& b : found.tasks) { out.by_chains += b.engines.copies.time < b.engines.dual.time ? 1U : 0U; }
  if (!wrong.empty() && out.violating_systems++ == 0) { out.first_violation = wrong + "\n" + describe(s); }
}

using takt_tests::from_environment;

/// `least`: so many systems at any rate, where one of them is to be found.
template <class Rules = gpusync::sound_rules>
auto over_random_systems(const variety& v, std::uint64_t least = 0) -> record {
  record out;
  takt::random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = std::max(from_environment("TAKT_RANDOM_GPUSYNC_SYSTEMS", 150), least);
  for (std::uint64_t tried = 0; out.systems < count && tried < 50 * count; ++tried) {
    examine<Rules>(system_generator(seeds.next()).make(v), seeds, v, out);
  }
  return out;
}

void expect_sound(const record& seen) {
  INFO(seen.first_violation);
  CHECK(seen.violating_systems == 0);
  CHECK(seen.systems > 0);
  CHECK(seen.migrations > 0);
  MESSAGE(seen.systems << " systems, " << seen.jobs << " jobs, " << seen.migrations << " migrations, " << seen.attained
                       << " bounds attained");
}

TEST_CASE("no wait or response exceeds its bound with engines in order of arrival") {
  expect_sound(over_random_systems({}));
}

TEST_CASE("no wait or response exceeds its bound with engines in order of priority" * takt_tests::traces("GSA-52")) {
  expect_sound(over_random_systems({.engines = service_order::priority}));
}

TEST_CASE("no wait exceeds its bound where copies go from GPU to GPU") {
  expect_sound(over_random_systems({.peer_copies_only = true}));
}

TEST_CASE("no wait exceeds its bound where copies go from GPU to GPU and nothing limits the tokens" *
          takt_tests::traces("GSA-14")) {
  for (const bool crowded : {false, true}) {
    const auto seen = over_random_systems({.peer_copies_only = true, .crowded = crowded, .unlimited = true});
    expect_sound(seen);
    CHECK(seen.by_chains > 0);
  }
}

TEST_CASE("no wait exceeds its bound where clusters of CPUs share tokens") {
  expect_sound(over_random_systems({.donation_only = true}));
}

TEST_CASE("no wait or response exceeds its bound where jobs spend the times of locks and system calls") {
  expect_sound(over_random_systems({.overheads = true}));
}

TEST_CASE("no wait exceeds its bound, and some attain it, where jobs need engines and tokens at once") {
  expect_sound(over_random_systems({.engines = service_order::priority, .crowded = true}));
}

TEST_CASE("no job exceeds its bound on engines that go to the last who came, or to the least important") {
  for (const auto& order : {last_come, worst_priority}) {
    expect_sound(over_random_systems({.engines = order}));
    expect_sound(over_random_systems({.engines = order, .peer_copies_only = true}));
    expect_sound(over_random_systems({.engines = order, .crowded = true}));
  }
  const auto arrival = over_random_systems({.crowded = true});
  expect_sound(arrival);
  CHECK(arrival.attained > 0);
  const auto peer = over_random_systems({.peer_copies_only = true, .crowded = true});
  expect_sound(peer);
  CHECK(peer.attained > 0);
  const auto donation = over_random_systems({.donation_only = true, .crowded = true});
  expect_sound(donation);
  CHECK(donation.attained > 0);
}

TEST_CASE("no system whose token protocol contradicts itself is analysed or simulated") {
  takt::random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = from_environment("TAKT_RANDOM_GPUSYNC_SYSTEMS", 150);
  for (std::uint64_t i = 0; i < count; ++i) {
    random_system s = system_generator(seeds.next()).make({});
    s.platform.shape.tokens = {.given = false, .donates_at_release = true};
    CHECK(gpusync::analyze_set(s.platform, s.tasks).status == takt::obstacle::invalid_model);
    CHECK(takt::validate_gpusync(s.platform, s.tasks).fault == takt::model_fault::choice_out_of_range);
    CHECK(takt::simulate(s.platform, s.tasks, {}).error.fault == takt::model_fault::choice_out_of_range);
  }
}

/// W5: two tokens, four CPUs by themselves, and more work than the two GPUs have time.
[[nodiscard]] auto four_partitions() -> random_system {
  random_system out;
  out.platform.shape = {
      .cpus = 4, .gpus = 2, .gpu_cluster_size = 2, .migration = migration_path::peer_to_peer, .dma_chunk = 100};
  for (std::int32_t i = 0; i < 4; ++i) {
    task_list::task_type t{
        .wcet = 2, .period = 200, .deadline = 200, .cpu_in_gpu_section = 1, .cpu_cluster = i, .gpu_cluster = 0};
    t.kernels.unchecked_push_back(110);
    static_cast<void>(out.tasks.add(t));
  }
  return out;
}

TEST_CASE("the direct wait as printed calls four tasks schedulable that miss their deadlines more and more") {
  const random_system s = four_partitions();
  CHECK_FALSE(gpusync::analyze_set(s.platform, s.tasks).schedulable());
  const auto printed = gpusync::analyze_set<gpusync::as_published::direct_blocking>(s.platform, s.tasks);
  REQUIRE(printed.schedulable());
  const auto early = takt::simulate(s.platform, s.tasks, {.horizon = takt::duration{2000}});
  const auto late = takt::simulate(s.platform, s.tasks, {.horizon = takt::duration{8000}});
  CHECK(printed.tasks[3].response.value == 200);
  CHECK(early.tasks[3].worst_response > 285);
  CHECK(late.tasks[3].worst_response > 2 * early.tasks[3].worst_response);
}

/// W7: two GPUs with one token each, where other tasks have no state and one migrates its own.
[[nodiscard]] auto one_state() -> random_system {
  random_system out;
  out.platform.shape = {.cpus = 4,
                        .cpu_cluster_size = 4,
                        .gpus = 2,
                        .gpu_cluster_size = 2,
                        .migration = migration_path::peer_to_peer,
                        .dma_chunk = 100};
  out.platform.costs.kinds = {takt::linear_cost<ticks>{2, 1, 10}, {3, 1, 10}, {1, 1, 25}};
  const auto add = [&](ticks wcet, ticks section, ticks period, std::array<ticks, 2> kernels, std::int64_t in,
                       std::int64_t state) {
    task_list::task_type t{.wcet = wcet,
                           .period = period,
                           .deadline = period,
                           .cpu_in_gpu_section = section,
                           .bytes_in = in,
                           .bytes_out = 250,
                           .bytes_state = state,
                           .gpu_cluster = 0};
    for (const ticks k : kernels) {
      if (k > 0) { t.kernels.unchecked_push_back(k); }
    }
    static_cast<void>(out.tasks.add(t));
  };
  static_cast<void>(out.tasks.add({.wcet = 148, .period = 600, .deadline = 600}));
  add(15, 10, 500, {30, 0}, 50, 0);
  add(4, 0, 500, {26, 11}, 0, 200);
  add(21, 12, 2000, {38, 26}, 50, 0);
  return out;
}

TEST_CASE("the bound for two copy engines as printed is exceeded by a task that migrates alone") {
  const random_system s = one_state();
  const auto sound = gpusync::analyze_set(s.platform, s.tasks);
  const auto printed = gpusync::analyze_set<gpusync::as_published::dual_bound>(s.platform, s.tasks);
  REQUIRE(printed.schedulable());
  CHECK(printed.tasks[2].engines.copies.time == 13);
  CHECK(sound.tasks[2].engines.copies.time == 26);
  ticks worst = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto seen = takt::simulate(s.platform, s.tasks,
                                     {.horizon = takt::duration{20'000},
                                      .releases = takt::release_pattern::sporadic,
                                      .seed = seed,
                                      .gpus = {.choice = takt::host::gpu_choice::random}});
    worst = std::max(worst, seen.activities[2].worst.copies);
  }
  CHECK(worst > 13);
  CHECK(worst <= 26);
}

TEST_CASE("a borrowed priority puts two less important kernels before a request, and no more" *
          takt_tests::traces("GSA-52")) {
  random_system s;
  s.platform.shape = {.cpus = 4,
                      .cpu_cluster_size = 4,
                      .tokens_per_gpu = 3,
                      .engines = service_order::priority,
                      .scheduler = cpu_scheduler::shortest_period};
  for (const auto& [period, kernel] : {std::pair<ticks, ticks>{4000, 1}, {4100, 5}, {4200, 30}, {4300, 30}}) {
    task_list::task_type t{.wcet = 2, .period = period, .deadline = period, .gpu_cluster = 0};
    t.kernels.unchecked_push_back(kernel);
    static_cast<void>(s.tasks.add(t));
  }
  const auto found = gpusync::analyze_set(s.platform, s.tasks);
  REQUIRE(found.schedulable());
  // All tokens are taken when the first task comes, and the holder before it has the waiting kernel of 30.
  const std::array<takt::duration, 4> offsets{takt::duration{10}, takt::duration{5}, takt::duration{0},
                                              takt::duration{1}};
  ticks worst = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto seen = takt::simulate(s.platform, s.tasks,
                                     {.horizon = takt::duration{100},
                                      .seed = seed,
                                      .offsets = offsets,
                                      .gpus = {.choice = takt::host::gpu_choice::random}});
    worst = std::max(worst, seen.activities[1].worst.execution);
  }
  const ticks by_base_priority = 2 * 1 + 30;
  CHECK(worst > by_base_priority);
  CHECK(worst <= found.tasks[1].engines.execution.time);
}

TEST_CASE("a search finds systems beyond the bounds as printed") {
  const auto peer =
      over_random_systems<gpusync::as_published::dual_bound>({.peer_copies_only = true, .crowded = true}, 2500);
  CHECK(peer.violating_systems > 0);
  const auto donation = over_random_systems<gpusync::as_published::direct_blocking>({.donation_only = true}, 200);
  CHECK(donation.violating_systems > 0);
  MESSAGE(peer.violating_systems << " of " << peer.systems << ", " << donation.violating_systems << " of "
                                 << donation.systems << "\n"
                                 << peer.first_violation);
}

}  // namespace
