// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/choice.hpp>
#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gel_policy.hpp>
#include <takt/model/gpu_migration.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/service_order.hpp>

namespace takt::inline TAKT_ABI {

inline constexpr std::int32_t max_gpusync_cpus = 64;
inline constexpr std::int32_t max_gpusync_gpus = 32;
inline constexpr std::int32_t max_gpusync_tokens = 64;
/// As many tokens as there are tasks: jobs meet at the engines only.
inline constexpr std::int32_t unlimited_tokens = 0;

/// Says what goes first on the CPUs of a cluster: the job, or under task-level priorities the task, of the least point.
/// `points.point` counts the task's own priority. Under all of them a job keeps its priority. An order of one's own:
/// `cpu_scheduler{.points = {.deadline = 1}, .task_level = true}` is deadline monotonic.
struct cpu_scheduler {
  gel_policy points{};
  bool task_level = false;  ///< the release does not count, and equal points are in the given order

  static const cpu_scheduler earliest_deadline;
  static const cpu_scheduler fair_lateness;    ///< least d - (c - 1) / c * e after the release, on c CPUs
  static const cpu_scheduler shortest_period;  ///< rate monotonic
  static const cpu_scheduler given_priority;   ///< the tasks' own priorities

  [[nodiscard]] constexpr auto reads_priorities() const noexcept -> bool { return points.point != 0; }
  /// Returns whether what a job demands of the CPU is part of its point.
  [[nodiscard]] constexpr auto reads_demand() const noexcept -> bool {
    return points.wcet != 0 || points.other_processors != 0;
  }
  [[nodiscard]] friend constexpr auto operator==(const cpu_scheduler&, const cpu_scheduler&) noexcept -> bool = default;
};

namespace detail {

/// Computes the point of a task under task-level priorities. False when it does not fit.
template <class Task, ExactNumber Number>
[[nodiscard]] constexpr auto task_point(const cpu_scheduler& s, const Task& t, Number& out) -> bool {
  out = Number(0);
  const auto add = [&out](std::int32_t times, const Number& value) {
    Number all{};
    return times == 0 || (multiply_exactly(Number(times), value, all) && add_exactly(out, all, out));
  };
  return add(s.points.deadline, t.deadline) && add(s.points.period, t.period) &&
         add(s.points.point, Number(t.priority));
}

}  // namespace detail

inline constexpr cpu_scheduler cpu_scheduler::earliest_deadline{.points = gel_policy::earliest_deadline};
inline constexpr cpu_scheduler cpu_scheduler::fair_lateness{.points = gel_policy::fair_lateness};
inline constexpr cpu_scheduler cpu_scheduler::shortest_period{.points = {.period = 1}, .task_level = true};
inline constexpr cpu_scheduler cpu_scheduler::given_priority{.points = gel_policy::given_points, .task_level = true};

/// Says who may wait for tokens, and what keeps a token holder running. Its priority is inherited from those who wait.
/// Or a job that it displaces lends it priority, at that job's release.
struct token_protocol {
  bool given = true;  ///< else donation exactly where a GPU cluster serves several CPU clusters
  bool donates_at_release = false;
  /// Under donation, queues have places for all CPUs of the platform, and not only for those that share the tokens:
  /// Elliott 2015 asks for f >= ceil(m / k) (section 3.2.3.2) and counts so in equation 2.36.
  bool for_all_cpus = false;

  static const token_protocol derived;
  static const token_protocol r2dglp;
  static const token_protocol ck_omlp;

  [[nodiscard]] friend constexpr auto operator==(const token_protocol&, const token_protocol&) noexcept
      -> bool = default;
};

inline constexpr token_protocol token_protocol::derived{.given = false};
inline constexpr token_protocol token_protocol::r2dglp{};
inline constexpr token_protocol token_protocol::ck_omlp{.donates_at_release = true};

/// Says what happens in a GPU cluster that no more tasks use than it has GPUs.
enum class uncontended_gpus : std::uint8_t {
  shared,     ///< tokens are given as in any other cluster
  dedicated,  ///< each task keeps one GPU for itself: it waits for no engine, and its state stays where it is
};
[[nodiscard]] constexpr auto last_of(uncontended_gpus) noexcept -> uncontended_gpus {
  return uncontended_gpus::dedicated;
}

/// Says which CPU clusters each GPU cluster serves: bit b of element a. All zero: evenly.
struct gpusync_association {
  std::array<std::uint64_t, max_gpusync_gpus> cpu_clusters{};

