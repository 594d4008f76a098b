// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <cuda_runtime.h>

#include <takt/cuda/pinning.hpp>

namespace takt::cuda {

/// What the host changes and reads while kernels run, in mapped memory.
struct elastic_words {
  std::uint32_t allowed[max_sms];
  std::uint32_t chunks_left[max_lanes];
};

/// Slots that stay what they were at the launch.
struct fixed_slots {
  sm_slots slots;
  elastic_words* words = nullptr;

  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t { return slots.at(sm); }
  __device__ void left(std::uint32_t lane, std::uint32_t chunks) const {
    *static_cast<volatile std::uint32_t*>(&words->chunks_left[lane]) = chunks;
  }
};

/// Slots that the host may change at any time. A look costs a read across the bus.
struct elastic_slots {
  elastic_words* words = nullptr;

  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t {
    return *static_cast<const volatile std::uint32_t*>(&words->allowed[sm]);
  }
  __device__ void left(std::uint32_t lane, std::uint32_t chunks) const {
    *static_cast<volatile std::uint32_t*>(&words->chunks_left[lane]) = chunks;
  }
};

/// Fixed slots until the host asks for a yield in a word of its own; how many chunks are left is told in another.
struct yielding_slots {
  sm_slots slots;
  const volatile std::uint32_t* yield_asked = nullptr;
  volatile std::uint64_t* chunks_left = nullptr;

  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t {
    return *yield_asked != 0 ? 0U : slots.at(sm);
  }
  __device__ void left(std::uint32_t, std::uint32_t chunks) const { *chunks_left = chunks; }
};

namespace detail {

[[nodiscard]] inline __device__ auto physical_sm() -> std::uint32_t {
  std::uint32_t id = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// The machine of `pinned_walk` on a device; its functions are called by one thread of the block.
template <class Slots>
class device_machine {
 public:
  __device__ device_machine(const Slots& slots, std::uint32_t lane) : slots_{&slots}, lane_{lane} {}

  [[nodiscard]] __device__ auto sm() const -> std::uint32_t { return physical_sm(); }
  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t { return slots_->allowed(sm); }

  template <class Word>
  [[nodiscard]] __device__ auto load(const Word& w) const -> Word {
    return *static_cast<const volatile Word*>(&w);
  }
  __device__ auto exchange_if(std::uint32_t& w, std::uint32_t expected, std::uint32_t desired) const -> std::uint32_t {
    return atomicCAS(&w, expected, desired);
  }
  __device__ auto exchange_if(std::uint64_t& w, std::uint64_t expected, std::uint64_t desired) const -> std::uint64_t {
    using word = unsigned long long;
    static_assert(sizeof(word) == sizeof(std::uint64_t));
    return atomicCAS(reinterpret_cast<word*>(&w), static_cast<word>(expected), static_cast<word>(desired));
  }
  __device__ auto add(std::uint32_t& w, std::uint32_t n) const -> std::uint32_t {
    __threadfence();
    const std::uint32_t was = atomicAdd(&w, n);
    __threadfence();
    return was;
  }
  __device__ void clear(std::uint32_t& w, std::uint32_t bits) const { atomicAnd(&w, ~bits); }
  template <class Word>
  __device__ void store(Word& w, Word value) const {
    __threadfence();
    *static_cast<volatile Word*>(&w) = value;
  }
  __device__ void left(std::uint32_t chunks) const {
    slots_->left(lane_, chunks);
    __threadfence_system();
  }

 private:
  const Slots* slots_;
  std::uint32_t lane_;
};

}  // namespace detail

/// What a block does with a chunk: called by all of its threads with the first index and the one past the last.
/// Indices are done by a thread each.
template <class F>
struct index_body {
  F f;

  __device__ void operator()(std::int64_t first, std::int64_t last) const {
    for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x) { f(i); }
  }
};
/// The same for logical blocks, each done by all threads: `f` may use shared memory and barriers as a block of a plain
/// kernel does.
template <class F>
struct logical_block_body {
  F f;

  __device__ void operator()(std::int64_t first, std::int64_t last) const {
    for (std::int64_t b = first; b < last; ++b) {
      f(b);
      __syncthreads();
    }
  }
};

/// Bodies from a callable of the device over a logical index, or over a logical block. It is copied into the launch:
/// a plain struct with a `__device__` call operator needs no compiler flag, a lambda needs `--extended-lambda`.
template <class F>
  requires std::is_trivially_copyable_v<F>
[[nodiscard]] auto over_indices(F f) -> index_body<F> {
  return {f};
}
template <class F>
  requires std::is_trivially_copyable_v<F>
[[nodiscard]] auto over_blocks(F f) -> logical_block_body<F> {
  return {f};
}

/// Blocks in one dimension. `grid` 0 stands for as many blocks as the device holds at a time: V on each of all SMs.
struct launch_form {
  std::int32_t threads = 1024;
  std::int32_t shared_memory = 0;  ///< dynamic, bytes
  std::int32_t grid = 0;
};

namespace detail {

inline constexpr int largest_block = 1024;

/// Persistent blocks: thread 0 goes through the algorithm, all threads do the chunks. The barrier after a chunk and the
/// fence of thread 0 publish what all of them wrote before the chunk is reported.
template <class Slots, class Body>
__global__ void __launch_bounds__(largest_block) run_pinned(pinned_work work, pinning_state* state, std::uint32_t lane,
                                                            const __grid_constant__ Slots slots, Body body) {
  __shared__ std::uint32_t chunk;
  __shared__ bool leaves;
  pinned_walk walk{work, lane, gridDim.x};
  const device_machine<Slots> machine{slots, lane};
  while (true) {
    if (threadIdx.x == 0) {
      leaves = walk.advance(machine, *state) == walk_stop::gone;
      chunk = walk.chunk();
    }
    __syncthreads();
    if (leaves) { return; }
    body(work.first(chunk), work.last(chunk));
    __syncthreads();
  }
}

/// The plain form of the same work: a thread per index, or a block per logical block.
template <class F>
__global__ void __launch_bounds__(largest_block) run_plain(std::int64_t count, index_body<F> body) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) { body.f(i); }
}
template <class F>
__global__ void __launch_bounds__(largest_block) run_plain(std::int64_t count, logical_block_body<F> body) {
  if (blockIdx.x < count) { body.f(static_cast<std::int64_t>(blockIdx.x)); }
}

