// SPDX-License-Identifier: Apache-2.0
// Boards spelled with plain rule types, a pairwise covering array of them, and random typed tasks whose proofs are held
// against simulations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/model/graph/graph.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/workload.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/lasting_shares.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/methods.hpp>
#include "support/draws.hpp"
#include "support/pairwise.hpp"

namespace plain_systems {

using takt::duration;
using takt::ticks;
using takt_tests::draws;
using takt_tests::systems_or;

// Processors. A rule schedules each core by itself, all together, or clusters.

inline constexpr std::tuple cpu_rules{takt::fixed_priority,
                                      takt::rate_monotonic,
                                      takt::deadline_monotonic,
                                      takt::edf,
                                      takt::fifo,
                                      takt::nonpreemptive(takt::fixed_priority),
                                      takt::nonpreemptive(takt::rate_monotonic),
                                      takt::nonpreemptive(takt::deadline_monotonic),
                                      takt::nonpreemptive(takt::edf),
                                      takt::g_edf,
                                      takt::clustered(takt::edf, 2),
                                      takt::g_fl,
                                      takt::nonpreemptive(takt::g_edf)};

/// How many processors a system has, and on which of them a task may be.
struct cores_choice {
  std::int32_t least = 1;
  std::int32_t most = 2;
  bool named = true;          ///< tasks name their cores
  std::int32_t together = 1;  ///< cores of a cluster, which graphs name
};
template <class Rule>
[[nodiscard]] constexpr auto cores_under(const Rule& rule) -> cores_choice {
  if constexpr (requires { rule.cluster(1); }) { return {4, 4, true, 2}; }
  if constexpr (requires { Rule::partitioned; }) { return {1, 2, Rule::partitioned}; }
  return {1, 3, false};
}

// Copy engines.

inline constexpr std::tuple copy_rules{takt::fifo, takt::fifo, takt::nonpreemptive(takt::fixed_priority),
                                       takt::nonpreemptive(takt::edf)};
inline constexpr std::array<std::int32_t, 4> copy_engines{1, 2, 1, 1};

// GPUs: each board has a group of four under different rules, and the plan of a system says which of them a task uses.

inline constexpr takt::virtual_sms_resource sms = takt::virtual_sms(4, 2);
inline constexpr takt::block_queue_rule<2, 16> block_queue{};

inline constexpr std::tuple gpu_groups{
    std::tuple{takt::pool(sms, takt::federated), takt::pool(sms, takt::locked(takt::k_fmlp_order, 2)),
               takt::pool(sms, takt::levels(takt::edf)), takt::pool(sms, takt::fifo)},
    std::tuple{takt::pool(sms, takt::federated_virtual), takt::pool(sms, takt::locked(takt::r2dglp_order, 2)),
               takt::pool(sms, takt::slots(takt::fixed_priority, takt::pinned_slot(duration{0}, duration{2}),
                                           takt::gang_slot(duration{2}, duration{6}), takt::period(duration{8}))),
               takt::pool(sms, takt::nonpreemptive(takt::edf))},
    std::tuple{takt::pool(sms, takt::lasting_shares), takt::pool(sms, takt::locked(takt::ck_omlp_order)),
               takt::pool(sms, takt::gang(takt::edf)), takt::pool(sms, takt::nonpreemptive(takt::fixed_priority))},
    std::tuple{takt::pool(takt::block_slots(2, 4).with_warps_of(2), block_queue),
               takt::pool(sms, takt::locked(takt::fifo_order, 2)), takt::pool(sms, takt::levels(takt::fixed_priority)),
               takt::pool(sms, takt::time_slices(duration{3}, duration{1}))}};
inline constexpr std::size_t gpus = 4;

/// What a plan gives a task of a GPU, and whether waits for its tokens are known in suspension-oblivious terms only.
struct gpu_choice {
  std::int32_t sms = 0;
  bool percents = false;
  bool donates = false;
};
template <class Resource, class Rule>
[[nodiscard]] constexpr auto gpu_under(const takt::resource_pool<Resource, Rule>& pool) -> gpu_choice {
  gpu_choice out;
  if constexpr (requires { Rule::hands_out_sms; }) {
    out.sms = pool.resource.sms * (Rule::shares_physical_sms ? pool.resource.per_sm : 1);
  }
  out.percents = requires { Rule::hands_out_percents; };
  out.donates = requires { Rule::token_rule::donates; };
  return out;
}
template <std::size_t Group>
inline constexpr std::array<gpu_choice, gpus> choices_of = std::apply(
    [](const auto&... pool) { return std::array<gpu_choice, gpus>{gpu_under(pool)...}; }, std::get<Group>(gpu_groups));

template <std::size_t Cpu, std::size_t Copies, std::size_t Group>
[[nodiscard]] auto board_of(std::int32_t cores) {
  return std::apply(
      [cores](const auto&... gpu) {
        return takt::platform(takt::pool(takt::processors(cores), std::get<Cpu>(cpu_rules)),
                              takt::pool(takt::copy_engines(copy_engines[Copies]), std::get<Copies>(copy_rules)),
                              gpu...);
      },
      std::get<Group>(gpu_groups));
}

// Bodies of jobs: one type for each, with times, periods and edges that are drawn.

struct timing {
  duration period{1 << 20};
  duration deadline{1 << 20};
  duration jitter{};
  std::int32_t priority = 0;
  std::int32_t core = 0;
  std::int32_t cluster = 0;
};

// Each value is drawn by itself, in one order whatever the compiler.

[[nodiscard]] inline auto kernel_of(draws& d) {
  const ticks alone = d.between(1, 6);
  const duration least = d.time(0, 8 * alone);
  const duration cost = d.time(0, d.one_in(4) ? 3 * alone : alone / 2);
  const ticks blocks = d.between(1, 8);
  const std::int32_t threads = d.count(1, 4);
  const duration length = d.time(1, 3);
  const ticks whole = d.between(1, 4);
  const std::int32_t fixed = d.count(600, 1000);
  return takt::kernel(takt::work(least, duration{8 * alone}), takt::interleave(1), takt::preemption_cost(cost),
                      takt::grid(blocks, threads), takt::block_length(length),
                      takt::wcet_by_share(takt::wcet_row::scaling(whole, fixed)));
}
[[nodiscard]] inline auto chain_of(draws& d, const timing& t) {
  const duration first = d.time(1, 5);
  const duration at_least = d.time(0, first.count());
  const duration in = d.time(0, 3);
  const duration out = d.time(0, 3);
  const duration last = d.time(1, 5);
  return takt::task("chain", takt::period(t.period), takt::deadline(t.deadline), takt::priority(t.priority),
                    takt::on_core(t.core), takt::release_jitter(t.jitter), takt::cpu(at_least, first),
                    takt::copy(in, takt::to_device), kernel_of(d), takt::copy(out, out, takt::to_host),
                    takt::cpu(last));
}
[[nodiscard]] inline auto without_gpu(draws& d, const timing& t) {
  return takt::task("processor", takt::period(t.period), takt::deadline(t.deadline), takt::priority(t.priority),
                    takt::on_core(t.core), takt::release_jitter(t.jitter), takt::cpu(d.time(1, 6)));
}
/// Each node follows an earlier one, and the last of them another one besides.
[[nodiscard]] inline auto graph_of(draws& d, const timing& t, std::string_view name) {
  constexpr std::array<std::string_view, 5> names{"first", "copy", "kernel", "beside", "last"};
  const auto before = [&](std::size_t node) {
    return names[static_cast<std::size_t>(d.between(0, static_cast<ticks>(node) - 1))];
  };
  const auto kernel_after = before(2);
  const auto beside_after = before(3);
  const auto last_after = static_cast<std::size_t>(d.between(0, 3));
  const auto and_after = (last_after + static_cast<std::size_t>(d.between(1, 3))) % 4;
  const duration first = d.time(1, 4);
  const duration beside = d.time(1, 4);
  const duration last = d.time(1, 4);
  const duration copy = d.time(1, 3);
  const ticks blocks = d.between(1, 8);
  const std::int32_t threads = d.count(1, 4);
  const duration length = d.time(1, 3);
  return takt::graph(name, takt::period(t.period), takt::on_cluster(t.cluster), takt::node(names[0], takt::cpu(first)),
                     takt::node(names[1], takt::copy(copy)),
                     takt::node(names[2], takt::kernel(takt::grid(blocks, threads), takt::block_length(length))),
                     takt::node(names[3], takt::cpu(beside)), takt::node(names[4], takt::cpu(last)),
                     takt::edge(names[0], names[1]), takt::edge(kernel_after, names[2]),
                     takt::edge(beside_after, names[3]), takt::edge(names[last_after], names[4]),
                     takt::edge(names[and_after], names[4]));
}

enum class shape : std::uint8_t { chains, graphs, both, beside };
inline constexpr std::size_t shapes = 4;

/// Tasks, of which `on_gpu` have kernels; these come first.
template <shape Shape>
struct body;
template <>
struct body<shape::chains> {
  static constexpr std::size_t tasks = 3;
  static constexpr std::size_t on_gpu = 3;
  static constexpr bool has_graphs = false;
  static auto of(draws d, std::span<const timing> t) {
    const auto a = chain_of(d, t[0]);
    const auto b = chain_of(d, t[1]);
    return takt::task_set(a, b, chain_of(d, t[2]));
  }
};
template <>
struct body<shape::graphs> {
  static constexpr std::size_t tasks = 2;
  static constexpr std::size_t on_gpu = 2;
  static constexpr bool has_graphs = true;
  static auto of(draws d, std::span<const timing> t) {
    const auto a = graph_of(d, t[0], "one");
    return takt::graph_set(a, graph_of(d, t[1], "two"));
  }
};
template <>
struct body<shape::both> {
  static constexpr std::size_t tasks = 3;
  static constexpr std::size_t on_gpu = 3;
  static constexpr bool has_graphs = true;
  static auto of(draws d, std::span<const timing> t) {
    const auto a = chain_of(d, t[0]);
    const auto b = chain_of(d, t[1]);
    return takt::workload(a, b, graph_of(d, t[2], "graph"));
  }
};
template <>
struct body<shape::beside> {
  static constexpr std::size_t tasks = 4;
  static constexpr std::size_t on_gpu = 2;
  static constexpr bool has_graphs = false;
  static auto of(draws d, std::span<const timing> t) {
    const auto a = chain_of(d, t[0]);
    const auto b = chain_of(d, t[1]);
    const auto c = without_gpu(d, t[2]);
    return takt::task_set(a, b, c, without_gpu(d, t[3]));
  }
};

// What a system is proven and seen to do.

struct tally {
  std::uint64_t proven = 0;
  std::uint64_t jobs = 0;
  std::uint64_t tight = 0;
  std::uint64_t violations = 0;
  std::uint64_t errors = 0;
  std::uint64_t fewest = ~std::uint64_t{0};  ///< proofs of a rule of processors with one of a GPU that can be proven
};

template <class Verdict, class Seen>
void compare(const Verdict& verdict, const Seen& seen, tally& count) {
  count.violations += seen.misses();
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const ticks bound = verdict.tasks[i].bound.value;
    count.jobs += seen.tasks[i].completed;
    count.violations += !verdict.tasks[i].bound.exists || seen.tasks[i].worst_response > bound ? 1U : 0U;
    count.tight += seen.tasks[i].worst_response == bound ? 1U : 0U;
  }
  for (std::size_t v = 0; v < verdict.visits.size(); ++v) {
    count.violations += seen.visit_responses[v] > verdict.visits[v].response ? 1U : 0U;
  }
}