  [[nodiscard]] constexpr auto given() const noexcept -> bool {
    for (const std::uint64_t served : cpu_clusters) {
      if (served != 0) { return true; }
    }
    return false;
  }
  [[nodiscard]] friend constexpr auto operator==(const gpusync_association&, const gpusync_association&) noexcept
      -> bool = default;
};

/// Says how CPUs and GPUs are divided and shared, in one value that can be a template argument. Clusters are numbered
/// from 0 and have consecutive members. Source: Elliott 2015, section 4.2.
struct gpusync_configuration {
  std::int32_t cpus = 1;
  std::int32_t cpu_cluster_size = 1;
  std::int32_t gpus = 1;
  std::int32_t gpu_cluster_size = 1;
  std::int32_t tokens_per_gpu = 1;  ///< or `unlimited_tokens`
  std::int32_t copy_engines = 2;    ///< of a GPU; 0 where it shares the CPUs' memory
  std::int32_t numa_nodes = 1;      ///< GPUs serve CPUs of their own node where clusters allow it
  migration_path migration = migration_path::none;
  token_protocol tokens = token_protocol::derived;
  service_order engines = service_order::first_come;
  cpu_scheduler scheduler = cpu_scheduler::fair_lateness;
  uncontended_gpus uncontended = uncontended_gpus::shared;
  std::int64_t dma_chunk = 1 << 20;
  gpusync_association association{};

  // What follows is of sizes in which `fault_of` finds no fault.

  /// Pre: clusters have a size; so for the one below.
  [[nodiscard]] constexpr auto cpu_clusters() const noexcept -> std::int32_t {
    TAKT_EXPECTS(cpu_cluster_size > 0);
    return cpus / cpu_cluster_size;
  }
  [[nodiscard]] constexpr auto gpu_clusters() const noexcept -> std::int32_t {
    TAKT_EXPECTS(gpu_cluster_size > 0);
    return gpus / gpu_cluster_size;
  }
  [[nodiscard]] constexpr auto engines_per_gpu() const noexcept -> std::int32_t { return 1 + copy_engines; }
  [[nodiscard]] constexpr auto limits_tokens() const noexcept -> bool { return tokens_per_gpu != unlimited_tokens; }
  /// Returns the tokens of a GPU cluster; 0 without a limit.
  [[nodiscard]] constexpr auto replicas() const noexcept -> std::int32_t { return tokens_per_gpu * gpu_cluster_size; }
  /// Returns whether a job may find its state on another GPU.
  [[nodiscard]] constexpr auto migrates() const noexcept -> bool {
    switch (migration) {
      case migration_path::none: return false;
      case migration_path::peer_to_peer:
      case migration_path::system_memory: return gpu_cluster_size > 1;
    }
    return false;
  }

  /// Returns whether each of so many tasks of a GPU cluster has a GPU for itself.
  [[nodiscard]] constexpr auto dedicates_gpus(std::int64_t users) const noexcept -> bool {
    switch (uncontended) {
      case uncontended_gpus::shared: return false;
      case uncontended_gpus::dedicated: return users <= gpu_cluster_size;
    }
    return false;
  }

