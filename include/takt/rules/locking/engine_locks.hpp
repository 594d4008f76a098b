// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/priority_group_lock.hpp>

namespace takt::inline TAKT_ABI {

/// Locks that a GPU has at most: for its kernels, its copies, and its copies to the host where they have an engine of
/// their own.
inline constexpr std::int32_t locks_per_gpu = 3;

/// One mutex per engine of a GPU cluster. The order of service is part of the type and hence the same on all its GPUs;
/// a peer-to-peer copy asks for both its engines in one step. Source: Elliott 2015, section 3.2.3.4.
template <std::size_t Gpus, std::size_t Clients>
using fifo_engine_locks = group_lock<Gpus* static_cast<std::size_t>(locks_per_gpu), Clients>;
template <std::size_t Gpus, std::size_t Clients>
using priority_engine_locks = priority_group_lock<Gpus* static_cast<std::size_t>(locks_per_gpu), Clients>;

[[nodiscard]] constexpr auto engine_lock(const gpu_engine& e) noexcept -> lock_id {
  return e.gpu * locks_per_gpu + static_cast<lock_id>(e.kind);
}

namespace detail {

/// Returns the locks of an operation in the order of its engines.
template <GroupLock Locks>
[[nodiscard]] constexpr auto engine_lock_list(const engine_set& engines) noexcept -> typename Locks::list {
  typename Locks::list wanted;
  // Bound: two engines of a GPU, which has three locks.
  for (const gpu_engine& e : engines) { wanted.unchecked_push_back(engine_lock(e)); }
  return wanted;
}

template <std::size_t MaxGpus, std::size_t MaxHubs>
[[nodiscard]] constexpr auto has_engine(const gpu_topology<MaxGpus, MaxHubs>& topology, const gpu_engine& e) noexcept
    -> bool {
  if (!topology.contains(e.gpu)) { return false; }
  return e.kind != engine_kind::copy_to_host || topology.copy_engines(e.gpu) == 2;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
