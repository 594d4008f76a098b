// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <cuda_runtime.h>

#include <takt/cuda/accelerator_kernel.hpp>
#include <takt/cuda/bodies.hpp>
#include <takt/cuda/launch_site.hpp>
#include <takt/cuda/occupy_kernel.hpp>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/model/platform_record.hpp>

namespace takt::cuda {

namespace detail {

[[nodiscard]] inline auto runtime_stream(stream_handle s) noexcept -> cudaStream_t {
  return reinterpret_cast<cudaStream_t>(static_cast<std::uintptr_t>(s));
}
[[nodiscard]] inline auto driver_result(cudaError_t e) noexcept -> result {
  return static_cast<result>(static_cast<std::int32_t>(e));
}

}  // namespace detail

/// A pinned kernel as the kernel of a `cuda_device`: each launch is one job over `count` indices. With pinned blocks it
/// stays on the site's range, as `gpu` shares it out; otherwise the driver keeps it there, or nothing does. The job is
/// launched twice: the second launch ends at once, unless the first found no slot. `not_ready`: the job before found
/// none in both, and its results are void; it is given up. Pre: the kernel outlives the device.
template <CudaDriver D, class Body>
[[nodiscard]] auto on_device(pinned_kernel<Body>& kernel, std::int64_t count, std::int64_t length,
                             const gpu_record& gpu) -> device_kernel<D> {
  return device_kernel<D>{[&kernel, count, length, gpu](D&, const launch_site& site) {
    if (kernel.chunks_left() > 0) {
      kernel.abandon();
      return result::not_ready;
    }
    if (!kernel.begin(count, length)) { return result::invalid_value; }
    const auto everywhere = isolated_slots(0, static_cast<std::int32_t>(max_sms), kernel.virtual_per_sm());
    const sm_slots slots = site.backend == partition_backend::pinned_blocks ? slots_of(gpu, site.range) : everywhere;
    const cudaStream_t stream = detail::runtime_stream(site.stream);
    const cudaError_t first = kernel.launch(stream, slots);
    return detail::driver_result(first == cudaSuccess ? kernel.launch(stream, slots) : first);
  }};
}

/// A body run by persistent blocks that yield at chunk boundaries, as a kernel of a `cuda_accelerator`. It stays on the
/// SMs of its core, `form` of it on each as many as fit.
template <class Body>
class pinned_accelerator_work {
 public:
  pinned_accelerator_work(Body body, std::int64_t count, std::int64_t length, launch_form form = {})
      : body_{body}, form_{form}, work_{divide_work(count, length).value_or(pinned_work{})} {
    per_sm_ = virtual_sms_of<yielding_slots>(body_, form_);
    int sms = 0;
    if (form_.grid == 0 && detail::sms_of_current_device(sms) == cudaSuccess) { form_.grid = per_sm_ * sms; }
  }

  [[nodiscard]] auto ready() const noexcept -> bool {
    return state_.status() == cudaSuccess && per_sm_ > 0 && form_.grid > 0 && work_.chunks > 0;
  }

  /// A job that was not completed leaves a state that the next launch clears. The words of its site may be gone.
  void begin() noexcept {
    clear_ = clear_ || unfinished_;
    work_.job = clear_ ? 0 : work_.job + (launched_ ? 1U : 0U);
    launched_ = false;
    unfinished_ = false;
  }
  /// Refuses, and launches nothing, unless it is ready.
  [[nodiscard]] auto launch(const accelerator_site& site) -> result {
    if (!ready()) { return result::invalid_value; }
    words_ = site.words;
    unfinished_ = true;
    if (!std::exchange(launched_, true)) { *static_cast<volatile std::uint64_t*>(&words_->left) = work_.chunks; }
    const cudaStream_t stream = detail::runtime_stream(site.stream);
    if (std::exchange(clear_, false)) {
      const cudaError_t e = cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream);
      if (e != cudaSuccess) { return detail::driver_result(e); }
    }
    const bool all = site.core == any_core;
    const sm_slots slots =
        isolated_slots(all ? 0 : site.core * site.sms_per_core, (all ? site.cores : 1) * site.sms_per_core, per_sm_);
    const auto words = static_cast<std::uint64_t>(site.control);
    const yielding_slots yielding{
        slots, reinterpret_cast<const volatile std::uint32_t*>(words + offsetof(yield_words, yield_asked)),
        reinterpret_cast<volatile std::uint64_t*>(words + offsetof(yield_words, left))};
    return detail::driver_result(launch_pinned(stream, work_, state_.data(), 0, yielding, body_, form_));
  }
  /// Pre: the last launch has ended, and its site is still there.
  [[nodiscard]] auto complete() -> bool {
    unfinished_ = unfinished_ && *static_cast<const volatile std::uint64_t*>(&words_->left) > 0;
    return launched_ && !unfinished_;
  }

 private:
  Body body_;
  launch_form form_;
  pinned_work work_;
  std::int32_t per_sm_ = 0;
  bool clear_ = false;
  bool launched_ = false;
  bool unfinished_ = false;
  yield_words* words_ = nullptr;
  device_array<pinning_state> state_;
};

/// The kernel lives as long as its copies do. The accelerator's own word asks it to yield.
template <CudaDriver D, class Body>
[[nodiscard]] auto on_accelerator(std::shared_ptr<pinned_accelerator_work<Body>> work) -> accelerator_kernel<D> {
  return accelerator_kernel<D>{{.begin = [work] { work->begin(); },
                                .launch = [work](D&, const accelerator_site& site) { return work->launch(site); },
                                .ask_to_yield = [] {},
                                .complete = [work] { return work->complete(); }}};
}

}  // namespace takt::cuda
