// SPDX-License-Identifier: Apache-2.0
// A short job alone and beside a load that has the rest of the device, or all of it: the kernels and the clock. What is
// measured, when it is refused and how it is printed stands in ../isolation.
#include <cstdint>
#include <cstdio>
#include <optional>

#include <cuda_runtime.h>
#include <cuda/ptx>

#include <takt/cuda/driver.hpp>
#include <takt/cuda/pinned_kernel.cuh>

#include "isolation/command.hpp"
#include "measured_device.cuh"

namespace {

namespace cuda = takt::cuda;
using namespace takt_benchmarks;

/// The loop is not unrolled: rounds with known constants would become one.
__device__ auto do_rounds(std::uint32_t x, std::uint32_t rounds) -> std::uint32_t {
#pragma unroll 1
  for (std::uint32_t i = 0; i < rounds; ++i) { x = x * multiplier + increment; }
  return x;
}
__device__ void mark_sm(std::uint32_t* sms) {
  const std::uint32_t sm = cuda::detail::physical_sm();
  if (sm < cuda::max_sms) { atomicOr(&sms[sm / 32], 1U << (sm % 32)); }
}

__device__ void do_probe_block(const probe_arguments& a, std::uint32_t block) {
  if (threadIdx.x == 0) {
    if (block == 0) { *static_cast<volatile std::uint32_t*>(a.started) = 1; }
    mark_sm(a.sms);
  }
  const std::uint32_t i = block * block_threads + threadIdx.x;
  a.out[i] = do_rounds(i, probe_rounds);
}

__device__ void do_load_block(const load_arguments& a, std::uint32_t block) {
  __shared__ std::uint32_t sum;
  if (threadIdx.x == 0) {
    sum = 0;
    mark_sm(a.sms);
  }
  __syncthreads();
  std::uint32_t x = block * block_threads + threadIdx.x;
#pragma unroll 1
  for (std::uint32_t step = 0; step < load_steps; ++step) {
    x = do_rounds(x, step_rounds);
    if (threadIdx.x == 0) {
      const unsigned long long counted = atomicAdd(a.counted, 1ULL) + 1;
      if (counted % a.report_every == 0) { *static_cast<volatile unsigned long long*>(a.progress) = counted; }
    }
  }
  atomicAdd(&sum, x);
  __syncthreads();
  if (threadIdx.x == 0) { a.out[block] = sum; }
  __syncthreads();
}

__global__ void __launch_bounds__(block_threads) probe_kernel(const __grid_constant__ probe_arguments a) {
  do_probe_block(a, blockIdx.x);
}
__global__ void __launch_bounds__(block_threads) load_kernel(const __grid_constant__ load_arguments a) {
  do_load_block(a, blockIdx.x);
}
__global__ void spin_kernel(const __grid_constant__ spin_arguments a) {
  auto* words = a.words;
  *static_cast<volatile std::uint32_t*>(&words->started) = 1;
  const long long first_cycle = clock64();
  const unsigned long long begin = ::cuda::ptx::get_sreg_globaltimer();
  unsigned long long now = begin;
  while (now - begin < a.nanoseconds) { now = ::cuda::ptx::get_sreg_globaltimer(); }
  words->cycles = static_cast<unsigned long long>(clock64() - first_cycle);
  words->nanoseconds = now - begin;
  __threadfence_system();
  *static_cast<volatile std::uint32_t*>(&words->ended) = 1;
}

/// The same blocks as chunks of pinned jobs.
struct probe_body {
  probe_arguments a;
  __device__ void operator()(std::int64_t first, std::int64_t last) const {
    for (std::int64_t b = first; b < last; ++b) { do_probe_block(a, static_cast<std::uint32_t>(b)); }
  }
};
struct load_body {
  load_arguments a;
  __device__ void operator()(std::int64_t first, std::int64_t last) const {
    for (std::int64_t b = first; b < last; ++b) { do_load_block(a, static_cast<std::uint32_t>(b)); }
  }
};

template <class Body>
class pinned_side {
 public:
  explicit pinned_side(const Body& body) : kernel_{body, {.threads = block_threads}} {}

  [[nodiscard]] auto status() const -> cudaError_t { return kernel_.status(); }
  auto begin(std::int64_t blocks) -> bool { return kernel_.begin(blocks, 1); }
  auto launch(cuda::stream_handle s, const cuda::sm_slots& slots) -> cuda::result { return kernel_.start(s, slots, 0); }
  void set_slots(const cuda::sm_slots& slots) { kernel_.set_slots(slots); }
  void yield() { kernel_.yield(); }
  [[nodiscard]] auto chunks_left() const -> std::int64_t { return kernel_.chunks_left(); }
  [[nodiscard]] auto virtual_per_sm() const -> std::int32_t { return kernel_.virtual_per_sm(); }

 private:
  cuda::pinned_kernel<Body> kernel_;
};

class device_kernels {
 public:
  auto prepare(const probe_arguments& p, const load_arguments& l) -> cuda::result {
    pinned_probe_.emplace(probe_body{p});
    pinned_load_.emplace(load_body{l});
    cudaError_t e = pinned_probe_->status();
    if (e == cudaSuccess) { e = pinned_load_->status(); }
    if (e == cudaSuccess) { e = find(probe_, probe_kernel); }
    if (e == cudaSuccess) { e = find(load_, load_kernel); }
    if (e == cudaSuccess) { e = find(spin_, spin_kernel); }
    return cuda::detail::driver_result(e);
  }
  auto probe() -> cuda::function_handle { return probe_; }
  auto load() -> cuda::function_handle { return load_; }
  auto spin() -> cuda::function_handle { return spin_; }
  auto pinned_probe() -> pinned_side<probe_body>& { return *pinned_probe_; }
  auto pinned_load() -> pinned_side<load_body>& { return *pinned_load_; }

 private:
  template <class Kernel>
  [[nodiscard]] static auto find(cuda::function_handle& out, Kernel* kernel) -> cudaError_t {
    cudaKernel_t found = nullptr;
    const cudaError_t e = cudaGetKernel(&found, reinterpret_cast<const void*>(kernel));
    out = cuda::function_of(found);
    return e;
  }

  cuda::function_handle probe_{};
  cuda::function_handle load_{};
  cuda::function_handle spin_{};
  std::optional<pinned_side<probe_body>> pinned_probe_;
  std::optional<pinned_side<load_body>> pinned_load_;
};

}  // namespace

auto main(int argc, char** argv) -> int {
  command_line given{argc, argv};
  const isolation_options options = isolation_options_of(given);
  given.end();
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::puts("takt_cuda_isolation: skipped, no CUDA device here");
    return no_device;
  }
  takt::cuda::driver driver;
  device_kernels kernels;
  spinning_host host;
  return run_isolation(driver, kernels, host, options);
}