  /// Pre: there are such clusters.
  [[nodiscard]] constexpr auto serves(std::int32_t gpu_cluster, std::int32_t cpu_cluster) const noexcept -> bool {
    TAKT_EXPECTS(0 <= gpu_cluster && gpu_cluster < gpu_clusters() && 0 <= cpu_cluster && cpu_cluster < cpu_clusters());
    if (association.given()) {
      return ((association.cpu_clusters[static_cast<std::size_t>(gpu_cluster)] >> cpu_cluster) & 1U) != 0;
    }
    std::int32_t k = cpu_clusters();
    std::int32_t g = gpu_clusters();
    if (numa_nodes > 1 && k % numa_nodes == 0 && g % numa_nodes == 0) {
      k /= numa_nodes;
      g /= numa_nodes;
      if (gpu_cluster / g != cpu_cluster / k) { return false; }
      gpu_cluster %= g;
      cpu_cluster %= k;
    }
    return g >= k ? gpu_cluster / (g / k) == cpu_cluster : cpu_cluster / (k / g) == gpu_cluster;
  }
  /// Returns how many CPU clusters a GPU cluster serves.
  [[nodiscard]] constexpr auto served_clusters(std::int32_t gpu_cluster) const noexcept -> std::int32_t {
    std::int32_t count = 0;
    for (std::int32_t b = 0; b < cpu_clusters(); ++b) { count += serves(gpu_cluster, b) ? 1 : 0; }
    return count;
  }
  /// Returns the CPUs on which tasks of a GPU cluster may run.
  [[nodiscard]] constexpr auto sharing_cpus(std::int32_t gpu_cluster) const noexcept -> std::int32_t {
    return cpu_cluster_size * served_clusters(gpu_cluster);
  }
  [[nodiscard]] constexpr auto has_gpus(std::int32_t cpu_cluster) const noexcept -> bool {
    for (std::int32_t a = 0; a < gpu_clusters(); ++a) {
      if (serves(a, cpu_cluster)) { return true; }
    }
    return false;
  }
  [[nodiscard]] constexpr auto shares_gpu_clusters() const noexcept -> bool {
    for (std::int32_t a = 0; a < gpu_clusters(); ++a) {
      if (served_clusters(a) > 1) { return true; }
    }
    return false;
  }
  /// Returns the protocol that is meant.
  [[nodiscard]] constexpr auto protocol() const noexcept -> token_protocol {
    if (tokens.given) { return tokens; }
    const bool donates = shares_gpu_clusters();
    return {.donates_at_release = donates, .for_all_cpus = donates && tokens.for_all_cpus};
  }
  /// Returns how many CPUs the queues of a GPU cluster's tokens have places for, if as many tasks use it.
  [[nodiscard]] constexpr auto counted_cpus(std::int32_t gpu_cluster) const noexcept -> std::int32_t {
    return protocol().for_all_cpus ? cpus : sharing_cpus(gpu_cluster);
  }
  /// Returns whether a job that is displaced by a token holder's borrowed priority lends its own at its release.
  [[nodiscard]] constexpr auto donates_at_release() const noexcept -> bool { return protocol().donates_at_release; }
  /// Returns whether each GPU's interrupts are handled on the one CPU whose jobs use it.
  [[nodiscard]] constexpr auto interrupts_stay_local() const noexcept -> bool {
    return cpu_cluster_size == 1 && gpu_cluster_size == 1 && !shares_gpu_clusters();
  }

  [[nodiscard]] friend constexpr auto operator==(const gpusync_configuration&, const gpusync_configuration&) noexcept
      -> bool = default;
};

namespace detail {

[[nodiscard]] constexpr auto choices_known(const gpusync_configuration& c) noexcept -> bool {
  const bool scheduler = !c.scheduler.task_level || !c.scheduler.reads_demand();
  const bool tokens =
      c.tokens.given ? c.tokens.donates_at_release || !c.tokens.for_all_cpus : !c.tokens.donates_at_release;
  return is_known(c.migration) && is_known(c.uncontended) && scheduler && tokens;
}

[[nodiscard]] constexpr auto association_fault(const gpusync_configuration& c) noexcept -> model_fault {
  for (std::int32_t a = 0; a < max_gpusync_gpus; ++a) {
    const std::uint64_t served = c.association.cpu_clusters[static_cast<std::size_t>(a)];
    const bool known = a < c.gpu_clusters() && (c.cpu_clusters() == 64 || (served >> c.cpu_clusters()) == 0);
    if (served != 0 && !known) { return model_fault::association_out_of_range; }
  }
  return model_fault::none;
}

}  // namespace detail

/// Returns the first thing that is wrong with a configuration.
[[nodiscard]] constexpr auto fault_of(const gpusync_configuration& c) noexcept -> model_fault {
  if (c.cpus < 1 || c.gpus < 1 || c.cpus > max_gpusync_cpus || c.gpus > max_gpusync_gpus || c.numa_nodes < 1) {
    return model_fault::processors_out_of_range;
  }
  if (c.cpu_cluster_size < 1 || c.gpu_cluster_size < 1 || c.cpus % c.cpu_cluster_size != 0 ||
      c.gpus % c.gpu_cluster_size != 0) {
    return model_fault::cluster_does_not_divide;
  }
  if (c.tokens_per_gpu < 0 || c.tokens_per_gpu > max_gpusync_tokens) { return model_fault::tokens_out_of_range; }
  if (c.copy_engines < 0 || c.copy_engines > 2) { return model_fault::copy_engines_out_of_range; }
  if (c.dma_chunk < 1) { return model_fault::chunk_not_positive; }
  if (!detail::choices_known(c)) { return model_fault::choice_out_of_range; }
  if (const auto fault = detail::association_fault(c); fault != model_fault::none) { return fault; }
  if (!c.donates_at_release() && c.shares_gpu_clusters()) { return model_fault::r2dglp_across_clusters; }
  if (!c.limits_tokens() && c.shares_gpu_clusters()) { return model_fault::unlimited_across_clusters; }
  return model_fault::none;
}

}  // namespace takt::inline TAKT_ABI
