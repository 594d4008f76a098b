// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/locking/workload.hpp>
#include <takt/simulation/locking/workload_check.hpp>
#include <takt/simulation/result.hpp>

namespace takt::simulation {

/// Time for which a job is pending but neither runs nor suspends itself although its priority would let it run. As long
/// as it is among the c best pending jobs of its cluster that is s-oblivious blocking, split by why it does not run.
/// S-aware blocking lasts while fewer than c better jobs are pending without waiting and without suspending themselves.
/// Source: Elliott 2015, section 2.1.6.3.
struct priority_inversion {
  ticks waiting = 0;  ///< with an unsatisfied request
  ticks donating = 0;
  ticks ready = 0;  ///< less important jobs run instead
  ticks aware = 0;

  [[nodiscard]] constexpr auto oblivious() const noexcept -> ticks { return waiting + donating + ready; }
  [[nodiscard]] friend constexpr auto operator==(const priority_inversion&, const priority_inversion&) noexcept
      -> bool = default;
};

struct job_outcome {
  ticks finish = no_instant;
  priority_inversion inversion{};
};

/// A request of a job for one resource; of a group one per resource, in the order of the group.
struct request_outcome {
  std::size_t job = 0;  ///< position among all jobs of the workload
  resource_id resource = 0;
  ticks issued = no_instant;
  ticks satisfied = no_instant;
  ticks released = no_instant;
  ticks blocked = 0;  ///< s-oblivious blocking while it was the first unsatisfied request of its job
  replica_id replica = no_replica;
};

struct lock_result {
  model_error error{};
  ticks end = 0;  ///< the last instant at which anything happened
  std::vector<job_outcome> jobs{};
  std::vector<request_outcome> requests{};  ///< in the order of issue
};

}  // namespace takt::simulation
