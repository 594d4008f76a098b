// SPDX-License-Identifier: Apache-2.0
// Holds every bound for kernels in a block queue and for overlapping jobs on CPUs against the simulator.
// TAKT_RANDOM_GRAPH_SYSTEMS sets how many systems each case looks at, TAKT_SEED where it begins.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/methods/block_queue/capacity.hpp>
#include <takt/analysis/methods/block_queue/multi_resource.hpp>
#include <takt/analysis/methods/block_queue/outstanding_jobs.hpp>
#include <takt/analysis/methods/block_queue/per_task_streams.hpp>
#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>
#include <takt/analysis/methods/gel/compliant_vector.hpp>
#include <takt/analysis/methods/gel/overlapping.hpp>
#include <takt/analysis/methods/gel/restricted_parallelism.hpp>
#include <takt/core/random.hpp>
#include <takt/simulation/graph/replay_kernels.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

namespace an = takt::analysis;
namespace sim = takt::simulation;
using takt::block_placement;
using takt::random_stream;
using takt::ticks;

/// A multiple of all numbers of CPUs, so that the points of each policy are whole.
constexpr ticks unit = 60;
constexpr std::size_t most_tasks = 4;
using kernels = takt::task_rows<takt::block_kernel<ticks>, most_tasks>;
using arrivals = std::vector<sim::kernel_arrival<ticks>>;
using gel_tasks = takt::task_rows<takt::gel_task<ticks>, most_tasks>;

using takt_tests::from_environment;

/// What a case has looked at.
struct record {
  std::uint64_t bounded = 0;  ///< systems, or their parts, that have bounds
  std::uint64_t runs = 0;
  std::uint64_t violations = 0;
  double closest = 0;  ///< greatest part of a bound that was reached

  void compare(ticks observed, ticks bound) {
    violations += observed > bound ? 1U : 0U;
    closest = std::max(closest, static_cast<double>(observed) / static_cast<double>(std::max<ticks>(bound, 1)));
  }
};

template <class Examine>
[[nodiscard]] auto over_random_systems(const Examine& examine, std::uint64_t otherwise = 150) -> record {
  record out;
  random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = from_environment("TAKT_RANDOM_GRAPH_SYSTEMS", otherwise);
  for (std::uint64_t i = 0; i < count; ++i) {
    random_stream random{seeds.next()};
    examine(random, out);
  }
  return out;
}

void check_sound(const std::string& what, const record& r, double reached = 0) {
  MESSAGE(what, ": ", r.bounded, " bounded, ", r.runs, " runs, ", r.violations, " violations, closest ", r.closest);
  CHECK(r.runs > 0);
  CHECK(r.violations == 0);
  CHECK(r.closest >= reached);
}

/// A placement of one's own: SMs with an odd number of idle threads first.
constexpr takt::block_placement odd_sms{[](const takt::sm_capacity& left, const takt::sm_capacity& than) noexcept {
  return left.threads % 2 > than.threads % 2;
}};

[[nodiscard]] auto random_placement(random_stream& random) -> block_placement {
  constexpr std::array all{block_placement::even, block_placement::first_fit, block_placement::best_fit, odd_sms};
  return all[static_cast<std::size_t>(random.below(4))];
}

[[nodiscard]] auto random_gpu(random_stream& random) -> takt::block_gpu {
  return {.sms = static_cast<std::int32_t>(random.between(1, 3)), .threads_per_sm = 2 * random.between(1, 4)};
}

/// One period for all kernels, with which their load is the capacity, or just below where that is no whole number.
void fill_capacity(kernels& set, const takt::block_gpu& gpu) {
  ticks work = 0;
  for (std::size_t i = 0; i < set.size(); ++i) { work += takt::block_work(set.tasks[i]).value * set.tasks[i].blocks; }
  const ticks period = takt::ceil_divide(work, an::thread_capacity(set, gpu));
  for (std::size_t i = 0; i < set.size(); ++i) { set.tasks[i].period = period; }
}

