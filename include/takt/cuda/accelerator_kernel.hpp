// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/occupy_kernel.hpp>
#include <takt/model/accelerator.hpp>

namespace takt::cuda {

/// Where a launch of an accelerator's kernel goes.
struct accelerator_site {
  std::int32_t device = 0;
  context_handle context{};
  stream_handle stream{};
  std::int32_t core = any_core;  ///< or all `cores`
  std::int32_t cores = 1;
  std::int32_t sms_per_core = 1;
  function_handle occupy{};
  device_address control{};      ///< of the words, for the device
  yield_words* words = nullptr;  ///< the same for the host
};

/// A kernel of a `cuda_accelerator`, which can stop between two waves and go on with another launch: a length of time,
/// or code that is called as follows.
///
/// - `begin()`: the next launch begins a job.
/// - `launch(driver, site)`: puts the job, or what is left of it, into the stream of the site, and does not wait.
/// - `ask_to_yield()`: the launch shall end with its wave. Called while it may be running, or have ended.
/// - `complete()`: asked after a launch has ended, whether the job has nothing left.
template <CudaDriver D>
class accelerator_kernel {
 public:
  struct code {
    std::function<void()> begin;
    std::function<result(D&, const accelerator_site&)> launch;
    std::function<void()> ask_to_yield;
    std::function<bool()> complete;
  };

  /// Takes `length` of the device's time in waves of `wave`; 0: one wave.
  explicit accelerator_kernel(ticks length = 0, ticks wave = 0) noexcept
      : length_{std::max<ticks>(0, length)}, wave_{wave > 0 ? wave : length_} {}
  /// Pre: all four are set, and none throws.
  explicit accelerator_kernel(code own) : own_{std::move(own)} {}

  [[nodiscard]] auto is_timed() const noexcept -> bool { return !own_.launch; }
  [[nodiscard]] auto length() const noexcept -> ticks { return length_; }
  [[nodiscard]] auto wave() const noexcept -> ticks { return wave_; }
  [[nodiscard]] auto own() const noexcept -> const code& { return own_; }

 private:
  ticks length_ = 0;
  ticks wave_ = 0;
  code own_;
};

}  // namespace takt::cuda
