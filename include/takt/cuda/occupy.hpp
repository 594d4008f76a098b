// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Holds what a launched kernel and the host tell each other, in pinned memory.
struct yield_words {
  std::uint32_t yield_asked = 0;  ///< written by the host: stop at the end of the wave
  std::uint32_t claimed = 0;      ///< written by a pinned kernel at its end: blocks that came to a slot of theirs
  std::uint64_t left = 0;         ///< written by the kernel at its end: what has not run, 0 when all has
};

inline constexpr const char* occupy_name = "takt_occupy";

/// Is one thread that spins for `length` nanoseconds of the device's timer in waves of `wave`. If it is given control
/// words, it looks for a request to yield between two waves. It stands for kernels of which only the length is known;
/// it holds a place on an SM, not a whole SM.
inline constexpr const char* occupy_ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry takt_occupy(.param .u64 length, .param .u64 wave, .param .u64 control)
{
  .reg .u64 %left, %wave, %control, %start, %now, %piece;
  .reg .u32 %asked;
  .reg .pred %p;
  ld.param.u64 %left, [length];
  ld.param.u64 %wave, [wave];
  ld.param.u64 %control, [control];
  max.u64 %wave, %wave, 1;
next:
  setp.eq.u64 %p, %left, 0;
  @%p bra leave;
  min.u64 %piece, %left, %wave;
  mov.u64 %start, %globaltimer;
spin:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %p, %now, %piece;
  @%p bra spin;
  sub.u64 %left, %left, %piece;
  setp.eq.u64 %p, %control, 0;
  @%p bra next;
  ld.volatile.global.u32 %asked, [%control];
  setp.eq.u32 %p, %asked, 0;
  @%p bra next;
leave:
  setp.eq.u64 %p, %control, 0;
  @%p bra end;
  st.volatile.global.u64 [%control+8], %left;
  membar.sys;
end:
  ret;
}
)";
static_assert(offsetof(yield_words, left) == 8);

/// Is that kernel on one GPU: compiled by the caller (occupy.cuh), or from PTX, which the first launch loads. A program
/// that launches none needs no compiler in the driver; for one that does, a launch before its timed ones loads it.
template <CudaDriver D>
class occupy_kernel {
 public:
  /// Pre: the context outlives it.
  explicit occupy_kernel(const context_ref<D>& c, function_handle compiled = {}) noexcept
      : context_{c}, kernel_{compiled} {}

  /// Returns what the driver says to the load or the launch. Does not wait. The arguments are copied before the call
  /// returns. From any thread.
  auto launch(D& driver, stream_handle s, std::uint64_t length, std::uint64_t wave, device_address control = {})
      -> result {
    if (const result r = load(); r != result::success) { return r; }
    auto address = static_cast<std::uint64_t>(control);
    std::array<void*, 3> arguments{&length, &wave, &address};
    return driver.launch(kernel_, launch_shape{}, s, arguments.data());
  }

 private:
  /// Loads it once, whatever the answer.
  auto load() -> result {
    const std::lock_guard lock{mutex_};
    if (kernel_ != function_handle{} || answer_ != result::success) { return answer_; }
    try {
      library_ = loaded_library<D>{context_, occupy_ptx};
      kernel_ = library_.kernel(occupy_name);
    } catch (const cuda_error& e) { answer_ = e.code(); }
    return answer_;
  }

  context_ref<D> context_;
  runtime::inheriting_mutex mutex_;
  loaded_library<D> library_;
  function_handle kernel_;
  result answer_ = result::success;
};

}  // namespace takt::inline TAKT_ABI::cuda
