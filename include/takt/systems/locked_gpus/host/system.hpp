// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/gpu_migration.hpp>
#include <takt/prediction/gpu_cost_predictor.hpp>
#include <takt/rules/locking/token_map.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace takt::inline TAKT_ABI {

/// Says how many requests a token queue takes, where k tokens and the c CPUs that the configuration counts
/// (`counted_cpus`) share the requests of n tasks.
enum class token_queue_length : std::uint8_t {
  for_users,  ///< ceil(min(c, n) / k): no token stays idle that bounds count on
  for_cpus,   ///< ceil(c / k)
};
[[nodiscard]] constexpr auto last_of(token_queue_length) noexcept -> token_queue_length {
  return token_queue_length::for_cpus;
}

namespace host {

/// Says what an engine section of a token section uses. It is an engine of the GPU of the token. For `peer` the engine
/// for copies out of the GPU that has the state is used besides.
enum class section_engine : std::uint8_t { copy_out, copy_in, execution, peer };

struct section_step {
  section_engine engine = section_engine::execution;
  ticks time = 0;  ///< at most
};

/// Is a task flattened to what its jobs do: run, take a token, do all steps one after the other, give it back, run.
struct section_program {
  std::int32_t cpu_cluster = 0;
  std::int32_t gpu_cluster = no_cluster;
  ticks cpu_before = 0;
  ticks cpu_first = 0;  ///< after the grant of the token, before the first step
  ticks cpu_last = 0;   ///< after the last step, before the token is given back
  ticks cpu_after = 0;
  std::vector<section_step> steps{};             ///< of every job, without the migration
  std::vector<ticks> state_in{};                 ///< chunks from system memory, when the GPU changes
  std::vector<ticks> state_out{};                ///< chunks to system memory, after every job
  std::vector<std::vector<ticks>> state_peer{};  ///< chunks from GPU to GPU, by distance
  ticks longest_section = 0;                     ///< no prediction is longer
  std::int32_t own_gpu = no_gpu;                 ///< the one that no other task gets; `no_gpu`: any
};

/// Says what chooses which GPU a job gets where the bound of the protocol leaves a choice.
enum class gpu_choice : std::uint8_t {
  shortest_queue,  ///< nobody: the protocol's own rules
  random,          ///< any queue with a place
  predicted,       ///< least predicted completion, with all four heuristics of affinity
};
[[nodiscard]] constexpr auto last_of(gpu_choice) noexcept -> gpu_choice { return gpu_choice::predicted; }

namespace detail {

[[nodiscard]] constexpr auto predicts(gpu_choice e) noexcept -> bool {
  switch (e) {
    case gpu_choice::predicted: return true;
    case gpu_choice::shortest_queue:
    case gpu_choice::random: return false;
  }
  return false;
}

}  // namespace detail

/// Holds the tokens of one GPU cluster.
struct simulated_pool {
  std::int32_t sharing_cpus = 1;
  token_map tokens{};
  std::int32_t queue_limit = 0;  ///< 0: the least sound one
};

/// Says what locking itself takes of a job's time on a CPU; each is 0 where it is not looked at.
struct request_costs {
  ticks before_lock = 0;
  ticks after_grant = 0;   ///< with the lock
  ticks after_wait = 0;    ///< with the lock, when an operation of a GPU has ended
  ticks after_unlock = 0;  ///< without it
};

/// Describes CPUs and locked GPUs without nesting. All GPU clusters have the same number of GPUs.
struct gpu_system {
  std::int32_t processors = 1;  ///< per CPU cluster
  std::int32_t clusters = 1;
  std::vector<simulated_pool> pools{};
  std::int32_t copy_engines = 2;
  service_order engines = service_order::first_come;
  migration_path migration = migration_path::none;
  /// Says whether a copy from GPU to GPU asks for both its engines at once, or for one after the other in the order of
  /// their numbers. At once, with one grant at a time, engines that are not served in the order of arrival may end in a
  /// deadlock.
  bool peer_engines_together = true;
  bool donation_at_release = false;       ///< CK-OMLP
  std::vector<std::int32_t> distances{};  ///< between the GPUs of a cluster, row by row; below `distance_limit`
  gpu_choice choice = gpu_choice::predicted;
  cost_predictor_settings predictor{};
  request_costs costs{};
  std::vector<section_program> programs{};
};

/// Distances that are told apart.
inline constexpr std::size_t distance_limit = 4;

/// Holds the choices of a host of jobs on locked GPUs, in virtual and in real time. A choice that the configuration
/// leaves no use for is refused, with the choice in the error's `name`.
struct locked_gpu_choices {
  gpu_choice choice = gpu_choice::predicted;
  token_layout layout = token_layout::block;
  /// A job gives its token back at its end, as a program does in which nothing marks the last call of a GPU. Bounds
  /// hold if `cpu_in_gpu_section` covers the rest of the job.
  bool token_until_end = false;
  token_queue_length queues = token_queue_length::for_users;
  cost_predictor_settings predictor{};
  /// Between the GPUs of a cluster, row by row. Empty: 1 within each pair of neighbours, 2 beyond.
  std::span<const std::int32_t> distances{};
  /// Of the time of a copy from GPU to GPU, by distance: from 0 to 100.
  std::array<std::int32_t, distance_limit> peer_percent{100, 100, 100, 100};
};

}  // namespace host

}  // namespace takt::inline TAKT_ABI
