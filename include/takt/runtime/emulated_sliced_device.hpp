// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/time_slices.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/sliced_unit.hpp>

namespace takt::runtime {

/// A kernel of a length of time, which is over at the instant `until` in any case.
struct sliced_kernel {
  ticks length = 0;
  ticks until = no_event;

  explicit sliced_kernel(ticks time = 0, ticks end = no_event) noexcept : length{time}, until{end} {}
};

/// A GPU whose contexts take turns, made of host threads: each stream that is opened with SMs is a context of its own
/// on all of them, as each task is where tasks are processes. Kernels are lengths of time, since code cannot be taken
/// from a thread; copies are those of `emulated_device`.
class emulated_sliced_device {
 public:
  using kernel = sliced_kernel;
  using copy = emulated_copy;
  class stream;

  /// Pre: the rule has no fault.
  template <TakesTurns Rule>
  emulated_sliced_device(const platform_record& platform, const Rule& rule)
      : engines_{platform}, turns_{rule.turns()}, gpu_{turns_} {}

  /// It stands for one GPU.
  [[nodiscard]] auto serves(const platform_record& wanted) const noexcept -> bool {
    return wanted.gpus.size() <= 1 && engines_.serves(wanted);
  }
  [[nodiscard]] auto takes_turns(const turn_times& wanted) const noexcept -> bool { return wanted == turns_; }
  [[nodiscard]] auto open(const sm_range& range) -> stream;
  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool {
    const bool granted = gpu_.serve_at(priority);
    return engines_.serve_at(priority) && granted;
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "emulated, in time slices"; }
  /// False when the system had too few threads to give, or after more than `sliced_unit::max_contexts` contexts.
  [[nodiscard]] auto ready() const noexcept -> bool {
    return gpu_.started() && engines_.ready() && contexts_ <= sliced_unit::max_contexts;
  }

 private:
  emulated_device engines_;
  turn_times turns_;
  sliced_unit gpu_;
  std::uint32_t contexts_ = 0;
};

class emulated_sliced_device::stream {
 public:
  stream(sliced_unit& gpu, std::uint32_t context, emulated_device::stream engines) noexcept
      : gpu_{&gpu}, context_{context}, engines_{engines} {}

  /// Pre: opened with SMs, on a device that is ready.
  void launch(const sliced_kernel& k, completion done) { gpu_->submit(context_, k.length, k.until, done); }
  void copy(std::int32_t engine, const emulated_copy& c, completion done) { engines_.copy(engine, c, done); }
  /// Of the kernel that has ended. Pre: asked from its completion.
  [[nodiscard]] auto served() const noexcept -> std::span<const served_time> { return gpu_->served(context_); }

 private:
  sliced_unit* gpu_;
  std::uint32_t context_;
  emulated_device::stream engines_;
};

inline auto emulated_sliced_device::open(const sm_range& range) -> stream {
  return {gpu_, range.count > 0 ? contexts_++ : 0, engines_.open({})};
}

static_assert(Device<emulated_sliced_device>);
static_assert(TurnsDevice<emulated_sliced_device>);

}  // namespace takt::runtime
