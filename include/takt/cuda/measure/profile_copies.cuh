// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <cuda_runtime.h>

#include <takt/cuda/measure/profile.cuh>
#include <takt/cuda/runtime_memory.cuh>
#include <takt/model/copy_fit.hpp>
#include <takt/model/stage.hpp>

namespace takt::cuda {

/// Times `repeats` copies of each size between pinned memory and the device, one after the other, on engines that
/// nobody else uses. None on an error. `fit_copy_model` makes a model of them. Source: Zou et al. 2021, section 3.2.
[[nodiscard]] inline auto time_copies(cudaStream_t stream, copy_direction direction,
                                      std::span<const std::int64_t> sizes, std::size_t repeats)
    -> std::optional<std::vector<copy_sample>> {
  if (sizes.empty() || std::ranges::min(sizes) < 1) { return std::nullopt; }
  const auto most = static_cast<std::size_t>(std::ranges::max(sizes));
  const device_array<std::byte> device{most};
  const mapped_array<std::byte> host{most};
  if (device.status() != cudaSuccess || host.status() != cudaSuccess) { return std::nullopt; }
  std::vector<copy_sample> out;
  for (const std::int64_t bytes : sizes) {
    const auto times = time_calls(stream, repeats, [&](cudaStream_t s) {
      return direction == copy_direction::to_host
                 ? cudaMemcpyAsync(host.data(), device.data(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                                   s)
                 : cudaMemcpyAsync(device.data(), host.data(), static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                                   s);
    });
    if (!times) { return std::nullopt; }
    for (const ticks t : *times) { out.push_back({bytes, t}); }
  }
  return out;
}

}  // namespace takt::cuda
