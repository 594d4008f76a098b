// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/locking/job_lists.hpp>
#include <takt/simulation/locking/task_state.hpp>
#include <takt/simulation/locking/workload.hpp>

namespace takt::simulation {

/// A lock that changes hands.
struct lock_event {
  request_id task = 0;
  std::size_t job = 0;  ///< position among all jobs of the workload
  resource_id resource = 0;
  replica_id replica = no_replica;
  ticks time = 0;
  ticks used = 0;  ///< time for which the job has run or suspended itself so far
};

/// Who accompanies a simulation: `granted` may put operations in front of the rest of the job's program, `releasing` is
/// told before the lock is. Programs with inserted operations must leave every lock as they found it.
template <class H>
concept LockHooks = requires(H h, const lock_event& e, inserted_operations& inserted) {
  h.granted(e, inserted);
  h.releasing(e);
};

/// Hooks that release jobs, each once and in the order of its task: `started` before the first instant, `completed`
/// whenever a job is complete, its task being idle by then. Jobs released in the past, or at an instant whose releases
/// are over, are pending at once. `began` may put operations in front of the program of a job that becomes pending.
template <class H>
concept ReleaseHooks = LockHooks<H> && requires(H h, request_id task, std::size_t job, ticks now,
                                                inserted_operations& inserted, std::vector<event_release>& releases) {
  h.started(releases);
  h.began(task, job, inserted);
  h.completed(task, job, now, releases);
};

struct no_lock_hooks {
  static constexpr void granted(const lock_event& /*e*/, inserted_operations& /*inserted*/) noexcept {}
  static constexpr void releasing(const lock_event& /*e*/) noexcept {}
};

static_assert(LockHooks<no_lock_hooks>);

}  // namespace takt::simulation
