// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cuda/ptx>

#include <takt/cuda/pinning.hpp>
#include <takt/model/warps.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Holds what the host changes and reads while kernels run, in mapped memory.
struct elastic_words {
  std::uint32_t allowed[max_sms];
  std::uint32_t chunks_left[max_lanes];
  std::uint32_t claimed[max_lanes];  ///< blocks of the lane's last launch that came to a slot while there was work
};

namespace detail {

/// A word that only the device uses.
template <class Word>
[[nodiscard]] __device__ auto on_the_device(Word& w) -> ::cuda::atomic_ref<Word, ::cuda::thread_scope_device> {
  return ::cuda::atomic_ref<Word, ::cuda::thread_scope_device>{w};
}
/// A word that the host uses, too.
template <class Word>
[[nodiscard]] __device__ auto beside_the_host(Word& w) -> ::cuda::atomic_ref<Word, ::cuda::thread_scope_system> {
  return ::cuda::atomic_ref<Word, ::cuda::thread_scope_system>{w};
}

}  // namespace detail

/// Slots that the host may change at any time, on the SMs that the launch was dealt. A look costs a read across the
/// bus.
struct elastic_slots {
  sm_slots at_launch;
  elastic_words* words = nullptr;

  [[nodiscard]] __device__ auto dealt(std::uint32_t sm) const -> std::uint32_t { return at_launch.at(sm); }
  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t {
    return detail::beside_the_host(words->allowed[sm]).load(::cuda::memory_order_relaxed);
  }
  __device__ void left(std::uint32_t lane, std::uint32_t chunks, std::uint32_t claimed) const {
    detail::beside_the_host(words->claimed[lane]).store(claimed, ::cuda::memory_order_relaxed);
    detail::beside_the_host(words->chunks_left[lane]).store(chunks, ::cuda::memory_order_relaxed);
  }
};

/// Fixed slots until the host asks for a yield in a word of its own; what is left is told in others.
struct yielding_slots {
  sm_slots slots;
  std::uint32_t* yield_asked = nullptr;
  std::uint32_t* blocks_claimed = nullptr;
  std::uint64_t* chunks_left = nullptr;

  [[nodiscard]] __device__ auto dealt(std::uint32_t sm) const -> std::uint32_t { return slots.at(sm); }
  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t {
    return detail::beside_the_host(*yield_asked).load(::cuda::memory_order_relaxed) != 0 ? 0U : slots.at(sm);
  }
  __device__ void left(std::uint32_t, std::uint32_t chunks, std::uint32_t claimed) const {
    detail::beside_the_host(*blocks_claimed).store(claimed, ::cuda::memory_order_relaxed);
    detail::beside_the_host(*chunks_left).store(std::uint64_t{chunks}, ::cuda::memory_order_relaxed);
  }
};

namespace detail {

[[nodiscard]] inline __device__ auto physical_sm() -> std::uint32_t { return ::cuda::ptx::get_sreg_smid(); }

/// The machine of `pinned_walk` on a device; its functions are called by one thread of the block.
template <class Slots>
class device_machine {
 public:
  __device__ device_machine(const Slots& slots, std::uint32_t lane) : slots_{&slots}, lane_{lane} {}

  [[nodiscard]] __device__ auto sm() const -> std::uint32_t { return physical_sm(); }
  [[nodiscard]] __device__ auto dealt(std::uint32_t sm) const -> std::uint32_t { return slots_->dealt(sm); }
  [[nodiscard]] __device__ auto allowed(std::uint32_t sm) const -> std::uint32_t { return slots_->allowed(sm); }

