// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <cuda_runtime.h>

#include <takt/cuda/accelerator.hpp>
#include <takt/cuda/device_kernel.hpp>
#include <takt/cuda/pinned_job.hpp>
#include <takt/cuda/pinned_launch.cuh>
#include <takt/cuda/runtime_memory.cuh>

namespace takt::inline TAKT_ABI::cuda {

namespace detail {

[[nodiscard]] inline auto runtime_stream(stream_handle s) noexcept -> cudaStream_t {
  return reinterpret_cast<cudaStream_t>(static_cast<std::uintptr_t>(s));
}
/// Returns the driver's number for an error of the runtime interface. Both have the same numbers, but for errors that
/// the runtime alone has: those of a launch become what the driver calls them.
[[nodiscard]] constexpr auto driver_result(cudaError_t e) noexcept -> result {
  switch (static_cast<std::int32_t>(e)) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorMissingConfiguration:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidSymbol: return result::invalid_value;
    case cudaErrorInvalidDeviceFunction: return result::not_found;
    case cudaErrorInsufficientDriver: return result::missing_entry;
    case cudaErrorPriorLaunchFailure: return result::launch_failed;
    default: return static_cast<result>(static_cast<std::int32_t>(e));
  }
}

}  // namespace detail

/// A kernel of one task, run job after job by persistent blocks on the slots that the task has, which the host may
/// change while a job runs.
///
/// - Fewer slots: a block whose slot is gone leaves before its next chunk. No slots at all is a request to yield.
/// - More slots: no block waits there, since a parked block would hold room of the SM that is somebody else's. The host
///   `join`s instead: another launch of the same job, in another stream, whose blocks take their share of what is left.
/// - Progress is kept on the device: `launch` after a yield, or after a launch that found no slot, goes on.
///
/// Calls do not wait and allocate nothing, but for the constructor. One thread at a time, `set_slots` and `yield`
/// apart, which any thread may call.
template <class Body>
class pinned_kernel {
 public:
  explicit pinned_kernel(Body body, launch_form form = {}) : body_{body}, form_{form} {
    int per_sm = 0;
    int sms = 0;
    if (status() == cudaSuccess) {
      status_ = detail::blocks_per_sm(&detail::run_pinned<elastic_slots, Body>, form_, per_sm);
    }
    if (status() == cudaSuccess) { status_ = detail::sms_of_current_device(sms); }
    if (status() == cudaSuccess && per_sm == 0) { status_ = cudaErrorLaunchOutOfResources; }
    per_sm_ = per_sm;
    if (form_.grid == 0) { form_.grid = per_sm * sms; }
  }

  /// The first error of the constructor.
  [[nodiscard]] auto status() const noexcept -> cudaError_t {
    if (state_.status() != cudaSuccess) { return state_.status(); }
    return words_.status() != cudaSuccess ? words_.status() : status_;
  }
  /// Blocks that one SM holds at a time.
  [[nodiscard]] auto virtual_per_sm() const noexcept -> std::int32_t { return per_sm_; }
  [[nodiscard]] auto form() const noexcept -> const launch_form& { return form_; }

  /// The next job: indices 0 to count - 1, `length` of them to a chunk. False, and no change, when it cannot be divided
  /// or the last job is not done. Pre: launches of the last job have ended.
  [[nodiscard]] auto begin(std::int64_t count, std::int64_t length) -> bool {
    const auto work = divide_work(count, length, next_job_);
    if (status() != cudaSuccess || !work || chunks_left() > 0) { return false; }
    work_ = *work;
    next_job_ += work_.chunks > 0 ? 1U : 0U;
    launches_ = 0;
    for (std::uint32_t lane = 0; lane < max_lanes; ++lane) { words_[0].chunks_left[lane] = work_.chunks; }
    return true;
  }

  /// Gives up a job that is not done, after an error say. Pre: launches of it have ended.
  void abandon() noexcept {
    if (words_.data() == nullptr) { return; }
    for (std::uint32_t lane = 0; lane < max_lanes; ++lane) { words_[0].chunks_left[lane] = 0; }
    work_ = {};
    next_job_ = 0;
    clear_ = true;
  }

