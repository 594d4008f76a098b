// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/gel/gel_bounds.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/systems/locked_gpus/analysis/engine_blocking.hpp>
#include <takt/systems/locked_gpus/analysis/inflated_set.hpp>
#include <takt/systems/locked_gpus/analysis/token_blocking.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

/// Holds what the last pass found of a task.
template <class Number>
struct task_bounds {
  job_requests<Number> own{};
  engine_wait<Number> engines{};
  blocking_bound<Number> section{};  ///< as others see it
  token_wait<Number> tokens{};
  Number top_halves{};  ///< interrupts of GPUs that may hit a job
  independent_task<Number> inflated{};
  bool is_inflated = false;
  response_bound<Number> response{};  ///< from the release
  Number lateness{};                  ///< of the inflated task, if there is a response
};

template <class Number>
struct cluster_bounds {
  gel_status status = gel_status::bounded;
  Number s{};  ///< of the compliant vector; 0 under fixed priorities
};

namespace detail {

/// Holds responses of inflated tasks, in the given order.
template <class Table>
struct tested_set {
  using number = typename Table::number;
  obstacle status = obstacle::none;
  std::array<response_bound<number>, Table::max_tasks> responses{};
  std::array<number, Table::max_tasks> lateness{};
  inline_vector<cluster_bounds<number>, static_cast<std::size_t>(max_gpusync_cpus)> clusters;
};

}  // namespace detail

/// Holds tasks in the given order. On ticks every time is rounded upwards.
template <class Table>
struct set_bounds {
  using number = typename Table::number;
  obstacle status = obstacle::overflow;
  std::int32_t passes = 0;
  inline_vector<task_bounds<number>, Table::max_tasks> tasks;
  inline_vector<cluster_bounds<number>, static_cast<std::size_t>(max_gpusync_cpus)> clusters;  ///< empty: not reached

  [[nodiscard]] constexpr auto schedulable() const noexcept -> bool { return status == obstacle::none; }
};

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
