// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <takt/cuda/context.hpp>
#include <takt/cuda/copy_request.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/resource.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/runtime/locking/chunked_copy.hpp>

namespace takt::cuda {

/// What a task keeps on a GPU from job to job, with room for it on every GPU that its jobs may be given, so that none
/// allocates. GPUs are numbered as in the pool. Source: Elliott 2015, section 3.2.2.
template <CudaDriver D>
class job_state {
 public:
  /// Allocates on all GPUs, or on none. Pre: the contexts outlive it. Error: `cuda_error`.
  job_state(std::span<const context_ref<D>> gpus, std::size_t bytes) : bytes_{bytes} {
    rooms_.reserve(gpus.size());
    for (const context_ref<D>& gpu : gpus) { rooms_.emplace_back(gpu, bytes); }
  }

  /// Of the latest job; `no_gpu` before the first.
  [[nodiscard]] auto gpu() const noexcept -> std::int32_t { return gpu_; }
  [[nodiscard]] auto room_on(std::int32_t gpu) const -> device_address {
    return rooms_[static_cast<std::size_t>(gpu)].get();
  }

  /// At the beginning of a job, once its token has named the GPU: brings the state there, under the locks of the
  /// engines, if the job before had another one. Pre: `calls` are under that token; peers are connected. Error: as for
  /// `engine_calls::copy`, and then the state stays where it was; `std::invalid_argument` for a GPU without room.
  template <class Calls>
  auto bring_to(std::int32_t gpu, Calls& calls, std::size_t chunk) -> runtime::copy_tally {
    if (gpu < 0 || static_cast<std::size_t>(gpu) >= rooms_.size()) {
      throw std::invalid_argument{"takt: a job's state has no room on this GPU; give job_state all GPUs of the pool"};
    }
    runtime::copy_tally out;
    if (gpu_ != no_gpu && gpu_ != gpu) {
      out = calls.copy({.kind = copy_kind::peer,
                        .to = static_cast<std::uint64_t>(room_on(gpu)),
                        .from = static_cast<std::uint64_t>(room_on(gpu_)),
                        .bytes = bytes_,
                        .to_device = device_of(gpu),
                        .from_device = device_of(gpu_)},
                       chunk);
    }
    gpu_ = gpu;
    return out;
  }

 private:
  [[nodiscard]] auto device_of(std::int32_t gpu) const -> std::int32_t {
    return rooms_[static_cast<std::size_t>(gpu)].context().device;
  }

  std::size_t bytes_;
  std::vector<device_memory<D>> rooms_;
  std::int32_t gpu_ = no_gpu;
};

}  // namespace takt::cuda