  /// Starts the job, or goes on with it, with `grid` blocks, 0 for those of the form. Pre: earlier launches of it have
  /// ended, or are in the same stream.
  [[nodiscard]] auto launch(cudaStream_t stream, const sm_slots& slots, std::int32_t grid = 0) -> cudaError_t {
    if (status() != cudaSuccess) { return status(); }
    set_slots(slots);
    for (std::uint32_t& claimed : words_[0].claimed) { std::atomic_ref{claimed}.store(0); }
    joined_ = 0;
    grid_ = grid > 0 ? grid : form_.grid;
    if (clear_) {
      const cudaError_t e = cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream);
      if (e != cudaSuccess) { return e; }
      clear_ = false;
    }
    ++launches_;
    return enqueue(stream, 0, slots);
  }
  /// Launches it in a stream that the driver keeps on `sms` SMs, of a green context say: a block for each of their
  /// virtual SMs, none of which can land elsewhere. One such launch does a job.
  [[nodiscard]] auto launch_within(cudaStream_t stream, std::int32_t sms) -> cudaError_t {
    if (sms < 1) { return cudaErrorInvalidValue; }
    return launch(stream, isolated_slots(0, static_cast<std::int32_t>(max_sms), per_sm_), sms * per_sm_);
  }
  /// For `on_device`.
  [[nodiscard]] auto start(stream_handle stream, const sm_slots& slots, std::int32_t grid) -> result {
    return detail::driver_result(launch(detail::runtime_stream(stream), slots, grid));
  }
  /// More blocks for a job under way, on the slots that it has now; not ready when max_lanes - 1 have joined since
  /// `launch`. Pre: the stream is not that of the launch.
  [[nodiscard]] auto join(cudaStream_t stream) -> cudaError_t {
    if (status() != cudaSuccess) { return status(); }
    if (joined_ + 1 >= max_lanes) { return cudaErrorNotReady; }
    ++joined_;
    sm_slots slots;
    for (std::uint32_t sm = 0; sm < max_sms; ++sm) {
      slots.per_sm[sm] = static_cast<std::uint8_t>(std::atomic_ref{words_[0].allowed[sm]}.load());
    }
    return enqueue(stream, joined_, slots);
  }

  void set_slots(const sm_slots& slots) noexcept {
    if (words_.data() == nullptr) { return; }
    for (std::uint32_t sm = 0; sm < max_sms; ++sm) {
      std::atomic_ref<std::uint32_t>{words_[0].allowed[sm]}.store(slots.at(sm), std::memory_order_release);
    }
  }
  void yield() noexcept { set_slots({}); }

  /// Chunks that no block has taken. Exact once all launches of the job have ended; before, at least what is left.
  [[nodiscard]] auto chunks_left() const noexcept -> std::uint32_t {
    std::uint32_t least = work_.chunks;
    if (words_.data() == nullptr) { return least; }
    for (std::uint32_t lane = 0; lane < max_lanes; ++lane) {
      least = std::min(least, std::atomic_ref<std::uint32_t>{words_[0].chunks_left[lane]}.load());
    }
    return least;
  }

  /// Blocks of the last launch, and of those that joined it, that came to a slot while there was work: fewer than the
  /// slots that it was given, or than the chunks if these are fewer, is an overrun. Exact once they have ended.
  [[nodiscard]] auto claimed() const noexcept -> std::uint32_t {
    std::uint32_t sum = 0;
    if (words_.data() == nullptr) { return sum; }
    for (std::uint32_t& claimed : words_[0].claimed) { sum += std::atomic_ref{claimed}.load(); }
    return sum;
  }
  /// Of the last job, without those that joined: more than one, where no yield was asked, is an overrun.
  [[nodiscard]] auto launches() const noexcept -> std::int32_t { return launches_; }

  /// Launches on fixed slots and waits, again as long as no block found a slot, at most `launches` times. Returns how
  /// many launches it took: more than one is an overrun of the planned length. None on an error or when work is left.
  [[nodiscard]] auto run(cudaStream_t stream, const sm_slots& slots, std::int32_t launches = 16)
      -> std::optional<std::int32_t> {
    for (std::int32_t n = 0; n < launches; ++n) {
      if (chunks_left() == 0) { return n; }
      if (launch(stream, slots) != cudaSuccess || cudaStreamSynchronize(stream) != cudaSuccess) { return std::nullopt; }
    }
    return chunks_left() == 0 ? std::optional{launches} : std::nullopt;
  }

  /// For launches of one's own on this state.
  [[nodiscard]] auto state() const noexcept -> pinning_state* { return state_.data(); }
  [[nodiscard]] auto words() const noexcept -> elastic_words* { return words_.on_device(); }
  [[nodiscard]] auto work() const noexcept -> const pinned_work& { return work_; }
  [[nodiscard]] auto body() const noexcept -> const Body& { return body_; }

 private:
  [[nodiscard]] auto enqueue(cudaStream_t stream, std::uint32_t lane, const sm_slots& slots) -> cudaError_t {
    launch_form form = form_;
    form.grid = grid_;
    return detail::launch_pinned(stream, work_, state_.data(), lane, elastic_slots{slots, words_.on_device()}, body_,
                                 form);
  }

  Body body_;
  launch_form form_;
  cudaError_t status_ = cudaSuccess;
  std::int32_t per_sm_ = 0;
  device_array<pinning_state> state_;
  mapped_array<elastic_words> words_;
  pinned_work work_{};
  std::uint32_t next_job_ = 0;
  std::uint32_t joined_ = 0;
  std::int32_t grid_ = 0;
  std::int32_t launches_ = 0;
  bool clear_ = false;
};

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
    attempts_ = detail::pinned_attempts{detail::most_pinned_launches};
    work_.job = clear_ ? 0 : work_.job + (launched_ ? 1U : 0U);
    launched_ = false;
    unfinished_ = false;
  }
  /// Refuses, and launches nothing, unless it is ready.
  [[nodiscard]] auto launch(const accelerator_site& site) -> result {
    if (!ready()) { return result::invalid_value; }
    words_ = site.words;
    unfinished_ = true;
    if (!std::exchange(launched_, true)) { std::atomic_ref{words_->left}.store(work_.chunks); }
    const cudaStream_t stream = detail::runtime_stream(site.stream);
    if (std::exchange(clear_, false)) {
      const cudaError_t e = cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream);
      if (e != cudaSuccess) { return detail::driver_result(e); }
    }
    const bool all = site.core == unassigned_core;
    const sm_slots slots =
        isolated_slots(all ? 0 : site.core * site.sms_per_core, (all ? site.cores : 1) * site.sms_per_core, per_sm_);
    if (slots.total() == 0) { return result::invalid_value; }
    auto* const words = reinterpret_cast<yield_words*>(static_cast<std::uint64_t>(site.control));
    const yielding_slots yielding{slots, &words->yield_asked, &words->claimed, &words->left};
    attempts_.launched(slots.total(), static_cast<std::uint32_t>(std::atomic_ref{words_->left}.load()));
    return detail::driver_result(detail::launch_pinned(stream, work_, state_.data(), 0, yielding, body_, form_));
  }
  /// Pre: the last launch has ended, and its site is still there.
  [[nodiscard]] auto ended() -> launch_report {
    const auto left = static_cast<std::uint32_t>(std::atomic_ref{words_->left}.load());
    const bool yield_asked = std::atomic_ref{words_->yield_asked}.load() != 0;
    const launch_report out = attempts_.ended(left, std::atomic_ref{words_->claimed}.load(), yield_asked);
    unfinished_ = left > 0;
    if (yield_asked) { attempts_ = detail::pinned_attempts{detail::most_pinned_launches}; }
    return out;
  }

 private:
  Body body_;
  launch_form form_;
  pinned_work work_;
  detail::pinned_attempts attempts_;
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
                                .ended = [work] { return work->ended(); }}};
}

}  // namespace takt::inline TAKT_ABI::cuda
