// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/cuda/driver_api.hpp>

namespace takt::cuda {

/// What a launched kernel and the host tell each other, in pinned memory.
struct yield_words {
  std::uint32_t yield_asked = 0;  ///< written by the host: stop at the end of the wave
  std::uint32_t reserved = 0;
  std::uint64_t left = 0;  ///< written by the kernel at its end: what has not run, 0 when all has
};

inline constexpr const char* occupy_name = "takt_occupy";

/// One thread that spins for `length` nanoseconds of the device's timer in waves of `wave`, and looks for a request to
/// yield between two waves if it is given control words. It stands for kernels of which only the length is known; it
/// holds a place on an SM, not a whole SM.
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

/// Launches it. The arguments are copied before the call returns.
template <CudaDriver D>
auto occupy(D& driver, function_handle f, stream_handle s, std::uint64_t length, std::uint64_t wave,
            device_address control = {}) -> result {
  auto address = static_cast<std::uint64_t>(control);
  std::array<void*, 3> arguments{&length, &wave, &address};
  return driver.launch(f, launch_shape{}, s, arguments.data());
}

}  // namespace takt::cuda
