// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/choice.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/bus_congestion.hpp>
#include <takt/model/copy_chunks.hpp>
#include <takt/model/copy_model.hpp>
#include <takt/model/gpu_topology.hpp>

namespace takt::inline TAKT_ABI {

/// Says how the state of a task follows it from one GPU to another.
enum class migration_path : std::uint8_t {
  none,           ///< there is no state
  peer_to_peer,   ///< from GPU to GPU, when it is known that the GPU changes
  system_memory,  ///< to system memory after every job, back only to another GPU than that of the job before
};
[[nodiscard]] constexpr auto last_of(migration_path) noexcept -> migration_path {
  return migration_path::system_memory;
}
[[nodiscard]] constexpr auto copies_between_gpus(migration_path e) noexcept -> bool {
  switch (e) {
    case migration_path::peer_to_peer: return true;
    case migration_path::none:
    case migration_path::system_memory: return false;
  }
  return false;
}

/// Chunks that are copied one after another. Each is a critical section of its own, for which all engines of the step
/// are requested at once.
struct migration_step {
  engine_set engines;
  copy_chunks chunks;

  /// Returns how long one critical section of the step holds its engines.
  [[nodiscard]] constexpr auto section_time(const copy_model& link,
                                            const bus_congestion& congestion = {}) const noexcept
      -> interval<duration> {
    return congestion.time(chunks.longest(link));
  }
};

struct migration_plan {
  bool possible = false;  ///< false: a GPU or the path is unknown, or the chunks are not valid
  inline_vector<migration_step, 2> steps;
};

/// Returns what a job copies between the grant of a token for GPU `to` and the first operation there. `from` is the GPU
/// of the task's previous job, `no_gpu` before the first. GPUs that are not peers exchange state through system memory
/// in two steps of one engine each. Source: Elliott 2015, section 3.2.3.4; for GPUs without a common hub see 2.4.2.2.
template <std::size_t MaxGpus, std::size_t MaxHubs>
[[nodiscard]] constexpr auto migration_before(const gpu_topology<MaxGpus, MaxHubs>& topology, migration_path path,
                                              std::int32_t from, std::int32_t to, const copy_chunks& state) noexcept
    -> migration_plan {
  const bool known = topology.contains(to) && (from == no_gpu || topology.contains(from));
  migration_plan plan{.possible = known && is_known(path) && state.valid(), .steps = {}};
  if (!plan.possible || from == no_gpu || from == to) { return plan; }
  engine_set in;  // Bound of it and of `out`: one engine. Of the steps: two.
  in.unchecked_push_back(topology.copy_engine(to, copy_direction::to_device));
  switch (path) {
    case migration_path::none: break;
    case migration_path::system_memory: plan.steps.unchecked_push_back({in, state}); break;
    case migration_path::peer_to_peer:
      if (topology.peers(from, to)) {
        plan.steps.unchecked_push_back({topology.peer_copy_engines(from, to), state});
        break;
      }
      engine_set out;
      out.unchecked_push_back(topology.copy_engine(from, copy_direction::to_host));
      plan.steps.unchecked_push_back({out, state});
      plan.steps.unchecked_push_back({in, state});
      break;
  }
  return plan;
}

/// Returns what a job copies between its last operation on a GPU and the release of its token.
template <std::size_t MaxGpus, std::size_t MaxHubs>
[[nodiscard]] constexpr auto migration_after(const gpu_topology<MaxGpus, MaxHubs>& topology, migration_path path,
                                             std::int32_t gpu, const copy_chunks& state) noexcept -> migration_plan {
  migration_plan plan{.possible = topology.contains(gpu) && is_known(path) && state.valid(), .steps = {}};
  if (!plan.possible) { return plan; }
  // Bound: one step, of one engine.
  switch (path) {
    case migration_path::none:
    case migration_path::peer_to_peer: break;
    case migration_path::system_memory:
      engine_set out;
      out.unchecked_push_back(topology.copy_engine(gpu, copy_direction::to_host));
      plan.steps.unchecked_push_back({out, state});
      break;
  }
  return plan;
}

}  // namespace takt::inline TAKT_ABI
