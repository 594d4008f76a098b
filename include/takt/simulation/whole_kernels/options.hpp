// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>

namespace takt::simulation {

template <ExactNumber Number>
struct accelerator_options {
  /// What a preemption costs. Kernels whose preemption cost is 0 stop anywhere and at once under each of the models.
  preemption_cost_model costs = preemption_cost_model::race;
  /// As if all preemption costs were 0.
  bool free_preemption = false;

  /// Only for strategies with slots: of the kernels pinned to cores, and of those that need all cores.
  slot_reservation<Number> pinned_slot{};
  slot_reservation<Number> gang_slot{};
  /// Whether kernels stop starting waves so long before the end of their slot that no wave reaches beyond it: by the
  /// largest preemption cost on their core or, for those that need all cores, among these.
  bool guard_band = false;

  /// The run stops at the first event after it, and jobs that are then incomplete are misses; without it, when all jobs
  /// are complete.
  bool has_limit = false;
  Number limit{};
  /// The run stops at the first deadline that passes; what is incomplete and not yet due is then no miss.
  bool stop_at_first_miss = false;
};

}  // namespace takt::simulation
