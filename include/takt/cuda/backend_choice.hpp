// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include <takt/cuda/capabilities.hpp>
#include <takt/cuda/launch_site.hpp>
#include <takt/rules/dedicated_sms.hpp>

namespace takt::cuda {

/// What the program can offer to partitioning.
struct partition_wish {
  bool green_contexts = true;
  bool kernels_stay_on_range = false;  ///< every kernel pins its blocks by itself
  bool virtual_sms = false;            ///< ranges count virtual SMs, of which several share a physical one
  bool isolation_is_a_must = true;     ///< never fall back on streams alone
  bool limited_by_mps = false;         ///< CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is set
};

struct backend_choice {
  bool possible = false;
  partition_backend backend = partition_backend::priority_streams;
  std::int32_t group = 0;  ///< SMs that green contexts come in
  std::string reason;      ///< why not something better, or why not at all
};

/// SMs that a split hands out at a time. Drivers before CUDA 13 do not say, then the documented size for the compute
/// capability.
[[nodiscard]] inline auto partition_unit(const gpu_facts& gpu) noexcept -> std::int32_t {
  if (gpu.splittable.least_partition > 0) {
    const std::int32_t step = std::max(gpu.splittable.alignment, 1);
    return (gpu.splittable.least_partition + step - 1) / step * step;
  }
  return gpu.compute_major >= 9 ? 8 : gpu.compute_major == 8 ? 4 : 2;
}

/// The strongest way to keep these ranges of one GPU apart that machine and program allow.
[[nodiscard]] inline auto choose_backend(const machine_facts& machine, std::int32_t device,
                                         std::span<const sm_range> ranges, const partition_wish& wish = {})
    -> backend_choice {
  const gpu_facts& gpu = machine.gpus[static_cast<std::size_t>(device)];
  backend_choice out;
  out.group = partition_unit(gpu);
  constexpr std::int32_t first_with_green_streams = 12'050;
  std::int64_t groups = 0;
  std::string fits;
  for (const sm_range& r : ranges) {
    groups += (r.count + out.group - 1) / out.group;
    if (r.count % out.group != 0 && fits.empty()) {
      fits = "a range of " + std::to_string(r.count) + " SMs is no multiple of " + std::to_string(out.group);
    }
  }
  if (groups * out.group > gpu.sms && fits.empty()) { fits = "the ranges need more SMs than the device can split off"; }
  const std::string why_not_green =
      !wish.green_contexts  ? "green contexts are not wanted"
      : wish.virtual_sms    ? "green contexts come in physical SMs, not in virtual ones"
      : wish.limited_by_mps ? "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE lets green contexts use more SMs than their own"
      : machine.driver_version < first_with_green_streams
          ? "streams of green contexts need a driver for CUDA 12.5, installed is one for " +
                std::to_string(machine.driver_version / 1'000) + "." +
                std::to_string(machine.driver_version % 1'000 / 10)
      : gpu.partitions != result::success ? "the driver does not split the SMs of this device (error " +
                                                std::to_string(static_cast<std::int32_t>(gpu.partitions)) + ")"
                                          : fits;
  if (why_not_green.empty()) {
    out.possible = true;
    out.backend = partition_backend::green_contexts;
    return out;
  }
  out.reason = why_not_green;
  if (wish.kernels_stay_on_range) {
    out.possible = true;
    out.backend = partition_backend::pinned_blocks;
    return out;
  }
  out.reason += "; kernels do not stay on their range by themselves";
  out.possible = !wish.isolation_is_a_must;
  return out;
}

}  // namespace takt::cuda