/// Kernels that load about all of the GPU's capacity, more or less.
[[nodiscard]] auto random_kernels(random_stream& random, const takt::block_gpu& gpu, ticks most_jitter = 0) -> kernels {
  kernels out;
  const ticks count = random.between(1, most_tasks);
  for (ticks i = 0; i < count; ++i) {
    takt::block_kernel<ticks> k;
    k.threads = random.between(1, gpu.threads_per_sm);
    k.blocks = random.between(1, 5);
    k.length = unit * random.between(1, 6);
    const ticks share = unit * std::max<ticks>(1, gpu.sms * gpu.threads_per_sm / (2 * count));
    k.period = std::max<ticks>(k.length * k.threads * k.blocks * unit / share / unit * unit, unit);
    k.period += random.chance(1, 3) ? unit * random.below(5) : 0;
    k.jitter = most_jitter == 0 ? 0 : random.between(0, most_jitter);
    REQUIRE(out.add(k));
  }
  if (random.chance(1, 3)) { fill_capacity(out, gpu); }
  return out;
}

/// Arrivals with nominal instants at least a period apart, each up to its jitter later, by task in `task_of`.
[[nodiscard]] auto random_arrivals(random_stream& random, const kernels& set, std::vector<std::size_t>& task_of,
                                   bool streams = false) -> arrivals {
  arrivals out;
  task_of.clear();
  const bool together = random.chance(1, 2);
  const bool periodic = random.chance(1, 2);
  const bool full = random.chance(1, 2);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto& k = set.tasks[i];
    ticks nominal = together ? 0 : random.below(k.period + 1);
    ticks last = 0;
    for (int j = 0; j < 14; ++j) {
      const ticks late = k.jitter == 0 ? 0 : j == 0 && random.chance(1, 2) ? k.jitter : random.below(k.jitter + 1);
      last = std::max(last, nominal + late);
      const ticks length = full || random.chance(1, 2) ? k.length : random.between(1, k.length);
      const std::int32_t stream = streams ? static_cast<std::int32_t>(i) : takt::own_stream;
      out.push_back({last, {{k.threads, k.shared_memory, k.registers}, k.blocks, stream}, length});
      task_of.push_back(i);
      nominal += k.period + (periodic || random.chance(2, 3) ? 0 : random.below(k.period));
    }
  }
  return out;
}

[[nodiscard]] auto shape_of(const takt::block_gpu& gpu, block_placement placement) -> takt::gpu_shape {
  const auto limit = [](std::int64_t n) { return n == 0 ? takt::sm_capacity::unlimited : n; };
  return {.sms = gpu.sms,
          .each = {gpu.threads_per_sm, limit(gpu.block_slots), limit(gpu.shared_memory), limit(gpu.registers)},
          .placement = placement};
}

/// Worst response of each kernel from its enqueue.
template <class Observer>
[[nodiscard]] auto worst_responses(random_stream& random, const kernels& set, const takt::gpu_shape& shape,
                                   Observer& observer, bool streams = false) -> std::array<ticks, most_tasks> {
  std::vector<std::size_t> task_of;
  const arrivals list = random_arrivals(random, set, task_of, streams);
  const std::span<const sim::kernel_arrival<ticks>> view{list};
  const auto run = sim::replay_kernels<256, 4>(shape, view, observer);
  REQUIRE(run.fault == takt::model_fault::none);
  std::array<ticks, most_tasks> worst{};
  for (std::size_t i = 0; i < list.size(); ++i) {
    worst[task_of[i]] = std::max(worst[task_of[i]], run.response(view, i));
  }
  return worst;
}
[[nodiscard]] auto worst_responses(random_stream& random, const kernels& set, const takt::gpu_shape& shape,
                                   bool streams = false) -> std::array<ticks, most_tasks> {
  sim::no_gpu_observer unseen;
  return worst_responses(random, set, shape, unseen, streams);
}