struct run {
  takt::release_pattern releases;
  takt::execution_times execution;
};
inline constexpr std::array runs{run{takt::release_pattern::adversarial, takt::execution_times::upper},
                                 run{takt::release_pattern::adversarial, takt::execution_times::random},
                                 run{takt::release_pattern::periodic, takt::execution_times::upper},
                                 run{takt::release_pattern::sporadic, takt::execution_times::random}};

/// Runs a system under the plan of its proof, if there is one, else under the given plan: it runs in any case. Counts
/// what goes beyond the proof.
template <class Board, class Tasks, class Verdict, class Plan>
void watch(const Board& board, const Tasks& tasks, const Verdict& verdict, const Plan& given, duration horizon,
           std::uint64_t seed, tally& count) {
  const bool proven = verdict.schedulable();
  const Plan& plan = proven ? verdict.plan : given;
  for (std::size_t r = 0; r < (proven ? runs.size() : 1); ++r) {
    const auto seen = takt::simulate(
        board, tasks, plan,
        {.horizon = horizon, .releases = runs[r].releases, .execution = runs[r].execution, .seed = seed});
    count.errors += seen.error ? 1U : 0U;
    if (proven) { compare(verdict, seen, count); }
  }
  count.proven += proven ? 1U : 0U;
}

/// Periods in proportion to what jobs take, from full to almost idle, and what goes with them.
template <class Table>
void draw_timings(draws& d, const Table& table, std::span<timing> out) {
  const ticks slack = d.between(2, 14);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ticks sum = 0;
    for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) { sum += table.visit(i, p).upper; }
    const ticks period = sum * static_cast<ticks>(out.size()) * slack / 6 + d.between(1, 9);
    out[i].period = duration{period};
    out[i].deadline = duration{period - (d.one_in(2) ? d.between(0, period / 8) : 0)};
    out[i].jitter = duration{d.one_in(3) ? d.between(0, period / 4) : 0};
    out[i].priority = d.count(0, 3);
  }
}
[[nodiscard]] inline auto longest_of(std::span<const timing> all) -> duration {
  ticks longest = 0;
  for (const timing& t : all) { longest = longest < t.period.count() ? t.period.count() : longest; }
  return duration{longest};
}

