// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>
#include <cuda/ptx>

#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/occupy.hpp>

namespace takt::inline TAKT_ABI::cuda {

namespace detail {

/// As `occupy_ptx`. A template, as a header is for many parts of a program.
template <int = 0>
__global__ void run_occupy(std::uint64_t left, std::uint64_t wave, yield_words* control) {
  wave = wave > 0 ? wave : 1;
  while (left > 0) {
    const std::uint64_t piece = left < wave ? left : wave;
    const std::uint64_t start = ::cuda::ptx::get_sreg_globaltimer();
    while (::cuda::ptx::get_sreg_globaltimer() - start < piece) {}
    left -= piece;
    if (control != nullptr && *static_cast<volatile std::uint32_t*>(&control->yield_asked) != 0) { break; }
  }
  if (control == nullptr) { return; }
  *static_cast<volatile std::uint64_t*>(&control->left) = left;
  __threadfence_system();
}

}  // namespace detail

/// The kernel for lengths, compiled for the architectures of this program, for the options of devices: they then need
/// no compiler in the driver. For all GPUs. None where the runtime interface refuses.
[[nodiscard]] inline auto compiled_occupy() -> function_handle {
  cudaKernel_t kernel = nullptr;
  return cudaGetKernel(&kernel, reinterpret_cast<const void*>(&detail::run_occupy<>)) == cudaSuccess
             ? function_of(kernel)
             : function_handle{};
}

}  // namespace takt::inline TAKT_ABI::cuda