template <class Bounds>
void compare(const std::array<ticks, most_tasks>& worst, const Bounds& bounds, record& out) {
  if (!bounds.bounded()) { return; }
  for (std::size_t i = 0; i < bounds.responses.size(); ++i) { out.compare(worst[i], bounds.responses[i]); }
}

[[nodiscard]] auto claims_of(const kernels& set, const takt::block_gpu& gpu) -> sim::queue_claims {
  takt::thread_time<ticks> carry_in;
  takt::thread_time<ticks> backlog;
  REQUIRE(an::detail::carry_in_bound(set, gpu, carry_in));
  REQUIRE(an::backlog_bound(set, gpu, takt::per_job_streams, backlog));
  return {an::detail::largest_block_size(set), an::unit_block_size(set, gpu), carry_in.value, backlog.value};
}

/// Sequential or overlapping jobs on one cluster, each task a graph of its own that is released `early` at most.
struct cpu_system {
  sim::graph_workload<ticks> work;
  sim::invocations<ticks> releases;
};

[[nodiscard]] auto random_tasks(random_stream& random, std::int32_t cpus, bool sequential) -> gel_tasks {
  gel_tasks out;
  const ticks count = random.between(1, most_tasks);
  for (ticks i = 0; i < count; ++i) {
    takt::gel_task<ticks> t;
    t.period = unit * random.between(2, 12);
    const ticks most = sequential ? t.period : t.period * cpus / (i == 0 ? 1 : 2);
    t.wcet = std::max<ticks>(unit * random.between(1, std::max<ticks>(most / unit, 1)), 1);
    t.deadline = t.period;
    t.point = unit * random.between(0, 14);
    t.parallelism = random.between(std::max<ticks>(1, (t.wcet + t.period - 1) / t.period), 4);
    REQUIRE(out.add(t));
  }
  return out;
}

enum class overlap : std::uint8_t { none, slots, distance, unlimited };

[[nodiscard]] auto random_cpu_system(random_stream& random, const gel_tasks& tasks, std::int32_t cpus,
                                     takt::gel_policy policy, overlap kind) -> cpu_system {
  cpu_system out;
  out.work.clusters.push_back(cpus);
  const bool together = random.chance(1, 2);
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const auto& t = tasks.tasks[i];
    const auto clock = static_cast<std::int32_t>(i);
    out.work.steps.push_back({.length = t.wcet});
    out.work.clocks.push_back(clock);
    sim::graph_task<ticks> task;
    task.graph = i;
    task.first_step = i;
    task.steps = 1;
    task.parallelism = kind == overlap::none ? 1 : kind == overlap::slots ? t.parallelism : 0;
    task.clock = clock;
    task.period = t.period;
    task.offset = unit * random.below(12);
    task.priority_point = takt::relative_point(policy, t, cpus);
    task.is_sink = true;
    out.work.tasks.push_back(task);
    if (kind == overlap::distance) { out.work.dependencies.push_back({.from = i, .to = i, .lag = t.parallelism}); }
    out.releases.emplace_back();
    ticks release = together ? unit * 12 - task.offset : random.below(t.period);
    for (int j = 0; j < 15; ++j) {
      out.releases.back().push_back(release);
      release += t.period + (random.chance(2, 3) ? 0 : random.below(t.period));
    }
  }
  return out;
}

