// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/sm_power.hpp>
#include <takt/model/warps.hpp>
#include <takt/rules/graph/board.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/servers/block_visit.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI {

/// Kernels are in one queue, first come, first served, with a stream for each. The blocks of its head go to SMs with
/// room and stay there until they end, and the next kernel follows when all of them are placed. What a kernel takes
/// apart from its blocks holds up the queue before the first of them. A smaller room than that of the largest GPU makes
/// smaller servers.
template <std::size_t MaxSms = most_block_sms, std::size_t MaxBlocks = most_resident_blocks>
struct block_queue_rule {
  using is_takt_rule = void;
  static constexpr auto bounds_header = detail::needed_header::graphs;
  static constexpr std::string_view name = "block queue";
  static constexpr bool one_station = true;
  block_gpu gpu{.sms = 0};
  std::int32_t warp_size = usual_warp_size;
  gpu_speed speed{};  ///< of the GPU; times of kernels are those of one of speed 1

  [[nodiscard]] constexpr auto on(const block_slots_resource& r) const noexcept -> block_queue_rule {
    block_queue_rule out = *this;
    out.gpu = {.sms = r.sms, .threads_per_sm = r.threads_per_sm, .block_slots = r.blocks_per_sm};
    out.warp_size = r.warp_size;
    return out;
  }
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_arrival { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] constexpr auto make_server(std::int32_t /*units*/) const noexcept
      -> block_queue_server<Capacity, MaxSms, MaxBlocks> {
    return block_queue_server<Capacity, MaxSms, MaxBlocks>{gpu};
  }
  using view_needs = kernel_grid;
  /// Returns the time on an empty GPU. That of one block was measured beside any others.
  template <detail::HasBlocks K>
  [[nodiscard]] constexpr auto view(const K& kernel) const noexcept -> visit_view {
    if (const lacking_facts missing = detail::lacking_blocks(kernel)) { return detail::unknown_time(missing); }
    const kernel_blocks b = blocks_of(kernel);
    if (gpu.sms < 1 || gpu.sms > std::int64_t{MaxSms} || gpu.threads_per_sm < 1 || gpu.block_slots < 0 ||
        warp_size < 1) {
      return {.fault = model_fault::platform_size_out_of_range};
    }
    if (b.blocks < 1 || !detail::is_block_size(b.threads) || b.length < 1 ||
        detail::whole_warps(b.threads, warp_size) > gpu.threads_per_sm) {
      return {.fault = model_fault::kernel_shape_out_of_range};
    }
    const visit_view block = detail::on_gpu({0, b.length}, {.speed = speed});
    const visit_view serial =
        detail::on_gpu({0, detail::fact_or_none<kernel_overhead>(kernel).time.count()}, {.speed = speed});
    if (block.fault != model_fault::none) { return {.fault = block.fault}; }
    if (serial.fault != model_fault::none) { return {.fault = serial.fault}; }
    const block_visit k{b.blocks, detail::whole_warps(b.threads, warp_size), block.time.upper, serial.time.upper};
    if (blocks_per_sm(gpu, k.threads) > std::int64_t{MaxBlocks} / gpu.sms) {
      return {.fault = model_fault::platform_size_out_of_range};
    }
    ticks alone = 0;
    if (!checked_multiply(k.length, rounds_alone(gpu, k.blocks, k.threads), alone) ||
        !checked_add(alone, k.serial, alone)) {
      return {.fault = model_fault::time_overflow};
    }
    return {.time = {0, alone}, .values = k.values()};
  }
};

}  // namespace takt::inline TAKT_ABI
