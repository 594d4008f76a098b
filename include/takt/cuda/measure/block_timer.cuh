// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <cuda_runtime.h>
#include <cuda/ptx>

#include <takt/core/number.hpp>
#include <takt/cuda/runtime_memory.cuh>

namespace takt::inline TAKT_ABI::cuda {

/// Lengths of chunks by the device's clock, which some devices advance by a microsecond at a time.
struct block_lengths {
  unsigned long long shortest = ~0ULL;
  unsigned long long longest = 0;
  unsigned long long total = 0;
  unsigned long long chunks = 0;
};

/// A body that also keeps how long its chunks take. With one logical block to a chunk, the longest is what a yield or
/// an elastic change waits for, and what a block-boundary preemption costs at most.
template <class Body>
struct timed_body {
  Body body;
  block_lengths* lengths;

  __device__ void operator()(std::int64_t first, std::int64_t last) const {
    const unsigned long long begin = ::cuda::ptx::get_sreg_globaltimer();
    body(first, last);
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned long long length = ::cuda::ptx::get_sreg_globaltimer() - begin;
      atomicMin(&lengths->shortest, length);
      atomicMax(&lengths->longest, length);
      atomicAdd(&lengths->total, length);
      atomicAdd(&lengths->chunks, 1ULL);
    }
  }
};

/// Device memory for lengths, and a copy of what is in it.
class block_timer {
 public:
  block_timer() { reset(); }

  void reset() {
    const block_lengths none;
    if (status() == cudaSuccess) { status_ = cudaMemcpy(lengths_.data(), &none, sizeof none, cudaMemcpyHostToDevice); }
    // A short copy returns before it is done, and streams of ours do not wait for the default stream.
    if (status() == cudaSuccess) { status_ = cudaDeviceSynchronize(); }
  }
  [[nodiscard]] auto status() const noexcept -> cudaError_t {
    return lengths_.status() != cudaSuccess ? lengths_.status() : status_;
  }
  template <class Body>
  [[nodiscard]] auto timed(Body body) const -> timed_body<Body> {
    return {body, lengths_.data()};
  }
  /// Pre: kernels with timed bodies have ended.
  [[nodiscard]] auto read() -> block_lengths {
    block_lengths out;
    status_ = cudaMemcpy(&out, lengths_.data(), sizeof out, cudaMemcpyDeviceToHost);
    return out;
  }

 private:
  cudaError_t status_ = cudaSuccess;
  device_array<block_lengths> lengths_;
};

}  // namespace takt::inline TAKT_ABI::cuda