template <class Analyse>
[[nodiscard]] auto cpu_soundness(overlap kind, bool preemptive, const Analyse& analyse) -> record {
  return over_random_systems([&](random_stream& random, record& out) {
    constexpr std::array policies{takt::gel_policy::earliest_deadline,
                                  takt::gel_policy::fair_lateness,
                                  takt::gel_policy::first_in_first_out,
                                  takt::gel_policy::given_points,
                                  takt::gel_policy{.deadline = 1, .wcet = -1},
                                  takt::gel_policy{.period = 2, .wcet = 3, .other_processors = -1, .point = -1}};
    const auto cpus = static_cast<std::int32_t>(random.between(1, 4));
    const gel_tasks tasks = random_tasks(random, cpus, kind == overlap::none);
    const auto policy = policies[static_cast<std::size_t>(random.below(6))];
    const auto bounds = analyse(tasks, cpus, policy);
    if (!bounds.bounded()) { return; }
    ++out.bounded;
    for (int attack = 0; attack < 3; ++attack) {
      const cpu_system system = random_cpu_system(random, tasks, cpus, policy, kind);
      sim::graph_options options;
      options.preemptive = preemptive;
      options.early_release = random.chance(1, 2);
      const sim::random_lengths lengths{random.next(), random.chance(1, 2) ? 100 : 0};
      const auto run = sim::simulate_graphs(system.work, system.releases, options, lengths);
      REQUIRE(run.ok());
      ++out.runs;
      for (std::size_t i = 0; i < tasks.size(); ++i) { out.compare(run.tasks[i].response, bounds.tasks[i].response); }
    }
  });
}

}  // namespace

TEST_CASE("no kernel exceeds its bounds under any placement, nor the queue its lemmas" *
          takt_tests::traces("OVX-25 OVX-26 OVX-27 OVX-X2")) {
  std::uint64_t instants = 0;
  std::uint64_t non_busy = 0;
  check_sound(
      "kernels", over_random_systems([&](random_stream& random, record& out) {
        const auto gpu = random_gpu(random);
        const kernels set = random_kernels(random, gpu);
        const auto separated = an::separated_enqueue_response(set, gpu, takt::per_job_streams);
        const auto knapsack = an::knapsack_response(set, gpu, takt::per_job_streams);
        const auto outstanding = an::outstanding_response(set, gpu, takt::per_job_streams);
        CHECK(separated.bounded() == knapsack.bounded());
        if (!separated.bounded() && !outstanding.bounded()) { return; }
        ++out.bounded;
        for (const auto placement : {block_placement::even, block_placement::first_fit, block_placement::best_fit}) {
          sim::lemma_checks lemmas{claims_of(set, gpu)};
          const auto worst = worst_responses(random, set, shape_of(gpu, placement), lemmas);
          ++out.runs;
          compare(worst, separated, out);
          compare(worst, knapsack, out);
          compare(worst, outstanding, out);
          instants += lemmas.instants();
          non_busy += lemmas.non_busy_instants();
          out.violations += lemmas.class_violations() + lemmas.carry_in_violations();
          out.violations += separated.bounded() ? lemmas.backlog_violations() : 0;
        }
      }),
      0.95);
  CHECK(non_busy > 0);
  CHECK(non_busy < instants);
}

TEST_CASE("no kernel with enqueue jitter exceeds the bounds that count it, from its actual enqueue" *
          takt_tests::traces("OVX-X3")) {
  check_sound("kernels with jitter", over_random_systems([](random_stream& random, record& out) {
                const auto gpu = random_gpu(random);
                const kernels set = random_kernels(random, gpu, unit * 30);
                const auto separated = an::separated_enqueue_response(set, gpu, takt::per_job_streams);
                const auto knapsack = an::knapsack_response(set, gpu, takt::per_job_streams);
                const auto outstanding = an::outstanding_response(set, gpu, takt::per_job_streams);
                if (!separated.bounded() && !outstanding.bounded()) { return; }
                ++out.bounded;
                for (int attack = 0; attack < 3; ++attack) {
                  const auto worst = worst_responses(random, set, shape_of(gpu, random_placement(random)));
                  ++out.runs;
                  compare(worst, separated, out);
                  compare(worst, knapsack, out);
                  compare(worst, outstanding, out);
                }
              }));
}