  template <class Word>
  [[nodiscard]] __device__ auto load(Word& w) const -> Word {
    return on_the_device(w).load(::cuda::memory_order_relaxed);
  }
  __device__ auto exchange_if(std::uint32_t& w, std::uint32_t expected, std::uint32_t desired) const -> std::uint32_t {
    (void)on_the_device(w).compare_exchange_strong(expected, desired, ::cuda::memory_order_relaxed);
    return expected;
  }
  template <class Word>
  __device__ auto add(Word& w, Word n) const -> Word {
    return on_the_device(w).fetch_add(n, ::cuda::memory_order_relaxed);
  }
  __device__ auto publish(std::uint64_t& w, std::uint64_t n) const -> std::uint64_t {
    return on_the_device(w).fetch_add(n, ::cuda::memory_order_release);
  }
  __device__ auto take(std::uint64_t& w) const -> std::uint64_t {
    return on_the_device(w).exchange(0, ::cuda::memory_order_acquire);
  }
  __device__ void clear(std::uint32_t& w, std::uint32_t bits) const {
    on_the_device(w).fetch_and(~bits, ::cuda::memory_order_relaxed);
  }
  template <class Word>
  __device__ void store(Word& w, Word value) const {
    on_the_device(w).store(value, ::cuda::memory_order_relaxed);
  }
  __device__ void left(std::uint32_t chunks, std::uint32_t claimed) const { slots_->left(lane_, chunks, claimed); }

 private:
  const Slots* slots_;
  std::uint32_t lane_;
};

}  // namespace detail

/// Says what a block does with a chunk: it is called by all of its threads with the first index and the one past the
/// last. Indices are done by a thread each.
template <class F>
struct index_body {
  F f;

  __device__ void operator()(std::int64_t first, std::int64_t last) const {
    for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x) { f(i); }
  }
};
/// Says this for logical blocks, each done by all threads: `f` may use shared memory and barriers as a block of a plain
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

/// Persistent blocks: thread 0 goes through the algorithm, all threads do the chunks.
template <class Slots, class Body>
__global__ void __launch_bounds__(most_block_threads)
    run_pinned(pinned_work work, pinning_state* state, std::uint32_t lane, const __grid_constant__ Slots slots,
               Body body) {
  __shared__ std::uint32_t chunk;
  __shared__ bool leaves;
  pinned_walk walk{work, lane, gridDim.x};
  const device_machine<Slots> machine{slots, lane};
  while (true) {
    if (threadIdx.x == 0) {
      leaves = walk.advance(machine, *state) == walk_stop::gone;
      if (!leaves) { chunk = walk.chunk(); }
    }
    __syncthreads();
    if (leaves) { return; }
    body(work.first(chunk), work.last(chunk));
    __syncthreads();
  }
}

/// The plain form of the same work: a thread per index, or a block per logical block.
template <class F>
__global__ void __launch_bounds__(most_block_threads) run_plain(std::int64_t count, index_body<F> body) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) { body.f(i); }
}
template <class F>
__global__ void __launch_bounds__(most_block_threads) run_plain(std::int64_t count, logical_block_body<F> body) {
  if (blockIdx.x < count) { body.f(static_cast<std::int64_t>(blockIdx.x)); }
}

/// Gives the bytes of shared memory that every kernel may use without a word to the driver.
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

/// Returns what this launch answers: `cudaGetLastError` would also name an error that the thread made before it.
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

namespace detail {

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

}  // namespace detail

/// The plain launch of the same work, for comparison: all of the device, blocks wherever the hardware puts them. An
/// invalid configuration when it takes 2^31 blocks or more.
template <class F>
[[nodiscard]] auto launch_plain(cudaStream_t stream, std::int64_t count, const index_body<F>& body,
                                const launch_form& form) -> cudaError_t {
  if (count == 0) { return cudaSuccess; }
  void (*const kernel)(std::int64_t, index_body<F>) = &detail::run_plain<F>;
  return detail::enqueue(kernel, stream, form.threads < 1 ? 0 : detail::grid_for(count, form.threads), form, count,
                         body);
}
template <class F>
[[nodiscard]] auto launch_plain(cudaStream_t stream, std::int64_t count, const logical_block_body<F>& body,
                                const launch_form& form) -> cudaError_t {
  if (count == 0) { return cudaSuccess; }
  void (*const kernel)(std::int64_t, logical_block_body<F>) = &detail::run_plain<F>;
  return detail::enqueue(kernel, stream, count, form, count, body);
}

}  // namespace takt::inline TAKT_ABI::cuda
