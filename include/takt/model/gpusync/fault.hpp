// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/model/model_error.hpp>

namespace takt {

/// What can be wrong with a platform of locked GPUs, or with its tasks.
enum class gpusync_fault : std::uint8_t {
  none,
  size_out_of_range,
  cluster_does_not_divide,
  tokens_out_of_range,
  copy_engines_out_of_range,
  chunk_not_positive,
  association_out_of_range,
  r2dglp_across_clusters,
  unlimited_across_clusters,
  negative_overhead,
  no_task,
  period_not_positive,
  deadline_not_positive,
  deadline_exceeds_period,
  negative_time,
  no_time,
  section_exceeds_wcet,
  negative_bytes,
  cpu_cluster_out_of_range,
  gpu_cluster_out_of_range,
  clusters_not_associated,
  gpu_task_not_placed,
  gpu_demand_without_gpu,
  copy_without_engine,
  priority_missing,
  duplicate_priority,
  choice_out_of_range,
  time_overflow,
};

/// `task` is the position in the given order.
struct gpusync_error {
  gpusync_fault fault = gpusync_fault::none;
  std::uint32_t task = nowhere;

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return fault != gpusync_fault::none; }
  [[nodiscard]] friend constexpr auto operator==(const gpusync_error&, const gpusync_error&) noexcept -> bool = default;
};

[[nodiscard]] constexpr auto describe(gpusync_fault fault) noexcept -> fault_text {
  switch (fault) {
    case gpusync_fault::none: return {"", "", ""};
    case gpusync_fault::size_out_of_range: return {"cpus, gpus", "are out of range", "1 to 64 CPUs and 1 to 32 GPUs"};
    case gpusync_fault::cluster_does_not_divide:
      return {"cluster_size", "does not divide the number of processors", "clusters of one size"};
    case gpusync_fault::tokens_out_of_range: return {"tokens_per_gpu", "is out of range", "1 to 64, or 0 for no limit"};
    case gpusync_fault::copy_engines_out_of_range: return {"copy_engines", "is out of range", "0, 1 or 2"};
    case gpusync_fault::chunk_not_positive: return {"dma_chunk", "is not positive", "at least one byte"};
    case gpusync_fault::association_out_of_range:
      return {"association", "names a cluster that the platform lacks", "clusters of the platform"};
    case gpusync_fault::r2dglp_across_clusters:
      return {"tokens", "are shared by several CPU clusters", "CK-OMLP, or one CPU cluster per GPU cluster"};
    case gpusync_fault::unlimited_across_clusters:
      return {"tokens_per_gpu", "is not limited, and several CPU clusters share a GPU cluster",
              "1 to 64, or one CPU cluster per GPU cluster"};
    case gpusync_fault::negative_overhead: return {"overheads", "are negative", "times of at least 0"};
    case gpusync_fault::no_task: return {"tasks", "there is no task", "at least one task"};
    case gpusync_fault::period_not_positive: return {"period", "is not positive", "a time of at least 1ns"};
    case gpusync_fault::deadline_not_positive: return {"deadline", "is not positive", "a time of at least 1ns"};
    case gpusync_fault::deadline_exceeds_period:
      return {"deadline", "exceeds the period", "deadline <= period under fixed priorities"};
    case gpusync_fault::negative_time: return {"", "is negative", "a time of at least 0"};
    case gpusync_fault::no_time: return {"wcet", "is 0, and so is all other time", "a job that takes time"};
    case gpusync_fault::section_exceeds_wcet:
      return {"cpu_in_gpu_section", "exceeds the task's time on a CPU", "cpu_in_gpu_section <= wcet"};
    case gpusync_fault::negative_bytes: return {"bytes", "are negative", "at least 0"};
    case gpusync_fault::cpu_cluster_out_of_range:
      return {"cpu_cluster", "is not a cluster of the platform", "0 to cpus / cpu_cluster_size - 1"};
    case gpusync_fault::gpu_cluster_out_of_range:
      return {"gpu_cluster", "is not a cluster of the platform", "0 to gpus / gpu_cluster_size - 1"};
    case gpusync_fault::clusters_not_associated:
      return {"gpu_cluster", "does not serve the task's CPU cluster", "a GPU cluster that serves it"};
    case gpusync_fault::gpu_task_not_placed: return {"gpu_cluster", "is missing", "a GPU cluster for each GPU task"};
    case gpusync_fault::gpu_demand_without_gpu:
      return {"gpu_cluster", "is missing, but there is work for a GPU", "a GPU cluster, or no kernels and bytes"};
    case gpusync_fault::copy_without_engine:
      return {"bytes", "are to be copied, and there is no copy engine", "copy_engines of 1 or 2, or no bytes"};
    case gpusync_fault::priority_missing: return {"priority", "is missing", "0 (highest) or more for each task"};
    case gpusync_fault::duplicate_priority:
      return {"priority", "belongs to an earlier task too", "a priority of its own for each task"};
    case gpusync_fault::choice_out_of_range: return {"", "names no known choice", "one of the named enumerators"};
    case gpusync_fault::time_overflow:
      return {"", "overflows 64-bit nanoseconds", "times whose sum over the task set stays below 2^60 ns"};
  }
  return {"", "", ""};
}

}  // namespace takt