TEST_CASE("where the test for a stream per task passes, no kernel exceeds its bound" * takt_tests::traces("OVX-X4")) {
  check_sound("a stream per task", over_random_systems(
                                       [](random_stream& random, record& out) {
                                         const auto gpu = random_gpu(random);
                                         const kernels set = random_kernels(random, gpu);
                                         const auto bounds = an::per_task_stream_response(set, gpu);
                                         if (!bounds.bounded()) { return; }
                                         ++out.bounded;
                                         for (int attack = 0; attack < 3; ++attack) {
                                           const auto shape = shape_of(gpu, random_placement(random));
                                           compare(worst_responses(random, set, shape, true), bounds, out);
                                           ++out.runs;
                                         }
                                       },
                                       300));
}

TEST_CASE("no kernel exceeds the bound for several resources" * takt_tests::traces("OVX-30 OVX-X6")) {
  check_sound("several resources", over_random_systems([](random_stream& random, record& out) {
                auto gpu = random_gpu(random);
                gpu.block_slots = random.between(2, 4);
                gpu.shared_memory = random.chance(1, 2) ? 12 : 0;
                gpu.registers = random.chance(1, 3) ? 20 : 0;
                kernels set = random_kernels(random, gpu);
                for (std::size_t i = 0; i < set.size(); ++i) {
                  auto& k = set.tasks[i];
                  k.threads = std::max<std::int64_t>(1, k.threads / 2);
                  if (gpu.shared_memory > 0) { k.shared_memory = random.below(8); }
                  if (gpu.registers > 0) { k.registers = random.below(12); }
                  k.period *= random.between(1, 3);
                }
                const auto bounds = an::multi_resource_response(set, gpu, takt::per_job_streams);
                if (!bounds.bounded()) { return; }
                ++out.bounded;
                for (int attack = 0; attack < 3; ++attack) {
                  compare(worst_responses(random, set, shape_of(gpu, random_placement(random))), bounds, out);
                  ++out.runs;
                }
              }));
}

TEST_CASE("no job that may overlap with others of its task exceeds the bounds, released early or not" *
          takt_tests::traces("OVX-08 OVX-X1")) {
  check_sound("overlapping", cpu_soundness(overlap::unlimited, true, [](const auto& tasks, auto cpus, auto policy) {
                return an::overlapping_response(tasks, cpus, policy);
              }));
  check_sound("overlapping, refined",
              cpu_soundness(overlap::unlimited, true, [](const auto& t, auto cpus, auto policy) {
                return an::overlapping_response_refined(t, cpus, policy);
              }));
  check_sound("overlapping, plain", cpu_soundness(overlap::unlimited, true, [](const auto& t, auto cpus, auto policy) {
                return an::overlapping_response(t, cpus, policy, an::point_shift::if_negative);
              }));
}

TEST_CASE("no job exceeds the bound for non-preemptive scheduling" * takt_tests::traces("OVX-X7")) {
  check_sound("non-preemptive", cpu_soundness(overlap::unlimited, false, [](const auto& tasks, auto cpus, auto policy) {
                return an::non_preemptive_response(tasks, cpus, policy);
              }));
}

TEST_CASE("no sequential job exceeds its bounds" * takt_tests::traces("OVX-07")) {
  check_sound("sequential", cpu_soundness(overlap::none, true, [](const auto& tasks, auto cpus, auto policy) {
                return an::detail::sequential_response(tasks, cpus, policy);
              }));
}

TEST_CASE("no job of a task with limited parallelism exceeds its bound, by slots or by distance" *
          takt_tests::traces("OVX-X5")) {
  check_sound("slots", cpu_soundness(overlap::slots, true, [](const auto& tasks, auto cpus, auto policy) {
                return an::detail::slot_response(tasks, cpus, policy);
              }));
  check_sound("distance", cpu_soundness(overlap::distance, true, [](const auto& tasks, auto cpus, auto policy) {
                return an::distance_response(tasks, cpus, policy);
              }));
}