/// Gives the tasks with kernels their GPUs, and of each what it hands out.
template <class Plan>
void hand_out(draws& d, std::span<const gpu_choice> choices, std::size_t on_gpu, std::size_t all, std::size_t mode,
              Plan& out) {
  std::array<std::int32_t, gpus> users{};
  for (std::size_t i = 0; i < all; ++i) {
    const auto gpu = i >= on_gpu ? 0 : mode < gpus ? static_cast<std::int32_t>(mode) : d.count(0, gpus - 1);
    REQUIRE(out.shares.try_push_back({gpu, 0}));
    users[static_cast<std::size_t>(gpu)] += i < on_gpu ? 1 : 0;
  }
  bool percents = false;
  for (const gpu_choice& c : choices) { percents = percents || c.percents; }
  for (std::size_t i = 0; i < all; ++i) {
    const gpu_choice& c = choices[static_cast<std::size_t>(out.shares[i].gpu)];
    const std::int32_t n = users[static_cast<std::size_t>(out.shares[i].gpu)];
    if (i < on_gpu && c.sms > 0) { out.shares[i].sms = d.count(1, c.sms / n); }
    if (percents) { REQUIRE(out.percents.try_push_back(i < on_gpu && c.percents ? d.count(25, 100 / n) : 0)); }
  }
}

