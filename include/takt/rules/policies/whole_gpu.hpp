// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/overheads.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/policies/parse.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/tags.hpp>

// Policies under which a kernel may have the whole GPU.

namespace takt::inline TAKT_ABI {

/// One kernel at a time, on all SMs and to its end; the next is chosen in the order of kernels beside the processors.
struct whole_gpu_policy {
  static constexpr std::string_view name = "whole-gpu";
  [[nodiscard]] static constexpr auto kernels_at_once() noexcept -> std::int32_t { return 1; }
  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) {
    return pool(sms_of(gpu), nonpreemptive(kernel_order_beside<CpuRule>{}));
  }
};

/// Longest slice of the stock driver on Jetson Xavier NX and Orin Nano. Source: Wang et al. 2024 (GCAPS, ECRTS).
inline constexpr ticks driver_slice = 1'024'000;

/// Describes what a GPU does by default with several processes: a turn for each that has work.
struct time_sliced_policy {
  static constexpr std::string_view name = "time-sliced";
  static constexpr auto handover = kernel_handover::hardware;
  ticks slice = driver_slice;

  [[nodiscard]] constexpr auto parameter() const noexcept -> std::int64_t { return slice == driver_slice ? 0 : slice; }
  /// Reads a time with a unit.
  [[nodiscard]] constexpr auto set(std::string_view text) noexcept -> bool {
    const detail::parsed_number n = detail::parse_time(text);
    if (n.good && n.value <= detail::longest_turn) { slice = n.value; }
    return n.good && n.value <= detail::longest_turn;
  }
  [[nodiscard]] static constexpr auto kernels_at_once() noexcept -> std::int32_t { return 1; }
  [[nodiscard]] static constexpr auto missing(const gpu_hardware& gpu) noexcept -> std::string_view {
    return gpu.switch_is_known ? "" : "context_switch";
  }
  template <RuleTag CpuRule>
  [[nodiscard]] constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) const {
    return pool(sms_of(gpu), time_slices(duration{slice}, duration{gpu.context_switch}));
  }
};

/// One queue of blocks: what one process does with kernels of several streams.
struct fifo_blocks_policy {
  static constexpr std::string_view name = "fifo-blocks";
  static constexpr auto handover = kernel_handover::hardware;
  [[nodiscard]] static constexpr auto missing(const gpu_hardware& gpu) noexcept -> std::string_view {
    if (gpu.threads_per_sm < 1) { return "threads_per_sm"; }
    return gpu.blocks_per_sm > 0 ? "" : "blocks_per_sm";
  }
  /// Copies whose jobs may overlap have no order: engines serve them in the order of arrival.
  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto copy_rule(const CpuRule& rule) noexcept {
    if constexpr (GlobalRule<CpuRule>) {
      return fifo;
    } else {
      return device_rule(rule);
    }
  }
  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) {
    const auto slots = block_slots(gpu.sms, gpu.threads_per_sm, gpu.blocks_per_sm);
    return pool(slots.with_warps_of(gpu.warp_size), block_queue_rule<>{.speed = gpu.speed});
  }
};

/// One kernel at a time; a more important one goes first by its stream priority, on so many levels; 0: on all that the
/// hardware has.
struct levels_policy {
  static constexpr std::string_view name = "levels";
  static constexpr auto handover = kernel_handover::hardware;
  std::int32_t levels = 0;
  preemption_cost_model cost = preemption_cost_model::race;

