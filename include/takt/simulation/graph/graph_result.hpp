// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>

namespace takt::simulation {

/// The worst of a task's jobs that have ended; 0 without any, as earlier ends than the release count as 0.
template <ExactNumber Number>
struct graph_task_outcome {
  std::int64_t jobs = 0;
  Number response{};          ///< from the nominal release
  Number kernel_response{};   ///< of one of its kernels, from its entry into the queue or its stream
  Number enqueue_lateness{};  ///< of its kernels and copies, after the nominal release
};

template <ExactNumber Number>
struct graph_result {
  model_fault fault = model_fault::none;
  Number end{};
  std::vector<std::vector<Number>> responses;     ///< by graph and invocation, to the last end of a sink
  std::vector<graph_task_outcome<Number>> tasks;  ///< by position in the workload
  /// Jobs of clocked tasks, without those of limited parallelism, that became ready after their nominal release.
  std::int64_t late = 0;
  std::vector<Number> inversion;  ///< by cluster: time in which a boosted job kept a more urgent one waiting

  [[nodiscard]] auto ok() const noexcept -> bool { return fault == model_fault::none; }
  [[nodiscard]] auto worst_response(std::size_t graph) const -> Number {
    Number worst(0);
    for (const Number& r : responses[graph]) { worst = worst < r ? r : worst; }
    return worst;
  }
};

}  // namespace takt::simulation