// The array: processors, copy engines, GPUs, body.

inline constexpr std::array<std::size_t, 4> levels{std::tuple_size_v<decltype(cpu_rules)>,
                                                   std::tuple_size_v<decltype(copy_rules)>,
                                                   std::tuple_size_v<decltype(gpu_groups)>, shapes};
inline constexpr auto rows = pairwise::cover<64>(levels);
static_assert(pairwise::pairs_left(rows, levels) == 0);

/// What is known of a row besides its types.
struct row_facts {
  std::span<const gpu_choice> choices;
  bool suspends = false;  ///< suspensions may count as execution on its processors
  bool has_graphs = false;
};

/// What analyses said of the systems of a row, by the GPU on which all tasks were, the last with tasks on several.
struct row_answers {
  std::array<std::uint64_t, gpus + 1> proofs{};
  std::uint64_t unnamed = 0;
  std::uint64_t refused = 0;
  std::uint64_t waits_unknown = 0;  ///< where tokens make jobs donate
  std::uint64_t not_inflated = 0;   ///< proofs there by another method

  void note(takt::verdict_status status, std::string_view method, takt::obstacle why, bool donates, std::size_t mode) {
    using takt::verdict_status;
    const bool proven = status == verdict_status::schedulable;
    unnamed += method.empty() || method == "none" ? 1U : 0U;
    const bool is_answer = proven || status == verdict_status::not_proven || status == verdict_status::unschedulable;
    refused += is_answer ? 0U : 1U;
    proofs[mode] += proven ? 1U : 0U;
    waits_unknown += donates && !proven && why == takt::obstacle::tokens ? 1U : 0U;
    not_inflated += donates && proven && method != "inflated" ? 1U : 0U;
  }
};

