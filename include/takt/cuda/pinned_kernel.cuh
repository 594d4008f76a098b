// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include <cuda_runtime.h>

#include <takt/cuda/device_machine.cuh>
#include <takt/cuda/pinned_launch.cuh>
#include <takt/cuda/runtime_memory.cuh>

namespace takt::cuda {

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

  /// Starts the job, or goes on with it. Pre: earlier launches of it have ended, or are in the same stream.
  [[nodiscard]] auto launch(cudaStream_t stream, const sm_slots& slots) -> cudaError_t {
    if (status() != cudaSuccess) { return status(); }
    set_slots(slots);
    joined_ = 0;
    if (clear_) {
      const cudaError_t e = cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream);
      if (e != cudaSuccess) { return e; }
      clear_ = false;
    }
    return enqueue(stream, 0);
  }
  /// More blocks for a job under way, on slots that it was given since; not ready when max_lanes - 1 have joined since
  /// `launch`. Pre: the stream is not that of the launch.
  [[nodiscard]] auto join(cudaStream_t stream) -> cudaError_t {
    if (joined_ + 1 >= max_lanes) { return cudaErrorNotReady; }
    ++joined_;
    return enqueue(stream, joined_);
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
  [[nodiscard]] auto enqueue(cudaStream_t stream, std::uint32_t lane) -> cudaError_t {
    return launch_pinned(stream, work_, state_.data(), lane, elastic_slots{words_.on_device()}, body_, form_);
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
  bool clear_ = false;
};

}  // namespace takt::cuda