  [[nodiscard]] constexpr auto parameter() const noexcept -> std::int64_t { return levels; }
  [[nodiscard]] constexpr auto set(std::string_view text) noexcept -> bool { return detail::parse_units(text, levels); }
  [[nodiscard]] static constexpr auto kernels_at_once() noexcept -> std::int32_t { return 1; }
  /// Levels beyond those of the hardware are not known of it.
  [[nodiscard]] constexpr auto missing(const gpu_hardware& gpu) const noexcept -> std::string_view {
    return gpu.preemption_levels > 0 && levels <= gpu.preemption_levels ? "" : "preemption_levels";
  }
  template <RuleTag CpuRule>
  [[nodiscard]] constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) const {
    const std::int32_t used = levels > 0 ? levels : gpu.preemption_levels;
    return pool(sms_of(gpu).with_levels(used), takt::levels(kernel_order_beside<CpuRule>{}, cost));
  }
};

/// A slot for kernels of single SMs and one for kernels of all SMs, in turns; the split is chosen.
struct slots_policy {
  static constexpr std::string_view name = "slots";
  /// Where both have period 0, slots are chosen for the tasks.
  slot_reservation<ticks> pinned{.offset = 0, .budget = 0, .period = 0};
  slot_reservation<ticks> gang{.offset = 0, .budget = 0, .period = 0};

  [[nodiscard]] constexpr auto is_given() const noexcept -> bool { return pinned.period != 0 || gang.period != 0; }
  /// Splits of a period that is the shortest of the tasks', or a part of it. Without kernels of the one kind the other
  /// has all the time.
  template <class Tasks>
  [[nodiscard]] constexpr auto choice_count(const gpu_hardware& /*gpu*/, const Tasks& tasks) const noexcept
      -> std::size_t {
    if (is_given()) { return 1; }
    const demand d = demand_of(tasks);
    return d.some_pinned && d.some_gang ? splits * periods : 1;
  }
  template <class Tasks>
  [[nodiscard]] constexpr auto choice(const gpu_hardware& /*gpu*/, const Tasks& tasks, std::size_t which) const noexcept
      -> slots_policy {
    if (is_given()) { return *this; }
    const demand d = demand_of(tasks);
    ticks period = d.shortest < 1 ? 1 : d.shortest;
    for (std::size_t k = 0; k < which / splits && period > ticks{splits}; ++k) { period /= 2; }
    const auto part = static_cast<ticks>(which % splits) + 1;
    const ticks budget = !d.some_pinned ? 0 : d.some_gang ? period * part / (ticks{splits} + 1) : period;
    return {{.offset = 0, .budget = budget, .period = period},
            {.offset = budget % period, .budget = period - budget, .period = period}};
  }
  template <RuleTag CpuRule>
  [[nodiscard]] constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) const {
    return pool(sms_of(gpu), slots_rule<kernel_order_beside<CpuRule>>{{}, pinned, gang});
  }

 private:
  static constexpr std::size_t splits = 3;
  static constexpr std::size_t periods = 3;
  struct demand {
    bool some_pinned = false;
    bool some_gang = false;
    ticks shortest = 0;  ///< period of a task with kernels
  };
  template <class Tasks>
  [[nodiscard]] static constexpr auto demand_of(const Tasks& tasks) noexcept -> demand {
    demand out;
    for (const runtime_task& t : tasks.tasks) {
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        const runtime_visit& v = tasks.visits[t.first_visit + p];
        if (v.where != resource_kind::gpu) { continue; }
        const bool one_sm = v.known.has(visit_fact::pinning) && !needs_all_cores(v.width);
        out.some_pinned = out.some_pinned || one_sm;
        out.some_gang = out.some_gang || !one_sm;
        out.shortest = out.shortest == 0 || t.period < out.shortest ? t.period : out.shortest;
      }
    }
    return out;
  }
};

/// Whenever a kernel comes or goes, those that go first get the SMs they ask for. `Order`: who may go past a kernel
/// that finds too few.
template <GangOrder Order>
struct ordered_gang_policy {
  static constexpr std::string_view name = "gang";
  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) {
    return pool(sms_of(gpu), gang(kernel_order_beside<CpuRule>{}, Order{}));
  }
};
using gang_policy = ordered_gang_policy<backfill_order>;

}  // namespace takt::inline TAKT_ABI