/// Waits for donated priorities are known only where suspensions may count as execution, and of chains. Everything
/// else is proven for some systems.
inline void check_row(const row_answers& seen, const row_facts& row, tally& count) {
  CHECK(seen.unnamed == 0);
  CHECK(seen.refused == 0);
  CHECK(seen.not_inflated == 0);
  CHECK(count.errors == 0);
  CHECK(count.violations == 0);
  for (std::size_t g = 0; g <= gpus; ++g) {
    CAPTURE(g);
    const bool donates = g < gpus && row.choices[g].donates;
    const bool gap = donates && (!row.suspends || row.has_graphs);
    if (gap) { CHECK(seen.waits_unknown > 0); }
    if (donates && !row.suspends) {
      CHECK(seen.proofs[g] == 0);
    } else if (!gap) {
      CHECK(seen.proofs[g] > 0);
      count.fewest = count.fewest < seen.proofs[g] ? count.fewest : seen.proofs[g];
    }
  }
}

/// Random systems of a body on boards of one type, which `make` makes of a number of processors. One in five has tasks
/// on several GPUs; in the others all are on one, so that each rule of a GPU meets each of the processors by itself.
template <class Jobs, class MakeBoard>
auto judge_systems(const MakeBoard& make, const cores_choice& cores, std::span<const gpu_choice> choices,
                   std::uint64_t salt, std::uint64_t systems, tally& count) -> row_answers {
  row_answers answers;
  for (std::uint64_t seed = 0; seed < systems; ++seed) {
    const std::size_t mode = seed % (gpus + 1);
    draws d{seed * 1'000 + salt};
    const std::int32_t processors = d.count(cores.least, cores.most);
    const auto board = make(processors);
    using set_type = decltype(Jobs::of(d, {}));
    takt::plan<takt::tasks_of<set_type>, takt::visits_of<set_type>> given;
    hand_out(d, choices, Jobs::on_gpu, Jobs::tasks, mode, given);
    std::array<timing, Jobs::tasks> timings{};
    for (timing& t : timings) {
      t.core = cores.named ? d.count(0, processors - 1) : 0;
      t.cluster = t.core / cores.together;
    }
    const draws same = d;
    const auto sized = takt::flatten(board, Jobs::of(same, timings), given);
    count.errors += sized.error ? 1U : 0U;
    draw_timings(d, sized.table, timings);
    const auto set = Jobs::of(same, timings);
    const auto verdict = takt::analyze(board, set, given, takt::published_methods);
    answers.note(verdict.status, verdict.method, verdict.why, mode < gpus && choices[mode].donates, mode);
    watch(board, set, verdict, given, duration{8 * longest_of(timings).count()}, seed, count);
  }
  return answers;
}

template <std::size_t Cpu, std::size_t Copies, std::size_t Group, shape Shape>
void judge_row(std::uint64_t systems, tally& count) {
  using cpu_rule = std::tuple_element_t<Cpu, std::remove_const_t<decltype(cpu_rules)>>;
  const row_facts row{choices_of<Group>, takt::detail::InflatesSuspensions<cpu_rule>, body<Shape>::has_graphs};
  const std::uint64_t salt = Cpu * 64 + Copies * 16 + Group * 4 + static_cast<std::uint64_t>(Shape);
  const auto answers =
      judge_systems<body<Shape>>([](std::int32_t cores) { return board_of<Cpu, Copies, Group>(cores); },
                                 cores_under(std::get<Cpu>(cpu_rules)), row.choices, salt, systems, count);
  check_row(answers, row, count);
}

/// The rows of one shape of jobs: what one translation unit goes through.
template <shape Shape>
void judge_part(std::uint64_t systems) {
  tally count;
  std::size_t judged = 0;
  [&]<std::size_t... R>(std::index_sequence<R...>) {
    const auto judge = [&]<std::size_t Row>(std::integral_constant<std::size_t, Row>) {
      constexpr auto r = rows[Row];
      if constexpr (r[3] == static_cast<std::size_t>(Shape)) {
        CAPTURE(Row);
        judge_row<r[0], r[1], r[2], Shape>(systems, count);
        ++judged;
      }
    };
    (judge(std::integral_constant<std::size_t, R>{}), ...);
  }(std::make_index_sequence<rows.size()>{});
  MESSAGE(judged << " rows, " << count.proven << " proofs, " << count.jobs << " jobs, " << count.tight
                 << " tight, at least " << count.fewest << " proofs of each pair");
  CHECK(judged >= levels[0]);
  CHECK(count.violations == 0);
}

}  // namespace plain_systems
