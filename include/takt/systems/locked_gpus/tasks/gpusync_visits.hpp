// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>
#include <takt/systems/locked_gpus/tasks/transfer.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

namespace takt::inline TAKT_ABI {

/// Holds tasks of locked GPUs as chains whose copies cost so much: CPU time outside of the section, input, kernels, CPU
/// time inside, output. What the tasks leave open is fixed by that: where their CPU time lies. Sections are not part of
/// it, and a CPU cluster is the core where each is scheduled by itself. State that moves between GPUs is refused, as is
/// a GPU cluster but the first.
template <detail::TransferCosts Costs, std::size_t MaxTasks, std::size_t MaxKernels>
  requires std::same_as<typename Costs::number, ticks>
struct gpusync_chains {
  task_rows<gpusync_task<ticks, MaxKernels>, MaxTasks> table{};
  Costs costs{};
  std::int64_t chunk = 1 << 20;  ///< bytes that are set up at once; a copy is one visit
};

template <detail::TransferCosts Costs, std::size_t MaxTasks, std::size_t MaxKernels>
struct visit_source<gpusync_chains<Costs, MaxTasks, MaxKernels>> {
  using segments = detail::segment_list<>;
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_visits = MaxTasks * (MaxKernels + 4);
  static constexpr bool needs_pools = true;

  template <VisitSink Sink>
  static constexpr void each(const gpusync_chains<Costs, MaxTasks, MaxKernels>& all, Sink& sink) {
    for (std::uint32_t i = 0; i < all.table.size(); ++i) {
      if (const model_fault fault = fault_of(all, all.table.tasks[i]); fault != model_fault::none) {
        return sink.refuse(located(fault_at(fault, i), all.table.tasks));
      }
    }
    for (const auto& t : all.table.tasks) {
      sink.open(
          {.name = t.name, .period = t.period, .deadline = t.deadline, .priority = t.priority, .core = t.cpu_cluster});
      visit_mask last = sink.visit(cpu(duration{t.wcet - t.cpu_in_gpu_section}), 0);
      const auto move = [&](transfer_kind kind, std::int64_t bytes, copy_direction direction) {
        if (bytes == 0) { return; }
        const duration time{split(all.costs, kind, bytes, all.chunk).time()};
        last = sink.visit(copy(time, direction), last);
      };
      move(transfer_kind::in, t.bytes_in, to_device);
      for (const ticks kernel : t.kernels) { last = sink.visit(takt::visit<gpu>(wcet(duration{kernel})), last); }
      if (t.cpu_in_gpu_section > 0) { last = sink.visit(cpu(duration{t.cpu_in_gpu_section}), last); }
      move(transfer_kind::out, t.bytes_out, to_host);
    }
  }

 private:
  using chains = gpusync_chains<Costs, MaxTasks, MaxKernels>;

  template <class Task>
  [[nodiscard]] static constexpr auto fault_of(const chains& all, const Task& t) -> model_fault {
    if (const model_fault fault = detail::time_fault(t); fault != model_fault::none) { return fault; }
    if (all.chunk < 1) { return model_fault::chunk_not_positive; }
    if (!copy_fits(all, transfer_kind::in, t.bytes_in) || !copy_fits(all, transfer_kind::out, t.bytes_out)) {
      return model_fault::time_overflow;
    }
    const bool elsewhere = t.gpu_cluster > 0 || t.bytes_state != 0;
    return elsewhere ? model_fault::workload_part_unused : model_fault::none;
  }
  [[nodiscard]] static constexpr auto copy_fits(const chains& all, transfer_kind kind, std::int64_t bytes) -> bool {
    const ticks each = detail::transfer_time(all.costs, kind, all.chunk, 0);
    const ticks rest = detail::transfer_time(all.costs, kind, bytes % all.chunk, 0);
    return rest <= longest_visit_time && each <= longest_visit_time &&
           bytes / all.chunk <= longest_visit_time / (each > 0 ? each : 1);
  }
};

}  // namespace takt::inline TAKT_ABI
