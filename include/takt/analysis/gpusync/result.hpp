// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/gel/gel_bounds.hpp>
#include <takt/analysis/gpusync/engine_blocking.hpp>
#include <takt/analysis/gpusync/inflated_set.hpp>
#include <takt/analysis/gpusync/token_blocking.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/gpusync/requests.hpp>

namespace takt::analysis::gpusync {

enum class set_status : std::uint8_t {
  schedulable,    ///< as wanted: responses are bounded, or every deadline is met
  interrupted,    ///< the interrupts of a CPU cluster leave no time for jobs
  overloaded,     ///< a CPU cluster has no bound
  late,           ///< responses are bounded, but not by the deadlines
  not_converged,  ///< given up after as many passes as the options allow
  overflow,
  invalid_model,  ///< a choice of the options or the configuration is none of the named enumerators
};

/// What the last pass found of a task.
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

/// Responses of inflated tasks, in the given order.
template <class Table>
struct tested_set {
  using number = typename Table::number;
  set_status status = set_status::schedulable;
  std::array<response_bound<number>, Table::max_tasks> responses{};
  std::array<number, Table::max_tasks> lateness{};
  inline_vector<cluster_bounds<number>, static_cast<std::size_t>(max_gpusync_cpus)> clusters;
};

/// Tasks in the given order. On ticks every time is rounded upwards.
template <class Table>
struct set_bounds {
  using number = typename Table::number;
  set_status status = set_status::overflow;
  std::int32_t passes = 0;
  inline_vector<task_bounds<number>, Table::max_tasks> tasks;
  inline_vector<cluster_bounds<number>, static_cast<std::size_t>(max_gpusync_cpus)> clusters;  ///< empty: not reached

  [[nodiscard]] constexpr auto schedulable() const noexcept -> bool { return status == set_status::schedulable; }
};

}  // namespace takt::analysis::gpusync