/// What every kernel may use without a word to the driver.
inline constexpr int free_shared_memory = 48 * 1024;

template <class Kernel>
[[nodiscard]] auto allow_shared_memory(Kernel* kernel, const launch_form& form) -> cudaError_t {
  if (form.shared_memory <= free_shared_memory) { return cudaSuccess; }
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                              form.shared_memory);
}

template <class Kernel>
[[nodiscard]] auto blocks_per_sm(Kernel* kernel, const launch_form& form, int& out) -> cudaError_t {
  const cudaError_t e = allow_shared_memory(kernel, form);
  if (e != cudaSuccess) { return e; }
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out, kernel, form.threads,
                                                       static_cast<std::size_t>(form.shared_memory));
}

/// What this launch answers: `cudaGetLastError` would also name an error that the thread made before it.
template <class... Parameters, class... Arguments>
[[nodiscard]] auto enqueue(void (*kernel)(Parameters...), cudaStream_t stream, std::int64_t blocks,
                           const launch_form& form, const Arguments&... arguments) -> cudaError_t {
  const bool sizes_are_good =
      blocks >= 1 && blocks <= std::numeric_limits<std::int32_t>::max() && form.threads >= 1 && form.shared_memory >= 0;
  if (!sizes_are_good) { return cudaErrorInvalidConfiguration; }
  const cudaError_t e = allow_shared_memory(kernel, form);
  if (e != cudaSuccess) { return e; }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(form.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(form.shared_memory);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

[[nodiscard]] inline auto sms_of_current_device(int& out) -> cudaError_t {
  int device = 0;
  const cudaError_t e = cudaGetDevice(&device);
  return e == cudaSuccess ? cudaDeviceGetAttribute(&out, cudaDevAttrMultiProcessorCount, device) : e;
}

}  // namespace detail

/// Blocks of this form that an SM of the current device holds at a time: the V of its virtual SMs. 0 on any error.
template <class Slots, class Body>
[[nodiscard]] auto virtual_sms_of(const Body&, const launch_form& form) -> int {
  int per_sm = 0;
  return detail::blocks_per_sm(&detail::run_pinned<Slots, Body>, form, per_sm) == cudaSuccess ? per_sm : 0;
}

/// Enqueues one launch of a job on a lane, and does not wait. Without a `grid` it asks for occupancy first, which calls
/// into the driver: give the grid where time matters.
template <class Slots, class Body>
[[nodiscard]] auto launch_pinned(cudaStream_t stream, const pinned_work& work, pinning_state* state, std::uint32_t lane,
                                 const Slots& slots, const Body& body, const launch_form& form) -> cudaError_t {
  if (work.chunks == 0) { return cudaSuccess; }
  int grid = form.grid;
  if (grid == 0) {
    int per_sm = 0;
    int sms = 0;
    cudaError_t e = detail::blocks_per_sm(&detail::run_pinned<Slots, Body>, form, per_sm);
    if (e == cudaSuccess) { e = detail::sms_of_current_device(sms); }
    if (e != cudaSuccess) { return e; }
    grid = per_sm * sms;
  }
  if (grid < 1) { return cudaErrorLaunchOutOfResources; }
  return detail::enqueue(&detail::run_pinned<Slots, Body>, stream, grid, form, work, state, lane, slots, body);
}

/// The plain launch of the same work, for comparison: all of the device, blocks wherever the hardware puts them. An
/// invalid configuration when it takes 2^31 blocks or more.
template <class F>
[[nodiscard]] auto launch_plain(cudaStream_t stream, std::int64_t count, const index_body<F>& body,
                                const launch_form& form) -> cudaError_t {
  if (count == 0) { return cudaSuccess; }
  void (*const kernel)(std::int64_t, index_body<F>) = &detail::run_plain<F>;
  return detail::enqueue(kernel, stream, form.threads < 1 ? 0 : grid_for(count, form.threads), form, count, body);
}
template <class F>
[[nodiscard]] auto launch_plain(cudaStream_t stream, std::int64_t count, const logical_block_body<F>& body,
                                const launch_form& form) -> cudaError_t {
  if (count == 0) { return cudaSuccess; }
  void (*const kernel)(std::int64_t, logical_block_body<F>) = &detail::run_plain<F>;
  return detail::enqueue(kernel, stream, count, form, count, body);
}

}  // namespace takt::cuda
